//! What generalizers find, with oracles of which the right answer is known.

use std::sync::Arc;

use super::*;
use crate::base::budget::Budget;
use crate::grammar::Grammar;
use crate::oracle::{Judgement, Oracle};
use crate::parse::Parser;
use crate::pattern::{Openness, PatternNode};
use crate::produce::LimitProducer;
use crate::reduce::sample::{failing_oracle, grammar, json, random_tree};

/// The abstract input, which DDSET always makes.
fn whole(generalized: &Generalized) -> &AbstractInput {
    generalized.abstract_input.as_ref().unwrap()
}

/// An oracle of three verdicts.
struct Judged<F>(F);

impl<F: Fn(&[u8]) -> Verdict + Send + Sync> Oracle for Judged<F> {
    fn judge(&self, input: &[u8]) -> Result<Judgement, OracleError> {
        Ok(Judgement::new((self.0)(input), ""))
    }
}

struct Found {
    generalized: Generalized,
    executions: u64,
}

fn generalize(
    grammar: &Arc<Grammar>,
    tree: &Tree,
    settings: GeneralizerSettings,
    judge: &mut Judge<'_>,
) -> Found {
    let producer = LimitProducer::new(Arc::clone(grammar), 6);
    let parser = Parser::new(Arc::clone(grammar));
    let given = tree.text(grammar);
    let example = Example::new(tree, &parser, &producer, &given);
    let mut sampler = RandomContextSampler::new(&parser, &producer, 6);
    let mut stream = RandomStream::derive(1, "generalize");
    let before = judge.executions();
    let generalized =
        Ddset::new(settings).generalize(example, &mut sampler, judge, &mut stream).expect("the input fails");
    Found { generalized, executions: judge.executions() - before }
}

fn parsed(grammar: &Arc<Grammar>, text: &str) -> Tree {
    Parser::new(Arc::clone(grammar)).parse(text.as_bytes()).expect("the text is of the grammar").first_tree()
}

/// The abstract input of `text`, and the pattern of its characteristic node.
fn abstracted(grammar: &Arc<Grammar>, text: &str, oracle: &dyn Oracle) -> (String, String) {
    let found =
        generalize(grammar, &parsed(grammar, text), GeneralizerSettings::default(), &mut Judge::new(oracle));
    let generalized = found.generalized;
    assert_eq!(generalized.stop, StopReason::Done);
    (whole(&generalized).pattern.plain(grammar), generalized.pattern().unwrap().statement(grammar))
}

/// The oracle *is* a pattern, drawn at random from the input itself; what is found occurs in the very
/// trees in which that pattern does.
#[test]
fn a_pattern_that_decides_is_found() {
    let grammar = Arc::new(json());
    let parser = Parser::new(Arc::clone(&grammar));
    let trees: Vec<Tree> =
        (0..300).map(|seed| random_tree(&grammar, &mut RandomStream::derive(seed, "other"), 3)).collect();
    let mut patterns = 0;
    for seed in 0..60 {
        let mut stream = RandomStream::derive(seed, "pattern");
        let tree = random_tree(&grammar, &mut stream, 4);
        let nodes: Vec<crate::tree::NodeId> =
            tree.preorder(tree.root()).filter(|&node| tree.rule(node).is_some()).collect();
        let root = *stream.pick(&nodes);
        let pattern = Pattern::from_tree(&grammar, &tree, root, |node, _| {
            (node != root && stream.below(3) == 0).then_some(Openness::Abstract)
        });
        // A pattern that other nonterminals imply, such as `<string> is "\"<chars>\""`, is found as one
        // of them. None implies a character out of several.
        let implied = !pattern.nodes().iter().any(|node| matches!(node, PatternNode::Char(_)));
        patterns += usize::from(!implied);
        let fails = |text: &[u8]| {
            let tree = parser.parse(text).expect("only derived inputs are asked about").first_tree();
            !pattern.occurrences(&grammar, &tree).is_empty()
        };
        let oracle = failing_oracle(&fails);
        let mut judge = Judge::new(&oracle);
        let found = generalize(&grammar, &tree, GeneralizerSettings::default(), &mut judge);
        let generalized = found.generalized;
        assert!(generalized.verified);
        let phases = |name: &str| generalized.executions_of(name);
        assert_eq!(found.executions, phases("abstraction") + phases("isolation") + phases("characteristic"));
        let characteristic = generalized.pattern().unwrap();
        let producer = LimitProducer::new(Arc::clone(&grammar), 6);
        let mut sampler = RandomContextSampler::new(&parser, &producer, 6);
        let sampled: Vec<Tree> = [&pattern, characteristic]
            .into_iter()
            .flat_map(|sampled| {
                (0..30)
                    .map(|_| sampler.sample(sampled, &mut stream).expect("there is a sample"))
                    .collect::<Vec<_>>()
            })
            .map(|text| parser.parse(&text).expect("a sample is of the grammar").first_tree())
            .collect();
        for other in trees.iter().chain(&sampled).chain([&tree]) {
            let wanted = !pattern.occurrences(&grammar, other).is_empty();
            let found = !characteristic.occurrences(&grammar, other).is_empty();
            assert!(
                found == wanted || (implied && wanted),
                "{} found for {} (seed {seed}), but not on {}",
                characteristic.statement(&grammar),
                pattern.statement(&grammar),
                other.text(&grammar).escape_ascii(),
            );
        }
    }
    assert!(patterns > 20, "{patterns} patterns");
}

