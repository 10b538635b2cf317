//! How `some A with ..` is said by names alone: along the ways from the root to the occurrence.
//!
//! What stands before a node, behind it and around it stands beside and at the nodes of the way from the root to it. So for each nonterminal
//! on such a way, and each set of the conditions that still have to be met, there is a name: it occurs at a node from which a way
//! leads to an occurrence, on which these are met and nothing stands that must not. It is an alternative of rules, each of which says of
//! one child that the way goes on there, and of the others what may stand in them. That is exact, and whoever knows names needs to know nothing else.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use crate::base::bitset::BitSet;
use crate::base::id::IdVec;
use crate::grammar::analysis::{reachable, uses};
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};

use super::condition::Condition;
use super::expression::{Expression, Formula, NamedPattern, PatternId};
use super::model::{Openness, Pattern, PatternNode};
use super::reference::dependencies;
use super::surrounding::{Side, Surrounding};

/// A rule, and the number of the child through which a way goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Step {
    /// The rule.
    pub rule: RuleId,
    /// The number of the symbol.
    pub child: usize,
}

/// The steps of each nonterminal that can lead to one of `targets`, for those that `start` leads to.
pub fn steps(
    grammar: &Grammar,
    start: NonterminalId,
    targets: &BitSet<NonterminalId>,
) -> IdVec<NonterminalId, Vec<Step>> {
    let uses = uses(grammar);
    let from_start = reachable(grammar, start);
    let mut on_way = targets.clone();
    let mut steps: IdVec<NonterminalId, Vec<Step>> = IdVec::filled(Vec::new(), grammar.nonterminals().len());
    let mut open: Vec<NonterminalId> = targets.iter().collect();
    while let Some(inner) = open.pop() {
        for &(rule, child) in &uses[inner] {
            let outer = grammar.rule(rule).lhs;
            if from_start.contains(outer) {
                steps[outer].push(Step { rule, child });
                if on_way.insert(outer) {
                    open.push(outer);
                }
            }
        }
    }
    steps
}

impl Expression {
    /// Whether it says `some .. with ..`.
    pub fn has_surroundings(&self) -> bool {
        let mut has_any = false;
        self.formula.statements(&mut |statement| has_any |= matches!(statement, Formula::Some(..)));
        has_any
    }

    /// As [`Self::without_surroundings`], of a shared expression.
    pub fn shared_without_surroundings(self: &Arc<Self>, grammar: &Grammar) -> Arc<Self> {
        match self.without_surroundings(grammar) {
            Cow::Borrowed(_) => Arc::clone(self),
            Cow::Owned(by_names) => Arc::new(by_names),
        }
    }

    /// The same expression without `some .. with ..`: by names. Those that there are keep their numbers.
    pub fn without_surroundings(&self, grammar: &Grammar) -> Cow<'_, Self> {
        if !self.has_surroundings() {
            return Cow::Borrowed(self);
        }
        let mut patterns = self.patterns.clone();
        let mut known: HashMap<Formula, Formula> = HashMap::new();
        self.formula.statements(&mut |statement| {
            if let Formula::Some(name, surroundings) = statement
                && !known.contains_key(statement)
            {
                let top = Ways::new(grammar, self.start, *name, surroundings, &mut patterns).top();
                known.insert(statement.clone(), Formula::Root(top));
            }
        });
        let formula = self.formula.replaced(&|statement| known.get(statement).cloned());
        Cow::Owned(Self { start: self.start, patterns, formula })
    }
}

/// What is still to be met on a way, by its numbers.
type Left = BitSet<TaskId>;

crate::id_type!(
    /// A task of a way.
    TaskId
);

/// What has to be met on the rest of a way.
#[derive(Clone, Copy, Debug)]
enum Task {
    /// Something has to stand on a side.
    Stand(Side, PatternId, Option<TaskId>),
    /// A boundary has to come: what it parts from the occurrence must not be around it.
    Boundary(PatternId),
    /// No boundary may come: it would part what has to be around the occurrence from it.
    NoBoundary(PatternId),
}

/// What must not stand on a side, with the task that makes up for it.
#[derive(Clone, Copy, Debug)]
struct Forbidden {
    side: Side,
    name: PatternId,
    unless: Option<TaskId>,
}

