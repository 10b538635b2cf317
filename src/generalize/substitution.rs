//! Other texts in the place of some nodes, all others staying as they are.

use std::collections::HashSet;

use crate::grammar::NonterminalId;
use crate::oracle::{Halt, Verdict};

use super::ddset::{Generalization, NodeGroup, Splicer, Substitution};
use super::trial::{Candidate, TrialOutcome, TrialSize, known_first, run_trial};

impl Generalization<'_, '_, '_> {
    /// The nonterminal of a group.
    ///
    /// # Panics
    /// When it is a terminal.
    pub(super) fn nonterminal(&self, group: &NodeGroup) -> NonterminalId {
        let tree = self.example.tree;
        tree.nonterminal(self.example.grammar, group[0]).expect("only nonterminals are asked about")
    }

    /// Lets `groups` vary all at once. The inputs that `first` says come first; then half of the substitutions of
    /// each group are likely counterexamples, the other half is random.
    pub(super) fn vary(
        &mut self,
        groups: &[NodeGroup],
        size: TrialSize,
        first: Vec<Vec<Substitution>>,
    ) -> Result<TrialOutcome<Vec<Substitution>>, Halt> {
        let nonterminals: Vec<NonterminalId> = groups.iter().map(|group| self.nonterminal(group)).collect();
        let mut likely: Vec<Vec<Vec<u8>>> =
            groups.iter().map(|group| self.likely_texts(group, size.wanted)).collect();
        let Self { judge, stream, example, text, spans, order, .. } = self;
        let splicer = Splicer { text, spans, order, tree: example.tree, example: *example };
        let check = |substitutions: Vec<Substitution>| Candidate {
            text: splicer.splice_groups(&substitutions),
            origin: substitutions,
        };
        let mut first: Vec<_> = first.into_iter().map(check).collect();
        let alone = groups.len() == 1;
        if alone {
            first.extend(likely[0].drain(..).map(|text| check(vec![(groups[0].clone(), text)])));
        }
        // Its own text is one of the strings, and known to fail.
        first.push(check(Vec::new()));
        if alone {
            known_first(&mut first, judge);
        }
        let mut first = first.into_iter();
        let mut turn = 0;
        let mut made = Vec::new();
        let outcome = run_trial(
            size,
            judge,
            |text| example.parser.recognizes(text),
            || {
                let next = first.next().or_else(|| {
                    let mut substitutions = Vec::with_capacity(groups.len());
                    for (index, group) in groups.iter().enumerate() {
                        let text = match likely[index].get(turn / 2) {
                            Some(text) if (turn + index) % 2 == 0 => text.clone(),
                            _ => {
                                let mut text = Vec::new();
                                example.producer.produce(nonterminals[index], stream, &mut text).ok()?;
                                text
                            }
                        };
                        substitutions.push((group.clone(), text));
                    }
                    turn += 1;
                    Some(check(substitutions))
                });
                if alone && let Some(Candidate { origin, .. }) = &next {
                    made.extend(origin.iter().map(|(_, text)| text.clone()));
                }
                next
            },
        )?;
        if let (TrialOutcome::Holds(_), [group]) = (&outcome, groups) {
            for text in &made {
                let text = self.splicer().splice_groups(&[(group.clone(), text.clone())]);
                if let Some(verdict) = self.judge.known(&text) {
                    self.learn(&[group], verdict == Verdict::Fail);
                }
            }
            self.screened.insert(group[0], made);
        }
        Ok(outcome)
    }

    /// Likely counterexamples for a group that it was not screened with: half of a trial.
    pub(super) fn likely_texts(&mut self, group: &NodeGroup, wanted: usize) -> Vec<Vec<u8>> {
        let screened: &[Vec<u8>] = self.screened.get(&group[0]).map_or(&[], Vec::as_slice);
        let most = wanted / 2 + 1;
        let mut texts = self.likely.strings(self.nonterminal(group), most + screened.len());
        texts.retain(|text| *text != self.text_of(group[0]) && !screened.contains(text));
        texts.truncate(most);
        texts
    }

    /// The verdict on the input with these substitutions.
    pub(super) fn judge_with(&mut self, substitutions: &[Substitution]) -> Result<Verdict, Halt> {
        let text = self.splicer().splice_groups(substitutions);
        self.judge.judge(&text)
    }

    pub(super) fn splicer(&self) -> Splicer<'_> {
        Splicer {
            text: &self.text,
            spans: &self.spans,
            order: &self.order,
            tree: self.example.tree,
            example: self.example,
        }
    }

    /// Of the substitutions of an input with this verdict, some without any of which it would have another one:
    /// larger and larger parts of them are left out, as long as the verdict stays. An input that passes
    /// says more than any other, so its substitutions take the place of those that were asked about. The verdict
    /// comes with the substitutions.
    pub(super) fn needed(
        &mut self,
        mut substitutions: Vec<Substitution>,
        mut wanted: Verdict,
    ) -> Result<(Vec<Substitution>, Verdict), Halt> {
        let mut size = substitutions.len().div_ceil(2);
        loop {
            let mut index = 0;
            while index < substitutions.len() && substitutions.len() > 1 {
                let mut fewer = substitutions.clone();
                fewer.drain(index..(index + size).min(substitutions.len()));
                if fewer.is_empty() {
                    index += size;
                    continue;
                }
                match self.judge_with(&fewer)? {
                    verdict if verdict == wanted => substitutions = fewer,
                    Verdict::Pass => (substitutions, wanted) = (fewer, Verdict::Pass),
                    _ => index += size,
                }
            }
            if size <= 1 {
                return Ok((substitutions, wanted));
            }
            size = size.div_ceil(2).min(substitutions.len().div_ceil(2)).max(1);
        }
    }

    /// Which of `nodes` may vary, each alone or with others, as far as a quick trial shows; and which not.
    /// All are tried at once, and when that does not go well, halves of them.
    pub(super) fn settle(&mut self, groups: Vec<NodeGroup>) -> Result<[Vec<NodeGroup>; 2], Halt> {
        let [mut good, mut bad] = [Vec::new(), Vec::new()];
        let mut open = vec![groups];
        while let Some(groups) = open.pop() {
            if groups.is_empty() {
                continue;
            }
            match self.vary(&groups, TrialSize::quick(self.settings), Vec::new())? {
                TrialOutcome::Holds(strings) => {
                    if strings == 1 {
                        self.fixed.extend(groups.iter().flat_map(|group| group.iter().copied()));
                    }
                    good.extend(groups);
                }
                _ if groups.len() == 1 => bad.extend(groups),
                _ => {
                    let (left, right) = groups.split_at(groups.len() / 2);
                    open.push(right.to_vec());
                    open.push(left.to_vec());
                }
            }
        }
        Ok([good, bad])
    }

    /// A group of nodes, which are put in order.
    pub(super) fn group(&self, nodes: impl IntoIterator<Item = crate::tree::NodeId>) -> NodeGroup {
        let mut nodes: Vec<_> = nodes.into_iter().collect::<HashSet<_>>().into_iter().collect();
        nodes.sort_unstable_by_key(|&node| self.order[node]);
        nodes.into()
    }
}