/// A sample contains the pattern.
#[test]
fn a_sampled_pattern_occurs() {
    let grammar = Arc::new(json());
    let parser = Parser::new(Arc::clone(&grammar));
    let producer = LimitProducer::new(Arc::clone(&grammar), 4);
    let mut sampler = RandomContextSampler::new(&parser, &producer, 8);
    let mut texts = std::collections::BTreeSet::new();
    for seed in 0..200 {
        let mut stream = RandomStream::derive(seed, "plant");
        let tree = random_tree(&grammar, &mut stream, 4);
        let nodes: Vec<crate::tree::NodeId> =
            tree.preorder(tree.root()).filter(|&node| tree.rule(node).is_some()).collect();
        let root = *stream.pick(&nodes);
        let pattern = Pattern::from_tree(&grammar, &tree, root, |_, _| {
            (stream.below(4) == 0).then_some(Openness::Abstract)
        });
        let text = sampler.sample(&pattern, &mut stream).unwrap();
        let sampled = parser.parse(&text).unwrap().first_tree();
        assert!(!pattern.occurrences(&grammar, &sampled).is_empty());
        texts.insert(text);
    }
    assert!(texts.len() > 100);
    let unused = Arc::new(self::grammar(&["s = x", "t = y"]));
    let t = parsed(&Arc::new(unused.with_start(unused.find("t").unwrap())), "y");
    let pattern = Pattern::from_tree(&unused, &t, t.root(), |_, _| None);
    let parser = Parser::new(Arc::clone(&unused));
    let producer = LimitProducer::new(Arc::clone(&unused), 4);
    let mut sampler = RandomContextSampler::new(&parser, &producer, 8);
    assert_eq!(sampler.sample(&pattern, &mut RandomStream::derive(0, "")), None);
}

/// Each of two characters may be any other, but not both: one of them stays.
#[test]
fn of_nodes_that_may_not_vary_together_one_stays() {
    let grammar = Arc::new(grammar(&["s = a , a", "a = [abcdefghij]"]));
    let oracle = failing_oracle(&|text: &[u8]| text.contains(&b'c'));
    let (text, characteristic) = abstracted(&grammar, "c,c", &oracle);
    assert!(["c,<a>", "<a>,c"].contains(&text.as_str()), "{text}");
    assert_eq!(characteristic, "<a> is \"c\"");
}

/// Three parts, the last of which fails on its own: the others vary freely.
#[test]
fn all_that_does_not_matter_becomes_abstract() {
    let grammar = Arc::new(grammar(&["s = p , p , p", "p = x n | ( p )", "n = [0123456789]"]));
    let oracle = failing_oracle(&|text: &[u8]| text.ends_with(b"x7)"));
    assert_eq!(
        abstracted(&grammar, "x1,((x2)),(x7)", &oracle),
        ("<p>,<p>,(x7)".to_owned(), "<s> is \"<p>,<p>,(x7)\"".to_owned())
    );
}

