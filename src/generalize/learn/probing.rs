//! Inputs that tell whether a formula over features has to be as it is.
//!
//! A formula is fitted to the inputs that were met in learning, most of which are like the given one. So a clause may ask for what all of them
//! happen to have where others would fail as well, or forbid what was seen in passing inputs only. Failing inputs with another text in the place
//! of what a clause asks for, and with what it forbids in the place of something else, show this.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::base::bitset::BitSet;
use crate::base::id::Id;
use crate::grammar::lexis::is_gap;
use crate::grammar::{NonterminalId, Symbol};
use crate::oracle::Halt;
use crate::tree::NodeId;

use super::features::{Clause, ExampleId, Feature, FeatureId, Features};
use super::input::Input;
use super::joint::Joint;
use super::session::Learning;

/// The part of all executions, one in this number, that the inputs for one formula may take.
const SHARE: u64 = 25;

/// The number of failing inputs in which a feature is replaced, and of those in which what is of one nonterminal is.
const EXAMPLES: usize = 2;

/// The number of choices between rules, one below the other, in which the texts of a nonterminal differ that are put in the place of a feature, and the
/// most of these texts.
const CHOICES: usize = 2;
const MOST_TEXTS: usize = 200;

/// The number of nodes around a feature in whose place other texts are put.
const ABOVE: usize = 2;

/// The number of the smallest inputs about which the program is asked.
const SIMPLEST: usize = 40;

/// A node of an input, with what is put in its place in turn.
struct Probe {
    input: Rc<Input>,
    node: NodeId,
    fills: Vec<Vec<u8>>,
}

