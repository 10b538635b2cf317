//! Parts of an input that fail together, at whatever places they are: a root class and what it needs.
//!
//! A pattern of the whole input has all that is needed, at the places at which the one input has it. So it is taken apart: a part gives
//! way to the parts of it, or is left out, as long as random inputs with all parts in them fail mostly. Why the others pass is learned
//! afterwards, as for any root class.

use std::collections::HashSet;

use crate::grammar::analysis::uses;
use crate::grammar::{NonterminalId, RuleId, Symbol};
use crate::oracle::{Halt, Verdict};
use crate::tree::NodeId;

use super::binding::Bindings;
use super::hypothesis::{Alternative, ClassId, Hypothesis, Want};
use super::input::Input;
use super::matching::Matcher;
use super::session::Learning;

/// The number of inputs with some parts in them that are looked at, and how often one is drawn for each.
const SAMPLES: usize = 12;
const DRAWS: usize = 4;

/// The fewest of them that tell anything.
const FEWEST: usize = 4;

/// The share of them that has to fail, and how much of the share with larger parts has to be left: other parts of a random input
/// may be what is missing.
const LEAST_SHARE: f64 = 0.5;
const LEAST_KEPT: f64 = 0.6;

/// The number of parts of a set of which each is tried as the root class that needs the others, and the number that is tried of all sets.
const MOST_ROOTS: usize = 2;
const MOST_TRIES: usize = 4;

/// How often a place is looked for at which a part may stand.
const ATTEMPTS: usize = 10;

/// A root class that needs others in the place of one that is all of them.
struct Split {
    root: ClassId,
    hypothesis: Hypothesis,
    /// The number of passing inputs that nothing explains.
    unexplained: usize,
}

/// Where a part may be put into an input.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// In the place of a subtree.
    Instead(NodeId),
    /// Beside a subtree, by a rule that has its nonterminal as the symbol with this number: one element more of a list.
    Beside(NodeId, RuleId, usize),
}

/// The number of inputs with some parts in them that failed and of those that passed: first those in which the parts stand in another order than
/// in the pattern.
#[derive(Clone, Copy, Debug, Default)]
struct Together {
    failed: [usize; 2],
    passed: [usize; 2],
}

impl Together {
    fn passed(&self) -> usize {
        self.passed.iter().sum()
    }

    fn number(&self) -> usize {
        self.failed.iter().sum::<usize>() + self.passed()
    }

    /// The share that failed; 0 where too few tell.
    fn share(&self) -> f64 {
        let passed = self.passed() as f64 / self.number().max(1) as f64;
        if self.number() < FEWEST { 0.0 } else { 1.0 - passed }
    }

    /// Whether they seem to fail in the order of the pattern alone.
    fn is_in_order(&self) -> bool {
        let [others, own] = [0, 1].map(|order| (self.failed[order], self.passed[order]));
        own.0 >= 2 && own.0 >= 3 * own.1 && others.1 >= 2 && others.1 >= 3 * others.0
    }
}

