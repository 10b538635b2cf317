//! A hypothesis as an expression.
//!
//! Root classes are the alternatives of one name. A class that has one alternative, and is wanted as it is, stands
//! in the text of the class that wants it; the others have names of their own.

use std::collections::HashMap;

use crate::base::bitset::BitSet;
use crate::base::id::{Id, IdVec};
use crate::grammar::analysis::reachable;
use crate::grammar::lexis::is_gap;
use crate::grammar::{Grammar, NonterminalId, Symbol};
use crate::pattern::{
    Condition, Expression, Formula, NamedPattern, Openness, Pattern, PatternId, PatternNode, PatternNodeId,
};

use super::super::EXPRESSION_NAME;
use super::hypothesis::{Alternative, ClassId, Hypothesis, Masks, Side, Want};
use super::ways::{Step, steps};

/// Expressions with parts nested deeper than this have names in between.
const DEEPEST: usize = 200;

impl Hypothesis {
    /// The hypothesis as an expression over the grammar.
    pub(super) fn expression(&self, grammar: &Grammar) -> Expression {
        let named = self.named();
        let mut ids: HashMap<ClassId, PatternId> = HashMap::new();
        // That nothing masks a root class is said of the whole tree.
        let is_of_whole = |root: ClassId| self.is_anchored(root) || self.masks(root).is_some();
        let [anywhere, at_root]: [Vec<ClassId>; 2] = [false, true]
            .map(|wanted| self.roots().iter().copied().filter(|&root| is_of_whole(root) == wanted).collect());
        // What fails has one name, unless some of it fails anywhere and some only as the whole.
        let mut parts: Vec<(&[ClassId], Formula)> = Vec::new();
        let mut names: Vec<String> = Vec::new();
        for (roots, formula) in [(&anywhere, Formula::Contains as fn(_) -> _), (&at_root, Formula::Root)] {
            if !roots.is_empty() {
                parts.push((roots, formula(PatternId::new(parts.len()))));
                let number = if names.is_empty() { String::new() } else { (names.len() + 1).to_string() };
                names.push(format!("{EXPRESSION_NAME}{number}"));
            }
        }
        for class in named.iter() {
            ids.insert(class, PatternId::new(names.len()));
            let base = readable(&grammar.name(self.class(class).nonterminal).text());
            let number = (1..).find(|number| !names.contains(&format!("{base}{number}"))).unwrap_or(0);
            names.push(format!("{base}{number}"));
        }
        let writer = Writer { grammar, hypothesis: self, ids: &ids };
        let mut unmasked =
            Unmasked { writer: &writer, first: names.len(), patterns: Vec::new(), tops: HashMap::new() };
        for &root in &at_root {
            if let Some(masks) = self.masks(root) {
                unmasked.add(root, masks, &mut names);
            }
        }
        let Unmasked { patterns: more, tops, .. } = unmasked;
        let mut patterns: IdVec<PatternId, NamedPattern> = IdVec::new();
        for (roots, _) in &parts {
            let alternatives = roots.iter().flat_map(|&root| match tops.get(&root) {
                Some(&top) => {
                    let whole = Openness::Where(None, Condition::at(top));
                    vec![Pattern::placeholder(grammar.start(), whole)]
                }
                None => writer.root(root),
            });
            let name = names[patterns.len()].clone();
            patterns.push(NamedPattern { name, alternatives: alternatives.collect() });
        }
        for class in named.iter() {
            let name = names[patterns.len()].clone();
            patterns.push(NamedPattern { name, alternatives: writer.alternatives(class) });
        }
        more.into_iter().for_each(|named| {
            patterns.push(named);
        });
        let formula = parts.into_iter().map(|(_, formula)| formula).reduce(|all, next| all | next);
        Expression { start: grammar.start(), patterns, formula: formula.unwrap_or(Formula::Constant(false)) }
    }

    /// Whether a class can stand in the text of another one: it is one pattern, or anything.
    fn is_single(&self, class: ClassId) -> bool {
        match self.class(class).alternatives.as_slice() {
            [Alternative::Rule(..)] => true,
            [Alternative::Open(except)] => except.is_empty(),
            _ => false,
        }
    }

