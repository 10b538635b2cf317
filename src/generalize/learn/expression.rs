//! A hypothesis as an expression.
//!
//! Root classes are the alternatives of one name. A class that has one alternative, and is wanted as it is, stands
//! in the text of the class that wants it; the others have names of their own.

use std::collections::HashMap;

use crate::base::bitset::BitSet;
use crate::base::id::{Id, IdVec};
use crate::grammar::lexis::is_gap;
use crate::grammar::{Grammar, NonterminalId, Symbol};
use crate::pattern::{
    Condition, Expression, Formula, NamedPattern, Openness, Pattern, PatternId, PatternNode, PatternNodeId,
    Side, Surrounding,
};

use super::super::EXPRESSION_NAME;
use super::hypothesis::{Alternative, Class, ClassId, Hypothesis, Masks, Want};

/// Expressions with parts nested deeper than this have names in between.
const DEEPEST: usize = 200;

/// The length in bytes of the longest word after which a class is named.
const LONGEST_NAME: usize = 24;

/// What the names of classes that mask begin with.
pub(super) const MASK_NAME: &str = "mask_";

/// What the names of classes begin with that have to stand somewhere as well.
pub(super) const NEED_NAME: &str = "needed_";

/// What the names of boundaries begin with.
const BOUNDARY_NAME: &str = "boundary_";

/// What is said of some root classes, which stand under one name.
struct Part {
    roots: Vec<ClassId>,
    formula: Formula,
}

impl Hypothesis {
    /// The hypothesis as an expression over the grammar.
    pub(super) fn expression(&self, grammar: &Grammar) -> Expression {
        let named = self.named();
        let mut names = Names::default();
        // What fails has one name, but for what fails only as the whole, and for what others mask.
        let mut groups: Vec<(Vec<ClassId>, Option<&Masks>)> = Vec::new();
        let is_at_root = |root: &ClassId| self.is_anchored(*root);
        let is_alone = |root: ClassId| self.masks(root).is_none() && self.needs(root).is_empty();
        for wanted in [false, true] {
            let is_it = |root: &&ClassId| is_at_root(root) == wanted && is_alone(**root);
            let roots: Vec<ClassId> = self.roots().iter().filter(is_it).copied().collect();
            if !roots.is_empty() {
                groups.push((roots, None));
            }
        }
        let others = self.roots().iter().copied().filter(|&root| !is_alone(root));
        groups.extend(others.map(|root| (vec![root], self.masks(root))));
        for (number, _) in groups.iter().enumerate() {
            let number = if number == 0 { String::new() } else { (number + 1).to_string() };
            names.add(format!("{EXPRESSION_NAME}{number}"));
        }
        // The same classes have one name, whatever they mask.
        let mut sets = Sets::default();
        let mut parts: Vec<Part> = Vec::new();
        for (number, (roots, masks)) in groups.into_iter().enumerate() {
            let name = PatternId::new(number);
            let needs = roots.first().map_or(&[][..], |&root| self.needs(root));
            let mut formula = match masks {
                Some(masks) => {
                    let sides = Side::ALL.into_iter().map(|side| (side, masks.on(side)));
                    let boundaries = roots.first().map_or(&[][..], |&root| self.boundaries(root));
                    let of_side = sides.filter(|(_, classes)| !classes.is_empty()).map(|(side, classes)| {
                        let name = sets.named(&mut names, classes, MASK_NAME);
                        let is_bounded = side == Side::Around && !boundaries.is_empty();
                        let within = is_bounded.then(|| sets.named(&mut names, boundaries, BOUNDARY_NAME));
                        Surrounding { is_there: false, side, name, within }
                    });
                    Formula::Some(name, of_side.collect())
                }
                None if is_at_root(&roots[0]) => Formula::Root(name),
                None => Formula::Contains(name),
            };
            for &need in needs {
                formula = formula & Formula::Contains(sets.named(&mut names, &[need], NEED_NAME));
            }
            parts.push(Part { roots, formula });
        }
        // Equal classes have one name as well.
        let equal = self.equal_classes();
        let mut ids: HashMap<ClassId, PatternId> = HashMap::new();
        let mut first: Vec<ClassId> = Vec::new();
        for class in named.iter() {
            let id = match ids.get(&equal[class]) {
                Some(&id) => id,
                None => {
                    first.push(class);
                    let word = self.word(grammar, class, 0);
                    let of_kind = || grammar.name(self.class(class).nonterminal).text();
                    names.numbered(&readable(&word.unwrap_or_else(of_kind)))
                }
            };
            ids.insert(equal[class], id);
            ids.insert(class, id);
        }
        let writer = Writer { grammar, hypothesis: self, ids: &ids };
        let of_roots = parts
            .iter()
            .map(|part| side_by_side(part.roots.iter().flat_map(|&root| writer.root(root)).collect()));
        let of_sets = sets.0.iter().map(|(classes, _)| {
            side_by_side(classes.iter().flat_map(|&class| writer.alternatives(class)).collect())
        });
        let of_classes = first.iter().map(|&class| writer.alternatives(class));
        let all = of_roots.chain(of_sets).chain(of_classes);
        let patterns = names.0.into_iter().zip(all);
        let patterns = patterns.map(|(name, alternatives)| NamedPattern { name, alternatives }).collect();
        let formula = parts.into_iter().map(|part| part.formula).reduce(|all, next| all | next);
        Expression { start: grammar.start(), patterns, formula: formula.unwrap_or(Formula::Constant(false)) }
    }

