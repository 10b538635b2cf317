//! `EOF` in rules that others use.
//!
//! `end : NL | EOF ;` ends a statement anywhere by a new line, and once by the end of the input. What a rule derives without `EOF`, and
//! what it derives with an `EOF` behind it, become two rules: `end : NL ;` and `end-at-end : EOF ;`. In a sequence the first item that has
//! an `EOF` is the last one, and what stands behind it must be able to be empty. A rule that always ends with `EOF` keeps its name, as does one
//! that no rule uses, which has both. So every `EOF` stands where nothing follows, and the language is exact.

use std::collections::{BTreeSet, HashMap};

use super::syntax::{Alternative, Atom, Dropped, Item, Operator, Rule, Sign, Span, Use, collect, names};

/// Divides the rules, of which `start` is the first if it is there; so that nothing follows an `EOF`; those that something has to follow are
/// added to `dropped`. Returns the rule to begin with, if
/// that is another one now.
pub(super) fn divide(
    rules: &mut Vec<Rule>,
    start: Option<&str>,
    dropped: &mut Vec<(Dropped, Span)>,
) -> Option<String> {
    for rule in rules.iter_mut().filter(|rule| !rule.is_lexical()) {
        drop_needless(&mut rule.alternatives);
    }
    let is_first = |rule: &&Rule| start.map_or(!rule.is_lexical(), |start| rule.name.name == start);
    let start = rules.iter().find(is_first).map(|rule| rule.name.clone());
    let parsing = rules.iter().filter(|rule| !rule.is_lexical());
    let used: BTreeSet<String> = names(parsing).into_iter().map(str::to_owned).collect();
    let division = Division::new(rules);
    let mut divided: Vec<Rule> = Vec::with_capacity(rules.len());
    let mut begin = None;
    for rule in rules.iter() {
        let name = &rule.name;
        if rule.is_lexical() || !division.with.contains(&name.name) {
            let mut rule = rule.clone();
            if !rule.is_lexical() {
                rule.alternatives = rule.alternatives.iter().filter_map(|a| division.before(a)).collect();
            }
            divided.push(rule);
            continue;
        }
        let both = rule.alternatives.iter().flat_map(|alternative| {
            division.before(alternative).into_iter().chain(division.at_end(alternative))
        });
        if !used.contains(&name.name) || !division.without.contains(&name.name) {
            divided.push(Rule { alternatives: both.collect(), ..rule.clone() });
            continue;
        }
        let before =
            rule.alternatives.iter().filter_map(|alternative| division.before(alternative)).collect();
        let at_end = rule.alternatives.iter().flat_map(|alternative| division.at_end(alternative)).collect();
        let named = |name: String| Use { name, span: rule.name.span.clone() };
        divided.push(Rule { alternatives: before, ..rule.clone() });
        let second = named(at_end_of(&name.name));
        if start.as_ref().is_some_and(|start| start.name == name.name) {
            let either = [name.clone(), second.clone()].map(|part| Alternative {
                items: vec![Item { atom: Atom::Name(part.name), operator: None, span: part.span }],
                ..Alternative::default()
            });
            let all = named(format!("{}-or-at-end", name.name));
            begin = Some(all.name.clone());
            divided.push(Rule { name: all, alternatives: either.into(), ..rule.clone() });
        }
        divided.push(Rule { name: second, alternatives: at_end, ..rule.clone() });
    }
    // What was used only where nothing can stand now.
    let mut open: Vec<&str> = divided.iter().map(|rule| rule.name.name.as_str()).collect();
    open.retain(|&name| !used.contains(name) && !division.is_new(name) || begin.as_deref() == Some(name));
    open.extend(start.iter().map(|start| start.name.as_str()));
    let by_name: HashMap<&str, &Rule> = divided.iter().map(|rule| (rule.name.name.as_str(), rule)).collect();
    let mut kept: BTreeSet<String> = open.iter().map(|&name| name.to_owned()).collect();
    while let Some(rule) = open.pop().and_then(|name| by_name.get(name)) {
        for name in names([*rule]) {
            if let Some((&name, _)) = by_name.get_key_value(name)
                && kept.insert(name.to_owned())
            {
                open.push(name);
            }
        }
    }
    let is_divided =
        |rule: &Rule| division.with.contains(&rule.name.name) || division.is_new(&rule.name.name);
    divided.retain(|rule| !is_divided(rule) || kept.contains(&rule.name.name));
    let left = ends(&divided);
    dropped.extend(ends(rules).difference(&left).map(|&(from, to)| (Dropped::EndWithin, from..to)));
    *rules = divided;
    begin
}

