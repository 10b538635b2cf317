//! What masks a failure: a part of an input before, behind or around what makes it fail, with which the input passes.
//!
//! A program that reads options from left to right ends at the first wrong one, a compiler at the first syntax error.
//! Whatever is wrong there, and wherever it stands: what would fail behind it does not. So the part to blame is looked for
//! in a passing input ([`super::blame`]), taken as generally as it can be (its smallest subtree), and made more
//! particular by its surroundings, level by level, as long as inputs with it ([`super::planting`]) fail. That need not be
//! right always: a word may be the argument of the word before it, and mean nothing then.

use std::collections::HashSet;
use std::rc::Rc;

use crate::base::bitset::BitSet;
use crate::grammar::lexis::is_gap;
use crate::grammar::{Grammar, NonterminalId, RuleId, Symbol};
use crate::oracle::Halt;
use crate::pattern::Side;
use crate::pattern::ways::steps;
use crate::tree::{Label, NodeId};

use super::blame::Blame;
use super::cases::Cases;
use super::hypothesis::{Alternative, ClassId, Hypothesis, Want};
use super::input::Input;
use super::matching::{Matcher, root_may_move};
use super::planting::CHECKS;
use super::session::Learning;

/// The most steps of rules that may lead to what something masks: an expression that says so is as large.
const MOST_STEPS: usize = 10_000;

/// The part of all executions, one in this number, that trying other rules for what masks may take.
const SHARE_OF_RULES: u64 = 20;

/// The number of other parts of what masks that are tried in its place.
const MOST_OTHER_PARTS: usize = 8;

/// The number of rules around a root class that are tried for what masks it.
const MOST_AROUND: usize = 4;

/// Where a class that masks a root class comes from: a part of an input that passes.
#[derive(Clone, Debug)]
pub(super) struct Masking {
    pub(super) root: ClassId,
    pub(super) side: Side,
    input: Rc<Input>,
    /// The classes that the part is in, of which one masks;
    candidates: Vec<ClassId>,
    /// how many of them are more than texts;
    pub(super) general: usize,
    /// and which one.
    pub(super) at: usize,
}

/// A part of an input that was found not to mask a root class.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Refused {
    root: ClassId,
    /// Those of the part and of what is around it.
    rules: [Option<RuleId>; 2],
    text: Vec<u8>,
}

impl Masking {
    /// The class that masks.
    pub(super) fn class(&self) -> ClassId {
        self.candidates[self.at]
    }
}

impl Hypothesis {
    /// The index of the masking of a root class by a class.
    pub(super) fn masking_by(&self, root: ClassId, class: ClassId) -> Option<usize> {
        self.maskings.iter().position(|known| known.root == root && known.class() == class)
    }

    /// Takes over what masks the roots of a hypothesis that was made of this one, for a root class of this one: what hides a part of an
    /// input hides what is around that part, too, as far as it is not a part of that.
    pub(super) fn adopt_masks(&mut self, other: &Self, root: ClassId) {
        self.adopt_classes(other);
        for masking in &other.maskings {
            self.mask(root, masking.side, masking.class());
            self.maskings.push(Masking { root, ..masking.clone() });
            for &boundary in other.boundaries(masking.root) {
                if !self.boundaries(root).contains(&boundary) {
                    self.bound(root, boundary);
                }
            }
        }
    }
}

