//! Which productions matter.

use crate::base::bitset::BitSet;
use crate::base::id::IdVec;

use super::super::index::{BodyId, VariableId};
use super::RhsSymbol;
use super::body::Body;

/// Which productions are part of some derivation from the first one.
pub(super) fn useful(bodies: &IdVec<BodyId, Body>, variables: usize) -> BitSet<BodyId> {
    let mut uses: IdVec<VariableId, Vec<BodyId>> = IdVec::filled(Vec::new(), variables);
    let mut of = uses.clone();
    let mut missing: IdVec<BodyId, usize> = IdVec::new();
    for (id, body) in bodies.entries() {
        of[body.lhs].push(id);
        missing.push(variables_of(body).map(|variable| uses[variable].push(id)).count());
    }
    let mut productive: BitSet<VariableId> = BitSet::new();
    let mut work: Vec<BodyId> = bodies.ids().filter(|&id| missing[id] == 0).collect();
    while let Some(id) = work.pop() {
        let lhs = bodies[id].lhs;
        if productive.insert(lhs) {
            for &user in &uses[lhs] {
                missing[user] -= 1;
                if missing[user] == 0 {
                    work.push(user);
                }
            }
        }
    }
    let mut useful: BitSet<BodyId> = BitSet::new();
    let mut reached: BitSet<VariableId> = BitSet::new();
    let mut work = vec![bodies[BodyId::ACCEPT].lhs];
    while let Some(variable) = work.pop() {
        for &id in of[variable].iter().filter(|&&id| missing[id] == 0) {
            useful.insert(id);
            work.extend(variables_of(&bodies[id]).filter(|&variable| reached.insert(variable)));
        }
    }
    useful
}

fn variables_of(body: &Body) -> impl Iterator<Item = VariableId> + '_ {
    body.rhs.iter().filter_map(|symbol| match symbol {
        RhsSymbol::Variable(variable) => Some(*variable),
        RhsSymbol::Set(_) | RhsSymbol::End(_) => None,
    })
}