/// Drops alternatives that are only `EOF` where another one is empty: `end : ';' | EOF | {isNewLine()}?` needs no `EOF` at the end, since
/// there, as anywhere, nothing will do.
fn drop_needless(alternatives: &mut Vec<Alternative>) {
    for item in alternatives.iter_mut().flat_map(|alternative| &mut alternative.items) {
        if let Atom::Group(inner) = &mut item.atom {
            drop_needless(inner);
        }
    }
    if alternatives.iter().any(|alternative| alternative.items.iter().all(is_optional)) {
        alternatives.retain(|alternative| {
            let is_end = |item: &Item| matches!(item.atom, Atom::EndOfInput);
            alternative.items.is_empty() || !alternative.items.iter().all(is_end)
        });
    }
}

/// The rule for what another one derives with an `EOF` behind it. No rule of ANTLR has such a name.
fn at_end_of(name: &str) -> String {
    format!("{name}-at-end")
}

/// Where `EOF` stands in the rules of a parser.
fn ends(rules: &[Rule]) -> BTreeSet<(usize, usize)> {
    let mut found = Vec::new();
    rules.iter().filter(|rule| !rule.is_lexical()).for_each(|rule| collect(&rule.alternatives, &mut found));
    let ends = found.into_iter().filter(|item| matches!(item.atom, Atom::EndOfInput));
    ends.map(|item| (item.span.start, item.span.end)).collect()
}

/// Which rules of a parser derive what.
#[derive(Default)]
struct Division {
    /// The rules that derive something with an `EOF`.
    with: BTreeSet<String>,
    /// Those that derive something without.
    without: BTreeSet<String>,
    /// Those that derive nothing but any number of `EOF`.
    empty: BTreeSet<String>,
}

impl Division {
    fn new(rules: &[Rule]) -> Self {
        let mut division = Self::default();
        let rules = || rules.iter().filter(|rule| !rule.is_lexical());
        let defined: BTreeSet<String> = rules().map(|rule| rule.name.name.clone()).collect();
        division.without.clone_from(&defined);
        // What is only a token, or is not defined, is there.
        loop {
            let before = (division.without.len(), division.empty.len());
            for rule in rules() {
                let name = &rule.name.name;
                if !rule.alternatives.is_empty()
                    && !rule
                        .alternatives
                        .iter()
                        .any(|alternative| division.can_be_before(alternative, &defined))
                {
                    division.without.remove(name);
                }
                if rule.alternatives.iter().any(|alternative| division.can_be_empty(&alternative.items)) {
                    division.empty.insert(name.clone());
                }
            }
            if before == (division.without.len(), division.empty.len()) {
                break;
            }
        }
        // Tokens and what nothing defines are there in any case; so is what only leads to itself.
        let others = names(rules()).into_iter().filter(|&name| !defined.contains(name));
        division.without.extend(others.map(str::to_owned));
        loop {
            let before = division.with.len();
            for rule in rules() {
                if rule.alternatives.iter().any(|alternative| !division.at_end(alternative).is_empty()) {
                    division.with.insert(rule.name.name.clone());
                }
            }
            if before == division.with.len() {
                return division;
            }
        }
    }