    /// For each class one that has the same alternatives, where equal ones stand in them for one another.
    fn equal_classes(&self) -> IdVec<ClassId, ClassId> {
        let all = || (0..self.len()).map(ClassId::new);
        let mut equal: IdVec<ClassId, ClassId> = all().collect();
        loop {
            let mut known: HashMap<(NonterminalId, Vec<Alternative>), ClassId> = HashMap::new();
            let mut is_changed = false;
            for class in all() {
                let Class { nonterminal, alternatives } = self.class(class);
                let renamed = alternatives.iter().map(|alternative| alternative.renamed(&|it| equal[it]));
                let same = *known.entry((*nonterminal, renamed.collect())).or_insert(class);
                is_changed |= equal[class] != same;
                equal[class] = same;
            }
            if !is_changed {
                return equal;
            }
        }
    }

    /// The word that all alternatives of a class are, but for upper and lower case.
    fn word(&self, grammar: &Grammar, class: ClassId, depth: usize) -> Option<String> {
        if depth > LONGEST_NAME {
            return None;
        }
        let mut words = self.class(class).alternatives.iter().map(|alternative| {
            let Alternative::Rule(rule, wants) = alternative else { return None };
            let mut word = String::new();
            for (want, symbol) in wants.iter().zip(&grammar.rule(*rule).symbols) {
                match (want, symbol) {
                    (_, Symbol::Literal(literal)) => {
                        word.push_str(std::str::from_utf8(grammar.literal(*literal)).ok()?);
                    }
                    (Want::Char(c) | Want::Letter(c), _) => word.push(*c),
                    (Want::In(inner), _) => word.push_str(&self.word(grammar, *inner, depth + 1)?),
                    _ => return None,
                }
            }
            Some(word.to_lowercase())
        });
        let word = words.next()??;
        let is_name = word.starts_with(|c: char| c.is_ascii_alphabetic()) && word.len() <= LONGEST_NAME;
        (is_name && words.all(|other| other.as_ref() == Some(&word))).then_some(word)
    }

