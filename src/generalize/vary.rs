//! Other texts in the place of some nodes, all others staying as they are.

use std::collections::HashSet;

use crate::grammar::NonterminalId;
use crate::oracle::{Halt, Verdict};

use super::ddset::{Fill, Places, Session, Unit};
use super::row::{Check, Length, Outcome, known_first, row};

impl Session<'_, '_, '_> {
    /// The nonterminal of a unit.
    ///
    /// # Panics
    /// When it is a terminal.
    pub(super) fn nonterminal(&self, unit: &Unit) -> NonterminalId {
        let tree = self.example.tree;
        tree.nonterminal(self.example.grammar, unit[0]).expect("only nonterminals are asked about")
    }

    /// Lets `units` vary all at once. The inputs that `first` says come first; then half of the fills of
    /// each unit are likely counterexamples, the other half is random.
    pub(super) fn vary(
        &mut self,
        units: &[Unit],
        length: Length,
        first: Vec<Vec<Fill>>,
    ) -> Result<Outcome<Vec<Fill>>, Halt> {
        let nonterminals: Vec<NonterminalId> = units.iter().map(|unit| self.nonterminal(unit)).collect();
        let mut likely: Vec<Vec<Vec<u8>>> =
            units.iter().map(|unit| self.likely_texts(unit, length.wanted)).collect();
        let Self { judge, stream, example, text, spans, order, .. } = self;
        let places = Places { text, spans, order, example: *example };
        let check = |fills: Vec<Fill>| Check { text: places.splice(&fills), origin: fills };
        let mut first: Vec<_> = first.into_iter().map(check).collect();
        let alone = units.len() == 1;
        if alone {
            first.extend(likely[0].drain(..).map(|text| check(vec![(units[0].clone(), text)])));
        }
        // Its own text is one of the strings, and known to fail.
        first.push(check(Vec::new()));
        if alone {
            known_first(&mut first, judge);
        }
        let mut first = first.into_iter();
        let mut turn = 0;
        let mut made = Vec::new();
        let outcome = row(
            length,
            judge,
            |text| example.parser.recognizes(text),
            || {
                let next = first.next().or_else(|| {
                    let mut fills = Vec::with_capacity(units.len());
                    for (index, unit) in units.iter().enumerate() {
                        let text = match likely[index].get(turn / 2) {
                            Some(text) if (turn + index) % 2 == 0 => text.clone(),
                            _ => {
                                let mut text = Vec::new();
                                example.producer.produce(nonterminals[index], stream, &mut text).ok()?;
                                text
                            }
                        };
                        fills.push((unit.clone(), text));
                    }
                    turn += 1;
                    Some(check(fills))
                });
                if alone && let Some(Check { origin, .. }) = &next {
                    made.extend(origin.iter().map(|(_, text)| text.clone()));
                }
                next
            },
        )?;
        if let (Outcome::Holds(_), [unit]) = (&outcome, units) {
            for text in &made {
                let text = self.places().splice(&[(unit.clone(), text.clone())]);
                if let Some(verdict) = self.judge.known(&text) {
                    self.learn(&[unit], verdict == Verdict::Fail);
                }
            }
            self.looked.insert(unit[0], made);
        }
        Ok(outcome)
    }

    /// Likely counterexamples for a unit that it was not looked at with: half of a row.
    pub(super) fn likely_texts(&mut self, unit: &Unit, wanted: usize) -> Vec<Vec<u8>> {
        let looked: &[Vec<u8>] = self.looked.get(&unit[0]).map_or(&[], Vec::as_slice);
        let most = wanted / 2 + 1;
        let mut texts = self.likely.strings(self.nonterminal(unit), most + looked.len());
        texts.retain(|text| *text != self.text_of(unit[0]) && !looked.contains(text));
        texts.truncate(most);
        texts
    }

    /// The verdict on the input with these fills.
    pub(super) fn judge_with(&mut self, fills: &[Fill]) -> Result<Verdict, Halt> {
        let text = self.places().splice(fills);
        self.judge.judge(&text)
    }

    pub(super) fn places(&self) -> Places<'_> {
        Places { text: &self.text, spans: &self.spans, order: &self.order, example: self.example }
    }

    /// Of the fills of an input with this verdict, some without any of which it would have another one:
    /// larger and larger parts of them are left out, as long as the verdict stays. An input that passes
    /// says more than any other, so its fills take the place of those that were asked about. The verdict
    /// comes with the fills.
    pub(super) fn needed(
        &mut self,
        mut fills: Vec<Fill>,
        mut wanted: Verdict,
    ) -> Result<(Vec<Fill>, Verdict), Halt> {
        let mut size = fills.len().div_ceil(2);
        loop {
            let mut index = 0;
            while index < fills.len() && fills.len() > 1 {
                let mut fewer = fills.clone();
                fewer.drain(index..(index + size).min(fills.len()));
                if fewer.is_empty() {
                    index += size;
                    continue;
                }
                match self.judge_with(&fewer)? {
                    verdict if verdict == wanted => fills = fewer,
                    Verdict::Pass => (fills, wanted) = (fewer, Verdict::Pass),
                    _ => index += size,
                }
            }
            if size <= 1 {
                return Ok((fills, wanted));
            }
            size = size.div_ceil(2).min(fills.len().div_ceil(2)).max(1);
        }
    }

    /// Which of `nodes` may vary, each alone or with others, as far as a glance shows; and which not.
    /// All are tried at once, and when that does not go well, halves of them.
    pub(super) fn settle(&mut self, units: Vec<Unit>) -> Result<[Vec<Unit>; 2], Halt> {
        let [mut good, mut bad] = [Vec::new(), Vec::new()];
        let mut open = vec![units];
        while let Some(units) = open.pop() {
            if units.is_empty() {
                continue;
            }
            match self.vary(&units, Length::glance(self.settings), Vec::new())? {
                Outcome::Holds(strings) => {
                    if strings == 1 {
                        self.fixed.extend(units.iter().flat_map(|unit| unit.iter().copied()));
                    }
                    good.extend(units);
                }
                _ if units.len() == 1 => bad.extend(units),
                _ => {
                    let (left, right) = units.split_at(units.len() / 2);
                    open.push(right.to_vec());
                    open.push(left.to_vec());
                }
            }
        }
        Ok([good, bad])
    }

    /// A unit of nodes, which are put in order.
    pub(super) fn unit(&self, nodes: impl IntoIterator<Item = crate::tree::NodeId>) -> Unit {
        let mut nodes: Vec<_> = nodes.into_iter().collect::<HashSet<_>>().into_iter().collect();
        nodes.sort_unstable_by_key(|&node| self.order[node]);
        nodes.into()
    }
}
