//! The config file of a campaign.
//!
//! What is written (`wire`) and what is meant ([`Config`]) are two types: everything is checked in
//! between, with the place in the file. Every key has a default that reproduces the papers' setting,
//! and unknown keys are errors.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use toml::Spanned;

use crate::base::diagnostic::{Diagnostic, Diagnostics, Source};
use crate::generalize::{self, Characteristic};
use crate::oracle::TimeoutAs;
use crate::produce::Lengths;
use crate::subject::manifest::Reading;
use crate::subject::worker::Share;
use crate::{produce, reduce, transform};

use super::expressions::{self, GivenExpression};
use super::transformers::{self, ExternalTransformer};

/// What a campaign does, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// What the user calls the campaign.
    pub title: String,
    /// The seed from which every task's stream is derived.
    pub seed: u64,
    /// How often everything is repeated, each time with other random choices.
    pub repetitions: u32,
    /// The folder that holds the subjects.
    pub subject_folder: PathBuf,
    /// Which bugs take part.
    pub bugs: Selection,
    /// The expressions that are given by hand, besides those of the bugs.
    pub expressions: Vec<GivenExpression>,
    /// Programs that specialize grammars; `transformers` says which of them take part.
    pub external: Vec<ExternalTransformer>,
    /// The names of the plug-ins; every combination is run.
    pub reducers: Vec<String>,
    /// As above.
    pub generalizers: Vec<String>,
    /// As above.
    pub transformers: Vec<String>,
    /// As above.
    pub producers: Vec<String>,
    /// How the plug-ins work.
    pub settings: Settings,
}

/// How the stages work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// So many fills of an abstract node must fail in a row.
    pub checks: usize,
    /// How the characteristic node is found.
    pub characteristic: Characteristic,
    /// So many distinct instances of an abstract input are judged.
    pub instances: usize,
    /// Up to this length, in bytes, the derivations of specialized grammars are counted.
    pub counted: usize,
    /// So many distinct, resolved inputs are produced from each grammar.
    pub inputs: usize,
    /// How the producers work.
    pub producer: produce::Settings,
    /// So many random inputs of the base grammar are held out for recognizing.
    pub held_out_random: usize,
    /// So many mutations of the failing input are held out for recognizing.
    pub held_out_mutations: usize,
    /// How a timeout counts.
    pub timeout_as: TimeoutAs,
    /// Whose rules decide what an outcome means.
    pub reading: Reading,
    /// Whether workers judge inputs where a subject has them.
    pub uses_workers: bool,
    /// The share of workers' verdicts that is judged again by a process of its own.
    pub judged_again: Share,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            checks: 100,
            characteristic: Characteristic::Asked,
            instances: 100,
            counted: 20,
            inputs: 100,
            producer: produce::Settings::default(),
            held_out_random: 100,
            held_out_mutations: 100,
            timeout_as: TimeoutAs::Pass,
            reading: Reading::Own,
            uses_workers: true,
            judged_again: Share::default(),
        }
    }
}

/// Which bugs take part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    source: Arc<Source>,
    patterns: Vec<(String, Range<usize>)>,
    /// Whether no bug takes part: a config with expressions that says nothing of bugs.
    is_none: bool,
}

impl Selection {
    /// The patterns, as they are written.
    pub fn patterns(&self) -> Vec<&str> {
        self.patterns.iter().map(|(pattern, _)| pattern.as_str()).collect()
    }

    /// Whether no bug takes part, whatever bugs there are.
    pub fn is_none(&self) -> bool {
        self.is_none
    }

    /// The bugs among `all` that are selected, in the order of `all`; all of them when nothing is
    /// said.
    ///
    /// # Errors
    /// When a pattern selects nothing.
    pub fn of<'a>(&self, all: &[&'a str]) -> Result<Vec<&'a str>, Diagnostics> {
        let unknown: Vec<Diagnostic> = self
            .patterns
            .iter()
            .filter(|(pattern, _)| !all.iter().any(|name| matches_glob(pattern, name)))
            .map(|(pattern, span)| {
                Diagnostic::error(format!("there is no bug called `{pattern}`"))
                    .at(&self.source, span.clone(), "selects nothing")
                    .suggest(pattern, all.iter().copied())
            })
            .collect();
        if !unknown.is_empty() {
            return Err(Diagnostics(unknown));
        }
        let selected = |name: &&str| {
            (self.patterns.is_empty() && !self.is_none)
                || self.patterns.iter().any(|(pattern, _)| matches_glob(pattern, name))
        };
        Ok(all.iter().copied().filter(selected).collect())
    }
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