impl Learning<'_, '_, '_> {
    /// Takes for a root class, in the place of one that is a whole input, a part of it that needs others, wherever they stand. Says whether
    /// there is one.
    pub(super) fn split_root(&mut self, root: ClassId) -> Result<bool, Halt> {
        if self.hypothesis.binding().contains(root) {
            // What is bound may not be torn apart.
            return Ok(false);
        }
        let sets = self.sets_of_parts(root)?;
        let (mut splits, mut tries): (Vec<Split>, usize) = (Vec::new(), 0);
        'sets: for parts in sets.into_iter().rev().filter(|parts| parts.len() > 1) {
            // What something masks may be masked by less for another part of the set, but not for larger ones.
            if splits.iter().any(|split| split.unexplained == 0) {
                break;
            }
            let mut roots = parts.clone();
            roots.retain(|&part| self.may_be_masked(part));
            roots.sort_by_cached_key(|&part| std::cmp::Reverse(self.text_of(part).len()));
            for candidate in roots.into_iter().take(MOST_ROOTS) {
                let is_enough =
                    |split: &Split| split.unexplained == 0 && split.hypothesis.maskings.is_empty();
                if tries == MOST_TRIES || splits.iter().any(is_enough) {
                    break 'sets;
                }
                tries += 1;
                let needs = parts.iter().copied().filter(|&part| part != candidate).collect();
                splits.extend(self.split(root, candidate, needs)?);
            }
        }
        let worth = |split: &Split| (self.misjudged_by(&split.hypothesis), split.hypothesis.maskings.len());
        let Some(best) = splits.into_iter().min_by_key(worth) else { return Ok(false) };
        self.narrowed.insert(best.root);
        self.hypothesis = best.hypothesis;
        Ok(true)
    }

    /// The hypothesis with a part in the place of a root class, which needs others; nothing where random inputs with it do not fail. The hypothesis itself stays.
    fn split(&mut self, root: ClassId, part: ClassId, needs: Vec<ClassId>) -> Result<Option<Split>, Halt> {
        let before = self.hypothesis.clone();
        self.hypothesis.replace_root(root, part);
        self.hypothesis.need(part, needs);
        let was_narrowed = !self.narrowed.insert(part);
        // What another part could not explain this one may.
        self.stubborn.clear();
        let found = self.fails_unless_masked(part)?;
        let hypothesis = std::mem::replace(&mut self.hypothesis, before);
        if !was_narrowed {
            self.narrowed.remove(&part);
        }
        Ok(found.map(|unexplained| Split { root: part, hypothesis, unexplained }))
    }

    /// The number of known inputs about which a hypothesis is wrong.
    fn misjudged_by(&self, hypothesis: &Hypothesis) -> usize {
        let matcher = Matcher::new(self.example.grammar, hypothesis);
        let rejected = self.failing.iter().filter(|input| !matcher.accepts(input)).count();
        rejected + self.passing.iter().filter(|input| matcher.accepts(input)).count()
    }

    /// Sets of parts with all of which random inputs mostly fail, from one part to the smallest ones; none if their order matters.
    fn sets_of_parts(&mut self, root: ClassId) -> Result<Vec<Vec<ClassId>>, Halt> {
        let mut sets = vec![vec![root]];
        let mut share = 1.0;
        let mut tried: HashSet<Vec<ClassId>> = HashSet::new();
        'smaller: loop {
            let parts = sets[sets.len() - 1].clone();
            let without = (0..parts.len()).map(|index| with_instead(&parts, index, &[]));
            let split = (0..parts.len()).map(|index| {
                let inner = self.parts_of(parts[index]);
                if inner.is_empty() { Vec::new() } else { with_instead(&parts, index, &inner) }
            });
            let candidates: Vec<Vec<ClassId>> = without.chain(split).collect();
            for candidate in candidates {
                if candidate.is_empty() || !tried.insert(candidate.clone()) {
                    continue;
                }
                let together = self.together(&candidate)?;
                if together.is_in_order() {
                    return Ok(Vec::new());
                }
                if together.share() >= LEAST_SHARE.max(share * LEAST_KEPT) {
                    sets.push(candidate);
                    share = together.share();
                    continue 'smaller;
                }
            }
            return Ok(sets);
        }
    }

    /// The parts of a part, without levels that add nothing to one, and without those at which it stands wherever the next one does. The last
    /// element of a list is the same text as the list that it is, but may stand at more places.
    fn parts_of(&self, part: ClassId) -> Vec<ClassId> {
        let grammar = self.example.grammar;
        let uses = uses(grammar);
        let is_list = |nonterminal: NonterminalId| {
            let mut rules = grammar.rules_of(nonterminal).iter();
            rules.any(|&rule| grammar.rule(rule).symbols.contains(&Symbol::Nonterminal(nonterminal)))
        };
        let mut parts = vec![part];
        loop {
            let (text, whole) = (self.text_of(parts[0]), self.hypothesis.class(parts[0]).nonterminal);
            let [Alternative::Rule(_, wants)] = self.hypothesis.class(parts[0]).alternatives.as_slice()
            else {
                return Vec::new();
            };
            let wanted = wants.iter().filter_map(|want| match want {
                Want::In(class) if !self.is_nothing(*class) => Some(*class),
                _ => None,
            });
            parts = wanted.collect();
            let [only] = parts[..] else { return parts };
            let is_used_elsewhere = uses[self.hypothesis.class(only).nonterminal].len() > 1;
            if is_list(whole) || is_used_elsewhere && self.text_of(only) != text {
                return parts;
            }
        }
    }

    /// The text of a part in the first input that has it.
    fn text_of(&self, part: ClassId) -> Vec<u8> {
        self.first_place(part).map_or(Vec::new(), |(input, node)| input.text_of(node).to_vec())
    }

    /// What becomes of random inputs with all of some parts in them.
    fn together(&mut self, parts: &[ClassId]) -> Result<Together, Halt> {
        let mut together = Together::default();
        for _ in 0..DRAWS * SAMPLES {
            if together.number() == SAMPLES || 2 * together.passed() > SAMPLES {
                break;
            }
            let first = self.stream.below(parts.len());
            let Some(member) = self.member(parts[first], Bindings::new()) else { continue };
            let nonterminal = self.hypothesis.class(parts[first]).nonterminal;
            let Some(context) = self.around(nonterminal, &member) else { continue };
            let others = with_instead(parts, first, &[]);
            let Some(text) = self.with_parts(&[parts[first]], &others, context.text)? else { continue };
            let Some((verdict, input)) = self.ask(text)? else { continue };
            let is_in_order = self.are_in_order(&input, parts);
            match verdict {
                Verdict::Fail => together.failed[usize::from(is_in_order)] += 1,
                Verdict::Pass => together.passed[usize::from(is_in_order)] += 1,
                Verdict::Unresolved | Verdict::Timeout => {}
            }
        }
        Ok(together)
    }

    /// Whether the first ones of some parts stand in an input in this order.
    fn are_in_order(&self, input: &Input, parts: &[ClassId]) -> bool {
        let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
        let matched = matcher.matched(&input.tree);
        let nodes = input.nodes();
        let place = |class: &ClassId| nodes.iter().position(|&node| matched[node].contains(*class));
        parts.iter().map(place).is_sorted()
    }

    /// An input with a root class in it, with what else that needs at random places.
    pub(super) fn completed(&mut self, root: ClassId, text: Vec<u8>) -> Result<Option<Vec<u8>>, Halt> {
        let needs = self.hypothesis.needs(root).to_vec();
        self.with_parts(&[root], &needs, text)
    }

    /// An input that has some parts, with others at random places that leave these as they are.
    fn with_parts(
        &mut self,
        present: &[ClassId],
        missing: &[ClassId],
        mut text: Vec<u8>,
    ) -> Result<Option<Vec<u8>>, Halt> {
        let mut present = present.to_vec();
        for &part in missing {
            let Some(input) = self.parsed(text.clone())? else { return Ok(None) };
            let (is_there, kept) = {
                let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
                let matched = matcher.matched(&input.tree);
                let nodes = input.nodes();
                let has = |class: &ClassId| nodes.iter().find(|&&node| matched[node].contains(*class));
                let kept: Vec<NodeId> = present.iter().filter_map(has).copied().collect();
                (has(&part).is_some(), kept)
            };
            if !is_there {
                let Some(changed) = self.with_part(&input, part, &kept) else { return Ok(None) };
                text = changed;
            }
            present.push(part);
        }
        Ok(Some(text))
    }

    /// An input with a part at a random place that leaves some nodes as they are.
    fn with_part(&mut self, input: &Input, part: ClassId, kept: &[NodeId]) -> Option<Vec<u8>> {
        let target = self.hypothesis.class(part).nonterminal;
        let places = self.places_for(input, target, kept);
        for _ in 0..ATTEMPTS.min(places.len()) {
            let member = self.member(part, Bindings::new())?;
            let (node, fill) = match *self.stream.pick(&places) {
                Place::Instead(node) => {
                    let nonterminal = input.tree.nonterminal(self.example.grammar, node)?;
                    (node, self.cheapest.around(nonterminal, target, &member))
                }
                Place::Beside(node, rule, own) => {
                    let mut is_in = false;
                    let fill = self.text_filled(rule, own, input.text_of(node), |session, inner| {
                        if !is_in && session.cheapest.reaches(inner, target) {
                            is_in = true;
                            session.cheapest.around(inner, target, &member)
                        } else {
                            session.cheapest.string(inner).map(<[u8]>::to_vec)
                        }
                    });
                    (node, fill)
                }
            };
            if let Some(fill) = fill {
                return Some(input.with(self.example, &[(node, fill)]));
            }
        }
        None
    }

    /// The places at which something of a nonterminal may stand beside some nodes.
    fn places_for(&mut self, input: &Input, target: NonterminalId, kept: &[NodeId]) -> Vec<Place> {
        let grammar = self.example.grammar;
        let tree = &input.tree;
        let above = |node: NodeId| std::iter::successors(Some(node), |&at| tree.parent(at));
        let mut places = Vec::new();
        for (node, nonterminal) in self.changeable(input) {
            if above(node).any(|at| kept.contains(&at)) {
                continue;
            }
            let is_around = kept.iter().any(|&inner| above(inner).any(|at| at == node));
            if !is_around && self.cheapest.reaches(nonterminal, target) {
                places.push(Place::Instead(node));
            }
            for &rule in grammar.rules_of(nonterminal) {
                let symbols = &grammar.rule(rule).symbols;
                let mut of = |index: usize, wanted: NonterminalId| match symbols[index] {
                    Symbol::Nonterminal(inner) => self.cheapest.reaches(inner, wanted),
                    Symbol::Literal(_) | Symbol::Class(_) => false,
                };
                for own in 0..symbols.len() {
                    if symbols[own] == Symbol::Nonterminal(nonterminal)
                        && (0..symbols.len()).any(|other| other != own && of(other, target))
                    {
                        places.push(Place::Beside(node, rule, own));
                    }
                }
            }
        }
        places
    }
}

/// Some parts, with others in the place of one of them.
fn with_instead(parts: &[ClassId], index: usize, by: &[ClassId]) -> Vec<ClassId> {
    let mut changed = parts.to_vec();
    changed.splice(index..=index, by.iter().copied());
    changed
}
