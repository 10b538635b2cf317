//! The builtin bugs, from failing input to abstract input: parse, reduce, generalize.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use grambench::base::diagnostic::Source;
use grambench::base::random_stream::RandomStream;
use grambench::generalize::{Example, RandomContextSampler, generalizer};
use grambench::grammar::{Grammar, format};
use grambench::oracle::{Judge, Oracle};
use grambench::parse::Parser;
use grambench::pattern::read_statement;
use grambench::produce::LimitProducer;
use grambench::reduce::{Failing, Syntax, reducer};
use grambench::subject::builtin::Builtin;
use grambench::subject::catalogue::Catalogue;
use grambench::subject::manifest::{Manifest, Run};

fn builtin_subjects() -> Vec<Manifest> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("subjects");
    let catalogue = Catalogue::load(&folder).unwrap_or_else(|errors| panic!("{errors}"));
    catalogue.subjects().iter().filter(|subject| subject.run == Run::Builtin).cloned().collect()
}

fn grammar_of(subject: &Manifest) -> Arc<Grammar> {
    let text = std::fs::read(&subject.default_grammar().file).unwrap();
    let read =
        format::read(&Source::from_bytes(subject.default_grammar().file.display().to_string(), &text), None)
            .unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(read.warnings, [], "{}", subject.name);
    Arc::new(read.grammar)
}

/// What came of one bug: the texts, and the executions of each phase.
struct Line {
    reduced: String,
    abstracted: String,
    characteristic: String,
    verified: bool,
    executions: [u64; 4],
}

fn run(subject: &Manifest, bug: &str, seed: u64) -> Line {
    let grammar = grammar_of(subject);
    let bug = subject.bug(bug).unwrap();
    let oracle = Builtin::named(&bug.name).unwrap();
    let parser = Parser::new(Arc::clone(&grammar));
    let parse = |text: &[u8]| parser.first_tree(text);
    let tree = parse(&bug.input).unwrap().expect("the input is of the grammar");
    let mut judge = Judge::new(&oracle);
    let derives = |text: &[u8]| parser.recognizes(text);
    let syntax = Syntax { grammar: &grammar, tree: &tree, parse: &parse, derives: &derives };
    let failing = Failing { text: &bug.input, syntax: Some(syntax) };
    let reduced = reducer("chains").unwrap().reduce(failing, &mut judge).unwrap();
    let reducing = judge.executions();
    let tree = reduced.tree.unwrap();
    let producer = LimitProducer::new(Arc::clone(&grammar), LimitProducer::DEFAULT_LIMIT);
    let given = tree.text(&grammar);
    let example = Example::new(&tree, &parser, &producer, &given);
    let mut sampler = RandomContextSampler::new(&parser, &producer, 10);
    let mut stream = RandomStream::derive(seed, &bug.name);
    let generalized = generalizer("ddset", 100)
        .unwrap()
        .generalize(example, &mut sampler, &mut judge, &mut stream)
        .unwrap();
    let phases = ["abstraction", "isolation", "characteristic"].map(|name| generalized.executions_of(name));
    assert_eq!(
        judge.executions(),
        reducing + phases.iter().sum::<u64>(),
        "every execution belongs to a phase"
    );
    // What is printed is what is measured.
    let pattern = generalized.pattern().unwrap();
    let text = pattern.statement(&grammar);
    let read = read_statement(&Source::new("pattern", text.clone()), 0..text.len(), &grammar);
    assert_eq!(read.unwrap(), *pattern, "{text}");
    Line {
        reduced: String::from_utf8(reduced.text).unwrap(),
        abstracted: generalized.abstract_input.unwrap().pattern.plain(&grammar),
        characteristic: generalized.expression.statement(&grammar),
        verified: generalized.verified,
        executions: [reducing, phases[0], phases[1], phases[2]],
    }
}

#[test]
fn every_bug_gives_its_abstract_input() {
    let mut table = String::new();
    let mut found = 0;
    for subject in builtin_subjects() {
        for bug in &subject.bugs {
            found += 1;
            let line = run(&subject, &bug.name, 1);
            writeln!(
                table,
                "{}\n  reduced         {}\n  abstract        {}\n  characteristic  {}{}\n  executions      {}",
                bug.name,
                line.reduced,
                line.abstracted,
                line.characteristic,
                if line.verified { "" } else { " (not verified)" },
                line.executions.map(|count| count.to_string()).join(" + "),
            )
            .unwrap();
        }
    }
    assert_eq!(found, Builtin::names().count(), "each builtin bug has a manifest");
    insta::assert_snapshot!(table);
}

/// The expected abstraction of each manifest is found whatever the seed.
#[test]
fn the_expected_abstraction_is_no_matter_of_luck() {
    for subject in builtin_subjects() {
        for bug in &subject.bugs {
            let Some(expected) = &bug.pattern else { continue };
            for seed in 0..10 {
                let line = run(&subject, &bug.name, seed);
                assert_eq!(line.characteristic, *expected, "{} with seed {seed}", bug.name);
                assert!(line.verified);
            }
        }
    }
}

/// The figure of the papers' artifact on this input is 222 to 225.
#[test]
fn doubled_parentheses_take_no_more_executions_than_the_papers() {
    let subject = builtin_subjects().into_iter().find(|subject| subject.name == "expr").unwrap();
    for seed in 0..10 {
        let line = run(&subject, "expr-double-paren", seed);
        assert_eq!((line.reduced.as_str(), line.abstracted.as_str()), ("((4))", "((<expr>))"));
        let executions: u64 = line.executions.iter().sum();
        assert!(executions <= 210, "{executions} executions with seed {seed}");
    }
}

#[test]
fn the_inputs_of_the_manifests_have_their_verdicts() {
    for subject in builtin_subjects() {
        let parser = Parser::new(grammar_of(&subject));
        for bug in &subject.bugs {
            let oracle = Builtin::named(&bug.name).expect("each bug has its function");
            assert!(
                parser.recognizes(&bug.input).unwrap() && parser.recognizes(&bug.passing).unwrap(),
                "{}",
                bug.name
            );
            let verdict = |input: &[u8]| oracle.judge(input).unwrap().verdict.as_str();
            assert_eq!((verdict(&bug.input), verdict(&bug.passing)), ("fail", "pass"), "{}", bug.name);
        }
    }
}
