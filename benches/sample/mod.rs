//! Grammars and documents that several benchmarks share.

use std::sync::Arc;

use grambench::base::random_stream::RandomStream;
use grambench::grammar::{CharClass, Grammar, GrammarBuilder, Name, Symbol};

/// A symbol of a rule in the tables below.
enum Word {
    Text(&'static str),
    Class(CharClass),
    Of(&'static str),
}

use Word::{Class, Of, Text};

fn grammar(rules: Vec<(&str, Vec<Vec<Word>>)>) -> Arc<Grammar> {
    let mut builder = GrammarBuilder::new();
    let ids: Vec<_> = rules.iter().map(|(name, _)| builder.nonterminal(Name::base(*name))).collect();
    for (&lhs, (_, alternatives)) in ids.iter().zip(rules) {
        for alternative in alternatives {
            let symbols: Vec<Symbol> = alternative
                .into_iter()
                .map(|word| match word {
                    Text(text) => builder.literal(text.as_bytes()).expect("not empty"),
                    Class(class) => builder.class(class),
                    Of(name) => Symbol::Nonterminal(builder.nonterminal(Name::base(name))),
                })
                .collect();
            builder.rule(lhs, symbols);
        }
    }
    Arc::new(builder.finish(ids[0]))
}

/// JSON without white space, after the grammar of the papers.
pub fn json() -> Arc<Grammar> {
    let digits = || Class(CharClass::new([('0', '9')]));
    grammar(vec![
        ("json", vec![vec![Of("elt")]]),
        (
            "elt",
            vec![
                vec![Of("object")],
                vec![Of("array")],
                vec![Of("string")],
                vec![Of("number")],
                vec![Text("true")],
                vec![Text("false")],
                vec![Text("null")],
            ],
        ),
        ("object", vec![vec![Text("{"), Of("items"), Text("}")], vec![Text("{}")]]),
        ("items", vec![vec![Of("item"), Text(","), Of("items")], vec![Of("item")]]),
        ("item", vec![vec![Of("string"), Text(":"), Of("elt")]]),
        ("array", vec![vec![Text("["), Of("elts"), Text("]")], vec![Text("[]")]]),
        ("elts", vec![vec![Of("elt"), Text(","), Of("elts")], vec![Of("elt")]]),
        ("string", vec![vec![Text("\""), Of("chars"), Text("\"")]]),
        ("chars", vec![vec![], vec![Of("char"), Of("chars")]]),
        (
            "char",
            vec![
                vec![Class(CharClass::of(['"', '\\']).complement())],
                vec![Text("\\"), Class(CharClass::of("\"\\/bfnrt".chars()))],
            ],
        ),
        (
            "number",
            vec![
                vec![Of("digits")],
                vec![Text("-"), Of("digits")],
                vec![Of("digits"), Text("."), Of("digits")],
            ],
        ),
        ("digits", vec![vec![Of("digit")], vec![Of("digit"), Of("digits")]]),
        ("digit", vec![vec![digits()]]),
    ])
}

/// A document of at least `length` bytes.
pub fn document(length: usize) -> Vec<u8> {
    let mut stream = RandomStream::derive(1, "document");
    let mut text = String::from("[");
    while text.len() < length {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str("{\"id\":");
        text.push_str(&stream.below(1_000_000).to_string());
        text.push_str(",\"name\":\"");
        for _ in 0..5 + stream.below(40) {
            text.push(*stream.pick(&['a', 'e', 'k', 'n', 's', ' ', 'Z', '7', 'ü', '–']));
        }
        text.push_str("\",\"tags\":[true,null,[]],\"size\":12.5}");
    }
    text.push(']');
    text.into_bytes()
}

/// `<e> ::= <e> "+" <e> | "a"`
pub fn sums() -> Arc<Grammar> {
    grammar(vec![("e", vec![vec![Of("e"), Text("+"), Of("e")], vec![Text("a")]])])
}

/// A command line: options in any order, words that are also made of letters, optional blanks.
pub fn command_line() -> Arc<Grammar> {
    grammar(vec![
        ("line", vec![vec![Text("find"), Of("words")]]),
        ("words", vec![vec![], vec![Of("blanks"), Of("word"), Of("words")]]),
        ("blanks", vec![vec![Text(" ")], vec![Text(" "), Of("blanks")]]),
        (
            "word",
            vec![
                vec![Text("-name"), Of("blanks"), Of("name")],
                vec![Text("-print")],
                vec![Text("-not"), Of("blanks"), Of("word")],
                vec![Of("name")],
            ],
        ),
        ("name", vec![vec![Of("letter")], vec![Of("name"), Of("letter")]]),
        ("letter", vec![vec![Class(CharClass::new([('a', 'z'), ('-', '.'), ('*', '*')]))]]),
    ])
}

/// A grammar as large as that of a programming language: keywords and punctuation, blanks after each
/// token, a ladder of operators, and a few hubs that everything leads back to.
pub fn large() -> Grammar {
    const NONTERMINALS: usize = 600;
    let mut stream = RandomStream::derive(1, "large grammar");
    let mut builder = GrammarBuilder::new();
    let ids: Vec<_> = (0..NONTERMINALS).map(|n| builder.nonterminal(Name::base(format!("n{n}")))).collect();
    let blank = builder.nonterminal(Name::base("blank"));
    let name = builder.nonterminal(Name::base("name"));
    let space = builder.class(CharClass::of([' ', '\n']));
    let letter = builder.class(CharClass::new([('a', 'z'), ('A', 'Z'), ('ä', 'ü')]));
    builder.rule(blank, []);
    builder.rule(blank, [space, Symbol::Nonterminal(blank)]);
    builder.rule(name, [letter]);
    builder.rule(name, [letter, Symbol::Nonterminal(name)]);
    for (n, &lhs) in ids.iter().enumerate() {
        for rule in 0..3 + usize::from(n % 3 == 0) {
            let mut symbols = Vec::new();
            let below = |stream: &mut RandomStream| {
                let far = if stream.below(4) == 0 { NONTERMINALS } else { n + 6 };
                match n + 1 + stream.below((far.min(NONTERMINALS) - n).max(2)) {
                    next if next < NONTERMINALS => Symbol::Nonterminal(ids[next]),
                    _ => Symbol::Nonterminal(name),
                }
            };
            let word = |stream: &mut RandomStream, builder: &mut GrammarBuilder| {
                let text: String = match stream.below(3) {
                    0 => {
                        (0..3 + stream.below(6)).map(|_| char::from(b'a' + stream.below(26) as u8)).collect()
                    }
                    _ => (0..1 + stream.below(2))
                        .map(|_| *stream.pick(&['(', '+', '-', '*', '=', ';', '<', '{', '.', ',', '!']))
                        .collect(),
                };
                builder.literal(text.as_bytes()).expect("not empty")
            };
            match rule {
                0 => symbols.push(below(&mut stream)),
                1 => symbols.extend([
                    below(&mut stream),
                    word(&mut stream, &mut builder),
                    Symbol::Nonterminal(blank),
                    Symbol::Nonterminal(lhs),
                ]),
                _ => {
                    for _ in 0..1 + stream.below(3) {
                        symbols.extend([word(&mut stream, &mut builder), Symbol::Nonterminal(blank)]);
                        if stream.below(2) == 0 {
                            symbols.push(below(&mut stream));
                        }
                        if stream.below(3) == 0 {
                            symbols.push(Symbol::Nonterminal(ids[stream.below(5)]));
                        }
                    }
                }
            }
            builder.rule(lhs, symbols);
        }
    }
    builder.finish(ids[0])
}

/// A grammar of the size and the shape of a scripting language's, written character by character: words
/// and literals, a ladder of operators with 24 levels, and kinds of statements that lead to
/// expressions, blocks and each other. 600 nonterminals.
pub fn language() -> Grammar {
    const LEXICAL: usize = 524;
    const LEVELS: usize = 24;
    const KINDS: usize = 48;
    let mut stream = RandomStream::derive(1, "language");
    let mut builder = GrammarBuilder::new();
    let mut id = |name: String| Symbol::Nonterminal(builder.nonterminal(Name::base(name)));
    let [start, block, primary, blank] = ["start", "block", "primary", "blank"].map(|name| id(name.into()));
    let levels: Vec<Symbol> = (0..LEVELS).map(|n| id(format!("level{n}"))).collect();
    let kinds: Vec<Symbol> = (0..KINDS).map(|n| id(format!("kind{n}"))).collect();
    let words: Vec<Symbol> = (0..LEXICAL).map(|n| id(format!("word{n}"))).collect();
    let mut rule = |lhs: Symbol, symbols: &[Symbol], texts: &[&str]| {
        let Symbol::Nonterminal(lhs) = lhs else { return };
        // A text before each symbol, and the last one at the end.
        let mut all = Vec::new();
        for (index, text) in texts.iter().enumerate() {
            all.extend(builder.literal(text.as_bytes()));
            all.extend(symbols.get(index));
        }
        builder.rule(lhs, all);
    };
    let expression = levels[0];
    rule(start, &[block], &["", ""]);
    rule(block, &[], &["{}"]);
    rule(block, &[kinds[0], block], &["{", ";", "}"]);
    rule(blank, &[], &[""]);
    rule(blank, &[blank], &[" ", ""]);
    rule(primary, &[expression], &["(", ")"]);
    rule(primary, &[block], &["function", ""]);
    rule(primary, &[words[0]], &["", ""]);
    for (n, &level) in levels.iter().enumerate() {
        let next = levels.get(n + 1).copied().unwrap_or(primary);
        let operator = ["+", "-", "*", "<<", "&&", "=="][n % 6];
        rule(level, &[next], &["", ""]);
        rule(level, &[next, blank, level], &["", "", operator, ""]);
        rule(level, &[words[n % LEXICAL], next], &["!", "", ""]);
    }
    for (n, &kind) in kinds.iter().enumerate() {
        let other = kinds.get(n + 1).copied().unwrap_or(block);
        let word = words[stream.below(LEXICAL)];
        rule(kind, &[other], &["", ""]);
        rule(kind, &[blank, expression], &["let", "", ""]);
        rule(kind, &[word, expression, block], &["if", "(", ")", ""]);
        rule(kind, &[word], &["break", ""]);
    }
    for (n, &word) in words.iter().enumerate() {
        for text in ["a", "b", "c"] {
            match words.get(n + 1 + stream.below(6)) {
                Some(&next) if text != "c" => rule(word, &[next], &[text, ""]),
                _ => rule(word, &[], &[text]),
            }
        }
    }
    let Symbol::Nonterminal(start) = start else { unreachable!("it is a nonterminal") };
    builder.finish(start)
}
