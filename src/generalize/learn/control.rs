//! A failing input that passes when a small part of it is another one: its *control*.
//!
//! A compiler reports all mistakes that it finds. A reducer leaves what fails with whatever other mistakes it made on its way, and when something is taken
//! away from that it is refused for these: nothing that is tried ever passes, so whatever stands there seems not to matter. The given input
//! has no other mistakes, mostly. So where the reduced input is refused without what fails in it, the given one is reduced again, together
//! with the same input without what fails: as long as the one fails and the other one passes. This is isolating a difference instead of
//! simplifying an input (Zeller, Hildebrandt, "Simplifying and isolating failure-inducing input", 2002, section 4), with a difference that is known.

use std::rc::Rc;

use crate::grammar::lexis::is_gap;
use crate::oracle::{Halt, Verdict};
use crate::tree::NodeId;

use super::input::Input;
use super::session::Learning;

/// The part of all executions, one in this number, that looking for a small part without which an input passes may take.
const SHARE: u64 = 20;

/// The same for reducing an input with its control.
const SHARE_OF_PAIR: u64 = 5;

/// The number of other parts of the given input that are tried in the place of one.
const MOST_PARTS: usize = 3;

/// A failing input, and what makes it pass: a text in the place of one of its nodes.
#[derive(Clone)]
struct Pair {
    input: Rc<Input>,
    place: NodeId,
    text: Vec<u8>,
}

/// A smaller pair that is not known to be one yet.
struct Candidate {
    failing: Vec<u8>,
    passing: Vec<u8>,
    /// Where the place should begin.
    begin: usize,
}