/// A list of names as it is written.
pub(super) type Names = Spanned<Vec<Spanned<String>>>;

mod wire {
    use super::{Deserialize, Names, Spanned, expressions, transformers};

    #[derive(Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct Config {
        pub title: Option<Spanned<String>>,
        pub seed: u64,
        pub repetitions: Option<Spanned<u32>>,
        pub subject_folder: Option<String>,
        pub bugs: Option<Vec<Spanned<String>>>,
        pub reducers: Option<Names>,
        pub generalizers: Option<Names>,
        pub transformers: Option<Names>,
        pub producers: Option<Names>,
        pub command_transformers: Vec<transformers::Entry>,
        pub expressions: Vec<expressions::Entry>,
        pub generalize: Generalize,
        pub instantiate: Instantiate,
        pub transform: Transform,
        pub produce: Produce,
        pub recognize: Recognize,
        pub oracle: Oracle,
        pub workers: Workers,
    }

    #[derive(Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct Generalize {
        pub checks: Option<Spanned<usize>>,
        pub characteristic: Option<Spanned<String>>,
    }

    #[derive(Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct Instantiate {
        pub inputs: Option<Spanned<usize>>,
    }

    #[derive(Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct Transform {
        pub length: Option<usize>,
    }

    #[derive(Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct Produce {
        pub inputs: Option<Spanned<usize>>,
        pub depth: Option<u32>,
        pub length: Option<Spanned<String>>,
        pub paths: Option<Spanned<usize>>,
    }

    #[derive(Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct Recognize {
        pub random: Option<usize>,
        pub mutations: Option<usize>,
    }

    #[derive(Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct Oracle {
        pub timeout_as: Option<Spanned<String>>,
        pub verdict: Option<Spanned<String>>,
    }

    #[derive(Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    pub struct Workers {
        #[serde(rename = "use")]
        pub are_used: Option<bool>,
        pub judged_again: Option<Spanned<f64>>,
    }
}

