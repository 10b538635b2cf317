//! Inputs with two derivation trees, searched up to a length.
//!
//! The length of a derivation is the number of its terminals, a literal being one. For each nonterminal
//! all texts with a derivation of n terminals are put together from shorter ones, n ascending; each text is
//! kept once, with the rule and the parts by which it was first found. A text that comes about in a second
//! way, by another rule or from other parts, has two trees that differ at their roots. A nonterminal
//! that is ambiguous only because of what it contains is not found, but what it contains is.
//!
//! Of characters that no class and no literal tells apart only one is tried: an input with two trees
//! keeps them when such characters are exchanged. (Literals that are parts of a character are not seen
//! through.) So the search is exact up to the length that it completes; the number of texts grows
//! exponentially, and a budget ends it.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::base::budget::StopReason;
use crate::base::id::IdVec;
use crate::base::interner::Interner;
use crate::base::limits::{Exceeded, Limits, Meter};
use crate::grammar::{ClassId, Grammar, NonterminalId, RuleId, Symbol};
use crate::id_type;
use crate::tree::{Label, Tree, TreeBuilder};

id_type!(
    /// A text that some nonterminal derives.
    TextId
);

/// A nonterminal with an input that it derives in two ways.
#[derive(Clone, Debug)]
pub struct Ambiguity {
    /// The nonterminal.
    pub nonterminal: NonterminalId,
    /// One of the shortest such inputs.
    pub text: Vec<u8>,
    /// Two of its trees, which differ at the root.
    pub trees: [Tree; 2],
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The ambiguous nonterminals, in the order of their ids.
    pub ambiguous: Vec<Ambiguity>,
    /// All derivations of at most this many terminals were examined.
    pub complete: Option<usize>,
    /// Why the search ended.
    pub stop: StopReason,
}

impl Found {
    /// The result of a search that was not needed.
    pub(super) fn nothing() -> Self {
        Self { ambiguous: Vec::new(), complete: None, stop: StopReason::Done }
    }
}

/// Searches for inputs with two derivations of at most `length` terminals each, trying `budget`
/// combinations at most. When the steps of the limits are used up the search ends as it does with its budget.
///
/// # Errors
/// When the time or the user's patience is at an end.
pub fn search(grammar: &Grammar, length: usize, budget: u64, limits: &Limits) -> Result<Found, Exceeded> {
    let mut search = Search::new(grammar, budget, limits.meter());
    let mut complete = None;
    let mut stop = StopReason::Done;
    for total in 0..=length {
        match search.grow(total) {
            Ok(()) => {}
            Err(None | Some(Exceeded::Steps(_) | Exceeded::States(_) | Exceeded::Rules(_))) => {
                stop = StopReason::Budget;
                break;
            }
            Err(Some(exceeded)) => return Err(exceeded),
        }
        complete = Some(total);
    }
    let ambiguous = search
        .second
        .iter()
        .map(|(&nonterminal, (text, second))| Ambiguity {
            nonterminal,
            text: search.texts[*text].to_vec(),
            trees: [search.tree(&search.known[nonterminal][text]), search.tree(second)],
        })
        .collect();
    Ok(Found { ambiguous, complete, stop })
}

/// A rule, and the text of each of its symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Way {
    rule: RuleId,
    parts: Box<[TextId]>,
}

struct Search<'a> {
    grammar: &'a Grammar,
    texts: Interner<TextId, Box<[u8]>>,
    /// The characters that are tried for each class.
    characters: IdVec<ClassId, Vec<TextId>>,
    /// The texts of each nonterminal, with the way in which each was first found: ways lead to texts
    /// that were found before, so following them ends.
    known: IdVec<NonterminalId, HashMap<TextId, Way>>,
    /// The same texts by the least number of terminals, in the order in which they were found.
    by_total: IdVec<NonterminalId, Vec<Vec<TextId>>>,
    /// The first text found in a second way.
    second: BTreeMap<NonterminalId, (TextId, Way)>,
    /// How many combinations may still be tried.
    budget: u64,
    meter: Meter,
}

impl<'a> Search<'a> {
    fn new(grammar: &'a Grammar, budget: u64, meter: Meter) -> Self {
        let mut texts = Interner::new();
        let characters = representatives(grammar)
            .into_iter()
            .map(|all| all.iter().map(|c| texts.intern(c.to_string().as_bytes().into())).collect())
            .collect();
        let count = grammar.nonterminals().len();
        Self {
            grammar,
            texts,
            characters,
            known: IdVec::filled(HashMap::new(), count),
            by_total: IdVec::filled(Vec::new(), count),
            second: BTreeMap::new(),
            budget,
            meter,
        }
    }