#[test]
fn the_static_rule_takes_the_smallest_subtree_with_all_concrete_terminals() {
    let grammar = Arc::new(json());
    let oracle = failing_oracle(&|text: &[u8]| text.windows(3).any(|part| part == b"\"a\""));
    let settings =
        GeneralizerSettings { characteristic: Characteristic::Static, ..GeneralizerSettings::default() };
    let tree = parsed(&grammar, "[1, \"a\"]");
    let found = generalize(&grammar, &tree, settings, &mut Judge::new(&oracle)).generalized;
    assert_eq!(whole(&found).pattern.plain(&grammar), "[<elt>, \"a\"]");
    assert_eq!(found.pattern().unwrap().statement(&grammar), "<array> is \"[<elt>, \\\"a\\\"]\"");
    let settings = GeneralizerSettings::default();
    let found = generalize(&grammar, &tree, settings, &mut Judge::new(&oracle)).generalized;
    assert_eq!(found.pattern().unwrap().statement(&grammar), "<string> is \"\\\"a\\\"\"");
}

#[test]
fn an_input_that_always_fails_is_abstract_as_a_whole() {
    let grammar = Arc::new(json());
    let oracle = failing_oracle(&|_| true);
    let found = generalize(
        &grammar,
        &parsed(&grammar, "[1]"),
        GeneralizerSettings::default(),
        &mut Judge::new(&oracle),
    );
    assert_eq!(whole(&found.generalized).pattern.plain(&grammar), "<json>");
    assert_eq!((found.generalized.verified, found.executions), (true, 100));
}

/// A language with fewer strings than checks: all of them are asked, each once.
#[test]
fn a_small_language_is_asked_about_as_a_whole() {
    let grammar = Arc::new(grammar(&["s = d ! d", "d = [0123456789]"]));
    let oracle = failing_oracle(&|text: &[u8]| text.contains(&b'!'));
    let found = generalize(
        &grammar,
        &parsed(&grammar, "1!2"),
        GeneralizerSettings::default(),
        &mut Judge::new(&oracle),
    );
    assert_eq!(whole(&found.generalized).pattern.plain(&grammar), "<s>");
    assert_eq!(found.executions, 100);
    let fails = |text: &[u8]| text.ends_with(b"2");
    let oracle = failing_oracle(&fails);
    let found = generalize(
        &grammar,
        &parsed(&grammar, "1!2"),
        GeneralizerSettings::default(),
        &mut Judge::new(&oracle),
    );
    assert_eq!(whole(&found.generalized).pattern.plain(&grammar), "<d>!2");
    assert!(found.executions < 20, "{}", found.executions);
}

/// Unresolved inputs are replaced by others; where there are too many, nothing is known.
#[test]
fn what_cannot_be_judged_stays_concrete() {
    let grammar = Arc::new(grammar(&["s = d d d . n", "d = [0123456789]", "n = d d d d"]));
    let tree = parsed(&grammar, "222.2222");
    let oracle = Judged(|text: &[u8]| {
        let large = text.iter().any(|&byte| (b'3'..=b'9').contains(&byte));
        if large { Verdict::Unresolved } else { Verdict::Fail }
    });
    let settings = GeneralizerSettings { redraws: 100, ..GeneralizerSettings::default() };
    let found = generalize(&grammar, &tree, settings, &mut Judge::new(&oracle));
    assert_eq!(whole(&found.generalized).pattern.plain(&grammar), "222.2222", "where most are rejected");
    assert!(found.executions < 150, "{} executions, though there is no hope", found.executions);
    let found = generalize(&grammar, &tree, GeneralizerSettings::default(), &mut Judge::new(&oracle));
    let groups = whole(&found.generalized).abstract_nodes.groups().count();
    assert_eq!(groups, 7, "with more redraws each digit may vary, though seldom two of them in one input");
    let rarely = Judged(|text: &[u8]| if text[0] == b'9' { Verdict::Unresolved } else { Verdict::Fail });
    let (text, _) = abstracted(&grammar, "222.2222", &rarely);
    assert_eq!(text, "<s>", "a few that are rejected do not matter");
}