    fn is_new(&self, name: &str) -> bool {
        name.strip_suffix("-at-end").is_some_and(|name| self.with.contains(name))
    }

    fn can_be_before(&self, alternative: &Alternative, defined: &BTreeSet<String>) -> bool {
        alternative.items.iter().all(|item| {
            is_optional(item)
                || match &item.atom {
                    Atom::EndOfInput => false,
                    Atom::Name(name) => self.without.contains(name) || !defined.contains(name),
                    Atom::Group(inner) => inner.iter().any(|inner| self.can_be_before(inner, defined)),
                    _ => true,
                }
        })
    }

    fn can_be_empty(&self, items: &[Item]) -> bool {
        items.iter().all(|item| {
            is_optional(item)
                || match &item.atom {
                    Atom::EndOfInput => true,
                    Atom::Name(name) => self.empty.contains(name),
                    Atom::Group(inner) => inner.iter().any(|inner| self.can_be_empty(&inner.items)),
                    _ => false,
                }
        })
    }

    /// What an alternative derives without `EOF`; `None` if nothing.
    fn before(&self, alternative: &Alternative) -> Option<Alternative> {
        let items: Option<Vec<Vec<Item>>> =
            alternative.items.iter().map(|item| self.item_before(item)).collect();
        Some(Alternative { items: items?.concat(), ..alternative.clone() })
    }

    fn item_before(&self, item: &Item) -> Option<Vec<Item>> {
        let atom = match &item.atom {
            Atom::EndOfInput => None,
            Atom::Name(name) => self.without.contains(name).then(|| item.atom.clone()),
            Atom::Group(inner) => {
                let inner: Vec<Alternative> = inner.iter().filter_map(|inner| self.before(inner)).collect();
                (!inner.is_empty()).then_some(Atom::Group(inner))
            }
            other => Some(other.clone()),
        };
        match atom {
            Some(atom) => Some(vec![Item { atom, ..item.clone() }]),
            None => is_optional(item).then(Vec::new),
        }
    }

    /// What an alternative derives with an `EOF` behind it: by each item that may be the first with one.
    fn at_end(&self, alternative: &Alternative) -> Vec<Alternative> {
        let mut found = Vec::new();
        let mut before: Vec<Item> = Vec::new();
        for (place, item) in alternative.items.iter().enumerate() {
            if self.can_be_empty(&alternative.items[place + 1..])
                && let Some(last) = self.item_at_end(item)
            {
                let items = before.iter().cloned().chain(last).collect();
                found.push(Alternative { items, ..alternative.clone() });
            }
            match self.item_before(item) {
                Some(items) => before.extend(items),
                None => break,
            }
        }
        found
    }

    fn item_at_end(&self, item: &Item) -> Option<Vec<Item>> {
        let atom = match &item.atom {
            Atom::EndOfInput => Atom::EndOfInput,
            Atom::Name(name) if self.with.contains(name) => {
                Atom::Name(if self.without.contains(name) { at_end_of(name) } else { name.clone() })
            }
            Atom::Group(inner) => {
                let inner: Vec<Alternative> = inner.iter().flat_map(|inner| self.at_end(inner)).collect();
                if inner.is_empty() {
                    return None;
                }
                Atom::Group(inner)
            }
            _ => return None,
        };
        // Those before the last one of several.
        let is_repeated = item.operator.is_some_and(|operator| operator.sign != Sign::Optional);
        let earlier = if is_repeated {
            let operator = item.operator.map(|operator| Operator { sign: Sign::Star, ..operator });
            self.item_before(&Item { operator, ..item.clone() }).unwrap_or_default()
        } else {
            Vec::new()
        };
        let last = Item { atom, operator: None, span: item.span.clone() };
        Some(earlier.into_iter().chain([last]).collect())
    }
}

fn is_optional(item: &Item) -> bool {
    item.operator.is_some_and(|operator| operator.sign != Sign::Plus)
}
