//! Each reader on mutations of texts that it takes: bytes that change, parts that go, come twice, nest or come from
//! another text. It ends with a result or an error, and never panics.
//!
//! Few cases each, so that this is fast; `PROPTEST_CASES=100000 cargo test --release --test reader_mutations` looks
//! longer.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use grambench::base::diagnostic::{Diagnostic, Source};
use grambench::base::limits::{Limits, Sizes};
use grambench::campaign::config::Config;
use grambench::grammar::Grammar;
use grambench::grammar::format::{self, Format};
use grambench::parse::Parser;
use grambench::pattern::{read_expression, read_formula, read_named};
use grambench::subject::fail_on;
use grambench::subject::manifest::Manifest;
use grambench::subject::template::Template;
use grambench::subject::words;
use proptest::prelude::*;
use proptest::sample::Index;

/// A text of some hundred bytes is read in milliseconds; this is for a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(20);

/// One change of a text.
#[derive(Clone, Debug)]
enum Mutation {
    /// A byte becomes another one.
    Set(Index, u8),
    /// A part goes.
    Delete(Index, usize),
    /// A part comes that number of times more.
    Repeat(Index, usize, usize),
    /// A part is put between brackets of this kind, that number of times.
    Nest(Index, usize, usize, usize),
    /// A part of another text is put in.
    Splice(Index, Index, Index, usize),
    /// A word of the notation is put in.
    Word(Index, Index),
}

fn mutations() -> impl Strategy<Value = Vec<Mutation>> {
    let at = any::<Index>;
    let length = || prop_oneof![1usize..8, 1usize..80];
    let times = || prop_oneof![4 => 1usize..4, 1 => 1usize..300];
    let one = prop_oneof![
        (at(), any::<u8>()).prop_map(|(at, byte)| Mutation::Set(at, byte)),
        (at(), length()).prop_map(|(at, length)| Mutation::Delete(at, length)),
        (at(), length(), times()).prop_map(|(at, length, times)| Mutation::Repeat(at, length, times)),
        (at(), length(), 0..BRACKETS.len(), times())
            .prop_map(|(at, length, kind, times)| Mutation::Nest(at, length, kind, times)),
        (at(), at(), at(), length())
            .prop_map(|(at, text, from, length)| Mutation::Splice(at, text, from, length)),
        (at(), at()).prop_map(|(at, word)| Mutation::Word(at, word)),
    ];
    proptest::collection::vec(one, 1..6)
}

const BRACKETS: [(&str, &str); 8] =
    [("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"), ("\"", "\""), ("'", "'"), ("~(", ")"), ("!(", ")")];

/// Texts for one reader, and words of its notation.
struct Samples<'a> {
    texts: &'a [&'a str],
    words: &'a [&'a str],
}

impl Samples<'_> {
    /// One of the texts, changed.
    fn mutated(&self, first: Index, mutations: &[Mutation]) -> Vec<u8> {
        let mut text = first.get(self.texts).as_bytes().to_vec();
        for mutation in mutations {
            // Long enough for what nests, short enough for thousands of cases.
            if text.len() > 20_000 {
                break;
            }
            let place = |at: &Index| at.index(text.len() + 1);
            let part = |at: &Index, length: usize| place(at)..(place(at) + length).min(text.len());
            match mutation {
                Mutation::Set(at, byte) => {
                    let at = at.index(text.len() + 1);
                    if let Some(old) = text.get_mut(at) {
                        *old = *byte;
                    }
                }
                Mutation::Delete(at, length) => drop(text.drain(part(at, *length))),
                Mutation::Repeat(at, length, times) => {
                    let part = part(at, *length);
                    let copies = text[part.clone()].repeat(*times);
                    text.splice(part.end..part.end, copies);
                }
                Mutation::Nest(at, length, kind, times) => {
                    let part = part(at, *length);
                    let (open, close) = BRACKETS[*kind];
                    text.splice(part.end..part.end, close.repeat(*times).into_bytes());
                    text.splice(part.start..part.start, open.repeat(*times).into_bytes());
                }
                Mutation::Splice(at, other, from, length) => {
                    let other = other.get(self.texts).as_bytes();
                    let from = from.index(other.len() + 1);
                    let other = other[from..(from + length).min(other.len())].to_vec();
                    let at = place(at);
                    text.splice(at..at, other);
                }
                Mutation::Word(at, word) => {
                    let at = place(at);
                    text.splice(at..at, word.get(self.words).bytes());
                }
            }
        }
        text
    }
}

/// Makes sure that reading ends while somebody waits for it.
fn in_time<T>(text: &[u8], read: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let result = read();
    assert!(begin.elapsed() < PATIENCE, "{:?} for {}", begin.elapsed(), text.escape_ascii());
    result
}

