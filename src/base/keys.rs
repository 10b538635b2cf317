//! TOML files whose keys are taken one by one, each by the code that the key is about.
//!
//! Whoever takes a key says what it must be. Errors are collected, so that all of them are reported at once; a
//! key that nobody took is unknown.

use std::cell::RefCell;
use std::ops::Range;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::diagnostic::{Diagnostic, Diagnostics, Source};
use super::registry::Registry;
use super::share::Share;
use super::toml::diagnostic;

/// A list of names as it is written.
pub type Names = Spanned<Vec<Spanned<String>>>;

/// A file that is being read.
pub struct Document<'s> {
    source: &'s Arc<Source>,
    folder: &'s Path,
    errors: RefCell<Vec<Diagnostic>>,
}

impl<'s> Document<'s> {
    /// The file `source`, of which nothing has been read. Files that it names are relative to `folder`.
    pub fn new(source: &'s Arc<Source>, folder: &'s Path) -> Self {
        Self { source, folder, errors: RefCell::default() }
    }

    /// The folder to which files that it names are relative.
    pub fn folder(&self) -> &'s Path {
        self.folder
    }

    /// The text of the file.
    pub fn source(&self) -> &'s Arc<Source> {
        self.source
    }

    /// All its keys.
    ///
    /// # Errors
    /// When it is not TOML.
    pub fn keys(&self) -> Result<Keys<'_>, Diagnostic> {
        let table = DeTable::parse(self.source.text()).map_err(|error| diagnostic(self.source, &error))?;
        Ok(Keys::new(self, table.into_inner()))
    }

    /// Adds something that is wrong.
    pub fn wrong(&self, error: Diagnostic) {
        self.errors.borrow_mut().push(error);
    }

    /// Adds that `message` is wrong at `span`.
    pub fn wrong_at(&self, span: Range<usize>, message: impl Into<String>) {
        self.wrong(Diagnostic::error(message).at(self.source, span, ""));
    }

    /// What was read, if nothing is wrong.
    ///
    /// # Errors
    /// Everything that is wrong, in the order of the file.
    pub fn finish<T>(self, read: T) -> Result<T, Diagnostics> {
        let mut errors = self.errors.into_inner();
        errors.sort_by_key(|error| error.position().map(|(_, line, column)| (line, column)));
        if errors.is_empty() { Ok(read) } else { Err(Diagnostics(errors)) }
    }
}

/// The keys of a table that were not taken yet.
pub struct Keys<'d> {
    document: &'d Document<'d>,
    values: Vec<(String, Range<usize>, Spanned<DeValue<'d>>)>,
    known: Vec<&'static str>,
}

impl<'d> Keys<'d> {
    fn new(document: &'d Document<'d>, table: DeTable<'d>) -> Self {
        let entry = |(key, value): (Spanned<_>, _)| {
            let span = key.span();
            let name: std::borrow::Cow<'_, str> = key.into_inner();
            (name.into_owned(), span, value)
        };
        Self { document, values: table.into_iter().map(entry).collect(), known: Vec::new() }
    }

    /// The file.
    pub fn document(&self) -> &'d Document<'d> {
        self.document
    }

    fn value(&mut self, key: &'static str) -> Option<Spanned<DeValue<'d>>> {
        self.known.push(key);
        let place = self.values.iter().position(|(name, _, _)| name == key)?;
        Some(self.values.swap_remove(place).2)
    }

    /// The value of `key`; `None` when it is not there, or is no `T`.
    pub fn take<T: Deserialize<'d>>(&mut self, key: &'static str) -> Option<Spanned<T>> {
        let value = self.value(key)?;
        let span = value.span();
        match T::deserialize(toml::de::ValueDeserializer::from(value)) {
            Ok(value) => Some(Spanned::new(span, value)),
            Err(error) => {
                let mut found = diagnostic(self.document.source, &error);
                if found.position().is_none() {
                    found = found.at(self.document.source, span, "");
                }
                self.document.wrong(found);
                None
            }
        }
    }