    /// The classes that need a name.
    fn named(&self) -> BitSet<ClassId> {
        let mut named = BitSet::new();
        let mut wanted: HashMap<ClassId, usize> = HashMap::new();
        let reachable = self.reachable();
        for class in reachable.iter() {
            for alternative in &self.class(class).alternatives {
                match alternative {
                    Alternative::Open(except) => named.extend(except.iter().copied()),
                    Alternative::Rule(_, wants) => {
                        for want in wants {
                            match want {
                                Want::NotIn(except) => named.extend(except.iter().copied()),
                                Want::In(class) => {
                                    *wanted.entry(*class).or_default() += 1;
                                    if !self.is_single(*class) {
                                        named.insert(*class);
                                    }
                                }
                                Want::Any | Want::Bound(_) | Want::Char(_) => {}
                            }
                        }
                    }
                }
            }
        }
        for &root in self.roots() {
            // A root class that stands unmasked somewhere is written where the ways to it end.
            if wanted.contains_key(&root) {
                named.insert(root);
            }
        }
        // What goes round, or very deep, is interrupted by a name.
        for class in reachable.iter() {
            let mut path = vec![class];
            let mut work = vec![(class, 0)];
            while let Some((at, depth)) = work.pop() {
                path.truncate(depth);
                path.push(at);
                for next in self.mentioned(at) {
                    if named.contains(next) {
                        continue;
                    }
                    if next == class || depth >= DEEPEST {
                        named.insert(next);
                    } else if !path.contains(&next) {
                        work.push((next, depth + 1));
                    }
                }
            }
        }
        named
    }
}

/// Writes classes as patterns.
struct Writer<'a> {
    grammar: &'a Grammar,
    hypothesis: &'a Hypothesis,
    ids: &'a HashMap<ClassId, PatternId>,
}

impl Writer<'_> {
    /// A root class, with what it asks of texts.
    fn root(&self, root: ClassId) -> Vec<Pattern> {
        let patterns = match self.ids.get(&root) {
            Some(&id) => vec![self.placeholder(root, Condition::at(id))],
            None => self.alternatives(root),
        };
        let constraint = self.hypothesis.constraint(root);
        patterns.into_iter().map(|pattern| pattern.constrained(constraint.cloned())).collect()
    }

    fn alternatives(&self, class: ClassId) -> Vec<Pattern> {
        let content = self.hypothesis.class(class);
        let alternatives = content.alternatives.iter();
        alternatives
            .map(|alternative| match alternative {
                Alternative::Open(except) => match self.none_of(except) {
                    Some(condition) => self.placeholder(class, condition),
                    None => Pattern::placeholder(content.nonterminal, Openness::Abstract),
                },
                Alternative::Rule(..) => {
                    let mut nodes = IdVec::new();
                    self.write(alternative, &mut nodes);
                    Pattern::new(nodes, content.nonterminal)
                }
            })
            .collect()
    }

    fn placeholder(&self, class: ClassId, condition: Condition) -> Pattern {
        let nonterminal = self.hypothesis.class(class).nonterminal;
        Pattern::placeholder(nonterminal, Openness::Where(None, condition))
    }

    /// Recursion is as deep as classes stand in each other without a name between.
    fn write(
        &self,
        alternative: &Alternative,
        nodes: &mut IdVec<PatternNodeId, PatternNode>,
    ) -> Option<PatternNodeId> {
        let Alternative::Rule(rule, wants) = alternative else { return None };
        let symbols = &self.grammar.rule(*rule).symbols;
        let children: Vec<PatternNodeId> = wants
            .iter()
            .zip(symbols)
            .map(|(want, &symbol)| {
                let node = match (symbol, want) {
                    (Symbol::Literal(literal), _) => PatternNode::Literal(literal),
                    (_, Want::Char(c)) => PatternNode::Char(*c),
                    (Symbol::Nonterminal(inner), Want::Bound(number)) => PatternNode::Bound(inner, *number),
                    (Symbol::Nonterminal(inner), Want::NotIn(except)) => match self.none_of(except) {
                        Some(condition) => PatternNode::Where(inner, None, condition),
                        None => PatternNode::Abstract(inner),
                    },
                    (Symbol::Nonterminal(inner), Want::In(class)) => match self.ids.get(class) {
                        Some(&id) => PatternNode::Where(inner, None, Condition::at(id)),
                        None => {
                            let content = &self.hypothesis.class(*class).alternatives;
                            match content.first().and_then(|only| self.write(only, nodes)) {
                                Some(written) => return written,
                                None => PatternNode::Abstract(inner),
                            }
                        }
                    },
                    (Symbol::Nonterminal(inner), Want::Any) => PatternNode::Abstract(inner),
                    (Symbol::Class(class), _) => {
                        unreachable!("a hypothesis says which character of {class:?} it wants")
                    }
                };
                nodes.push(node)
            })
            .collect();
        debug_assert!(children.len() == symbols.len() && !is_gap(self.grammar, self.grammar.rule(*rule).lhs));
        Some(nodes.push(PatternNode::Rule(*rule, children.into())))
    }

    /// That none of some classes is at a node.
    fn none_of(&self, classes: &[ClassId]) -> Option<Condition> {
        let conditions = classes.iter().filter_map(|class| self.ids.get(class)).map(|&id| !Condition::at(id));
        conditions.reduce(|all, next| all & next)
    }
}