impl Learning<'_, '_, '_> {
    /// Takes back what was tried with the hypothesis, but for what was found to mask its root classes: that does so whatever the hypothesis is going to be, and
    /// takes as much to be found again. All inputs that are known to fail are accepted as before.
    pub(super) fn take_back(&mut self, before: Hypothesis) {
        let tried = std::mem::replace(&mut self.hypothesis, before);
        let known = self.hypothesis.maskings.len();
        let is_new = |masking: &&Masking| self.hypothesis.roots().contains(&masking.root);
        let new: Vec<Masking> = tried.maskings.iter().skip(known).filter(is_new).cloned().collect();
        if new.is_empty() {
            return;
        }
        let accepted = self.accepted();
        self.hypothesis.adopt_classes(&tried);
        for masking in new {
            let without = self.hypothesis.clone();
            self.hypothesis.mask(masking.root, masking.side, masking.class());
            self.hypothesis.maskings.push(masking);
            if !self.keeps(&accepted) {
                self.hypothesis = without;
            }
        }
    }

    /// Whether what stands beside a root class may mask it.
    pub(super) fn may_be_masked(&self, root: ClassId) -> bool {
        let grammar = self.example.grammar;
        root_may_move(grammar, &self.hypothesis, root)
            && are_few(grammar, self.hypothesis.class(root).nonterminal)
    }

    /// Whether something masks a root class.
    pub(super) fn has_masks(&self) -> bool {
        self.hypothesis.roots().iter().any(|&root| self.hypothesis.masks(root).is_some())
    }

    /// Lets something in an accepted input that passes mask its root class. Says whether there is anything new.
    pub(super) fn mask(&mut self, input: &Rc<Input>) -> Result<bool, Halt> {
        let found = {
            let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
            let matched = matcher.matched(&input.tree);
            matcher.occurrences(&input.tree, &matched).first().copied()
        };
        let Some((root, node)) = found.filter(|(root, _)| self.may_be_masked(*root)) else {
            return Ok(false);
        };
        let (input, node) = &self.with_known(input, root, node)?;
        let Some(Blame { side, part, outermost }) = self.part_to_blame(input, root, *node)? else {
            return self.mask_around(input, root, *node);
        };
        // What was refused once costs as much to refuse again.
        let around = input.tree.parent(part).and_then(|parent| input.tree.rule(parent));
        let rules = [input.tree.rule(part), around];
        let refused = Refused { root, rules, text: input.text_of(part).to_vec() };
        if self.refused.contains(&refused) {
            return Ok(false);
        }
        let (mut candidates, mut exact) = self.candidates(input, part, outermost);
        if side == Side::Around {
            // What is more particular would say what is inside of it.
            candidates.truncate(1);
            exact.clear();
        }
        let general = candidates.len();
        candidates.append(&mut exact);
        let masking = Masking { root, side, input: Rc::clone(input), candidates, general, at: 0 };
        let Some(index) = self.add_masking(masking, refused)? else { return Ok(false) };
        if side == Side::Around {
            self.try_rules_around(index)?;
        }
        Ok(true)
    }

    /// Adds a masking, and says which one it is; or remembers that it was refused, if none of its classes masks.
    fn add_masking(&mut self, masking: Masking, refused: Refused) -> Result<Option<usize>, Halt> {
        let index = self.hypothesis.maskings.len();
        self.hypothesis.maskings.push(masking);
        if self.go_to(index, 0) && self.settle(index)? {
            return Ok(Some(index));
        }
        self.hypothesis.maskings.truncate(index);
        self.refused.insert(refused);
        Ok(None)
    }

    /// Lets what an accepted input that passes has around a root class mask it: the innermost rule with which random inputs pass, of
    /// those that no input that fails has around one. Says whether there is any.
    fn mask_around(&mut self, input: &Rc<Input>, root: ClassId, node: NodeId) -> Result<bool, Halt> {
        let grammar = self.example.grammar;
        let with_failing: HashSet<RuleId> = {
            let matcher = Matcher::new(grammar, &self.hypothesis);
            let mut rules = HashSet::new();
            for failing in &self.failing {
                let matched = matcher.matched(&failing.tree);
                for (_, node) in matcher.occurrences(&failing.tree, &matched) {
                    rules.extend(rules_around(failing, node));
                }
            }
            rules
        };
        let around = rules_around(input, node).filter(|rule| !with_failing.contains(rule));
        for rule in around.take(MOST_AROUND) {
            let refused = Refused { root, rules: [Some(rule), None], text: Vec::new() };
            if grammar.rule(rule).has_class() || self.refused.contains(&refused) {
                continue;
            }
            let class =
                self.hypothesis.add(grammar.rule(rule).lhs, vec![Alternative::of_rule(grammar, rule)]);
            let input = Rc::clone(input);
            let candidates = vec![class];
            let masking = Masking { root, side: Side::Around, input, candidates, general: 1, at: 0 };
            if self.add_masking(masking, refused)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Lets a class that masks what is in it have all rules of its nonterminal with which inputs pass alike: there is more than one kind of loop.
    fn try_rules_around(&mut self, index: usize) -> Result<(), Halt> {
        let most = self.judge.executions() + self.settings.executions / SHARE_OF_RULES;
        let grammar = self.example.grammar;
        let Masking { root, side, .. } = self.hypothesis.maskings[index];
        let class = self.hypothesis.maskings[index].class();
        let hidden = self.hypothesis.class(root).nonterminal;
        let nonterminal = self.hypothesis.class(class).nonterminal;
        for &rule in grammar.rules_of(nonterminal) {
            let symbols = &grammar.rule(rule).symbols;
            let has_rule =
                |known: &Alternative| matches!(known, Alternative::Rule(known, _) if *known == rule);
            let is_known = self.hypothesis.class(class).alternatives.iter().any(has_rule);
            let may_hold = symbols.iter().any(|symbol| match symbol {
                Symbol::Nonterminal(inner) => self.cheapest.reaches(*inner, hidden),
                _ => false,
            });
            if is_known || !may_hold || grammar.rule(rule).has_class() || self.judge.executions() > most {
                continue;
            }
            let alternative = Alternative::of_rule(grammar, rule);
            let before = self.hypothesis.clone();
            let tried = self.hypothesis.add(nonterminal, vec![alternative.clone()]);
            self.hypothesis.mask(root, side, tried);
            let (passed, failed) = self.masked_elsewhere(root, side, tried)?;
            // Those that failed just now are weighed already: there may be something between them and the root class that ends masking.
            let is_right =
                passed >= CHECKS / 2 && passed >= 3 * failed && self.lost(root, tried, failed + 1)? <= failed;
            self.hypothesis = before;
            if is_right {
                self.hypothesis.widen(class, alternative);
            }
        }
        Ok(())
    }

    /// Goes on to the first class of a masking that masks nothing that is found to fail, or else to the first that hardly
    /// ever does. Says whether there is one.
    fn settle(&mut self, index: usize) -> Result<bool, Halt> {
        let input = Rc::clone(&self.hypothesis.maskings[index].input);
        let mut fair: Option<usize> = None;
        loop {
            let Masking { root, side, at, .. } = self.hypothesis.maskings[index];
            let class = self.hypothesis.maskings[index].candidates[at];
            if !self.accepts_first(&input) {
                let (passed, failed) = self.masked_elsewhere(root, side, class)?;
                // Inputs that are known are much like each other, random ones are not.
                if failed == 0 && (passed == CHECKS || self.lost(root, class, 1)? == 0) {
                    return Ok(true);
                }
                if fair.is_none() && passed >= CHECKS / 2 && passed >= 3 * failed {
                    fair = Some(at);
                }
            }
            let is_last_general = at + 1 == self.hypothesis.maskings[index].general;
            if is_last_general && fair.is_some() || !self.go_to(index, at + 1) {
                break;
            }
        }
        Ok(fair.is_some_and(|at| self.go_to(index, at)))
    }

    /// The same for a masking that holds already, when an input fails all the same; it stays what it is where that is rare.
    pub(super) fn settle_again(&mut self, index: usize) -> Result<bool, Halt> {
        let Masking { root, at, .. } = self.hypothesis.maskings[index];
        let class = self.hypothesis.maskings[index].candidates[at];
        let explained = self.passing.iter().filter(|input| self.is_masked_by(input, root, class)).count();
        let most = explained / 3 + 1;
        if self.lost(root, class, most)? < most {
            return Ok(false);
        }
        Ok(self.go_to(index, at + 1))
    }

    /// Takes another one of the classes of a masking for the one that masks. Where there are no more, none does.
    pub(super) fn go_to(&mut self, index: usize, at: usize) -> bool {
        let Masking { root, side, at: before, ref candidates, .. } = self.hypothesis.maskings[index];
        let (known, next) = (candidates.get(before).copied(), candidates.get(at).copied());
        if let Some(known) = known {
            self.hypothesis.unmask(root, known);
        }
        if let Some(next) = next {
            self.hypothesis.mask(root, side, next);
            self.hypothesis.maskings[index].at = at;
        }
        next.is_some()
    }

    /// Classes of a part of an input, and of what is around it, more and more particular: of each level, what its rule derives,
    /// what it does with the part in it; then, of each level, what has another part of it, and just what it is. These are the second part.
    fn candidates(
        &mut self,
        input: &Rc<Input>,
        part: NodeId,
        outermost: NodeId,
    ) -> (Vec<ClassId>, Vec<ClassId>) {
        let grammar = self.example.grammar;
        let (mut node, mut below) = (part, None);
        let (mut candidates, mut exact): (Vec<ClassId>, Vec<ClassId>) = (Vec::new(), Vec::new());
        loop {
            let Some(rule) = input.tree.rule(node) else { return (candidates, exact) };
            // Levels that add nothing to the text hardly say more.
            let is_new = below.is_none_or(|(below, _)| input.text_of(below) != input.text_of(node));
            let nonterminal = grammar.rule(rule).lhs;
            let mut of_level = vec![self.class_of_level(input, node, rule, None)];
            if below.is_some() {
                of_level.push(self.class_of_level(input, node, rule, below));
            }
            below = Some((node, of_level[of_level.len() - 1]));
            let has_parts = input.tree.children(node).iter().any(|&child| input.tree.rule(child).is_some());
            if has_parts && input.text_of(node).len() <= self.settings.longest_exact {
                exact.extend(self.with_other_parts(input, node, part));
                let own = self.exact(input, node, rule);
                exact.push(self.hypothesis.add(nonterminal, vec![own]));
            }
            if is_new {
                candidates.extend(of_level);
            }
            let parent = input.tree.parent(node).filter(|_| node != outermost);
            let Some(parent) = parent else { return (candidates, exact) };
            node = parent;
        }
    }

    /// The class of what the rule of a node derives, or of that with a class at one of its children.
    fn class_of_level(
        &mut self,
        input: &Input,
        node: NodeId,
        rule: RuleId,
        below: Option<(NodeId, ClassId)>,
    ) -> ClassId {
        let grammar = self.example.grammar;
        let children = input.tree.children(node);
        let alternative = match below {
            None if grammar.rule(rule).has_class() => Alternative::Open(Vec::new()),
            None => Alternative::of_rule(grammar, rule),
            Some((below, class)) => {
                let want = |&child: &NodeId| match input.tree.label(child) {
                    _ if child == below => Want::In(class),
                    Label::Char(c) => self.want_of_char(Cases::are_written, input, child, c),
                    Label::Literal(_) | Label::Rule(_) => Want::Any,
                };
                Alternative::Rule(rule, children.iter().map(want).collect())
            }
        };
        self.hypothesis.add(grammar.rule(rule).lhs, vec![alternative])
    }

    /// Classes of what has the rule of another part of a subtree than the one to blame at the same place, and is anything beside it: it may be that a name has
    /// a directory in front of it, whichever that is.
    fn with_other_parts(&mut self, input: &Rc<Input>, top: NodeId, part: NodeId) -> Vec<ClassId> {
        let (grammar, tree) = (self.example.grammar, &input.tree);
        let above = |node: NodeId| std::iter::successors(Some(node), |&at| tree.parent(at));
        let is_other = |&node: &NodeId| {
            let Some(rule) = tree.rule(node) else { return false };
            let nonterminal = grammar.rule(rule).lhs;
            !above(part).any(|at| at == node)
                && !is_gap(grammar, nonterminal)
                && !grammar.rule(rule).has_class()
                && grammar.rules_of(nonterminal).len() > 1
        };
        let others: Vec<NodeId> = tree.preorder(top).filter(is_other).take(MOST_OTHER_PARTS).collect();
        let mut classes = Vec::new();
        for other in others {
            let mut below: Option<(NodeId, ClassId)> = None;
            for node in above(other).take_while(|&node| node != top).chain([top]) {
                let Some(rule) = tree.rule(node) else { break };
                below = Some((node, self.class_of_level(input, node, rule, below)));
            }
            classes.extend(below.map(|(_, class)| class));
        }
        classes
    }
}

/// The rules around a node, from the inside out.
fn rules_around(input: &Input, node: NodeId) -> impl Iterator<Item = RuleId> + '_ {
    let around = std::iter::successors(input.tree.parent(node), |&at| input.tree.parent(at));
    around.filter_map(|at| input.tree.rule(at))
}

/// Whether few enough steps lead to `target`.
pub(super) fn are_few(grammar: &Grammar, target: NonterminalId) -> bool {
    let steps = steps(grammar, grammar.start(), &BitSet::from_iter([target]));
    steps.iter().map(Vec::len).sum::<usize>() <= MOST_STEPS
}
