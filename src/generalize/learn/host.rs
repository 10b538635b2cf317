//! Inputs that the program does not refuse, as contexts for parts of others.
//!
//! A compiler refuses nearly all random programs, for mistakes that have nothing to do with what is looked for. What it takes
//! are programs that people wrote: the given input, and what reducing left of it. So there a part is put in the place of a
//! subtree of one of these.

use std::rc::Rc;

use crate::grammar::NonterminalId;
use crate::grammar::lexis::is_gap;
use crate::oracle::Halt;
use crate::tree::NodeId;

use super::input::Input;
use super::session::Learning;

/// The most inputs that serve as hosts.
const MOST_HOSTS: usize = 6;

/// One context in this number is a random one all the same.
const SELDOM: usize = 8;

/// The length in bytes of the longest part of an input that is used elsewhere.
const LONGEST_PART: usize = 40;

/// An input made around a text.
pub(super) struct Context {
    pub(super) text: Vec<u8>,
    /// Whether it is one that is known to pass with something else in the place of the text.
    pub(super) is_host: bool,
}

impl Learning<'_, '_, '_> {
    /// An input with a text of nonterminal `target` in it: a random one, or, where parts are tried in hosts, mostly an input that is known
    /// to pass with the text at a random place.
    pub(super) fn in_context(&mut self, target: NonterminalId, text: &[u8]) -> Option<Context> {
        if self.is_hosting
            && self.stream.below(SELDOM) != 0
            && let Some(text) = self.hosted(target, text)
        {
            return Some(Context { text, is_host: true });
        }
        let text = self.sampler.around(target, text, self.stream)?;
        Some(Context { text, is_host: false })
    }

    /// A small part of an input that the program takes, of a nonterminal.
    pub(super) fn known_part(&mut self, nonterminal: NonterminalId) -> Option<Vec<u8>> {
        let parts = self.known_parts.get(&nonterminal).filter(|parts| !parts.is_empty())?;
        Some(self.stream.pick(parts).clone())
    }

    /// Takes the small parts of an input for ones that the program takes elsewhere, too.
    pub(super) fn learn_parts(&mut self, input: &Input) {
        let grammar = self.example.grammar;
        for node in input.nodes() {
            let text = input.text_of(node);
            if let Some(nonterminal) = input.tree.nonterminal(grammar, node)
                && text.len() <= LONGEST_PART
                && !is_gap(grammar, nonterminal)
            {
                let parts = self.known_parts.entry(nonterminal).or_default();
                if !parts.iter().any(|known| known == text) {
                    parts.push(text.to_vec());
                }
            }
        }
    }

    /// Makes the given input one that passes, with as little change as possible.
    pub(super) fn make_host(&mut self) -> Result<(), Halt> {
        let Some(given) = self.parsed(self.example.given.to_vec())? else {
            return Ok(());
        };
        // The last one is nearest to the given input.
        let hosts = self.passing_changes(&given)?.into_iter().rev().take(MOST_HOSTS);
        self.made_hosts = hosts.map(|(_, host)| host).collect();
        // Where nothing by itself makes it pass, most of its parts are taken all the same.
        let from = self.made_hosts.first().map_or(given, Rc::clone);
        self.learn_parts(&from);
        Ok(())
    }

    /// An input that passes with a text in the place of one of its subtrees, if there is such a place.
    pub(super) fn hosted(&mut self, target: NonterminalId, text: &[u8]) -> Option<Vec<u8>> {
        let hosts = self.hosts();
        if hosts.is_empty() {
            return None;
        }
        let host = Rc::clone(self.stream.pick(&hosts));
        self.hosted_in(&host, target, text)
    }

    /// An input with a text in the place of one of its subtrees, if there is such a place.
    pub(super) fn hosted_in(&mut self, host: &Input, target: NonterminalId, text: &[u8]) -> Option<Vec<u8>> {
        let places = self.places_in(host, target);
        let same: Vec<_> = places.iter().copied().filter(|&(_, of)| of == target).collect();
        // Elsewhere the text needs more around it, which differs more from what the host has there.
        let places = if same.is_empty() || self.stream.below(2) == 0 { places } else { same };
        if places.is_empty() {
            return None;
        }
        let (node, nonterminal) = *self.stream.pick(&places);
        let fill = self.cheapest.around(nonterminal, target, text)?;
        Some(host.with(self.example, &[(node, fill)]))
    }

    /// The inputs that serve as hosts: those made of the given one, or else the longest ones that are known to pass.
    pub(super) fn hosts(&self) -> Vec<Rc<Input>> {
        if !self.made_hosts.is_empty() {
            return self.made_hosts.clone();
        }
        let mut hosts: Vec<&Rc<Input>> = self.passing.iter().collect();
        hosts.sort_by_key(|input| std::cmp::Reverse(input.text.len()));
        hosts.into_iter().take(MOST_HOSTS).map(Rc::clone).collect()
    }

    /// The nodes of an input in whose place something may stand that has a `target` in it.
    fn places_in(&mut self, host: &Input, target: NonterminalId) -> Vec<(NodeId, NonterminalId)> {
        let grammar = self.example.grammar;
        let mut places = Vec::new();
        let mut open = vec![host.tree.root()];
        while let Some(node) = open.pop() {
            let Some(nonterminal) = host.tree.nonterminal(grammar, node) else { continue };
            if is_gap(grammar, nonterminal) {
                continue;
            }
            if self.cheapest.reaches(nonterminal, target) {
                places.push((node, nonterminal));
            }
            if grammar.nonterminal(nonterminal).token.is_none() {
                open.extend(host.tree.children(node).iter().rev());
            }
        }
        places
    }
}