    /// Finds all texts with a derivation of `total` terminals; all with fewer are known.
    ///
    /// # Errors
    /// When the budget is used up; the limit, if it is another one that is reached.
    fn grow(&mut self, total: usize) -> Result<(), Option<Exceeded>> {
        let grammar = self.grammar;
        for nonterminal in grammar.nonterminals().ids() {
            self.by_total[nonterminal].push(Vec::new());
        }
        // Texts of the same total can be found one through the other; so again until nothing is new.
        // From the second time on only rules matter in which one nonterminal can have all terminals.
        let mut rules: Vec<RuleId> = grammar.rules().ids().collect();
        rules.reverse();
        let mut seen: HashSet<(NonterminalId, TextId)> = HashSet::new();
        loop {
            let mut is_new = false;
            for &rule in &rules {
                is_new |= self.apply(rule, total, &mut seen)?;
            }
            if !is_new {
                return Ok(());
            }
            rules.retain(|&rule| {
                let symbols = &grammar.rule(rule).symbols;
                let solid = symbols.iter().filter(|symbol| !self.is_nullable(**symbol)).count();
                symbols.iter().all(|symbol| matches!(symbol, Symbol::Nonterminal(_)))
                    && (total == 0 || solid <= 1)
            });
        }
    }

    fn is_nullable(&self, symbol: Symbol) -> bool {
        match symbol {
            Symbol::Nonterminal(nonterminal) => {
                self.by_total[nonterminal].first().is_some_and(|texts| !texts.is_empty())
            }
            Symbol::Literal(_) | Symbol::Class(_) => false,
        }
    }

    /// Finds all texts of one rule with `total` terminals; says whether any was new.
    fn apply(
        &mut self,
        rule: RuleId,
        total: usize,
        seen: &mut HashSet<(NonterminalId, TextId)>,
    ) -> Result<bool, Option<Exceeded>> {
        let grammar = self.grammar;
        let symbols = &grammar.rule(rule).symbols;
        self.meter.spend(10 + 4 * symbols.len() as u64)?;
        let lhs = grammar.rule(rule).lhs;
        // The least number of terminals from each symbol on, as far as it is known.
        let mut least = vec![Some(0usize); symbols.len() + 1];
        for (index, &symbol) in symbols.iter().enumerate().rev() {
            let own = match symbol {
                Symbol::Literal(_) => Some(1),
                Symbol::Class(class) => (!self.characters[class].is_empty()).then_some(1),
                Symbol::Nonterminal(inner) => self.by_total[inner].iter().position(|t| !t.is_empty()),
            };
            least[index] = own.zip(least[index + 1]).map(|(own, rest)| own + rest);
        }
        if least[0].is_none_or(|least| least > total) {
            return Ok(false);
        }
        let mut is_new = false;
        // Parts of the symbols so far, and the terminals that are left for the others.
        let mut open: Vec<(Vec<TextId>, usize)> = vec![(Vec::new(), total)];
        while let Some((parts, left)) = open.pop() {
            self.budget = self.budget.checked_sub(1).ok_or(None)?;
            self.meter.spend(20)?;
            let Some(&symbol) = symbols.get(parts.len()) else {
                if left == 0 {
                    is_new |= self.found(lhs, Way { rule, parts: parts.into() }, seen);
                }
                continue;
            };
            let rest = least[parts.len() + 1].unwrap_or(usize::MAX);
            let before = open.len();
            let mut push = |text: TextId, used: usize| {
                let mut longer = parts.clone();
                longer.push(text);
                open.push((longer, left - used));
            };
            match symbol {
                Symbol::Literal(literal) if left >= 1 => {
                    push(self.texts.intern(grammar.literal(literal).into()), 1);
                }
                Symbol::Class(class) if left >= 1 => {
                    self.characters[class].iter().rev().for_each(|&text| push(text, 1));
                }
                Symbol::Nonterminal(inner) => {
                    for used in (0..=left.saturating_sub(rest)).rev() {
                        let texts = self.by_total[inner].get(used).map_or(&[][..], Vec::as_slice);
                        texts.iter().rev().for_each(|&text| push(text, used));
                    }
                }
                Symbol::Literal(_) | Symbol::Class(_) => {}
            }
            self.meter.spend((open.len() - before) as u64 * (8 + parts.len() as u64))?;
        }
        Ok(is_new)
    }

