//! TOML files whose keys are taken one by one, each by the code that the key is about.
//!
//! Whoever takes a key says what it must be. Errors are collected, so that all of them are reported at once; a
//! key that nobody took is unknown.

use std::cell::RefCell;
use std::num::NonZeroU64;
use std::ops::Range;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::diagnostic::{Diagnostic, Diagnostics, Source};
use super::registry::{Registry, Variant};
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

    /// Whether something is wrong, as far as is known.
    pub fn has_errors(&self) -> bool {
        !self.errors.borrow().is_empty()
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
    pub fn positive<N: TryFrom<u64>>(&mut self, key: &'static str, default: N) -> N {
        let Some(number) = self.take::<NonZeroU64>(key) else { return default };
        N::try_from(number.get_ref().get()).unwrap_or_else(|_| {
            self.document.wrong_at(number.span(), "this number is too large");
            default
        })
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

    /// Some words in their order, each of which means something; at least one.
    pub fn some_of<T: Copy>(&mut self, key: &'static str, words: &[(&str, T)]) -> Vec<T> {
        let Some(list) = self.take::<Vec<Spanned<String>>>(key) else { return Vec::new() };
        if list.get_ref().is_empty() {
            self.document.wrong_at(list.span(), "there must be at least one");
        }
        let known: Vec<&str> = words.iter().map(|(known, _)| *known).collect();
        let mut found = Vec::new();
        for word in list.into_inner() {
            match words.iter().find(|(known, _)| known == word.get_ref()) {
                Some((_, value)) => found.push(*value),
                None => self.document.wrong(not_known(self.document, &word, &known)),
            }
        }
        found
    }

    /// One of some words, each of which means something, or `default`.
    pub fn one_of<T: Copy>(&mut self, key: &'static str, words: &[(&str, T)], default: T) -> T {
        let Some(word) = self.take::<String>(key) else { return default };
        if let Some((_, value)) = words.iter().find(|(known, _)| known == word.get_ref()) {
            return *value;
        }
        let known: Vec<&str> = words.iter().map(|(known, _)| *known).collect();
        self.document.wrong(not_known(self.document, &word, &known));
        default
    }

    /// Some of the plug-ins of a kind, each by its name or as a table with its settings; without the key the default
    /// one.
    pub fn variants<M>(&mut self, key: &'static str, registry: &Registry<M>) -> Vec<Variant<M>> {
        self.variants_or(key, registry, &[]).1
    }

    /// The same where an entry can also be one of the `others`, which are no plug-ins: the labels of all in their order,
    /// and the plug-ins.
    pub fn variants_or<M>(
        &mut self,
        key: &'static str,
        registry: &Registry<M>,
        others: &[&str],
    ) -> (Vec<Arc<str>>, Vec<Variant<M>>) {
        let document = self.document;
        let entries = match self.value(key).map(|value| (value.span(), value.into_inner())) {
            None => {
                let default = registry.get(registry.default()).ok();
                return (
                    default.iter().map(|variant| Arc::clone(&variant.label)).collect(),
                    default.into_iter().collect(),
                );
            }
            Some((span, DeValue::Array(entries))) => {
                if entries.is_empty() {
                    document.wrong(none_of(
                        registry.kind(),
                        registry.names(),
                        &[registry.default()],
                        document,
                        span,
                    ));
                }
                entries
            }
            Some((span, other)) => {
                let message = format!("expected a list of names or tables, found {}", other.type_str());
                document.wrong_at(span, message);
                return Default::default();
            }
        };
        let (mut labels, mut variants) = (Vec::new(), Vec::new());
        for entry in entries {
            let span = entry.span();
            let found = match entry.into_inner() {
                DeValue::String(name) => known_name(document, span.clone(), &name, registry, others)
                    .map(|name| (Arc::from(&*name), registry.get(&name).ok())),
                DeValue::Table(table) => Keys::new(document, table)
                    .variant(span.clone(), registry, others)
                    .map(|variant| (Arc::clone(&variant.label), Some(variant))),
                other => {
                    document.wrong_at(
                        span.clone(),
                        format!("expected a name or a table, found {}", other.type_str()),
                    );
                    None
                }
            };
            let Some((label, variant)) = found else { continue };
            if labels.contains(&label) {
                let (kind, help) = (registry.kind(), "give one of them a `name` of its own");
                let error = Diagnostic::error(format!("the {kind} `{label}` is named twice"));
                document.wrong(
                    error
                        .at(document.source, span, "the second")
                        .help(format!("{help}, such as `{{ name = \"mine\", {kind} = \"{label}\" }}`")),
                );
                continue;
            }
            labels.push(label);
            variants.extend(variant);
        }
        (labels, variants)
    }

    /// A plug-in as a table: `name` is its label, and where there is no other key that says so, its name too.
    fn variant<M>(
        mut self,
        span: Range<usize>,
        registry: &Registry<M>,
        others: &[&str],
    ) -> Option<Variant<M>> {
        let (document, kind) = (self.document, registry.kind());
        let told = registry.told(|key| self.values.iter().any(|(name, ..)| name == key));
        let given = ["name", kind].map(|key| self.values.iter().any(|(name, ..)| name == key));
        let (label, name) = (self.take::<String>("name"), self.take::<String>(kind));
        if [label.is_some(), name.is_some()] != given {
            return None;
        }
        let label = label.as_ref().map(|label| (label.span(), label.get_ref().as_str()));
        let name = match (&name, label.clone(), told) {
            (Some(name), ..) => known_name(document, name.span(), name.get_ref(), registry, &[])?,
            (None, Some((_, label)), Some(told)) if !registry.names().any(|name| name == label) => {
                told.to_owned()
            }
            (None, Some((span, label)), _) => known_name(document, span, label, registry, &[])?,
            (None, None, Some(told)) => told.to_owned(),
            (None, None, None) => {
                let error = Diagnostic::error(format!("which {kind} is this?")).at(document.source, span, "");
                document.wrong(error.help(format!("give its name: `name = \"{}\"`", registry.default())));
                return None;
            }
        };
        let label = match label {
            None => name.clone(),
            Some((span, label)) => {
                let is_other = registry.names().any(|known| known == label) || others.contains(&label);
                if label != name && is_other {
                    document.wrong_at(span.clone(), format!("there is a {kind} called `{label}` already"));
                }
                if label.trim().is_empty() || label.contains(|c: char| c == '/' || c == '"' || c.is_control())
                {
                    let error =
                        Diagnostic::error(format!("`{}` is no name of a {kind}", label.escape_default()));
                    let help = "tasks are called after it: it is not empty, and has no `/`, no quotes and no line breaks";
                    document.wrong(error.at(document.source, span, "").help(help));
                }
                label.to_owned()
            }
        };
        let variant = registry.read(&name, &label, &mut self);
        self.end();
        variant
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

    /// Says where a key is now that stood here once, if it stands here.
    pub fn moved(&mut self, key: &'static str, now: &str) {
        let Some(place) = self.values.iter().position(|(name, ..)| name == key) else { return };
        let (_, span, _) = self.values.swap_remove(place);
        let error = Diagnostic::error(format!("the key `{key}` is no longer here"));
        self.document.wrong(error.at(self.document.source, span, "").help(format!("write `{now}`")));
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

/// What a list of names of plug-ins says: `known` are those that there are, `default` those that take part when there
/// is no list.
pub fn names(
    document: &Document<'_>,
    names: Names,
    kind: &str,
    known: &[&str],
    default: &[&str],
) -> Vec<Arc<str>> {
    let mut found: Vec<Arc<str>> = Vec::new();
    if names.get_ref().is_empty() {
        document.wrong(none_of(kind, known.iter().copied(), default, document, names.span()));
    }
    for name in names.into_inner() {
        let (word, span) = (name.get_ref().as_str(), name.span());
        if !known.contains(&word) {
            document.wrong(unknown(document, span, word, kind, known));
        } else if found.iter().any(|known| **known == *word) {
            document.wrong_at(span, format!("the {kind} `{word}` is named twice"));
        } else {
            found.push(word.into());
        }
    }
    found
}

fn not_known(document: &Document<'_>, word: &Spanned<String>, known: &[&str]) -> Diagnostic {
    Diagnostic::error(format!("`{}` is not known here", word.get_ref()))
        .at(document.source, word.span(), "")
        .suggest(word.get_ref(), known.iter().copied())
        .help(format!("possible are: {}", known.join(", ")))
}

/// That a list is empty.
fn none_of<'a>(
    kind: &str,
    known: impl Iterator<Item = &'a str>,
    default: &[&str],
    document: &Document<'_>,
    span: Range<usize>,
) -> Diagnostic {
    let there_are = known.collect::<Vec<_>>().join(", ");
    let help = format!("leave the list out for `{}`; there are: {there_are}", default.join("`, `"));
    Diagnostic::error(format!("the campaign has no {kind}")).at(document.source, span, "").help(help)
}

fn unknown(
    document: &Document<'_>,
    span: Range<usize>,
    word: &str,
    kind: &str,
    known: &[&str],
) -> Diagnostic {
    Diagnostic::error(format!("there is no {kind} called `{word}`"))
        .at(document.source, span, "")
        .suggest(word, known.iter().copied())
        .help(format!("there are: {}", known.join(", ")))
}

/// `word`, if it is the name of a plug-in or one of the `others`.
fn known_name<M>(
    document: &Document<'_>,
    span: Range<usize>,
    word: &str,
    registry: &Registry<M>,
    others: &[&str],
) -> Option<String> {
    let known: Vec<&str> =
        registry.names().map(|name| -> &str { name }).chain(others.iter().copied()).collect();
    if known.contains(&word) {
        return Some(word.to_owned());
    }
    document.wrong(unknown(document, span, word, registry.kind(), &known));
    None
}

#[cfg(test)]
mod tests {
    use super::super::registry::sample::NUMBERS;
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
        let (names, _) = keys.variants_or("names", &NUMBERS, &["three"]);
        keys.end();
        document.finish((jobs, seed, names)).map_err(|errors| errors.to_string())
    }

    #[test]
    fn keys_have_values_or_defaults() {
        assert_eq!(read(""), Ok((2, 3, vec!["two".into()])));
        let text = "jobs = 5\ninner.seed = 7\nnames = [\"two\", \"three\"]";
        assert_eq!(read(text), Ok((5, 7, vec!["two".into(), "three".into()])));
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

    #[test]
    fn what_is_no_positive_number_is_told_what_it_may_be() {
        for (text, said) in [
            ("jobs = 0", "expected a whole number of at least 1"),
            ("jobs = -1", "expected a whole number of at least 1"),
            ("jobs = \"1\"", "expected a whole number of at least 1"),
            ("jobs = 4_294_967_296", "too large"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }

    fn numbers(text: &str) -> Result<Vec<(String, u8)>, String> {
        let source = Source::new("config.toml", text);
        let document = Document::new(&source, Path::new(""));
        let mut keys = document.keys().map_err(|error| error.to_string())?;
        let numbers = keys.variants("numbers", &NUMBERS);
        keys.end();
        let numbers = numbers.into_iter().map(|variant| (variant.label.to_string(), variant.make)).collect();
        document.finish(numbers).map_err(|errors| errors.to_string())
    }

    #[test]
    fn a_plug_in_is_a_name_or_a_table_with_its_settings_and_a_label() {
        let text = r#"numbers = ["one", { name = "two", plus = 3 }, { name = "three", number = "two", plus = 1 },
            { name = "four", plus = 2 }, { name = "five", number = "one" }]"#;
        let read: Vec<(String, u8)> = [("one", 1), ("two", 5), ("three", 3), ("four", 4), ("five", 1)]
            .map(|(a, b)| (a.to_owned(), b))
            .into();
        assert_eq!(numbers(text), Ok(read));
    }

    #[test]
    fn what_is_wrong_in_the_table_of_a_plug_in_is_told_with_its_place() {
        for (entry, place, told) in [
            ("{ name = \"one\", plus = 3 }", 27, "unknown key `plus`"),
            ("{ name = \"two\", puls = 3 }", 27, "did you mean `plus`?"),
            ("{ name = \"two\", plus = -3 }", 34, "-3"),
            ("{ name = \"tow\" }", 20, "did you mean `two`?"),
            ("{ name = \"mine\", number = \"tow\" }", 37, "did you mean `two`?"),
            ("{ number = 2 }", 22, "expected a string"),
            ("{ name = \"one\", number = \"two\" }", 20, "there is a number called `one` already"),
            ("{ name = \"a/b\", number = \"two\" }", 20, "no name of a number"),
            ("{}", 11, "which number is this?"),
            ("3", 11, "expected a name or a table, found integer"),
            ("\"two\", { name = \"two\", plus = 1 }", 18, "named twice"),
        ] {
            let error = numbers(&format!("numbers=[ {entry}]")).unwrap_err();
            assert!(error.contains(told), "{entry}: {error}");
            assert!(error.contains(&format!("config.toml:1:{place}")), "{entry}: {error}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "([a-z]{1,8} ?= ?[0-9\"\\[\\]a-z]{0,6}\n|\\[[a-z]{0,9}\\]\n|.{0,9}){0,8}") {
            let _ = read(&text);
        }
    }
}
