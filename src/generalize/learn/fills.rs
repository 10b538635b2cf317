//! Texts that the program takes.
//!
//! A compiler refuses nearly all random programs, and says nothing of what is asked then. Whatever stood in an input that it did not
//! refuse is likely to be taken elsewhere, too.

use std::collections::HashMap;

use crate::base::random_stream::RandomStream;
use crate::grammar::NonterminalId;

/// How often inputs with a text in them were refused, and how often not.
#[derive(Clone, Debug)]
struct Known {
    text: Vec<u8>,
    taken: usize,
    refused: usize,
}

/// What became of the texts that placeholders were filled with.
#[derive(Clone, Debug, Default)]
pub(super) struct Fills {
    known: HashMap<NonterminalId, Vec<Known>>,
    /// Those of inputs that have not been asked about yet.
    pending: Vec<(NonterminalId, Vec<u8>)>,
}

impl Fills {
    /// A placeholder was filled with this text.
    pub(super) fn add(&mut self, nonterminal: NonterminalId, text: &[u8]) {
        self.pending.push((nonterminal, text.to_vec()));
    }

    /// An input was asked about: those of the texts that stand in it were taken with it, or refused.
    pub(super) fn settle(&mut self, input: &[u8], is_taken: bool) {
        for (nonterminal, text) in self.pending.drain(..) {
            if !text.is_empty() && !input.windows(text.len()).any(|window| window == text) {
                continue;
            }
            let known = self.known.entry(nonterminal).or_default();
            let index = known.iter().position(|known| known.text == text).unwrap_or_else(|| {
                known.push(Known { text, taken: 0, refused: 0 });
                known.len() - 1
            });
            known[index].taken += usize::from(is_taken);
            known[index].refused += usize::from(!is_taken);
        }
    }

    /// One of the texts of a nonterminal that were taken more often than refused.
    pub(super) fn taken(&self, nonterminal: NonterminalId, stream: &mut RandomStream) -> Option<Vec<u8>> {
        let known = self.known.get(&nonterminal)?.iter();
        let taken: Vec<&Known> = known.filter(|known| known.taken > known.refused).collect();
        (!taken.is_empty()).then(|| stream.pick(&taken).text.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::sample::grammar;

    #[test]
    fn what_is_taken_more_often_than_refused_is_taken_again() {
        let grammar = grammar(&["list = . | item list", "item = a | b"]);
        let item = grammar.find("item").unwrap();
        let mut fills = Fills::default();
        let mut stream = RandomStream::derive(1, "fills");
        for (text, input, is_taken) in
            [("a", "xa", true), ("a", "a", false), ("b", "xb", true), ("b", "bb", true)]
        {
            fills.add(item, text.as_bytes());
            fills.settle(input.as_bytes(), is_taken);
        }
        // It does not stand in the input that is refused.
        fills.add(item, b"b");
        fills.settle(b"xa", false);
        for _ in 0..10 {
            assert_eq!(fills.taken(item, &mut stream).as_deref(), Some(&b"b"[..]));
        }
        assert_eq!(fills.taken(grammar.start(), &mut stream), None);
    }
}
