//! Which bugs take part in a campaign, each with which of its subject's grammars.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use toml::Spanned;

use crate::base::diagnostic::{Diagnostic, Diagnostics, Source};
use crate::subject::catalogue::{Catalogue, folder_of_bug};
use crate::subject::manifest::{Bug, DEFAULT_GRAMMAR, GrammarFile, Manifest};
use crate::subject::quantity::TextSize;

/// An entry of `bugs` as it is written: the name of some bugs, or that and their grammars.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EntryTable {
    name: Spanned<String>,
    #[serde(default)]
    grammars: Vec<Spanned<String>>,
    inflate: Option<Inflate>,
}

/// How large failing inputs are to be.
#[derive(Debug)]
struct Inflate(TextSize);

impl<'de> Deserialize<'de> for Inflate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse()
            .map(Self)
            .map_err(|expected| D::Error::custom(format!("`{text}` is no size: {expected}")))
    }
}

/// An entry of `bugs`.
#[derive(Debug)]
pub(super) enum BugEntry {
    /// A pattern of names.
    Name(String),
    /// A pattern with grammars of its own.
    Table(EntryTable),
}

impl<'de> Deserialize<'de> for BugEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrTable;

        impl<'de> Visitor<'de> for TextOrTable {
            type Value = BugEntry;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a bug, or a table with `name`, and with `grammars` or `inflate`")
            }

            fn visit_str<E>(self, name: &str) -> Result<BugEntry, E> {
                Ok(BugEntry::Name(name.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<BugEntry, A::Error> {
                EntryTable::deserialize(MapAccessDeserializer::new(map)).map(BugEntry::Table)
            }
        }

        deserializer.deserialize_any(TextOrTable)
    }
}

/// A name with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Written {
    source: Arc<Source>,
    text: String,
    span: Range<usize>,
}

impl Written {
    fn new(source: &Arc<Source>, name: Spanned<String>) -> Self {
        Self { source: Arc::clone(source), span: name.span(), text: name.into_inner() }
    }
}

/// Some bugs by name, and with which grammars they take part, if that is said of them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    name: Written,
    grammars: Vec<Written>,
    /// How large their failing inputs are to be, if they are not those that are given.
    inflate: Option<TextSize>,
}

/// Which bugs take part, and with which grammars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    patterns: Vec<Pattern>,
    /// The grammars of bugs of which nothing else is said; the default ones if this is empty.
    grammars: Vec<Written>,
    /// Whether no bug takes part: a config with expressions that says nothing of bugs.
    is_none: bool,
}

/// A bug that takes part, with the grammars that it is examined with: at least one.
#[derive(Clone, Debug)]
pub struct Chosen<'a> {
    /// Its subject.
    pub subject: &'a Manifest,
    /// The bug.
    pub bug: &'a Bug,
    /// The grammars, in the order of the config.
    pub grammars: Vec<&'a GrammarFile>,
}

impl Selection {
    /// The selection of the config `source`: `names`, or if it has none, all bugs; but no bug if it
    /// has expressions of its own.
    pub(super) fn new(
        source: &Arc<Source>,
        names: Option<Vec<Spanned<BugEntry>>>,
        grammars: Option<Vec<Spanned<String>>>,
        has_expressions: bool,
    ) -> Self {
        let is_none = names.is_none() && has_expressions;
        let written = |names: Vec<Spanned<String>>| -> Vec<Written> {
            names.into_iter().map(|name| Written::new(source, name)).collect()
        };
        let pattern = |entry: Spanned<BugEntry>| match (entry.span(), entry.into_inner()) {
            (span, BugEntry::Name(text)) => {
                let name = Written { source: Arc::clone(source), text, span };
                Pattern { name, grammars: Vec::new(), inflate: None }
            }
            (_, BugEntry::Table(EntryTable { name, grammars, inflate })) => Pattern {
                name: Written::new(source, name),
                grammars: written(grammars),
                inflate: inflate.map(|Inflate(size)| size),
            },
        };
        let patterns = names.into_iter().flatten().map(pattern).collect();
        Self { patterns, grammars: written(grammars.unwrap_or_default()), is_none }
    }

    /// Has all bugs take part with these grammars, as the option `option` says, whatever the config says.
    pub fn use_grammars(&mut self, option: &str, names: &[String]) {
        let written = |name: &String| Written {
            source: Source::new(option, name),
            text: name.clone(),
            span: 0..name.len(),
        };
        self.grammars = names.iter().map(written).collect();
        for pattern in &mut self.patterns {
            pattern.grammars.clear();
        }
    }

    /// The patterns, as they are written; those of large inputs as their bugs are called.
    pub fn patterns(&self) -> Vec<String> {
        self.patterns.iter().map(Pattern::full).collect()
    }