    /// Whether a class can stand in the text of another one: it is one pattern, or anything.
    fn is_single(&self, class: ClassId) -> bool {
        match self.class(class).alternatives.as_slice() {
            [Alternative::Rule(..)] => true,
            [Alternative::Open(except)] => except.is_empty(),
            [Alternative::Has(..)] => true,
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
                named.extend(alternative.except().iter().copied());
                match alternative {
                    Alternative::Open(_) => {}
                    Alternative::Has(inner, _) => {
                        named.insert(*inner);
                    }
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
                                Want::Any | Want::Bound(_) | Want::Char(_) | Want::Letter(_) => {}
                            }
                        }
                    }
                }
            }
        }
        for &root in self.roots() {
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
                Alternative::Open(_) | Alternative::Has(..) => match self.condition(alternative) {
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
                    (_, Want::Letter(c)) => PatternNode::Letter(*c),
                    (Symbol::Nonterminal(inner), Want::Bound(number)) => PatternNode::Bound(inner, *number),
                    (Symbol::Nonterminal(inner), Want::NotIn(except)) => match self.none_of(except) {
                        Some(condition) => PatternNode::Where(inner, None, condition),
                        None => PatternNode::Abstract(inner),
                    },
                    (Symbol::Nonterminal(inner), Want::In(class)) => match self.ids.get(class) {
                        Some(&id) => PatternNode::Where(inner, None, Condition::at(id)),
                        None => {
                            let only = self.hypothesis.class(*class).alternatives.first();
                            if let Some(written) = only.and_then(|only| self.write(only, nodes)) {
                                return written;
                            }
                            match only.and_then(|only| self.condition(only)) {
                                Some(condition) => PatternNode::Where(inner, None, condition),
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

    /// What an alternative that is of any rule asks of a node, if that is anything.
    fn condition(&self, alternative: &Alternative) -> Option<Condition> {
        let none = self.none_of(alternative.except());
        let &Alternative::Has(inner, _) = alternative else { return none };
        let has = Condition::has(*self.ids.get(&inner)?);
        Some(match none {
            Some(none) => has & none,
            None => has,
        })
    }

    /// That none of some classes is at a node.
    fn none_of(&self, classes: &[ClassId]) -> Option<Condition> {
        let conditions = classes.iter().filter_map(|class| self.ids.get(class)).map(|&id| !Condition::at(id));
        conditions.reduce(|all, next| all & next)
    }
}

/// The names of sets of classes, of which each has one.
#[derive(Default)]
struct Sets(Vec<(Vec<ClassId>, PatternId)>);

impl Sets {
    fn named(&mut self, names: &mut Names, classes: &[ClassId], base: &str) -> PatternId {
        let known = self.0.iter().find(|(known, _)| known == classes).map(|&(_, name)| name);
        known.unwrap_or_else(|| {
            let name = names.numbered(base);
            self.0.push((classes.to_vec(), name));
            name
        })
    }
}

/// The names of an expression, in the order of their definitions.
#[derive(Default)]
pub(super) struct Names(Vec<String>);

impl Names {
    fn add(&mut self, name: String) -> PatternId {
        self.0.push(name);
        PatternId::new(self.0.len() - 1)
    }

    /// A name.
    pub(super) fn text(&self, name: PatternId) -> &str {
        &self.0[name.index()]
    }

    /// The name of what fails, if there is none yet, or else a new name that begins so.
    pub(super) fn first_or_numbered(&mut self, base: &str) -> PatternId {
        if self.0.is_empty() { self.add(EXPRESSION_NAME.to_owned()) } else { self.numbered(base) }
    }

    /// This name, or if there is one already a new one with another number.
    pub(super) fn like(&mut self, name: &str) -> PatternId {
        if self.0.iter().any(|known| known == name) {
            self.numbered(name.trim_end_matches(|c: char| c.is_ascii_digit()))
        } else {
            self.add(name.to_owned())
        }
    }

    /// A new name that begins so.
    pub(super) fn numbered(&mut self, base: &str) -> PatternId {
        let number = (1..).find(|number| !self.0.contains(&format!("{base}{number}"))).unwrap_or(0);
        self.add(format!("{base}{number}"))
    }
}

/// Patterns as a text has them: each once, and those of one nonterminal side by side.
pub(super) fn side_by_side(patterns: Vec<Pattern>) -> Vec<Pattern> {
    let mut sorted: Vec<Pattern> = Vec::new();
    for pattern in patterns {
        let of_same = |known: &Pattern| known.characteristic() == pattern.characteristic();
        if !sorted.contains(&pattern) {
            let place = sorted.iter().rposition(of_same).map_or(sorted.len(), |last| last + 1);
            sorted.insert(place, pattern);
        }
    }
    sorted
}

/// A name for the classes of a nonterminal, as names may be.
fn readable(nonterminal: &str) -> String {
    let name: String = nonterminal.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("{}_", name.trim_matches('_'))
}