impl Learning<'_, '_, '_> {
    /// Asks about failing inputs that clauses may be wrong about. What the program says of them is known then, as of any others.
    ///
    /// # Errors
    /// The program cannot be asked.
    pub(super) fn probe(&mut self, features: &Features, clauses: &[Clause]) -> Result<(), Halt> {
        self.ask_simplest()?;
        let mut probes: Vec<Probe> = Vec::new();
        for clause in clauses.iter().flat_map(|clause| features.plain_clauses(clause)) {
            let mut of_clause = Vec::new();
            for (number, &feature) in clause.features.iter().enumerate() {
                if let Some(joint) = features.joint(feature) {
                    self.add_joint(features, joint, &mut of_clause);
                } else if clause.is_positive {
                    let mut others = clause.features.clone();
                    others.remove(number);
                    self.add_wanted(features, feature, &features.having(&others, 0), &mut of_clause);
                } else {
                    self.add_unwanted(features, feature, &mut of_clause);
                }
            }
            if clause.is_positive {
                self.keep_shortest(&mut of_clause);
            }
            probes.extend(of_clause);
        }
        let most = self.judge.executions() + self.settings.executions / SHARE;
        let turns = probes.iter().map(|probe| probe.fills.len()).max().unwrap_or(0);
        for turn in 0..turns {
            for Probe { input, node, fills } in &probes {
                if self.judge.executions() >= most {
                    return Ok(());
                }
                if let Some(text) = fills.get(turn) {
                    self.ask(input.with(self.example, &[(*node, text.clone())]))?;
                }
            }
        }
        Ok(())
    }

    /// Asks about the smallest inputs, which have hardly anything: a formula that is fitted to inputs like the given one alone may accept them.
    fn ask_simplest(&mut self) -> Result<(), Halt> {
        let start = self.example.grammar.start();
        for text in self.texts_of(start).into_iter().take(SIMPLEST) {
            self.ask(text)?;
        }
        Ok(())
    }

    /// Keeps a few probes for each nonterminal, those in the shortest inputs: with another text in its place one feature of a clause is as good as another.
    fn keep_shortest(&self, probes: &mut Vec<Probe>) {
        probes.sort_by_key(|probe| probe.input.text.len());
        let mut kept: HashMap<Option<NonterminalId>, usize> = HashMap::new();
        let mut known: HashSet<(Vec<u8>, NodeId)> = HashSet::new();
        probes.retain(|Probe { input, node, .. }| {
            let kept = kept.entry(input.tree.nonterminal(self.example.grammar, *node)).or_default();
            let is_kept = *kept < EXAMPLES && known.insert((input.text.clone(), *node));
            *kept += usize::from(is_kept);
            is_kept
        });
    }

    /// Other rules in the place of a feature, and of what is around it, in the shortest failing inputs that have none of the others of its clause.
    fn add_wanted(
        &mut self,
        features: &Features,
        feature: FeatureId,
        others: &BitSet<ExampleId>,
        probes: &mut Vec<Probe>,
    ) {
        let grammar = self.example.grammar;
        let mut alone = features.seen[feature.index()].examples[0].clone();
        alone.subtract(others);
        let mut inputs: Vec<Rc<Input>> =
            alone.iter().map(|example| Rc::clone(&features.examples[0][example.index()])).collect();
        inputs.sort_by_key(|input| input.text.len());
        for input in inputs.into_iter().take(EXAMPLES) {
            let Some(node) = features.node_of(grammar, &input.tree, feature) else { continue };
            let is_text = matches!(features.seen[feature.index()].feature, Feature::Text(..));
            self.add_others(&input, node, is_text, probes);
        }
    }

    /// Other rules in the place of a node, of what is around it, and, if it is a text, of its parts.
    fn add_others(&mut self, input: &Rc<Input>, node: NodeId, is_text: bool, probes: &mut Vec<Probe>) {
        let grammar = self.example.grammar;
        let is_choice = |&at: &NodeId| {
            let nonterminal = input.tree.nonterminal(grammar, at)?;
            (grammar.rules_of(nonterminal).len() > 1).then_some((at, nonterminal))
        };
        let above = std::iter::successors(Some(node), |&at| input.tree.parent(at));
        let above = above.filter_map(|at| is_choice(&at)).take(ABOVE);
        // Of a text each part may be what matters, or none of them.
        let below = self.changeable_in(input, node).into_iter().skip(1);
        let below = below.filter_map(|(at, _)| is_choice(&at));
        let places: Vec<(NodeId, NonterminalId)> = above.chain(below.filter(|_| is_text)).collect();
        for (node, nonterminal) in places {
            let fills = self.texts_for(input, node, nonterminal);
            probes.push(Probe { input: Rc::clone(input), node, fills });
        }
    }

    /// Other rules in the place of what each clause of a joint asks for, in failing inputs, and of what it forbids, in passing ones for which the other clauses hold at
    /// one node.
    fn add_joint(&mut self, features: &Features, joint: &Joint, probes: &mut Vec<Probe>) {
        let grammar = self.example.grammar;
        for (number, clause) in joint.clauses.iter().enumerate() {
            let (mut inputs, wanted) = match clause.is_positive {
                true => (self.failing.clone(), joint.clone()),
                false => (self.passing.clone(), joint.turned_round(number)),
            };
            inputs.sort_by_key(|input| input.text.len());
            let places = inputs.into_iter().filter_map(|input| {
                let by_node = features.by_node(grammar, &input.tree);
                let whole = wanted.node_in(grammar, &input.tree, &by_node)?;
                let within: HashSet<NodeId> = input.tree.preorder(whole).collect();
                let asks = |feature: &Feature| clause.parts.iter().any(|part| part.feature == *feature);
                let of_node = by_node.into_iter().filter(|of_node| within.contains(&of_node.node));
                let mut found = of_node.filter_map(|it| Some((it.node, it.features.into_iter().find(asks)?)));
                found.next().map(|(node, feature)| (input, node, matches!(feature, Feature::Text(..))))
            });
            for (input, node, is_text) in places.take(EXAMPLES).collect::<Vec<_>>() {
                self.add_others(&input, node, is_text, probes);
            }
        }
    }

    /// What has a feature in a passing input, in the place of something of its nonterminal in the shortest failing input that has such a thing.
    fn add_unwanted(&self, features: &Features, feature: FeatureId, probes: &mut Vec<Probe>) {
        let grammar = self.example.grammar;
        let seen = &features.seen[feature.index()];
        let mut passing: Vec<&Rc<Input>> =
            seen.examples[1].iter().map(|example| &features.examples[1][example.index()]).collect();
        passing.sort_by_key(|input| input.text.len());
        let Some((from, node)) = passing
            .into_iter()
            .find_map(|input| Some((input, features.outermost(grammar, &input.tree, feature)?)))
        else {
            return;
        };
        let Some(nonterminal) = from.tree.nonterminal(grammar, node) else { return };
        let mut failing: Vec<&Rc<Input>> = self.failing.iter().collect();
        failing.sort_by_key(|input| input.text.len());
        let places = failing.into_iter().filter_map(|input| {
            let is_alike = |&node: &NodeId| input.tree.nonterminal(grammar, node) == Some(nonterminal);
            Some((input, input.tree.preorder(input.tree.root()).find(is_alike)?))
        });
        for (input, place) in places.take(EXAMPLES) {
            let fills = vec![from.text_of(node).to_vec()];
            probes.push(Probe { input: Rc::clone(input), node: place, fills });
        }
    }

    /// Texts for a node: with what is in it now by each of the other rules, and then those of its nonterminal.
    fn texts_for(&mut self, input: &Input, node: NodeId, nonterminal: NonterminalId) -> Vec<Vec<u8>> {
        let rules = self.example.grammar.rules_of(nonterminal).iter();
        let like: Vec<Vec<u8>> = rules.filter_map(|&rule| self.text_like(rule, input, node, true)).collect();
        like.into_iter().chain(self.texts_of(nonterminal)).collect()
    }

    /// Texts of a nonterminal: the cheapest one of each of its rules, and then such in which one part is another one, as far as it takes [`CHOICES`]. They
    /// are the same each time but for characters of classes, so the program is asked about most in one place only once.
    fn texts_of(&mut self, nonterminal: NonterminalId) -> Vec<Vec<u8>> {
        let mut texts: Vec<Vec<u8>> = Vec::new();
        let mut known: HashSet<Vec<u8>> = HashSet::new();
        for choices in 1..=CHOICES {
            for text in self.texts_with(nonterminal, choices, &mut BitSet::new()) {
                if texts.len() < MOST_TEXTS && known.insert(text.clone()) {
                    texts.push(text);
                }
            }
        }
        texts
    }

    /// Texts that differ in at most this number of choices; `above` are the nonterminals of which this is a part.
    fn texts_with(
        &mut self,
        nonterminal: NonterminalId,
        choices: usize,
        above: &mut BitSet<NonterminalId>,
    ) -> Vec<Vec<u8>> {
        let grammar = self.example.grammar;
        let rules = grammar.rules_of(nonterminal);
        let is_choice = rules.len() > 1;
        let left = choices.saturating_sub(usize::from(is_choice));
        let is_new = above.insert(nonterminal);
        let mut texts: Vec<Vec<u8>> = Vec::new();
        if choices > 0 || !is_choice {
            texts.extend(rules.iter().filter_map(|&rule| self.cheapest.string_of_rule(rule)));
        }
        // A part of itself says little.
        if is_new && (left > 0 || !is_choice) {
            for &rule in rules {
                for (place, symbol) in grammar.rule(rule).symbols.iter().enumerate() {
                    let Symbol::Nonterminal(inner) = *symbol else { continue };
                    if is_gap(grammar, inner) || texts.len() >= MOST_TEXTS {
                        continue;
                    }
                    for part in self.texts_with(inner, left, above) {
                        texts.extend(self.text_beside(rule, place, &part, true));
                    }
                }
            }
        }
        if is_new {
            above.remove(nonterminal);
        }
        texts
    }
}