impl Learning<'_, '_, '_> {
    /// A failing input with a control, made of the given one, where the reduced input `reduced` has none, or a larger part of it has to go.
    pub(super) fn controlled(&mut self, reduced: &Rc<Input>) -> Result<Option<Rc<Input>>, Halt> {
        // Who takes everything that is asked about takes the rest as well.
        if !self.is_ever_refused() {
            return Ok(None);
        }
        let given = self.parsed(self.example.given.to_vec())?;
        let Some(given) = given.filter(|given| given.text.len() > reduced.text.len()) else {
            return Ok(None);
        };
        let own = self.passing_changes(reduced)?.pop().map(|(place, _)| reduced.text_of(place).len());
        if own.is_some_and(|own| own * 2 <= reduced.text.len() && own <= self.settings.longest_exact) {
            return Ok(None);
        }
        let Some((place, _)) = self.passing_changes(&given)?.pop() else { return Ok(None) };
        if own.is_some_and(|own| own <= given.text_of(place).len()) {
            return Ok(None);
        }
        let Some(text) = self.cheapest_for(&given, place) else { return Ok(None) };
        let pair = self.reduced_pair(Pair { input: given, place, text })?;
        Ok(Some(pair.input))
    }

    /// Parts of an input with the cheapest string in the place of which it passes, each with that input: from the root down to the smallest one, those
    /// apart in which what fails is not, or that cannot be left out by themselves.
    pub(super) fn passing_changes(&mut self, input: &Rc<Input>) -> Result<Vec<(NodeId, Rc<Input>)>, Halt> {
        let most = self.judge.executions() + self.settings.executions / SHARE;
        let mut found = Vec::new();
        let mut open = vec![input.tree.root()];
        let length = |node: &NodeId| input.text_of(*node).len();
        while let Some(largest) = open.iter().map(length).max() {
            let at = open.iter().position(|node| length(node) == largest).unwrap_or(0);
            let node = open.remove(at);
            let changed =
                self.cheapest_for(input, node).map(|fill| input.with(self.example, &[(node, fill)]));
            if changed.is_some() && self.judge.executions() >= most {
                break;
            }
            match changed.map_or(Ok(None), |changed| self.ask(changed))? {
                Some((Verdict::Pass, changed)) => {
                    found.push((node, changed));
                    open.clear();
                }
                // What fails is not in it.
                Some((Verdict::Fail, _)) => continue,
                _ => {}
            }
            open.extend(input.tree.children(node).iter().filter(|child| length(child) > 0));
        }
        Ok(found)
    }

    /// The cheapest string for a node, if it is shorter than what is there.
    fn cheapest_for(&self, input: &Input, node: NodeId) -> Option<Vec<u8>> {
        let nonterminal = input.tree.nonterminal(self.example.grammar, node)?;
        let fill = self.cheapest.string(nonterminal)?;
        let is_shorter = fill.len() < input.text_of(node).len();
        (is_shorter && !is_gap(self.example.grammar, nonterminal)).then(|| fill.to_vec())
    }

    /// Makes a failing input smaller with its control, from the root down.
    fn reduced_pair(&mut self, mut pair: Pair) -> Result<Pair, Halt> {
        let most = self.judge.executions() + self.settings.executions / SHARE_OF_PAIR;
        self.learn_parts(&pair.input);
        let mut least = pair.input.text.len();
        loop {
            least = least.div_ceil(2);
            let before = pair.input.text.len();
            pair = self.without_parts(pair, least, most)?;
            // What was needed by something behind it may be needed no more.
            let is_done = least <= 1 && pair.input.text.len() == before;
            if is_done || self.judge.executions() >= most {
                return Ok(pair);
            }
        }
    }

    /// Makes the parts of a pair smaller that have at least so many bytes, from the root down.
    fn without_parts(&mut self, mut pair: Pair, least: usize, most: u64) -> Result<Pair, Halt> {
        let mut index = 0;
        // What stands before the node in document order stays as it is, so nodes can be counted.
        'nodes: while let Some(&node) = pair.input.nodes().get(index) {
            let is_large = pair.input.text_of(node).len() >= least;
            let candidates = if is_large { self.smaller_pairs(&pair, node) } else { Vec::new() };
            for candidate in candidates {
                if self.judge.executions() >= most {
                    return Ok(pair);
                }
                if candidate.failing.len() >= pair.input.text.len() {
                    continue;
                }
                let Some((Verdict::Fail, input)) = self.ask(candidate.failing)? else { continue };
                let Some(place) = self.place_near(&pair, &input, candidate.begin) else { continue };
                if let Some((Verdict::Pass, _)) = self.ask(candidate.passing)? {
                    pair = Pair { input, place, ..pair };
                    continue 'nodes;
                }
            }
            index += 1;
        }
        Ok(pair)
    }

    /// The pairs that come of another text at a node: the cheapest one, or a part of it of the same nonterminal.
    fn smaller_pairs(&self, pair: &Pair, node: NodeId) -> Vec<Candidate> {
        let (input, grammar) = (&pair.input, self.example.grammar);
        let (begin, end) = input.spans[pair.place];
        let (from, to) = input.spans[node];
        let has_place = input.tree.preorder(node).any(|below| below == pair.place);
        if !has_place {
            if begin <= from && to <= end {
                // It is a part of what fails.
                return Vec::new();
            }
            let candidate = |fill: Vec<u8>| Candidate {
                failing: input.with(self.example, &[(node, fill.clone())]),
                passing: input.with(self.example, &[(node, fill.clone()), (pair.place, pair.text.clone())]),
                begin: if from < begin { (begin + fill.len()).saturating_sub(to - from) } else { begin },
            };
            let mut fills = self.smaller(input, node);
            let known = input.tree.nonterminal(grammar, node).and_then(|it| self.known_parts.get(&it));
            let mut known: Vec<&Vec<u8>> = known.into_iter().flatten().collect();
            known.retain(|known| known.len() < to - from && !fills.contains(known));
            known.sort_by_key(|known| known.len());
            fills.extend(known.into_iter().take(MOST_PARTS).cloned());
            return fills.into_iter().map(candidate).collect();
        }
        let passing = input.with(self.example, &[(pair.place, pair.text.clone())]);
        let nonterminal = input.tree.nonterminal(grammar, node);
        let mut inner: Vec<NodeId> = std::iter::successors(Some(pair.place), |&at| input.tree.parent(at))
            .take_while(|&at| at != node)
            .filter(|&at| input.tree.nonterminal(grammar, at) == nonterminal)
            .collect();
        inner.dedup_by_key(|&mut at| input.spans[at]);
        let candidate = |at: NodeId| {
            let (inner_begin, inner_end) = input.spans[at];
            // The control differs in it only.
            let inner_end = (inner_end + passing.len()).checked_sub(input.text.len())?;
            let fill = passing.get(inner_begin..inner_end)?.to_vec();
            Some(Candidate {
                failing: input.with(self.example, &[(node, input.text_of(at).to_vec())]),
                passing: input.with(self.example, &[(node, fill)]),
                begin: from + begin - inner_begin,
            })
        };
        inner.into_iter().filter_map(candidate).collect()
    }

    /// The node of an input that is like the place of a pair and begins nearest to where it should.
    fn place_near(&self, pair: &Pair, input: &Input, begin: usize) -> Option<NodeId> {
        let grammar = self.example.grammar;
        let like = |node: &NodeId| {
            input.tree.nonterminal(grammar, *node) == pair.input.tree.nonterminal(grammar, pair.place)
                && input.text_of(*node) == pair.input.text_of(pair.place)
        };
        let places = input.nodes().into_iter().filter(like);
        places.min_by_key(|&node| input.spans[node].0.abs_diff(begin))
    }
}
