//! A subtree described as generally as its verdict allows: what may be anything, what is of a class that is known,
//! and what has to be as it is.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::grammar::lexis::is_gap;
use crate::grammar::{NonterminalId, RuleId};
use crate::oracle::{Halt, Verdict};
use crate::tree::{Label, NodeId};

use super::bare_text::bare_text;
use super::binding::Bindings;
use super::cases::{AreSame, Cases};
use super::hypothesis::{Alternative, ClassId, Want};
use super::input::Input;
use super::matching::Matcher;
use super::session::{Learning, Trial};

/// The number of classes that are tried for one node.
const MOST_CLASSES: usize = 2;

/// How often a description is made again because parts that vary alone do not vary together.
const ROUNDS: usize = 5;

/// What is described.
#[derive(Clone, Copy)]
struct Place<'a> {
    input: &'a Rc<Input>,
    node: NodeId,
    /// The verdict that inputs are to have with what is described.
    wanted: Verdict,
    /// The texts of numbers that are bound around it.
    bound: &'a Bindings,
    /// Nodes that may not be anything.
    closed: &'a HashSet<NodeId>,
    /// The root of what is described.
    root: NodeId,
    /// A child of it that is in a class, whatever else it may be.
    known: Option<(NodeId, ClassId)>,
}

/// What was found out about nodes.
#[derive(Default)]
struct Found {
    /// Those that may be anything.
    open: Vec<NodeId>,
    /// The numbers of those that may be anything if they are all the same.
    equal: HashMap<NodeId, u32>,
}