/// The ways to the occurrences of a name.
struct Ways<'a> {
    grammar: &'a Grammar,
    start: NonterminalId,
    name: PatternId,
    forbidden: Vec<Forbidden>,
    tasks: IdVec<TaskId, Task>,
    patterns: &'a mut IdVec<PatternId, NamedPattern>,
    /// The nonterminals at which each name of these may occur.
    nonterminals: HashMap<PatternId, BitSet<NonterminalId>>,
    /// Those of them whose matches bind texts.
    binding: BitSet<PatternId>,
    /// The names of what is not so, of what must be and would bind texts: with the nonterminal, and whether it is about all below.
    denials: HashMap<(PatternId, NonterminalId, bool), PatternId>,
    /// What can stand in a tree of each nonterminal that was asked for.
    inside: HashMap<NonterminalId, BitSet<NonterminalId>>,
    steps: IdVec<NonterminalId, Vec<Step>>,
    known: HashMap<(NonterminalId, Left), PatternId>,
    open: Vec<(NonterminalId, Left, PatternId)>,
}

impl<'a> Ways<'a> {
    fn new(
        grammar: &'a Grammar,
        start: NonterminalId,
        name: PatternId,
        surroundings: &[Surrounding],
        patterns: &'a mut IdVec<PatternId, NamedPattern>,
    ) -> Self {
        let of = |name: PatternId| patterns[name].alternatives.iter().map(Pattern::characteristic).collect();
        let nonterminals: HashMap<PatternId, BitSet<NonterminalId>> = surroundings
            .iter()
            .flat_map(Surrounding::names)
            .chain([name])
            .map(|name| (name, of(name)))
            .collect();
        let dependencies = dependencies(patterns);
        let binds = |name: &PatternId| {
            let alternatives = dependencies[*name].iter().flat_map(|name| &patterns[name].alternatives);
            alternatives.flat_map(|pattern| pattern.nodes().iter()).any(|node| node.number().is_some())
        };
        let binding = nonterminals.keys().copied().filter(binds).collect();
        let mut tasks: IdVec<TaskId, Task> = IdVec::new();
        let mut forbidden = Vec::new();
        for &Surrounding { is_there, side, name, within } in surroundings {
            if is_there {
                let free = within.map(|boundary| tasks.push(Task::NoBoundary(boundary)));
                tasks.push(Task::Stand(side, name, free));
            } else {
                let unless = within.map(|boundary| tasks.push(Task::Boundary(boundary)));
                forbidden.push(Forbidden { side, name, unless });
            }
        }
        Self {
            steps: steps(grammar, start, &nonterminals[&name]),
            grammar,
            start,
            name,
            forbidden,
            tasks,
            patterns,
            nonterminals,
            binding,
            denials: HashMap::new(),
            inside: HashMap::new(),
            known: HashMap::new(),
            open: Vec::new(),
        }
    }

    /// The name of the trees in which there is such an occurrence.
    fn top(mut self) -> PatternId {
        let stand = |id: &TaskId| matches!(self.tasks[*id], Task::Stand(..));
        let all = self.tasks.ids().filter(stand).collect();
        let top = self.way(self.start, all);
        while let Some((nonterminal, left, way)) = self.open.pop() {
            self.patterns[way].alternatives = self.alternatives(nonterminal, &left);
        }
        top
    }

    /// A new name, without alternatives.
    fn add(&mut self, nonterminal: NonterminalId) -> PatternId {
        let of = self.grammar.name(nonterminal).text();
        let of: String = of.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
        let name = format!("{}.{of}.{}", self.patterns[self.name].name, self.patterns.len());
        self.patterns.push(NamedPattern { name, alternatives: Vec::new() })
    }

    /// The name of the trees of a nonterminal from whose root a way leads to an occurrence on which these conditions are met.
    fn way(&mut self, nonterminal: NonterminalId, left: Left) -> PatternId {
        let key = (nonterminal, left);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let name = self.add(nonterminal);
        self.open.push((nonterminal, key.1.clone(), name));
        self.known.insert(key, name);
        name
    }

    /// That a name occurs at a node of a nonterminal, or at it or below. Its texts are its own, as those of all that is said of an
    /// occurrence: under a negation nothing is bound, so it is denied that it is denied.
    fn occurs(&mut self, name: PatternId, nonterminal: NonterminalId, is_below: bool) -> Condition {
        let condition = if is_below { Condition::has(name) } else { Condition::at(name) };
        if !self.binding.contains(name) {
            return condition;
        }
        let key = (name, nonterminal, is_below);
        let denial = match self.denials.get(&key) {
            Some(&known) => known,
            None => {
                let denial = self.add(nonterminal);
                let openness = Openness::Where(None, !condition);
                self.patterns[denial].alternatives = vec![Pattern::placeholder(nonterminal, openness)];
                self.denials.insert(key, denial);
                denial
            }
        };
        !Condition::at(denial)
    }