    /// Takes note of a way; says whether its text is new.
    fn found(&mut self, lhs: NonterminalId, way: Way, seen: &mut HashSet<(NonterminalId, TextId)>) -> bool {
        let bytes: Vec<u8> = way.parts.iter().flat_map(|&part| self.texts[part].iter().copied()).collect();
        let text = self.texts.intern(bytes.into());
        match self.known[lhs].get(&text) {
            None => {
                self.known[lhs].insert(text, way);
                if let Some(texts) = self.by_total[lhs].last_mut() {
                    texts.push(text);
                }
                true
            }
            Some(first) if *first == way => false,
            Some(_) => {
                // Of the first total, the shortest text, and of these the first in order.
                let key = |text: TextId| (self.texts[text].len(), &self.texts[text]);
                let better = match self.second.get(&lhs) {
                    None => true,
                    Some((known, _)) => seen.contains(&(lhs, *known)) && key(text) < key(*known),
                };
                if better {
                    seen.insert((lhs, text));
                    self.second.insert(lhs, (text, way));
                }
                false
            }
        }
    }

    /// The tree whose root is built in this way, and all else as it was first found.
    fn tree(&self, way: &Way) -> Tree {
        enum Task<'a> {
            Way(&'a Way),
            Leaf(Label),
            Node(&'a Way),
        }
        let mut builder = TreeBuilder::new();
        let mut done = Vec::new();
        let mut tasks = vec![Task::Way(way)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Way(way) => {
                    tasks.push(Task::Node(way));
                    let symbols = &self.grammar.rule(way.rule).symbols;
                    for (&symbol, &part) in symbols.iter().zip(&way.parts).rev() {
                        tasks.push(match symbol {
                            Symbol::Literal(literal) => Task::Leaf(Label::Literal(literal)),
                            Symbol::Class(_) => {
                                let c = String::from_utf8_lossy(&self.texts[part]).chars().next();
                                Task::Leaf(Label::Char(c.expect("the text of a class is a character")))
                            }
                            Symbol::Nonterminal(inner) => Task::Way(&self.known[inner][&part]),
                        });
                    }
                }
                Task::Leaf(label) => done.push(builder.leaf(label)),
                Task::Node(way) => {
                    let children = done.split_off(done.len() - way.parts.len());
                    done.push(builder.node(way.rule, &children));
                }
            }
        }
        let root = done.pop().expect("the first task makes a node");
        builder.finish(root)
    }
}