impl Learning<'_, '_, '_> {
    /// The subtree at `node` as an alternative, such that inputs with what it describes instead of the subtree have
    /// the wanted verdict.
    pub(super) fn describe(
        &mut self,
        input: &Rc<Input>,
        node: NodeId,
        wanted: Verdict,
        bound: &Bindings,
    ) -> Result<Alternative, Halt> {
        self.describe_around(input, node, None, wanted, bound)
    }

    /// The same with a child that is in a class that is known: what stands beside it is described.
    pub(super) fn describe_around(
        &mut self,
        input: &Rc<Input>,
        node: NodeId,
        known: Option<(NodeId, ClassId)>,
        wanted: Verdict,
        bound: &Bindings,
    ) -> Result<Alternative, Halt> {
        let Some(rule) = input.tree.rule(node) else { return Ok(Alternative::Open(Vec::new())) };
        let mut closed: HashSet<NodeId> = HashSet::new();
        for _ in 0..ROUNDS {
            let mut found = Found::default();
            let place = Place { input, node, wanted, bound, closed: &closed, root: node, known };
            let described = self.describe_rule(place, rule, &mut found)?;
            match self.culprits(input, &found.open, wanted)? {
                culprits if culprits.is_empty() => return Ok(described),
                culprits => closed.extend(culprits),
            }
        }
        Ok(self.exact_around(input, node, rule, known))
    }

    /// The subtree at `node` as it is, but for what stands between words, and for a child that is in a class that is known.
    pub(super) fn exact_around(
        &mut self,
        input: &Rc<Input>,
        node: NodeId,
        rule: RuleId,
        known: Option<(NodeId, ClassId)>,
    ) -> Alternative {
        let mut exact = self.exact(input, node, rule);
        if let (Some((known, class)), Alternative::Rule(_, wants)) = (known, &mut exact) {
            let children = wants.iter_mut().zip(input.tree.children(node));
            children.filter(|(_, child)| **child == known).for_each(|(want, _)| *want = Want::In(class));
        }
        exact
    }

    /// The subtree at `node` as it is, but for what stands between words.
    pub(super) fn exact(&mut self, input: &Rc<Input>, node: NodeId, rule: RuleId) -> Alternative {
        self.exact_with(Cases::are_written, input, node, rule)
    }

    /// The same with those letters in either case of which `are_same` says so.
    pub(super) fn exact_with(
        &mut self,
        are_same: AreSame,
        input: &Rc<Input>,
        node: NodeId,
        rule: RuleId,
    ) -> Alternative {
        let grammar = self.example.grammar;
        let mut wants = Vec::new();
        for &child in input.tree.children(node) {
            wants.push(match input.tree.label(child) {
                Label::Literal(_) => Want::Any,
                Label::Char(c) => self.want_of_char(are_same, input, child, c),
                Label::Rule(rule) if is_gap(grammar, grammar.rule(rule).lhs) => Want::Any,
                // As deep as a word, or as what stands between two of them.
                Label::Rule(rule) => {
                    let alternative = self.exact_with(are_same, input, child, rule);
                    Want::In(self.class_of(rule, alternative))
                }
            });
        }
        Alternative::Rule(rule, wants.into())
    }

    /// A new class with this alternative alone. One that is equal may become wider elsewhere, for other reasons.
    fn class_of(&mut self, rule: RuleId, alternative: Alternative) -> ClassId {
        let nonterminal = self.example.grammar.rule(rule).lhs;
        self.hypothesis.add(nonterminal, vec![alternative])
    }

    fn describe_rule(
        &mut self,
        place: Place<'_>,
        rule: RuleId,
        found: &mut Found,
    ) -> Result<Alternative, Halt> {
        let grammar = self.example.grammar;
        let Place { input, node, .. } = place;
        if grammar.nonterminal(grammar.rule(rule).lhs).token.is_some() {
            return Ok(self.exact(input, node, rule));
        }
        let mut wants = Vec::new();
        for &child in input.tree.children(node) {
            wants.push(self.want(Place { node: child, ..place }, found)?);
        }
        Ok(Alternative::Rule(rule, wants.into()))
    }

    /// What is wanted of a node.
    fn want(&mut self, place: Place<'_>, found: &mut Found) -> Result<Want, Halt> {
        let grammar = self.example.grammar;
        let Place { input, node, wanted, bound, closed, known, .. } = place;
        if let Some((_, class)) = known.filter(|&(known, _)| known == node) {
            return Ok(Want::In(class));
        }
        let rule = match input.tree.label(node) {
            Label::Literal(_) => return Ok(Want::Any),
            Label::Char(c) => return Ok(Want::Char(c)),
            Label::Rule(rule) => rule,
        };
        let nonterminal = grammar.rule(rule).lhs;
        if is_gap(grammar, nonterminal) {
            return Ok(Want::Any);
        }
        let checks = self.settings.screening;
        if !closed.contains(&node) {
            let vary = &mut |session: &mut Self, turn: usize| {
                let fill = session.fill(nonterminal, turn)?;
                Some(input.with(session.example, &[(node, fill)]))
            };
            if let Trial::Holds = self.trial(wanted, checks, vary)? {
                found.open.push(node);
                return Ok(Want::Any);
            }
        }
        // A name that is bound elsewhere is taken for the same one; other inputs show whether it is.
        let text = bare_text(grammar, &input.tree, node);
        if let Some((&number, _)) = bound.iter().find(|(_, known)| **known == text && !text.is_empty()) {
            return Ok(Want::Bound(number));
        }
        if wanted == Verdict::Fail
            && let Some(number) = self.equal(place, nonterminal, &text, found)?
        {
            return Ok(Want::Bound(number));
        }
        for class in self.classes_at(input, node) {
            let vary = &mut |session: &mut Self, _: usize| {
                let member = session.member(class, bound.clone())?;
                Some(input.with(session.example, &[(node, member)]))
            };
            if let Trial::Holds = self.trial(wanted, checks, vary)? {
                return Ok(Want::In(class));
            }
        }
        let alternative = self.describe_rule(place, rule, found)?;
        Ok(Want::In(self.class_of(rule, alternative)))
    }

    /// The number of a node, if inputs fail with whatever stands there as long as the same stands where the text is the same now.
    fn equal(
        &mut self,
        place: Place<'_>,
        nonterminal: NonterminalId,
        text: &[u8],
        found: &mut Found,
    ) -> Result<Option<u32>, Halt> {
        let Place { input, node, wanted, root, .. } = place;
        if let Some(&number) = found.equal.get(&node) {
            return Ok(Some(number));
        }
        if text.is_empty() {
            return Ok(None);
        }
        let grammar = self.example.grammar;
        let is_equal = |&other: &NodeId| {
            input.tree.nonterminal(grammar, other) == Some(nonterminal)
                && bare_text(grammar, &input.tree, other) == text
        };
        let mut equal: Vec<NodeId> = input.tree.preorder(root).filter(is_equal).collect();
        // One inside of another one is the same part.
        let is_outermost = |&at: &NodeId| {
            let mut above = std::iter::successors(input.tree.parent(at), |&at| input.tree.parent(at));
            above.all(|above| !is_equal(&above))
        };
        equal.retain(is_outermost);
        if equal.len() < 2 || !equal.contains(&node) {
            return Ok(None);
        }
        let vary = &mut |session: &mut Self, turn: usize| {
            let fill = session.fill(nonterminal, turn)?;
            let fills: Vec<(NodeId, Vec<u8>)> = equal.iter().map(|&node| (node, fill.clone())).collect();
            Some(input.with(session.example, &fills))
        };
        let Trial::Holds = self.trial(wanted, self.settings.screening, vary)? else { return Ok(None) };
        let number = self.hypothesis.new_number();
        found.equal.extend(equal.iter().map(|&node| (node, number)));
        Ok(Some(number))
    }

    /// Classes in which the subtree is.
    fn classes_at(&self, input: &Input, node: NodeId) -> Vec<ClassId> {
        let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
        let matched = matcher.matched(&input.tree);
        let reachable = self.hypothesis.reachable();
        self.widest(matched[node].iter().filter(|&class| reachable.contains(class)).collect())
    }

    /// A few of some classes, those that have most alternatives.
    pub(super) fn widest(&self, mut classes: Vec<ClassId>) -> Vec<ClassId> {
        classes.sort_by_key(|&class| std::cmp::Reverse(self.hypothesis.class(class).alternatives.len()));
        classes.truncate(MOST_CLASSES);
        classes
    }

    /// Of nodes that may vary alone, those that may not vary together with the others.
    fn culprits(&mut self, input: &Rc<Input>, open: &[NodeId], wanted: Verdict) -> Result<Vec<NodeId>, Halt> {
        if open.len() < 2 {
            return Ok(Vec::new());
        }
        let grammar = self.example.grammar;
        let nonterminals: Vec<_> =
            open.iter().filter_map(|&node| Some((node, input.tree.nonterminal(grammar, node)?))).collect();
        let mut latest: Vec<(NodeId, Vec<u8>)> = Vec::new();
        let checks = self.settings.screening;
        let outcome = {
            let latest = &mut latest;
            let vary = &mut |session: &mut Self, turn: usize| {
                latest.clear();
                for &(node, nonterminal) in &nonterminals {
                    latest.push((node, session.fill(nonterminal, turn)?));
                }
                Some(input.with(session.example, latest))
            };
            self.trial(wanted, checks, vary)?
        };
        let Trial::Refuted(_) = outcome else { return Ok(Vec::new()) };
        for (node, fill) in latest.clone() {
            let text = input.with(self.example, &[(node, fill)]);
            if let Some((verdict, _)) = self.ask(text)?
                && verdict != wanted
                && matches!(verdict, Verdict::Pass | Verdict::Fail)
            {
                return Ok(vec![node]);
            }
        }
        Ok(latest
            .into_iter()
            .min_by_key(|(node, _)| input.text_of(*node).len())
            .map(|(node, _)| node)
            .into_iter()
            .collect())
    }
}