    fn may_be(&self, name: PatternId, nonterminal: NonterminalId) -> bool {
        self.nonterminals[&name].contains(nonterminal)
    }

    fn alternatives(&mut self, nonterminal: NonterminalId, left: &Left) -> Vec<Pattern> {
        let mut alternatives = Vec::new();
        let here: Vec<TaskId> = left
            .iter()
            .filter(|&id| match self.tasks[id] {
                Task::Stand(side, name, _) => side == Side::Around && self.may_be(name, nonterminal),
                Task::Boundary(name) => self.may_be(name, nonterminal),
                Task::NoBoundary(_) => false,
            })
            .collect();
        for met in subsets(&here) {
            let mut conditions: Vec<Condition> = Vec::new();
            let mut rest = left.clone();
            for &id in &met {
                rest.remove(id);
            }
            for id in left.iter() {
                match self.tasks[id] {
                    Task::NoBoundary(name) if self.may_be(name, nonterminal) => {
                        conditions.push(!Condition::at(name));
                    }
                    Task::Stand(_, name, free) if met.contains(&id) => {
                        conditions.push(self.occurs(name, nonterminal, false));
                        rest.extend(free);
                    }
                    Task::Boundary(name) if met.contains(&id) => {
                        conditions.push(self.occurs(name, nonterminal, false));
                    }
                    _ => {}
                }
            }
            for (conditions, rest) in self.without_forbidden(nonterminal, conditions, rest) {
                alternatives.extend(self.at(nonterminal, conditions, &rest));
            }
        }
        alternatives
    }

    /// The ways in which nothing that must not be around the occurrence is at a node, each with its conditions and what is left
    /// to be met then: it is not there, or a boundary comes below.
    fn without_forbidden(
        &self,
        nonterminal: NonterminalId,
        conditions: Vec<Condition>,
        rest: Left,
    ) -> Vec<(Vec<Condition>, Left)> {
        let mut cases = vec![(conditions, rest)];
        for &Forbidden { side, name, unless } in &self.forbidden {
            if side != Side::Around || !self.may_be(name, nonterminal) {
                continue;
            }
            for (mut conditions, rest) in std::mem::take(&mut cases) {
                if let Some(task) = unless {
                    let mut rest = rest.clone();
                    let is_new = rest.insert(task);
                    cases.push((conditions.clone(), rest));
                    if !is_new {
                        continue;
                    }
                }
                conditions.push(!Condition::at(name));
                cases.push((conditions, rest));
            }
        }
        cases
    }

    /// The patterns of the trees of a nonterminal whose root meets conditions and from which a way goes on, or ends.
    fn at(&mut self, nonterminal: NonterminalId, conditions: Vec<Condition>, rest: &Left) -> Vec<Pattern> {
        let condition = conditions.into_iter().reduce(|all, next| all & next);
        let placeholder = |name, condition: Option<Condition>| {
            let at = Condition::at(name);
            let both = match condition {
                Some(condition) => at & condition,
                None => at,
            };
            Pattern::placeholder(nonterminal, Openness::Where(None, both))
        };
        let mut alternatives = Vec::new();
        let is_met = rest.iter().all(|id| matches!(self.tasks[id], Task::NoBoundary(_)));
        if is_met && self.may_be(self.name, nonterminal) {
            alternatives.push(placeholder(self.name, condition.clone()));
        }
        let mut further = Vec::new();
        for step in self.steps[nonterminal].clone() {
            further.extend(self.through(step, rest));
        }
        match condition {
            _ if further.is_empty() => {}
            None => alternatives.extend(further),
            Some(_) => {
                let inner = self.add(nonterminal);
                self.patterns[inner].alternatives = further;
                alternatives.push(placeholder(inner, condition));
            }
        }
        alternatives
    }

