//! Elements of a list that may stand in another order.
//!
//! A pattern of one input has the elements of a list in the order in which they stand there. Options, declarations and fields mostly may
//! change places, which is found out by letting two that follow each other do so in the inputs that are known to fail.

use std::collections::VecDeque;

use crate::grammar::RuleId;
use crate::oracle::{Halt, Verdict};
use crate::tree::NodeId;

use super::hypothesis::{Alternative, ClassId, Want};
use super::input::Input;
use super::places::Place;
use super::session::Learning;

/// The part of all executions, one in this number, that may be spent on all orders.
const SHARE: u64 = 20;

/// The number of lists whose first two elements are tried in the other order.
const MOST_LISTS: usize = 24;

/// The number of inputs in which two elements change places, and of those with something at each place, where some of them pass.
const SAMPLES: usize = 3;
const OTHERS: usize = 8;

/// A list of at least two elements that a class describes: an alternative of it, and one of the class that it wants of the rest.
struct Pair {
    first: (RuleId, Vec<Want>),
    second: (RuleId, Vec<Want>),
    /// The places of the element and of the rest among the children of each.
    element: usize,
    rest: usize,
    tail: ClassId,
}

/// How inputs fail in which two elements have changed places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Swapped {
    /// With the same elements.
    Same,
    /// With something in them wherever there was nothing.
    Filled,
}