/// Two names that must be the same, and one that does not matter.
#[test]
fn equal_nodes_that_vary_only_together_are_bound() {
    let grammar = Arc::new(grammar(&["s = n = n + n", "n = c | c n", "c = [abcdefghij]"]));
    let fails = |text: &[u8]| {
        let text = std::str::from_utf8(text).unwrap();
        let (name, sum) = text.split_once('=').unwrap();
        sum.split_once('+').unwrap().0 == name
    };
    for (text, expected) in [("a=a+b", "<$n:1>=<$n:1>+<n>"), ("a=a+a", "<$n:1>=<$n:1>+<n>")] {
        let (abstracted, characteristic) = abstracted(&grammar, text, &failing_oracle(&fails));
        assert_eq!(abstracted, expected, "of {text}");
        assert_eq!(characteristic, format!("<s> is \"{expected}\""));
    }
    // All three must be the same.
    let oracle = failing_oracle(&|text: &[u8]| {
        let names: Vec<&[u8]> = text.split(|byte| b"=+".contains(byte)).collect();
        names[0] == names[1] && names[1] == names[2]
    });
    assert_eq!(abstracted(&grammar, "a=a+a", &oracle).0, "<$n:1>=<$n:1>+<$n:1>");
    // One may differ from the other two, but those two not from each other, nor all three.
    let settings = GeneralizerSettings::default();
    let found = generalize(&grammar, &parsed(&grammar, "a=a+a"), settings, &mut Judge::new(&oracle));
    assert_eq!(whole(&found.generalized).abstract_nodes.shared(), [3]);
    assert_eq!(whole(&found.generalized).compact(&grammar), "<$n:1>=<$n:1>+<$n:1>");
}

/// A small language with variables. An input fails when what is called is the parameter, and the callee of
/// the call before is not.
fn functions() -> Arc<Grammar> {
    let text = "@start <call>\n@skip <space>\n<call> ::= <name> \"(\" <name> \"=>\" <name> \"(\" <argument>* \")\" \")\"\n\
        <argument> ::= \"1\" | \"2\" | \"3\"\n\
        @token(not-before: [a-z]) <name> ::= [a-z] [a-z]*\n<space> ::= \" \"+\n";
    let source = crate::base::diagnostic::Source::new("functions.ebnf", text);
    Arc::new(crate::grammar::format::read(&source, None).expect("the grammar is right").grammar)
}

/// The three names of an input of [`functions`], and its arguments.
fn names(text: &[u8]) -> ([String; 3], usize) {
    let text: String = String::from_utf8_lossy(text).split_whitespace().collect();
    let names: Vec<&str> = text.split(['(', '=', '>', ')']).filter(|part| !part.is_empty()).collect();
    let arguments = names.get(3).map_or(0, |digits| digits.len());
    ([names[0].into(), names[1].into(), names[2].into()], arguments)
}

#[test]
fn names_of_the_input_are_not_brought_into_other_places() {
    let grammar = functions();
    let oracle = failing_oracle(&|text: &[u8]| {
        let ([outer, parameter, called], _) = names(text);
        parameter == called && outer == "outer" && parameter != outer
    });
    let (abstracted, _) = abstracted(&grammar, "outer(x=>x(1))", &oracle);
    assert_eq!(abstracted, "outer(<$name:1>=><$name:1>(<call*1>))");
}

#[test]
fn a_repetition_that_is_often_refused_is_examined_in_parts() {
    let grammar = functions();
    let oracle = Judged(|text: &[u8]| match names(text) {
        ([outer, ..], 1..=2) if outer == "f" => Verdict::Fail,
        (_, 1..=2) => Verdict::Pass,
        _ => Verdict::Unresolved,
    });
    let (abstracted, _) = abstracted(&grammar, "f(x=>y(1))", &oracle);
    assert!(abstracted.starts_with("f(<name>=><name>(<argument>"), "{abstracted}");
}