/// An error can be shown, and points into its text.
fn show(error: &Diagnostic) {
    assert!(!error.to_string().is_empty());
}

/// Reads a grammar; makes its parser and parses, as far as a small limit goes.
fn read_grammar(format: Option<Format>, text: &[u8]) {
    let Ok(source) = Source::from_utf8("grammar", text) else { return };
    match format::read(&source, format) {
        Err(errors) => errors.0.iter().for_each(show),
        Ok(read) => {
            read.warnings.iter().for_each(show);
            let limits = Limits::of(Sizes { steps: 3_000_000, ..Sizes::default() });
            let Ok(parser) = Parser::within(Arc::new(read.grammar), &limits) else { return };
            for input in ["", "[1, {\"a\": null}]", "x + y * 2", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"] {
                if let Ok(forest) = parser.parse(input.as_bytes()) {
                    assert_eq!(forest.first_tree().text(parser.grammar()), input.as_bytes());
                }
            }
        }
    }
}

const EBNF: [&str; 3] = [
    include_str!("../../grammars/json.ebnf"),
    include_str!("../../subjects/calc/calc.ebnf"),
    "@start <s> @skip <gap> <s> ::= (<id> | \"if\" <s>)* ; all\n@token <id> ::= [a-z_]+ [^a-z\\x20\\n]? \
     <gap> ::= [ \\n]* <op> ::= '+' | \"\\u{1f600}\" | \"\" <list> ::= <op> (\",\" <op>)+ | <list>? [\\-\\]]",
];

const ANTLR: [&str; 2] = [
    "grammar G; options { caseInsensitive = false; } s : e EOF ; e : e '*' e | <assoc=right> e '^' e | '(' e ')' # p \
     | ~(ID | ';') | . | INT* ; ID : [a-zA-Z_] [a-zA-Z_0-9]* ; INT : '0'..'9'+ ; STR : '\"' ('\\\\' . | ~[\"\\\\])*? '\"' ; \
     C : '/*' .*? '*/' -> skip ; WS : [ \\t\\r\\n]+ -> channel(HIDDEN) ; fragment D : \\u{1F600} ; mode M ; X : ~'x' -> popMode ;",
    "lexer grammar L; tokens { A, B } channels { Q } @header { int x; } T : 'a' {x = 1;} | 'b' {y()}? ; \
     U : T+ | [\\p{L}\\-\\]a-f]? ; V : ~[abc] -> type(A), mode(M) ; // end\nmode M ; W : .+? 'end' -> more ;",
];

fn manifest_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("subjects/grep")
}

fn json_grammar() -> Grammar {
    format::read(&Source::new("json.ebnf", EBNF[0]), None).unwrap().grammar
}

/// A test of one reader: `cases` cases, unless the environment asks for more.
macro_rules! reader {
    ($name:ident, $cases:literal, $samples:expr, $read:expr) => {
        #[test]
        fn $name() {
            let samples: Samples<'_> = $samples;
            let read = $read;
            let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
            let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases.unwrap_or($cases)) };
            proptest!(config, |(first: Index, mutations in mutations())| {
                let text = samples.mutated(first, &mutations);
                in_time(&text, || read(&text));
            });
        }
    };
}

reader!(
    grammars_in_the_projects_notation,
    96,
    Samples {
        texts: &EBNF,
        words: &[
            "::=", "|", "<s>", "@token", "@skip", "@start", "*", "+", "?", "[^", "\\u{", "\"", "<id>",
            "- <id>", "{2,3}"
        ]
    },
    |text: &[u8]| read_grammar(Some(Format::Ebnf), text)
);

reader!(
    grammars_in_json,
    96,
    Samples {
        texts: &[
            "{\"<start>\": [\"<a>\", \"x<a>y\", \"\"], \"<a>\": [\"\\u00e9\\ud83d\\ude00\", \"<start>+<a>\"]}",
            "{\"<start>\": [[\"<a>\", \"x\"], []], \"<a>\": [[\"1\"], [\"<a>\", \"<start>\"]]}",
        ],
        words: &["\"<a>\"", ":", ",", "[", "]", "\\u", "\\ud800", "null", "1e999", "<", ">"]
    },
    |text: &[u8]| {
        for format in [Some(Format::Fuzzingbook), Some(Format::Canonical), None] {
            read_grammar(format, text);
        }
    }
);

reader!(
    grammars_of_antlr,
    96,
    Samples {
        texts: &ANTLR,
        words: &[
            "~",
            ".*?",
            "-> skip",
            ":",
            ";",
            "|",
            "[",
            "'",
            "fragment ",
            "mode N;",
            "EOF",
            "T",
            "{",
            "/*",
            "\\u{",
            "..",
            "+?",
            "import G;"
        ]
    },
    |text: &[u8]| read_grammar(Some(Format::Antlr), text)
);