impl Learning<'_, '_, '_> {
    /// Lets elements of lists that follow each other in a pattern do so in the other order, if the program agrees.
    pub(super) fn try_orders(&mut self) -> Result<(), Halt> {
        let most = self.judge.executions() + self.settings.executions / SHARE;
        let mut open: VecDeque<ClassId> = VecDeque::new();
        for root in self.hypothesis.roots_and_needs() {
            open.push_back(root);
            if let Some((input, _)) = self.first_place(root) {
                open.extend(self.classes_outside_of_words(&input));
            }
        }
        for _ in 0..MOST_LISTS {
            let Some(class) = open.pop_front() else { break };
            for number in 0..self.hypothesis.class(class).alternatives.len() {
                let Some(pair) = self.pair(class, number) else { continue };
                if self.judge.executions() > most {
                    return Ok(());
                }
                let Some(swapped) = self.fails_swapped(class, &pair)? else { continue };
                // The elements that come behind may change places with the one that comes first now, too.
                let Some(rest) = self.swap(class, &pair, swapped)? else { continue };
                self.try_gaps_of(&[rest], most)?;
                open.push_back(rest);
            }
        }
        Ok(())
    }

    /// The first two elements of a list, if both are wanted to be something and by the same rule.
    fn pair(&self, class: ClassId, number: usize) -> Option<Pair> {
        let content = self.hypothesis.class(class);
        let Alternative::Rule(rule, wants) = content.alternatives.get(number)? else { return None };
        let symbols = &self.example.grammar.rule(*rule).symbols;
        let inner = |place: usize| match &wants[place] {
            Want::In(inner) => Some((place, *inner, self.hypothesis.class(*inner).nonterminal)),
            _ => None,
        };
        let inner: Vec<_> = (0..symbols.len()).filter_map(inner).collect();
        let [left, right] = inner[..] else { return None };
        let ((rest, tail, _), (element, head, _)) = match (left.2, right.2) {
            (_, of) if of == content.nonterminal => (right, left),
            (of, _) if of == content.nonterminal => (left, right),
            _ => return None,
        };
        let follows = self.hypothesis.class(tail).alternatives.iter().find_map(|next| match next {
            Alternative::Rule(of, next) if of == rule && tail != class => match &next[element] {
                Want::In(next_head) if *next_head != head => Some(next.to_vec()),
                _ => None,
            },
            _ => None,
        })?;
        let (first, second) = ((*rule, wants.to_vec()), (*rule, follows));
        Some(Pair { first, second, element, rest, tail })
    }

    /// How inputs that fail do so as well when both elements have changed places, as far as they are not refused; nothing if they do not.
    fn fails_swapped(&mut self, class: ClassId, pair: &Pair) -> Result<Option<Swapped>, Halt> {
        let places = self.places_of(class, self.settings.contexts);
        let own = |input: &Input, node: NodeId| {
            let (first, second) = self.elements(input, node, pair)?;
            let text = |node: NodeId| input.text_of(node).to_vec();
            Some(input.with(self.example, &[(first, text(second)), (second, text(first))]))
        };
        let swapped: Vec<Vec<u8>> =
            places.iter().filter_map(|place| own(&place.input, place.node)).take(SAMPLES).collect();
        let [failed, passed] = self.counted(swapped)?;
        if passed == 0 {
            return Ok((failed > 0).then_some(Swapped::Same));
        }
        // Where there is nothing in one of them, there may have to be something in that order.
        let mut others = Vec::new();
        for Place { input, node, .. } in places.iter().cycle().take(OTHERS) {
            let Some((first, second)) = self.elements(input, *node, pair) else { continue };
            let fills = [first, second].map(|element| self.with_something(input, element));
            if let [Some(first_text), Some(second_text)] = fills {
                others.push(input.with(self.example, &[(first, second_text), (second, first_text)]));
            }
        }
        let [failed, passed] = self.counted(others)?;
        Ok((failed > passed).then_some(Swapped::Filled))
    }

    /// The text of a part in which something stands wherever there is nothing and anything may be.
    fn with_something(&mut self, input: &Input, part: NodeId) -> Option<Vec<u8>> {
        let (begin, end) = input.spans[part];
        let mut fills: Vec<(NodeId, Vec<u8>)> = Vec::new();
        for (node, nonterminal) in self.changeable_in(input, part) {
            let is_empty = |node: NodeId| input.text_of(node).is_empty();
            // The outermost of several.
            if is_empty(node) && (node == part || !input.tree.parent(node).is_some_and(is_empty)) {
                fills.extend(self.something(nonterminal).map(|text| (node, text)));
            }
        }
        let text = input.with(self.example, &fills);
        let end = (end + text.len()).checked_sub(input.text.len())?;
        text.get(begin..end).map(<[u8]>::to_vec)
    }

    /// The numbers of inputs that fail and that pass.
    fn counted(&mut self, texts: Vec<Vec<u8>>) -> Result<[usize; 2], Halt> {
        let mut numbers = [0, 0];
        for text in texts {
            match self.ask(text)? {
                Some((Verdict::Fail, _)) => numbers[0] += 1,
                Some((Verdict::Pass, _)) => numbers[1] += 1,
                _ => {}
            }
        }
        Ok(numbers)
    }

    /// The two elements in the list at a node.
    fn elements(&self, input: &Input, node: NodeId, pair: &Pair) -> Option<(NodeId, NodeId)> {
        let grammar = self.example.grammar;
        let element = |list: NodeId, rule: RuleId| {
            // The last one is mostly written by a shorter rule.
            let of = &grammar.rule(input.tree.rule(list)?).symbols;
            let is_it = pair.element < of.len() && grammar.rule(rule).symbols.starts_with(of);
            is_it.then(|| input.tree.children(list)[pair.element])
        };
        Some((element(node, pair.first.0)?, element(input.tree.children(node)[pair.rest], pair.second.0)?))
    }

    /// Adds the other order to a class; says which class the rest of that is.
    fn swap(&mut self, class: ClassId, pair: &Pair, swapped: Swapped) -> Result<Option<ClassId>, Halt> {
        let before = self.hypothesis.clone();
        let new = self.add_swapped(class, pair, swapped);
        self.is_lack_excepted = swapped == Swapped::Filled;
        let is_right = self.is_right_about_passing();
        self.is_lack_excepted = false;
        if is_right? {
            return Ok(Some(new));
        }
        self.hypothesis = before;
        Ok(None)
    }

    /// The alternatives by which the second element is the last one of its list, with another element in its place.
    fn as_last(&self, pair: &Pair, other: &Want) -> Vec<Alternative> {
        let grammar = self.example.grammar;
        let &Pair { ref second, element, tail, .. } = pair;
        let with_other = |alternative: &Alternative| match alternative {
            Alternative::Rule(rule, wants)
                if wants.get(element) == Some(&second.1[element])
                    && *rule != second.0
                    && grammar.rule(second.0).symbols.starts_with(&grammar.rule(*rule).symbols) =>
            {
                let mut wants = wants.to_vec();
                wants[element] = other.clone();
                Some(Alternative::Rule(*rule, wants.into()))
            }
            _ => None,
        };
        self.hypothesis.class(tail).alternatives.iter().filter_map(with_other).collect()
    }

    /// Adds the other order to a class, with the same elements or with copies of them, so that they can be others there alone.
    fn add_swapped(&mut self, class: ClassId, pair: &Pair, swapped: Swapped) -> ClassId {
        let grammar = self.example.grammar;
        let &Pair { element, rest, tail, .. } = pair;
        let (mut head, mut end) = (pair.first.1.clone(), pair.second.1.clone());
        std::mem::swap(&mut head[element], &mut end[element]);
        if swapped == Swapped::Filled {
            for want in [&mut head[element], &mut end[element]] {
                if let Want::In(inner) = want {
                    *inner =
                        self.hypothesis.copy(*inner, |all, class| all.is_open_below(grammar, class))[inner];
                }
            }
        }
        // The last element of a list may be written by a shorter rule.
        let mut alternatives = self.as_last(pair, &end[element]);
        alternatives.push(Alternative::Rule(pair.second.0, end.into()));
        let nonterminal = self.hypothesis.class(class).nonterminal;
        // What may stand between them may still do so.
        let is_gap = |alternative: &Alternative| match alternative {
            Alternative::Rule(_, wants) => wants[..].get(rest) == Some(&Want::In(tail)),
            Alternative::Open(_) | Alternative::Has(..) => false,
        };
        let gaps: Vec<Alternative> =
            self.hypothesis.class(tail).alternatives.iter().filter(|it| is_gap(it)).cloned().collect();
        let new = self.hypothesis.add(nonterminal, Vec::new());
        alternatives.extend(gaps.into_iter().map(|gap| match gap {
            Alternative::Rule(rule, mut wants) => {
                wants[rest] = Want::In(new);
                Alternative::Rule(rule, wants)
            }
            open => open,
        }));
        self.hypothesis.set(new, alternatives);
        head[rest] = Want::In(new);
        self.hypothesis.widen(class, Alternative::Rule(pair.first.0, head.into()));
        new
    }
}