    /// The patterns of a rule through one of whose children a way goes on which these conditions are met: each of them below that
    /// child, or by one of the others.
    fn through(&mut self, step: Step, left: &Left) -> Vec<Pattern> {
        let symbols = self.grammar.rule(step.rule).symbols.clone();
        let mut assignments: Vec<(Left, Vec<(usize, PatternId)>)> = vec![(Left::default(), Vec::new())];
        for id in left.iter() {
            let (beside, name) = match self.tasks[id] {
                Task::Stand(Side::Before, name, _) => (0..step.child, name),
                Task::Stand(Side::Behind, name, _) => (step.child + 1..symbols.len(), name),
                Task::Stand(Side::Around, name, _) | Task::Boundary(name) | Task::NoBoundary(name) => {
                    (0..0, name)
                }
            };
            let beside: Vec<usize> = beside.filter(|&at| self.may_have(symbols[at], name)).collect();
            let each = |(below, others): (Left, Vec<(usize, PatternId)>)| {
                let mut below_too = below.clone();
                below_too.insert(id);
                let in_others = beside.iter().map(|&at| {
                    let more = others.iter().copied().chain([(at, name)]).collect();
                    (below.clone(), more)
                });
                in_others.chain([(below_too, others.clone())]).collect::<Vec<_>>()
            };
            assignments = assignments.into_iter().flat_map(each).collect();
        }
        assignments.into_iter().map(|(below, others)| self.rule(step, &symbols, below, &others)).collect()
    }

    fn rule(
        &mut self,
        step: Step,
        symbols: &[Symbol],
        below: Left,
        others: &[(usize, PatternId)],
    ) -> Pattern {
        let mut nodes = IdVec::new();
        let mut children = Vec::new();
        for (at, &symbol) in symbols.iter().enumerate() {
            let node = match symbol {
                Symbol::Literal(literal) => PatternNode::Literal(literal),
                Symbol::Class(_) => PatternNode::AnyChar,
                Symbol::Nonterminal(inner) if at == step.child => {
                    PatternNode::Where(inner, None, Condition::at(self.way(inner, below.clone())))
                }
                Symbol::Nonterminal(inner) => {
                    let side = if at < step.child { Side::Before } else { Side::Behind };
                    let forbidden: Vec<PatternId> =
                        self.forbidden.iter().filter(|it| it.side == side).map(|it| it.name).collect();
                    let forbidden = forbidden.into_iter().filter(|&name| self.may_have(symbol, name));
                    let conditions: Vec<Condition> = forbidden.map(|name| !Condition::has(name)).collect();
                    let wanted = others.iter().filter(|(place, _)| *place == at);
                    let wanted: Vec<Condition> =
                        wanted.map(|&(_, name)| self.occurs(name, inner, true)).collect();
                    match conditions.into_iter().chain(wanted).reduce(|all, next| all & next) {
                        Some(condition) => PatternNode::Where(inner, None, condition),
                        None => PatternNode::Abstract(inner),
                    }
                }
            };
            children.push(nodes.push(node));
        }
        nodes.push(PatternNode::Rule(step.rule, children.into()));
        Pattern::new(nodes, self.grammar.rule(step.rule).lhs)
    }

    /// Whether a name may occur in what a symbol derives.
    fn may_have(&mut self, symbol: Symbol, name: PatternId) -> bool {
        let Symbol::Nonterminal(nonterminal) = symbol else { return false };
        let inside = self.inside.entry(nonterminal).or_insert_with(|| reachable(self.grammar, nonterminal));
        inside.intersects(&self.nonterminals[&name])
    }
}

/// All sets of some of these.
fn subsets(all: &[TaskId]) -> Vec<Vec<TaskId>> {
    let mut sets = vec![Vec::new()];
    for &one in all {
        let with = sets.iter().map(|set: &Vec<TaskId>| set.iter().copied().chain([one]).collect());
        let with: Vec<Vec<TaskId>> = with.collect();
        sets.extend(with);
    }
    sets
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::grammar::arbitrary::{GrammarShape, grammars};
    use crate::pattern::arbitrary::{bound_referring_expression, referring_recipes, with_gaps};
    use crate::tree::trees_up_to;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]
        #[test]
        fn names_say_the_same(
            grammar in grammars(GrammarShape::default()),
            gaps in any::<bool>(),
            recipe in referring_recipes(),
        ) {
            let grammar = if gaps { with_gaps(&grammar, 2, 1).unwrap_or(grammar) } else { grammar };
            let Some(expression) = bound_referring_expression(&grammar, &recipe) else { return Ok(()) };
            let by_names = expression.without_surroundings(&grammar);
            for tree in trees_up_to(&grammar, grammar.start(), 5) {
                prop_assert_eq!(by_names.holds(&grammar, &tree), expression.holds(&grammar, &tree));
            }
        }
    }
}