/// Here one input in twenty passes, whatever it is: no part may vary for sure, and most seem to.
#[test]
fn no_input_that_passed_is_one_that_the_abstract_input_stands_for() {
    let grammar = Arc::new(json());
    let parser = Parser::new(Arc::clone(&grammar));
    let settings = GeneralizerSettings {
        characteristic: Characteristic::Static,
        screening_checks: 2,
        ..GeneralizerSettings::of_checks(20)
    };
    let mut passed = 0;
    for seed in 0..40 {
        let tree = random_tree(&grammar, &mut RandomStream::derive(seed, "passed"), 4);
        let own = tree.text(&grammar);
        let fails = |text: &[u8]| {
            let sum =
                text.iter().fold(seed, |sum: u64, &byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
            text == own.as_slice() || sum % 20 != 0
        };
        let oracle = failing_oracle(&fails);
        let mut judge = Judge::new(&oracle);
        let found = generalize(&grammar, &tree, settings, &mut judge);
        for input in judge.passed() {
            passed += 1;
            let tree = parser.parse(input).expect("only derived inputs are asked about").first_tree();
            assert!(!whole(&found.generalized).pattern.matches(&tree, tree.root()), "{seed}");
        }
    }
    assert!(passed > 40, "{passed}");
}

/// A chain of nonterminals costs little more than one of them.
#[test]
fn a_chain_is_searched_by_bisection() {
    let mut rules = vec!["s = a0 ! a0".to_owned()];
    rules.extend((0..40).map(|level| format!("a{level} = a{} | a{level} + a{}", level + 1, level + 1)));
    rules.push("a40 = d".to_owned());
    rules.push("d = [0123456789]".to_owned());
    let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
    let grammar = Arc::new(grammar(&rules));
    let oracle = failing_oracle(&|text: &[u8]| text.starts_with(b"7"));
    let settings = GeneralizerSettings { checks: 10, ..GeneralizerSettings::of_checks(10) };
    let tree = parsed(&grammar, "7!3");
    let found = generalize(&grammar, &tree, settings, &mut Judge::new(&oracle));
    assert_eq!(whole(&found.generalized).pattern.plain(&grammar), "7!<a0>");
    let phases = |name: &str| found.generalized.executions_of(name);
    assert!(phases("abstraction") < 120, "{} executions", phases("abstraction"));
}

#[test]
fn the_budget_ends_the_work_with_what_there_is() {
    let grammar = Arc::new(json());
    let fails = |text: &[u8]| text.windows(4).any(|part| part == b"\"\": ");
    let oracle = failing_oracle(&fails);
    let tree = parsed(&grammar, "[1, {\"\": [0, 1]}]");
    let mut best = 0;
    for executions in [0, 1, 3, 20, 150, 300, 2_000] {
        let mut judge = Judge::new(&oracle).with_budget(Budget::of_executions(executions));
        let found = generalize(&grammar, &tree, GeneralizerSettings::default(), &mut judge);
        assert!(judge.executions() <= executions);
        let count = whole(&found.generalized).abstract_nodes.len();
        assert!(count >= best);
        best = count;
        let done = found.generalized.stop == StopReason::Done;
        assert_eq!(done, found.generalized.verified);
        if executions == 2_000 {
            let statement = found.generalized.pattern().unwrap().statement(&grammar);
            assert_eq!(statement, "<item> is \"\\\"\\\": <elt>\"");
        }
    }
}

#[test]
fn deep_nesting_needs_no_stack() {
    let grammar = Arc::new(grammar(&["s = ( s ) | x | y"]));
    let text = ["(".repeat(20_000).as_str(), "y", ")".repeat(20_000).as_str()].concat();
    let oracle = failing_oracle(&|text: &[u8]| text.contains(&b'y'));
    let mut judge = Judge::new(&oracle).with_budget(Budget::of_executions(50));
    let found = generalize(&grammar, &parsed(&grammar, &text), GeneralizerSettings::default(), &mut judge);
    assert_eq!(found.generalized.stop, StopReason::Budget);
    let text = ["(".repeat(300).as_str(), "y", ")".repeat(300).as_str()].concat();
    let found = generalize(
        &grammar,
        &parsed(&grammar, &text),
        GeneralizerSettings::default(),
        &mut Judge::new(&oracle),
    );
    assert_eq!(found.generalized.pattern().unwrap().statement(&grammar), "<s> is \"y\"");
}

#[test]
fn an_input_that_does_not_fail_is_an_error() {
    let grammar = Arc::new(json());
    let oracle = failing_oracle(&|_| false);
    let producer = LimitProducer::new(Arc::clone(&grammar), 6);
    let tree = parsed(&grammar, "1");
    let parser = Parser::new(Arc::clone(&grammar));
    let given = tree.text(&grammar);
    let example = Example::new(&tree, &parser, &producer, &given);
    let mut sampler = RandomContextSampler::new(&parser, &producer, 6);
    let result = generalizer("ddset", 100).unwrap().generalize(
        example,
        &mut sampler,
        &mut Judge::new(&oracle),
        &mut RandomStream::derive(0, ""),
    );
    assert_eq!(result.unwrap_err(), GeneralizeError::NotFailing(Verdict::Pass));
    assert!(generalizer("alhazen", 100).is_err());
}