/// For each class one character of each kind, and all that stand in literals.
fn representatives(grammar: &Grammar) -> IdVec<ClassId, Vec<char>> {
    let mut special: Vec<char> = grammar
        .literals()
        .iter()
        .flat_map(|bytes| String::from_utf8_lossy(bytes).chars().collect::<Vec<_>>())
        .collect();
    special.sort_unstable();
    special.dedup();
    // Between these places no class begins or ends.
    let mut places: Vec<char> = vec!['\0'];
    for &(low, high) in grammar.classes().iter().flat_map(|class| class.ranges()) {
        places.push(low);
        places.extend((high..=char::MAX).nth(1));
    }
    for &c in &special {
        places.push(c);
        places.extend((c..=char::MAX).nth(1));
    }
    // Letters and digits are easier to read than what comes first.
    places.extend(['0', 'A', 'a', '!']);
    places.sort_unstable();
    places.dedup();
    places.sort_by_key(|c| (!c.is_ascii_alphanumeric(), !c.is_ascii_graphic(), *c));
    let mut kinds: HashSet<Vec<ClassId>> = HashSet::new();
    let mut chosen: IdVec<ClassId, Vec<char>> = IdVec::filled(Vec::new(), grammar.classes().len());
    for c in places {
        let classes: Vec<ClassId> =
            grammar.classes().entries().filter(|(_, class)| class.contains(c)).map(|(id, _)| id).collect();
        if special.binary_search(&c).is_ok() || kinds.insert(classes.clone()) {
            classes.iter().for_each(|&class| chosen[class].push(c));
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::base::diagnostic::Source;
    use crate::base::id::Id;
    use crate::grammar::arbitrary::{GrammarShape, grammars};
    use crate::grammar::format;
    use crate::parse::Parser;
    use crate::tree::trees_up_to;

    const BUDGET: u64 = 300_000;

    fn grammar(text: &str) -> Grammar {
        format::read(&Source::new("g.ebnf", text), None).expect("right").grammar
    }

    fn ambiguous(text: &str, length: usize) -> Vec<(String, String)> {
        let grammar = grammar(text);
        let found = search(&grammar, length, BUDGET, &Limits::default()).unwrap();
        assert_eq!(found.complete, Some(length));
        let show = |ambiguity: &Ambiguity| {
            let text = String::from_utf8_lossy(&ambiguity.text).into_owned();
            (grammar.name(ambiguity.nonterminal).text(), text)
        };
        found.ambiguous.iter().map(show).collect()
    }

    fn pair(name: &str, text: &str) -> (String, String) {
        (name.to_owned(), text.to_owned())
    }

    #[test]
    fn a_sum_without_order_is_ambiguous_and_one_with_order_is_not() {
        let sum = r#"<s> ::= "(" <e> ")" <e> ::= <e> "+" <e> | [0-9]"#;
        assert_eq!(ambiguous(sum, 4), []);
        assert_eq!(ambiguous(sum, 5), [pair("e", "0+0+0")]);
        assert_eq!(ambiguous(r#"<e> ::= <e> "+" <t> | <t> <t> ::= [0-9] | "(" <e> ")""#, 7), []);
    }

    #[test]
    fn a_dangling_else_is_found_however_long_its_words_are() {
        let text = r#"<s> ::= "if" <s> "then" <s> | "if" <s> "then" <s> "else" <s> | "x""#;
        assert_eq!(ambiguous(text, 9), [pair("s", "ifxthenifxthenxelsex")]);
    }

    #[test]
    fn a_word_that_is_also_a_name_is_found_among_all_characters() {
        let text = r#"<s> ::= "if" | <name> <name> ::= [^\0-\x20] | [^\0-\x20] <name>"#;
        assert_eq!(ambiguous(text, 3), [pair("s", "if")]);
    }

    #[test]
    fn the_budget_ends_the_search_and_says_how_far_it_came() {
        let found = search(
            &grammar("<s> ::= <c>* <c> ::= [a-z] | \"b\" | \"d\" \"e\""),
            100,
            10_000,
            &Limits::default(),
        )
        .unwrap();
        assert_eq!(found.stop, StopReason::Budget);
        assert!(found.complete.is_some_and(|complete| (2..20).contains(&complete)), "{:?}", found.complete);
    }

    fn leaves(tree: &Tree) -> usize {
        tree.preorder(tree.root()).filter(|&node| tree.rule(node).is_none()).count()
    }

    /// The rule at the root, and the text of each child.
    fn root(grammar: &Grammar, tree: &Tree) -> (RuleId, Vec<Vec<u8>>) {
        let text = |&child: &crate::tree::NodeId| {
            let mut text = Vec::new();
            tree.write_yield(grammar, child, &mut text);
            text
        };
        let children = tree.children(tree.root()).iter().map(text).collect();
        (tree.rule(tree.root()).expect("a root has a rule"), children)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(192))]

        #[test]
        fn what_is_called_ambiguous_has_two_trees_and_they_are_shown(
            grammar in grammars(GrammarShape::default()),
        ) {
            for ambiguity in search(&grammar, 4, 20_000, &Limits::default()).unwrap().ambiguous {
                let start = grammar.with_start(ambiguity.nonterminal);
                let forest = Parser::new(Arc::new(start)).parse(&ambiguity.text).expect("it is derived");
                prop_assert!(forest.count_trees().is_none_or(|count| count > 1));
                prop_assert!(forest.is_ambiguous());
                let [first, second] = &ambiguity.trees;
                prop_assert_ne!(root(&grammar, first), root(&grammar, second));
                for tree in [first, second] {
                    prop_assert_eq!(&tree.text(&grammar), &ambiguity.text);
                    prop_assert_eq!(tree.nonterminal(&grammar, tree.root()), Some(ambiguity.nonterminal));
                    prop_assert!(leaves(tree) <= 4);
                }
            }
        }

        #[test]
        fn nothing_that_is_ambiguous_within_the_bound_is_missed(
            grammar in grammars(GrammarShape { nonterminals: 3, rules: 3, symbols: 2 }),
        ) {
            let found = search(&grammar, 4, 1_000_000, &Limits::default()).unwrap();
            prop_assert_eq!(found.complete, Some(4));
            for nonterminal in grammar.nonterminals().ids() {
                let mut roots: HashMap<Vec<u8>, (RuleId, Vec<Vec<u8>>)> = HashMap::new();
                let mut least: Option<usize> = None;
                for tree in trees_up_to(&grammar, nonterminal, 5) {
                    let text = tree.text(&grammar);
                    if leaves(&tree) > 4 {
                        continue;
                    }
                    let own = root(&grammar, &tree);
                    if roots.entry(text.clone()).or_insert_with(|| own.clone()) != &own {
                        least = Some(least.map_or(text.len(), |least| least.min(text.len())));
                    }
                }
                let known = found.ambiguous.iter().any(|ambiguity| ambiguity.nonterminal == nonterminal);
                prop_assert!(least.is_none() || known, "{} of {}", nonterminal.index(), found.ambiguous.len());
            }
        }
    }
}