    /// The value of `key`, or `default`.
    pub fn or<T: Deserialize<'d>>(&mut self, key: &'static str, default: T) -> T {
        self.take(key).map_or(default, Spanned::into_inner)
    }

    /// A number of at least 1, or `default`.
    pub fn positive<N>(&mut self, key: &'static str, default: N) -> N
    where
        N: Deserialize<'d> + PartialEq + From<u8>,
    {
        let Some(number) = self.take::<N>(key) else { return default };
        if *number.get_ref() == N::from(0) {
            self.document.wrong_at(number.span(), "this must be at least 1");
        }
        number.into_inner()
    }

    /// A number from 0 to 1, or `default`.
    pub fn share(&mut self, key: &'static str, default: Share) -> Share {
        let Some(share) = self.take::<f64>(key) else { return default };
        Share::of(*share.get_ref()).unwrap_or_else(|wrong| {
            self.document.wrong_at(share.span(), wrong);
            default
        })
    }

    /// A text that says a `T`, or `default`.
    pub fn parsed<T: FromStr<Err: ToString>>(&mut self, key: &'static str, default: T) -> T {
        let Some(text) = self.take::<String>(key) else { return default };
        text.get_ref().parse().unwrap_or_else(|error: T::Err| {
            self.document.wrong_at(text.span(), error.to_string());
            default
        })
    }

    /// One of some words, each of which means something, or `default`.
    pub fn one_of<T: Copy>(&mut self, key: &'static str, words: &[(&str, T)], default: T) -> T {
        let Some(word) = self.take::<String>(key) else { return default };
        if let Some((_, value)) = words.iter().find(|(known, _)| known == word.get_ref()) {
            return *value;
        }
        let known: Vec<&str> = words.iter().map(|(known, _)| *known).collect();
        self.document.wrong(
            Diagnostic::error(format!("`{}` is not known here", word.get_ref()))
                .at(self.document.source, word.span(), "")
                .suggest(word.get_ref(), known.iter().copied())
                .help(format!("possible are: {}", known.join(", "))),
        );
        default
    }

    /// Some of the plug-ins of a kind, by name; without the key the default one.
    pub fn plug_ins<M>(&mut self, key: &'static str, registry: &Registry<M>) -> Vec<Arc<str>> {
        let known: Vec<&str> = registry.names().collect();
        self.names(key, registry.kind(), &known, registry.default())
    }

    /// Some of the plug-ins of a kind, of which there are those that are `known`; without the key the default one.
    pub fn names(&mut self, key: &'static str, kind: &str, known: &[&str], default: &str) -> Vec<Arc<str>> {
        match self.take(key) {
            Some(names) => plug_ins(self.document, names, kind, known, &[default]),
            None => vec![default.into()],
        }
    }

    /// The keys of the table `key`; none when it is not there.
    pub fn table(&mut self, key: &'static str) -> Keys<'d> {
        let table = match self.value(key).map(|value| (value.span(), value.into_inner())) {
            None => DeTable::new(),
            Some((_, DeValue::Table(table))) => table,
            Some((span, other)) => {
                let message = format!("expected a table, found {}", other.type_str());
                self.document.wrong_at(span, message);
                DeTable::new()
            }
        };
        Keys::new(self.document, table)
    }

    /// Nobody takes more of this table: what is left is unknown.
    pub fn end(self) {
        for (name, span, _) in &self.values {
            let mut error = Diagnostic::error(format!("unknown key `{name}`"))
                .at(self.document.source, span.clone(), "")
                .suggest(name, self.known.iter().copied());
            if !self.known.is_empty() {
                error = error.help(format!("possible here: {}", self.known.join(", ")));
            }
            self.document.wrong(error);
        }
    }
}

/// What a list of plug-ins says: `known` are those that there are, `default` those that take part when there
/// is no list.
pub fn plug_ins(
    document: &Document<'_>,
    names: Names,
    kind: &str,
    known: &[&str],
    default: &[&str],
) -> Vec<Arc<str>> {
    let mut found: Vec<Arc<str>> = Vec::new();
    if names.get_ref().is_empty() {
        let there_are = known.join(", ");
        let help = format!("leave the list out for `{}`; there are: {there_are}", default.join("`, `"));
        let error = Diagnostic::error(format!("the campaign has no {kind}"));
        document.wrong(error.at(document.source, names.span(), "").help(help));
    }
    for name in names.into_inner() {
        let (word, span) = (name.get_ref().as_str(), name.span());
        if !known.contains(&word) {
            document.wrong(
                Diagnostic::error(format!("there is no {kind} called `{word}`"))
                    .at(document.source, span, "")
                    .suggest(word, known.iter().copied())
                    .help(format!("there are: {}", known.join(", "))),
            );
        } else if found.iter().any(|known| **known == *word) {
            document.wrong_at(span, format!("the {kind} `{word}` is named twice"));
        } else {
            found.push(word.into());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<(u32, u64, Vec<Arc<str>>), String> {
        let source = Source::new("config.toml", text);
        let document = Document::new(&source, Path::new(""));
        let mut keys = document.keys().map_err(|error| error.to_string())?;
        let jobs = keys.positive("jobs", 2);
        let mut inner = keys.table("inner");
        let seed = inner.or("seed", 3);
        inner.end();
        let names = keys.names("names", "plug-in", &["one", "two"], "one");
        keys.end();
        document.finish((jobs, seed, names)).map_err(|errors| errors.to_string())
    }

    #[test]
    fn keys_have_values_or_defaults() {
        assert_eq!(read(""), Ok((2, 3, vec!["one".into()])));
        let text = "jobs = 5\ninner.seed = 7\nnames = [\"two\", \"one\"]";
        assert_eq!(read(text), Ok((5, 7, vec!["two".into(), "one".into()])));
    }

    #[test]
    fn all_errors_are_reported_at_once_in_the_order_of_the_file() {
        let text = "names = [\"oen\"]\njops = 1\njobs = 0\n[inner]\nsede = 1\nseed = \"x\"\n";
        let errors = read(text).unwrap_err();
        let places: Vec<usize> = ["`oen`", "`jops`", "at least 1", "`sede`", "found string"]
            .map(|part| errors.find(part).unwrap_or_else(|| panic!("{part}: {errors}")))
            .into();
        assert!(places.is_sorted(), "{errors}");
        assert!(errors.contains("did you mean `jobs`?") && errors.contains("did you mean `seed`?"));
        assert!(read("inner = 1").unwrap_err().contains("expected a table, found integer"));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "([a-z]{1,8} ?= ?[0-9\"\\[\\]a-z]{0,6}\n|\\[[a-z]{0,9}\\]\n|.{0,9}){0,8}") {
            let _ = read(&text);
        }
    }
}
