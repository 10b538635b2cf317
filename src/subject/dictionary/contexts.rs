//! Words of a program's source texts that stand where another one does: between the same neighbours.
//!
//! Words of one kind are used alike (Harris, "Distributional structure", 1954). In a source text `let`, `loop` and `doseq` stand between an opening
//! parenthesis and an opening bracket, however far they are from each other. Two words are as alike as their vectors of contexts, weighted by
//! pointwise mutual information, as for the automatic thesaurus of Lin ("Automatic retrieval and clustering of similar words", 1998).

use std::collections::HashMap;

use crate::base::id::IdVec;
use crate::base::interner::Interner;
use crate::id_type;

use super::text::{Text, is_delimiter};

id_type!(
    /// A token of a source text: a word or a delimiter.
    TokenId
);

id_type!(
    /// What stands before a word and behind it.
    ContextId
);

/// Of words that are seldom used it is chance where they stand: with this number of uses half of the likeness counts.
const FEW: f64 = 5.0;

/// How often words stand in contexts.
#[derive(Debug)]
pub(super) struct Contexts {
    tokens: Interner<TokenId, Vec<u8>>,
    /// How often each word is used in each context, and in all.
    used: IdVec<TokenId, HashMap<ContextId, u32>>,
    number_of: IdVec<TokenId, u32>,
    /// The words in each context, how often it has one, and how often all contexts have.
    words_in: IdVec<ContextId, Vec<TokenId>>,
    number_in: IdVec<ContextId, u32>,
    number: u32,
}

impl Contexts {
    /// The contexts in some texts, as far as these are source texts.
    pub(super) fn new(texts: &[Text]) -> Self {
        let mut tokens = Interner::new();
        let mut contexts: Interner<ContextId, [Option<TokenId>; 2]> = Interner::new();
        let mut used: IdVec<TokenId, HashMap<ContextId, u32>> = IdVec::new();
        for text in texts {
            let ids: Vec<TokenId> = text.tokens().map(|token| tokens.intern(token.to_vec())).collect();
            let is_word = text.tokens().map(|token| !is_delimiter(token));
            while used.len() < tokens.len() {
                used.push(HashMap::new());
            }
            for (place, _) in is_word.enumerate().filter(|(_, is_word)| *is_word) {
                let before = place.checked_sub(1).map(|place| ids[place]);
                let context = contexts.intern([before, ids.get(place + 1).copied()]);
                *used[ids[place]].entry(context).or_default() += 1;
            }
        }
        let mut words_in: IdVec<ContextId, Vec<TokenId>> = IdVec::filled(Vec::new(), contexts.len());
        let mut number_in: IdVec<ContextId, u32> = IdVec::filled(0, contexts.len());
        for (word, of_word) in used.entries() {
            for (&context, &number) in of_word {
                words_in[context].push(word);
                number_in[context] += number;
            }
        }
        let number_of: IdVec<TokenId, u32> = used.iter().map(|contexts| contexts.values().sum()).collect();
        let number = number_of.iter().sum();
        Self { tokens, used, number_of, words_in, number_in, number }
    }

    /// The words that are used as `word` is, the most alike first.
    pub(super) fn alike(&self, word: &[u8]) -> Vec<&[u8]> {
        let Some(word) = self.tokens.lookup(word) else { return Vec::new() };
        let own = self.vector(word);
        let mut products: HashMap<TokenId, f64> = HashMap::new();
        for (context, weight) in &own {
            for &other in self.words_in[*context].iter().filter(|&&other| other != word) {
                *products.entry(other).or_default() += weight * self.weight(other, *context);
            }
        }
        let likeness = |(other, product): (TokenId, f64)| {
            let number = f64::from(self.number_of[other]);
            let length = length(&self.vector(other));
            (product * number / (number + FEW) / length, self.tokens.values()[other].as_slice())
        };
        let mut alike: Vec<(f64, &[u8])> =
            products.into_iter().filter(|(_, product)| *product > 0.0).map(likeness).collect();
        alike.sort_by(|(left, first), (right, second)| right.total_cmp(left).then_with(|| first.cmp(second)));
        alike.into_iter().map(|(_, found)| found).collect()
    }

    /// The contexts of a word that say something of it, with how much.
    fn vector(&self, word: TokenId) -> Vec<(ContextId, f64)> {
        let mut contexts: Vec<ContextId> = self.used[word].keys().copied().collect();
        // Sums in another order are others.
        contexts.sort();
        contexts.into_iter().map(|context| (context, self.weight(word, context))).collect()
    }

    /// How much it says of a word that it stands in a context: the mutual information, more of it where it is seen more often.
    fn weight(&self, word: TokenId, context: ContextId) -> f64 {
        let together = f64::from(self.used[word][&context]);
        let alone = f64::from(self.number_of[word]) * f64::from(self.number_in[context]);
        (together * f64::from(self.number) / alone).ln().max(0.0) * together.ln_1p()
    }
}

fn length(vector: &[(ContextId, f64)]) -> f64 {
    vector.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt()
}