    /// The sizes of the large failing inputs that a bug is to have.
    pub fn sizes_of(&self, bug: &str) -> Vec<TextSize> {
        let of_bug = self.patterns.iter().filter(|pattern| matches_glob(&pattern.name.text, bug));
        of_bug.filter_map(|pattern| pattern.inflate.clone()).collect()
    }

    /// Whether no bug takes part, whatever bugs there are.
    pub fn is_none(&self) -> bool {
        self.is_none
    }

    /// Whether each bug that takes part is named, by its own name and not by a pattern, and all of them are among
    /// `known`.
    pub fn names_only<'a>(&self, known: impl Iterator<Item = &'a str> + Clone) -> bool {
        let is_known = |pattern: &str| known.clone().any(|name| name == pattern);
        !self.patterns.is_empty() && self.patterns.iter().all(|pattern| is_known(&pattern.name.text))
    }

    /// The bugs among `all` that are selected, in the order of `all`; all of them when nothing is
    /// said.
    ///
    /// # Errors
    /// When a pattern selects nothing.
    pub fn of<'a>(&self, all: &[&'a str]) -> Result<Vec<&'a str>, Diagnostics> {
        let (selected, complaints) = self.select(all);
        if complaints.is_empty() { Ok(selected) } else { Err(Diagnostics(complaints)) }
    }

    /// The same, as far as patterns select something, with a complaint about each that does not.
    fn select<'a>(&self, all: &[&'a str]) -> (Vec<&'a str>, Vec<Diagnostic>) {
        let unknown = self.patterns.iter().filter(|pattern| !all.iter().any(|name| pattern.selects(name)));
        let complaints = unknown.map(|Pattern { name, .. }| {
            let error = Diagnostic::error(format!("there is no bug called `{}`", name.text));
            let error = error.at(&name.source, name.span.clone(), "selects nothing");
            match folder_of_bug(&name.text) {
                Some(other) => error.help(format!(
                    "`{}` has a bug of this name: `subject_folder`, which is relative to the config, names a folder of subjects",
                    other.display()
                )),
                None => error.suggest(&name.text, all.iter().copied()),
            }
        });
        let selected = |name: &&str| {
            (self.patterns.is_empty() && !self.is_none)
                || self.patterns.iter().any(|pattern| pattern.selects(name))
        };
        (all.iter().copied().filter(selected).collect(), complaints.collect())
    }

    /// The bugs of `catalogue` that take part, in its order, with their grammars. A bug takes part with those of
    /// the grammars named that its subject has.
    ///
    /// # Errors
    /// When a pattern selects no bug, a name no grammar, or a bug is left without a grammar.
    pub fn choose<'a>(&self, catalogue: &'a Catalogue) -> Result<Vec<Chosen<'a>>, Diagnostics> {
        let bugs = catalogue.subjects().iter();
        let bugs = bugs.flat_map(|subject| subject.bugs.iter().map(move |bug| (subject, bug)));
        let names: Vec<&str> = bugs.clone().map(|(_, bug)| bug.name.as_str()).collect();
        let (selected, mut wrong) = self.select(&names);
        let bugs: Vec<_> = bugs.filter(|(_, bug)| selected.contains(&bug.name.as_str())).collect();
        let (mut chosen, mut found, mut complaints) = (Vec::new(), Vec::new(), Vec::new());
        for &(subject, bug) in &bugs {
            let mut grammars: Vec<&GrammarFile> = Vec::new();
            let named = self.grammars_of(&bug.name);
            for &name in &named {
                if let Some(grammar) = subject.grammar(&name.text) {
                    found.push(name);
                    if !grammars.contains(&grammar) {
                        grammars.push(grammar);
                    }
                }
            }
            match named.first() {
                None => grammars.push(subject.default_grammar()),
                Some(name) if grammars.is_empty() => complaints.push(without(subject, bug, name)),
                Some(_) => {}
            }
            chosen.push(Chosen { subject, bug, grammars });
        }
        // What is said for bugs that there are not says nothing of grammars.
        let selecting = self.patterns.iter().filter(|pattern| names.iter().any(|name| pattern.selects(name)));
        let of_campaign = self.grammars.iter().filter(|_| !bugs.is_empty());
        let named = selecting.flat_map(|pattern| &pattern.grammars).chain(of_campaign);
        let is_unknown = |name: &&Written| name.text != DEFAULT_GRAMMAR && !found.contains(name);
        let unknown: Vec<Diagnostic> = named
            .filter(is_unknown)
            .map(|name| unknown(name, bugs.iter().map(|(subject, _)| *subject)))
            .collect();
        // Which bug is left without a grammar may be due to a name that nothing has.
        wrong.extend(if unknown.is_empty() { complaints } else { unknown });
        if wrong.is_empty() { Ok(chosen) } else { Err(Diagnostics(wrong)) }
    }

    /// The grammars that are named for a bug: those of the entries about it, or else those of the campaign.
    fn grammars_of(&self, bug: &str) -> Vec<&Written> {
        let of_entries = self.patterns.iter().filter(|pattern| pattern.selects(bug));
        let named: Vec<&Written> = of_entries.flat_map(|pattern| &pattern.grammars).collect();
        if named.is_empty() { self.grammars.iter().collect() } else { named }
    }
}