reader!(
    expressions_patterns_and_formulas,
    64,
    Samples {
        texts: &[
            "<json E & !N> where <item E> is \"\\\"\\\": <elt>\", <elt N> is \"null\"",
            "<json exactly 2 D | at least 1 (inside E)> where <items D> is \"<$string:1>: <elt>, <$string:1>: <elt>\", \
             <array E> is \"[<elts>]\"",
            "E=<item> is \"<string>: <elt>\"",
            "and(E,neg(N)) -> E ^ N & not (E | root N)",
        ],
        words: &[
            "&",
            "|",
            "!",
            "->",
            "^",
            "where",
            " is ",
            "<elt>",
            "<$elt:1>",
            "exactly 3",
            "at most 2",
            "root",
            "inside",
            "\\<",
            "#2"
        ]
    },
    {
        let grammar = json_grammar();
        move |text: &[u8]| {
            let Ok(source) = Source::from_utf8("expression", text) else { return };
            let names = ["E", "N", "D"].map(str::to_owned);
            let whole = 0..source.text().len();
            let errors = [
                read_expression(&source, &grammar).err(),
                read_named(&source, 1, &grammar).err(),
                read_formula(&source, whole, &names).err(),
            ];
            errors.iter().flatten().for_each(show);
        }
    }
);

reader!(
    configs,
    128,
    Samples {
        texts: &[
            include_str!("../../configs/quick.toml"),
            include_str!("../../configs/paper.toml"),
            include_str!("../../configs/transformers.toml"),
        ],
        words: &[
            "[workers]",
            "= 1",
            "\"*\"",
            "[[expressions]]",
            "seed = -1",
            "9999999999999999999",
            "\"\"\"",
            "{",
            "nan",
            "1979-05-27",
            "\\u0000"
        ]
    },
    |text: &[u8]| {
        let Ok(source) = Source::from_utf8("c.toml", text) else { return };
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/c.toml");
        if let Err(errors) = Config::read(&source, &path) {
            errors.0.iter().for_each(show);
        }
    }
);

reader!(
    manifests,
    128,
    Samples {
        texts: &[
            include_str!("../../subjects/grep/subject.toml"),
            include_str!("../../subjects/find/subject.toml"),
            include_str!("../../subjects/rhino/subject.toml"),
        ],
        words: &[
            "[[bugs]]",
            "{input}",
            "{file",
            "\"10s\"",
            "\"9999999999999GiB\"",
            "= []",
            "timeout = \"0s\"",
            "{ exit = 300 }",
            "'''",
            "../.."
        ]
    },
    {
        let folder = manifest_folder();
        move |text: &[u8]| {
            let Ok(source) = Source::from_utf8("subject.toml", text) else { return };
            if let Err(errors) = Manifest::read(&source, &folder) {
                errors.0.iter().for_each(show);
            }
        }
    }
);

reader!(
    conditions_of_failure,
    256,
    Samples {
        texts: &[
            "exit 139",
            "exit !=0 and stderr \"text \\\"x\\\" \\n\"",
            "signal SIGSEGV and stdout 'a'",
            "timeout"
        ],
        words: &["and", "exit", "signal", "SIGKILL", "!=", "99999999999", "\"", "\\x", "timeout", "stdout"]
    },
    |text: &[u8]| {
        let Ok(source) = Source::from_utf8("--fail-on", text) else { return };
        if let Err(error) = fail_on::parse(&source) {
            show(&error);
        }
    }
);

reader!(
    templates_and_words,
    256,
    Samples {
        texts: &[
            "{build}/program -x {file} {{}} {words}",
            "{input}",
            "sh -c 'a \"b\" \\c' {arguments} {bug_arguments}",
            "{subject}/{bug}.sh {}"
        ],
        words: &["{", "}", "{{", "{words}", "{arguments}", "'", "\"", "\\", " ", "{x}"]
    },
    |text: &[u8]| {
        let words: Vec<std::ffi::OsString> = text
            .split(|&byte| byte == b' ')
            .map(|word| std::os::unix::ffi::OsStringExt::from_vec(word.to_vec()))
            .collect();
        for template in [Template::parse(&words), Template::parse_arguments(&words)] {
            match template {
                Ok(template) => assert!(template.placeholders().count() <= text.len()),
                Err(error) => assert!(!error.message.is_empty()),
            }
        }
        if let Ok(split) = words::split(text) {
            assert_eq!(words::split(&words::join(&split)), Ok(split));
        }
    }
);
