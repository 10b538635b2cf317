//! Which productions matter.

use super::body::Body;
use super::{ACCEPT, RhsSymbol};

/// Which productions are part of some derivation from the first one.
pub(super) fn useful(bodies: &[Body], variables: usize) -> Vec<bool> {
    let mut uses: Vec<Vec<usize>> = vec![Vec::new(); variables];
    let mut of: Vec<Vec<usize>> = vec![Vec::new(); variables];
    let mut missing: Vec<usize> = Vec::new();
    for (index, body) in bodies.iter().enumerate() {
        of[body.lhs as usize].push(index);
        missing.push(variables_of(body).map(|variable| uses[variable].push(index)).count());
    }
    let mut productive = vec![false; variables];
    let mut work: Vec<usize> = (0..bodies.len()).filter(|&index| missing[index] == 0).collect();
    while let Some(index) = work.pop() {
        let lhs = bodies[index].lhs as usize;
        if !std::mem::replace(&mut productive[lhs], true) {
            for &user in &uses[lhs] {
                missing[user] -= 1;
                if missing[user] == 0 {
                    work.push(user);
                }
            }
        }
    }
    let mut useful = vec![false; bodies.len()];
    let mut reached = vec![false; variables];
    let mut work = vec![bodies[ACCEPT as usize].lhs as usize];
    while let Some(variable) = work.pop() {
        for &index in of[variable].iter().filter(|&&index| missing[index] == 0) {
            useful[index] = true;
            work.extend(variables_of(&bodies[index]).filter(|&v| !std::mem::replace(&mut reached[v], true)));
        }
    }
    useful
}

fn variables_of(body: &Body) -> impl Iterator<Item = usize> + '_ {
    body.rhs.iter().filter_map(|symbol| match symbol {
        RhsSymbol::Variable(variable) => Some(*variable as usize),
        RhsSymbol::Set(_) | RhsSymbol::End(_) => None,
    })
}