impl Config {
    /// Reads the config file `source`, which lies at `path`: folders are relative to it.
    ///
    /// # Errors
    /// Everything that is wrong in the file, with its place.
    pub fn read(source: &Arc<Source>, path: &Path) -> Result<Self, Diagnostics> {
        let wire: wire::Config = crate::base::toml::read(source)?;
        let mut checker = Checker { source, errors: Vec::new() };
        let defaults = Settings::default();
        let settings = Settings {
            checks: checker.positive(wire.generalize.checks, defaults.checks),
            characteristic: checker.one_of(
                wire.generalize.characteristic,
                &[("asked", Characteristic::Asked), ("static", Characteristic::Static)],
                defaults.characteristic,
            ),
            instances: checker.positive(wire.instantiate.inputs, defaults.instances),
            counted: wire.transform.length.unwrap_or(defaults.counted),
            inputs: checker.positive(wire.produce.inputs, defaults.inputs),
            producer: produce::Settings {
                depth: wire.produce.depth.unwrap_or(defaults.producer.depth),
                lengths: checker.lengths(wire.produce.length, defaults.producer.lengths),
                paths: checker.paths(wire.produce.paths, defaults.producer.paths),
            },
            held_out_random: wire.recognize.random.unwrap_or(defaults.held_out_random),
            held_out_mutations: wire.recognize.mutations.unwrap_or(defaults.held_out_mutations),
            timeout_as: checker.one_of(
                wire.oracle.timeout_as,
                &[
                    ("pass", TimeoutAs::Pass),
                    ("unresolved", TimeoutAs::Unresolved),
                    ("fail", TimeoutAs::Fail),
                ],
                defaults.timeout_as,
            ),
            reading: checker.one_of(
                wire.oracle.verdict,
                &[("own", Reading::Own), ("paper", Reading::Paper)],
                defaults.reading,
            ),
            uses_workers: wire.workers.are_used.unwrap_or(defaults.uses_workers),
            judged_again: checker.share(wire.workers.judged_again, defaults.judged_again),
        };
        let folder = path.parent().unwrap_or(Path::new(""));
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let has_expressions = !wire.expressions.is_empty();
        // Those too whose entries are wrong: one error is enough.
        let named: Vec<String> =
            wire.command_transformers.iter().map(|entry| entry.name.get_ref().clone()).collect();
        let known: Vec<&str> = transform::NAMES.into_iter().chain(named.iter().map(String::as_str)).collect();
        let external = transformers::read(source, folder, wire.command_transformers, &mut checker.errors);
        let transformers = checker.plug_ins("transformer", wire.transformers, &known, &["automaton"]);
        let of_all: Vec<&str> = transformers.iter().map(String::as_str).collect();
        let of_one = |names: Option<Names>, errors: &mut Vec<Diagnostic>| {
            let mut checker = Checker { source, errors: Vec::new() };
            let names = checker.plug_ins("transformer", names, &known, &of_all);
            errors.append(&mut checker.errors);
            names
        };
        let expressions = expressions::read(source, folder, wire.expressions, of_one, &mut checker.errors);
        let config = Self {
            title: checker.title(wire.title).or(stem).unwrap_or_default(),
            seed: wire.seed,
            repetitions: checker.positive(wire.repetitions, 1),
            subject_folder: folder.join(wire.subject_folder.as_deref().unwrap_or("../subjects")),
            bugs: Selection {
                source: Arc::clone(source),
                is_none: wire.bugs.is_none() && has_expressions,
                patterns: (wire.bugs.into_iter().flatten())
                    .map(|name| (name.get_ref().clone(), name.span()))
                    .collect(),
            },
            reducers: checker.plug_ins("reducer", wire.reducers, &reduce::NAMES, &["perses"]),
            generalizers: checker.plug_ins("generalizer", wire.generalizers, &generalize::NAMES, &["ddset"]),
            transformers,
            producers: checker.plug_ins("producer", wire.producers, &produce::NAMES, &["limit"]),
            settings,
            expressions,
            external,
        };
        let mut errors = checker.errors;
        errors.sort_by_key(|error| error.position().map(|(_, line, column)| (line, column)));
        if errors.is_empty() { Ok(config) } else { Err(Diagnostics(errors)) }
    }
}

/// Collects what is wrong, so that all of it is told at once.
struct Checker<'s> {
    source: &'s Arc<Source>,
    errors: Vec<Diagnostic>,
}