impl Pattern {
    fn selects(&self, bug: &str) -> bool {
        matches_glob(&self.full(), bug)
    }

    /// The pattern that the names of the bugs match, with the size of their inputs.
    fn full(&self) -> String {
        self.inflate.as_ref().map_or_else(|| self.name.text.clone(), |size| size.name(&self.name.text))
    }
}

/// That a bug is left without a grammar.
fn without(subject: &Manifest, bug: &Bug, name: &Written) -> Diagnostic {
    let has: Vec<&str> = subject.grammars.iter().map(|grammar| grammar.name.as_str()).collect();
    Diagnostic::error(format!("`{}` has none of these grammars", bug.name))
        .at(&name.source, name.span.clone(), "")
        .help(format!(
            "`{}` has: {}; `{DEFAULT_GRAMMAR}` is the first one of any subject",
            subject.name,
            has.join(", ")
        ))
}

/// That no bug has a grammar of this name.
fn unknown<'a>(name: &Written, subjects: impl Iterator<Item = &'a Manifest>) -> Diagnostic {
    let mut known: Vec<&str> =
        subjects.flat_map(|subject| subject.grammars.iter().map(|grammar| grammar.name.as_str())).collect();
    known.push(DEFAULT_GRAMMAR);
    known.sort_unstable();
    known.dedup();
    Diagnostic::error(format!("no bug that takes part has a grammar called `{}`", name.text))
        .at(&name.source, name.span.clone(), "")
        .suggest(&name.text, known.iter().copied())
        .help(format!("there are: {}", known.join(", ")))
}

/// Whether `name` matches `pattern`, in which `*` stands for any characters.
pub fn matches_glob(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::Config;
    use super::*;

    fn read(text: &str) -> Selection {
        Config::read(&Source::new("quick.toml", text), Path::new("quick.toml")).unwrap().bugs
    }

    #[test]
    fn bugs_are_selected_by_name_and_by_glob() {
        let selection = read("bugs = [\"find-*\", \"middle\"]");
        let all = ["expr", "find-1", "find-2", "middle"];
        assert_eq!(selection.of(&all).unwrap(), ["find-1", "find-2", "middle"]);
        let elsewhere = read("bugs = [\"go-defer\"]").of(&all).unwrap_err().to_string();
        assert!(elsewhere.contains("`examples/grammars-v4/subjects` has a bug of this name"), "{elsewhere}");
        let error = read("bugs = [\"midle\"]").of(&all).unwrap_err().to_string();
        assert!(error.contains("did you mean `middle`?"), "{error}");
    }

    #[test]
    fn a_bug_takes_part_with_large_inputs_where_that_is_said() {
        let subjects = Path::new(env!("CARGO_MANIFEST_DIR")).join("subjects");
        let chosen = |text: &str| {
            let selection = read(text);
            let catalogue = Catalogue::load(&subjects).unwrap().with_inflated(|bug| selection.sizes_of(bug));
            let chosen = selection.choose(&catalogue).unwrap();
            chosen.iter().map(|chosen| chosen.bug.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(
            chosen("bugs = [\"middle\", { name = \"square-r*\", inflate = \"2kB\" }]"),
            ["square-root@2kB", "middle"]
        );
        assert_eq!(
            chosen(
                "bugs = [\"middle\", { name = \"middle\", inflate = \"2kB\" }, { name = \"middle\", inflate = \"1MB\" }]"
            ),
            ["middle", "middle@2kB", "middle@1MB"]
        );
        let source = Source::new("quick.toml", "bugs = [{ name = \"middle\", inflate = \"2 k\" }]");
        let error = Config::read(&source, Path::new("quick.toml")).unwrap_err().to_string();
        assert!(error.contains("such as `20kB`") && error.contains("quick.toml:1"), "{error}");
    }

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, name, matches) in [
            ("a*c", "abbc", true),
            ("a*c", "ac", true),
            ("a*c", "abcd", false),
            ("*b*", "abc", true),
            ("aba*aba", "aba", false),
            ("*", "", true),
            ("", "", true),
        ] {
            assert_eq!(matches_glob(pattern, name), matches, "{pattern} {name}");
        }
    }
}
