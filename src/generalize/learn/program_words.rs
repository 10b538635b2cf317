//! Words of the program itself in the place of each word that the hypothesis asks for.
//!
//! A symbol, a name or a keyword is like any other to a grammar, so random inputs hardly ever have the one that matters. The program
//! has it, and others of its kind beside it ([`Dictionary`](super::super::Dictionary)).

use std::collections::HashSet;
use std::rc::Rc;

use crate::oracle::{Halt, Verdict};
use crate::tree::NodeId;

use super::bare_text::bare_text;
use super::hypothesis::ClassId;
use super::input::Input;
use super::matching::Matcher;
use super::session::Learning;

/// The part of all executions, one in this number, that may be spent on all words.
const SHARE: u64 = 6;

/// The number of words similar to another one that are tried, at first and then, and of those that are looked at for it.
const MOST_SIMILAR: [usize; 2] = [40, 120];
const MOST_LISTED: usize = 400;

/// The number of failing inputs that are looked at for places where a word stands, and of these places.
const MOST_KNOWN: usize = 200;
const MOST_PLACES: usize = 4;

/// A word that the hypothesis asks for: the class that does, and where it stands in failing inputs.
struct Wanted {
    class: ClassId,
    places: Vec<(Rc<Input>, NodeId)>,
    /// It, and those that fail in its place; of each, how many words similar to it were asked about.
    failing: Vec<(Vec<u8>, usize)>,
    tried: HashSet<Vec<u8>>,
}

impl Wanted {
    fn new(class: ClassId, places: Vec<(Rc<Input>, NodeId)>, word: Vec<u8>) -> Self {
        Self { class, places, failing: vec![(word.clone(), 0)], tried: HashSet::from([word]) }
    }
}

impl Learning<'_, '_, '_> {
    /// Tries words that are similar in the program to those that the hypothesis asks for, and then those similar to these. One that fails alike is one
    /// more alternative.
    pub(super) fn try_program_words(&mut self) -> Result<(), Halt> {
        let most = self.judge.executions() + self.settings.executions / SHARE;
        let words = self.words().into_iter().map(|(class, input, node)| {
            let word = bare_text(self.example.grammar, &input.tree, node);
            Wanted::new(class, self.places_of_word(class, (input, node)), word)
        });
        let mut words: Vec<Wanted> = words.collect();
        // A few for each, before there are more for any.
        for number in MOST_SIMILAR {
            for wanted in &mut words {
                let mut place = 0;
                while let Some((word, _)) = wanted.failing.get(place) {
                    for similar in self.example.dictionary.similar(word, MOST_LISTED) {
                        if self.judge.executions() > most {
                            return Ok(());
                        }
                        if wanted.failing[place].1 < number && wanted.tried.insert(similar.clone()) {
                            self.try_word(wanted, place, similar)?;
                        }
                    }
                    place += 1;
                }
            }
        }
        Ok(())
    }

    /// Where a word stands: in the smallest failing input, in that which was given, and in others in which something else follows it. What is refused with another
    /// word at one of these places may be taken at the next one: a name has to follow it, or must not.
    fn places_of_word(&self, class: ClassId, first: (Rc<Input>, NodeId)) -> Vec<(Rc<Input>, NodeId)> {
        let matcher = Matcher::new(self.example.grammar, &self.hypothesis);
        let place_in = |input: &Rc<Input>| {
            let (node, _) = matcher.places_in(&input.tree, class).into_iter().next()?;
            Some((Rc::clone(input), node))
        };
        let given = self.failing.iter().filter(|input| input.text == self.example.given);
        let mut places = vec![first];
        for place in given.filter_map(place_in) {
            if place.0.text != places[0].0.text {
                places.push(place);
            }
        }
        let mut others: Vec<&Rc<Input>> = self.failing.iter().collect();
        others.sort_by_key(|input| input.text.len());
        for place in others.into_iter().take(MOST_KNOWN).filter_map(place_in) {
            let follower = follower(&place);
            if places.len() < MOST_PLACES && places.iter().all(|known| self::follower(known) != follower) {
                places.push(place);
            }
        }
        places
    }

    /// Tries a word that is similar to one of those that fail.
    fn try_word(&mut self, wanted: &mut Wanted, place: usize, word: Vec<u8>) -> Result<(), Halt> {
        // Most of what a program has as text is no word of its input.
        let Some((verdict, failing)) = self.ask_at(&wanted.places, &word)? else { return Ok(()) };
        wanted.failing[place].1 += 1;
        if verdict != Verdict::Fail {
            return Ok(());
        }
        if !self.accepts(&failing) {
            self.admit_word(wanted.class, &failing, &word)?;
        }
        wanted.failing.push((word, 0));
        Ok(())
    }

    /// What becomes of an input with another word at the first of some places at which it is not refused.
    fn ask_at(
        &mut self,
        places: &[(Rc<Input>, NodeId)],
        word: &[u8],
    ) -> Result<Option<(Verdict, Rc<Input>)>, Halt> {
        let mut refused = None;
        for (input, node) in places {
            match self.ask(input.with(self.example, &[(*node, word.to_vec())]))? {
                Some(answer) if matches!(answer.0, Verdict::Fail | Verdict::Pass) => return Ok(Some(answer)),
                answer => refused = answer.or(refused),
            }
        }
        Ok(refused)
    }

    /// Adds a word of an input that fails to a class, or widens the hypothesis otherwise so that it accepts the input.
    fn admit_word(&mut self, class: ClassId, failing: &Rc<Input>, word: &[u8]) -> Result<(), Halt> {
        let (grammar, nonterminal) = (self.example.grammar, self.hypothesis.class(class).nonterminal);
        let place = failing.nodes().into_iter().find(|&node| {
            failing.tree.nonterminal(grammar, node) == Some(nonterminal)
                && bare_text(grammar, &failing.tree, node) == word
        });
        if let Some(place) = place
            && let Some(rule) = failing.tree.rule(place)
            && self.admit_exact(class, failing, place, rule)?
        {
            return Ok(());
        }
        self.counterexample(failing)?;
        Ok(())
    }
}

/// The kind of character that follows a place, but for space: a word has others behind it, or brackets.
fn follower((input, node): &(Rc<Input>, NodeId)) -> Option<char> {
    let behind = String::from_utf8_lossy(&input.text[input.spans[*node].1..]);
    let next = behind.chars().find(|c| !c.is_whitespace())?;
    Some(match next {
        _ if next.is_alphabetic() => 'a',
        _ if next.is_numeric() => '0',
        _ => next,
    })
}