impl Checker<'_> {
    /// A title is the name of a folder too.
    fn title(&mut self, title: Option<Spanned<String>>) -> Option<String> {
        let title = title?;
        let text = title.get_ref();
        if text.is_empty() || text.starts_with('.') || text.contains(['/', '\0']) {
            self.errors.push(
                Diagnostic::error(format!("`{}` is no title", text.escape_default()))
                    .at(self.source, title.span(), "")
                    .help("results are put into a folder of that name: it has no `/` and begins with no dot"),
            );
        }
        Some(title.into_inner())
    }

    fn positive<N: Copy + PartialEq + From<u8>>(&mut self, number: Option<Spanned<N>>, default: N) -> N {
        match number {
            Some(number) if *number.get_ref() == N::from(0) => {
                self.errors.push(Diagnostic::error("this must be at least 1").at(
                    self.source,
                    number.span(),
                    "",
                ));
                default
            }
            Some(number) => *number.get_ref(),
            None => default,
        }
    }

    fn share(&mut self, share: Option<Spanned<f64>>, default: Share) -> Share {
        let Some(share) = share else { return default };
        Share::of(*share.get_ref()).unwrap_or_else(|wrong| {
            self.errors.push(Diagnostic::error(wrong).at(self.source, share.span(), ""));
            default
        })
    }

    fn lengths(&mut self, text: Option<Spanned<String>>, default: Lengths) -> Lengths {
        let Some(text) = text else { return default };
        text.get_ref().parse().unwrap_or_else(|error: produce::LengthError| {
            let place = Diagnostic::error(error.to_string()).at(self.source, text.span(), "");
            self.errors.push(place);
            default
        })
    }

    fn paths(&mut self, symbols: Option<Spanned<usize>>, default: usize) -> usize {
        let Some(symbols) = symbols else { return default };
        let possible = produce::Settings::PATHS;
        if !possible.contains(symbols.get_ref()) {
            let (least, most) = (possible.start(), possible.end());
            let message = format!("a path to cover has {least} to {most} symbols");
            self.errors.push(Diagnostic::error(message).at(self.source, symbols.span(), ""));
        }
        *symbols.get_ref()
    }

    fn one_of<T: Copy>(&mut self, word: Option<Spanned<String>>, words: &[(&str, T)], default: T) -> T {
        let Some(word) = word else { return default };
        if let Some((_, value)) = words.iter().find(|(known, _)| known == word.get_ref()) {
            return *value;
        }
        let known: Vec<&str> = words.iter().map(|(known, _)| *known).collect();
        self.errors.push(
            Diagnostic::error(format!("`{}` is not known here", word.get_ref()))
                .at(self.source, word.span(), "")
                .suggest(word.get_ref(), known.iter().copied())
                .help(format!("possible are: {}", known.join(", "))),
        );
        default
    }

    fn plug_ins(
        &mut self,
        kind: &str,
        names: Option<Names>,
        known: &[&str],
        default: &[&str],
    ) -> Vec<String> {
        let Some(names) = names else { return default.iter().map(|&name| name.to_owned()).collect() };
        let mut found: Vec<String> = Vec::new();
        if names.get_ref().is_empty() {
            self.errors.push(
                Diagnostic::error(format!("the campaign has no {kind}"))
                    .at(self.source, names.span(), "")
                    .help(format!(
                        "leave the list out for `{}`; there are: {}",
                        default.join("`, `"),
                        known.join(", ")
                    )),
            );
        }
        for name in names.into_inner() {
            let (word, span) = (name.get_ref(), name.span());
            let error = if !known.contains(&word.as_str()) {
                Diagnostic::error(format!("there is no {kind} called `{word}`"))
                    .at(self.source, span, "")
                    .suggest(word, known.iter().copied())
                    .help(format!("there are: {}", known.join(", ")))
            } else if found.contains(word) {
                Diagnostic::error(format!("the {kind} `{word}` is named twice")).at(self.source, span, "")
            } else {
                found.push(word.clone());
                continue;
            };
            self.errors.push(error);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Config, Diagnostics> {
        Config::read(&Source::new("quick.toml", text), Path::new("configs/quick.toml"))
    }

    #[test]
    fn an_empty_config_is_the_papers_setting() {
        let config = read("").unwrap();
        assert_eq!(config.title, "quick");
        assert_eq!(config.settings, Settings::default());
        assert_eq!(config.reducers, ["perses"]);
        assert_eq!(config.subject_folder, Path::new("configs/../subjects"));
        assert_eq!(config.bugs.of(&["a", "b"]).unwrap(), ["a", "b"]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let errors: Vec<String> = [
            "sead = 1",
            "[generalize]\nchekcs = 10",
            "[generalize]\nchecks = 0",
            "[produce]\nlength = \"9..3\"\npaths = 1",
            "reducers = [\"persus\"]\n[oracle]\ntimeout_as = \"passed\"\nverdict = \"papers\"",
            "producers = []",
            "seed = \"one\"",
            "title = \"../elsewhere\"",
            "seed = ",
            "[transform]\nlenght = 3",
            "[workers]\njudged_again = 2",
            "[workers]\nuse = \"no\"",
            "[instantiate]\ninputs = 0",
        ]
        .into_iter()
        .map(|text| read(text).unwrap_err().to_string())
        .collect();
        insta::assert_snapshot!(errors.join("\n\n"));
    }

    /// As seen from the folder of the configs; tests run in the folder of the project.
    const JSON: &str = "../grammars/json.ebnf";

    /// An entry `[[expressions]]` on the grammar of JSON.
    fn entry(name: &str, text: &str) -> String {
        format!("[[expressions]]\nname = \"{name}\"\ngrammar = {JSON:?}\n{text}\n")
    }

    #[test]
    fn expressions_are_read_with_their_grammars() {
        let inline = r#"expression = '<json E & !N> where <item E> is "\"\": <elt>", <elt N> is "null"'"#;
        let escaped = r#"expression = "<elt S>\nwhere <string S> is '\"a\"'""#;
        let text = format!("{}{}transformers = [\"symbolic\"]\n", entry("a b", inline), entry("c", escaped));
        let config = read(&text).unwrap();
        let [first, second] = &config.expressions[..] else { panic!("{config:?}") };
        assert_eq!((first.name.as_str(), first.file.as_str()), ("a b", JSON));
        assert_eq!(first.expression.formula_text(), "E & !N");
        assert!(Arc::ptr_eq(&first.grammar, &second.grammar), "a grammar is read once");
        assert_eq!(second.grammar.name(second.expression.start).to_string(), "<elt>");
        assert_eq!((&*first.transformers[0], &*second.transformers[0]), ("automaton", "symbolic"));
        // No bug takes part unless the config says so; then they do as ever.
        assert!(config.bugs.is_none());
        assert_eq!(config.bugs.of(&["a", "b"]).unwrap(), [""; 0]);
        let config = read(&format!("bugs = []\n{text}")).unwrap();
        assert!(!config.bugs.is_none());
        assert_eq!(config.bugs.of(&["a", "b"]).unwrap(), ["a", "b"]);
    }

    #[test]
    fn what_is_wrong_with_expressions_and_commands_is_told_with_its_place() {
        let good = r#"expression = '<json E> where <item E> is "\"\": <elt>"'"#;
        let external = |text: &str| format!("[[command_transformers]]\n{text}\n");
        let missing = |name| entry(name, good).replace("json.ebnf", "jsn.ebnf");
        let texts = [
            entry("a", ""),
            entry("a", &format!("{good}\nexpression_file = \"a.expression\"")),
            entry("a", "expression_file = \"a.expression\""),
            entry("a/b", good),
            entry("a", good) + &entry("a", good),
            entry("a", &format!("{good}\ntransformers = [\"automatn\", \"symbolic\", \"symbolic\"]")),
            entry("a", "expression = '''\n<json E> where\n  <itm E> is \"\"'''"),
            entry("a", r#"expression = "<json E> where <item E> is \"\\\"\"""#),
            missing("a") + &missing("b"),
            entry("a", good).replace("../grammars/json.ebnf", "../tests/cmd/files/wrong.ebnf"),
            entry("a", good).replace("expression =", "expresion ="),
            external("name = \"symbolic\"\ncommand = [\"sh\"]"),
            external("name = \"mine\"\ncommand = [\"no-such-program\"]\ntimeout = \"1 day\""),
            external("name = \"mine\"\ncommand = [\"sh\", \"{fil}\"]"),
            format!("transformers = [\"mine\"]\n{}", external("name = \"mine\"\ncommand = []")),
            external("command = [\"sh\"]"),
            format!("transformers = [\"min\"]\n{}", external("name = \"mine\"\ncommand = [\"sh\"]")),
        ];
        let errors = texts.map(|text| read(&text).unwrap_err().to_string());
        insta::assert_snapshot!(errors.join("\n\n"));
    }

    #[test]
    fn bugs_are_selected_by_name_and_by_glob() {
        let config = read("bugs = [\"find-*\", \"middle\"]").unwrap();
        let all = ["expr", "find-1", "find-2", "middle"];
        assert_eq!(config.bugs.of(&all).unwrap(), ["find-1", "find-2", "middle"]);
        let error = read("bugs = [\"midle\"]").unwrap().bugs.of(&all).unwrap_err().to_string();
        assert!(error.contains("did you mean `middle`?"), "{error}");
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

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "([a-z]{1,8} ?= ?[0-9\"\\[\\]a-z]{0,6}\n|\\[[a-z]{0,9}\\]\n|.{0,9}){0,8}") {
            let _ = read(&text);
        }
    }
}