/// Writes root classes that something masks: the ways to them on which nothing beside masks them.
struct Unmasked<'a> {
    writer: &'a Writer<'a>,
    /// The number of the first name.
    first: usize,
    patterns: Vec<NamedPattern>,
    /// For each root class the name of the trees in which it stands unmasked.
    tops: HashMap<ClassId, PatternId>,
}

impl Unmasked<'_> {
    fn add(&mut self, root: ClassId, masks: &Masks, names: &mut Vec<String>) {
        let grammar = self.writer.grammar;
        let hypothesis = self.writer.hypothesis;
        let target = hypothesis.class(root).nonterminal;
        let mut masked: HashMap<Side, (PatternId, BitSet<NonterminalId>)> = HashMap::new();
        for side in Side::ALL.into_iter().filter(|&side| !masks.on(side).is_empty()) {
            let classes = masks.on(side);
            let alternatives = classes.iter().flat_map(|&class| self.writer.alternatives(class)).collect();
            let of = classes.iter().map(|&class| hypothesis.class(class).nonterminal).collect();
            masked.insert(side, (self.name(side.as_str(), alternatives, names), of));
        }
        let steps = steps(grammar, target);
        let on_way: Vec<NonterminalId> =
            grammar.nonterminals().ids().filter(|&id| id == target || !steps[id].is_empty()).collect();
        let ways: HashMap<NonterminalId, PatternId> = on_way
            .iter()
            .map(|&nonterminal| {
                let base = format!("first_{}", readable(&grammar.name(nonterminal).text()));
                (nonterminal, self.name(&base, Vec::new(), names))
            })
            .collect();
        for &nonterminal in &on_way {
            let mut alternatives = match nonterminal == target {
                true => self.writer.root(root),
                false => Vec::new(),
            };
            let of_steps: Vec<Pattern> =
                steps[nonterminal].iter().map(|step| self.step(*step, &ways, &masked)).collect();
            match masked.get(&Side::Around).filter(|(_, of)| of.contains(nonterminal)) {
                Some(&(around, _)) if !of_steps.is_empty() => {
                    let base = format!("inside_{}", readable(&grammar.name(nonterminal).text()));
                    let inside = self.name(&base, of_steps, names);
                    let condition = Condition::at(inside) & !Condition::at(around);
                    let openness = Openness::Where(None, condition);
                    alternatives.push(Pattern::placeholder(nonterminal, openness));
                }
                _ => alternatives.extend(of_steps),
            }
            let own = ways[&nonterminal].index() - self.first;
            self.patterns[own].alternatives = alternatives;
        }
        if let Some(&top) = ways.get(&grammar.start()) {
            self.tops.insert(root, top);
        }
    }

    fn name(&mut self, base: &str, alternatives: Vec<Pattern>, names: &mut Vec<String>) -> PatternId {
        let number = (1..).find(|number| !names.contains(&format!("{base}{number}"))).unwrap_or(0);
        names.push(format!("{base}{number}"));
        let name = names[names.len() - 1].clone();
        self.patterns.push(NamedPattern { name, alternatives });
        PatternId::new(names.len() - 1)
    }

    /// A rule through one of whose children a way goes, with nothing beside it that masks.
    fn step(
        &self,
        step: Step,
        ways: &HashMap<NonterminalId, PatternId>,
        masked: &HashMap<Side, (PatternId, BitSet<NonterminalId>)>,
    ) -> Pattern {
        let grammar = self.writer.grammar;
        let rule = grammar.rule(step.rule);
        let mut nodes = IdVec::new();
        let mut children = Vec::new();
        for (index, &symbol) in rule.symbols.iter().enumerate() {
            let node = match symbol {
                Symbol::Literal(literal) => PatternNode::Literal(literal),
                Symbol::Nonterminal(inner) if index == step.child => {
                    PatternNode::Where(inner, None, Condition::at(ways[&inner]))
                }
                Symbol::Nonterminal(inner) => {
                    let side = if index < step.child { Side::Before } else { Side::Behind };
                    let mask = masked.get(&side).filter(|(_, of)| reachable(grammar, inner).intersects(of));
                    match mask {
                        Some((mask, _)) => PatternNode::Where(inner, None, !Condition::has(*mask)),
                        None => PatternNode::Abstract(inner),
                    }
                }
                Symbol::Class(class) => unreachable!("no way leads beside a character of {class:?}"),
            };
            children.push(nodes.push(node));
        }
        nodes.push(PatternNode::Rule(step.rule, children.into()));
        Pattern::new(nodes, rule.lhs)
    }
}

/// A name for the classes of a nonterminal, as names may be.
fn readable(nonterminal: &str) -> String {
    let name: String = nonterminal.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("{}_", name.trim_matches('_'))
}
