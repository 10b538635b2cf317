//! Campaigns that compare transformers: the one that comes with grambench, and small ones in which an
//! external transformer is wrong, fails, or changes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::*;
use grambench::subject::program;
use num_bigint::BigUint;

type Row = BTreeMap<String, String>;

fn number(row: &Row, column: &str) -> BigUint {
    row[column].replace('_', "").parse().unwrap_or_else(|_| panic!("{column} is no number in {row:?}"))
}

#[test]
fn the_campaign_of_transformers_finds_the_exact_ones_exact() {
    if program::find("python3".as_ref()).is_err() {
        eprintln!("no python3: the external transformer of the campaign cannot run");
        return;
    }
    let lab = Lab::new();
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/transformers.toml");
    let run = lab.run(&config, "results", &[]).expect(3);
    let rows = lab.rows("results", "transformers.csv", &[]);
    let names: BTreeSet<&str> = rows.iter().map(|row| row["name"].as_str()).collect();
    assert!((12..=24).contains(&names.len()));
    for name in names {
        // There is nothing to compare the first one with.
        for (transformer, agrees) in [("automaton", "n/a"), ("symbolic", "yes")] {
            let found =
                lab.rows("results", "transformers.csv", &[("name", name), ("transformer", transformer)]);
            let [row] = &found[..] else { panic!("{name} {transformer} has one row: {found:?}") };
            assert_eq!(
                (&*row["complement"], &*row["agrees"], &*row["error"]),
                ("yes", agrees, ""),
                "{row:?}"
            );
            let [one, other, all] = ["f_derivations_text", "not_f_derivations_text", "base_derivations_text"]
                .map(|column| number(row, column));
            assert!(one != BigUint::ZERO && other != BigUint::ZERO, "both sides are seen: {row:?}");
            assert_eq!(one + other, all, "{row:?}");
        }
    }
    // What is known of the example: as published, it derives an input with two occurrences twice, and it
    // knows no negation.
    let of_one = [("name", "one pattern"), ("transformer", "reaching-grammar")];
    let [row] = &lab.rows("results", "transformers.csv", &of_one)[..] else { panic!("one row") };
    assert_eq!((&*row["agrees"], &*row["agrees_differs_at_bytes"]), ("no", "13"), "{row:?}");
    assert_eq!((&*row["complement"], &*row["not_f_rules"]), ("", ""), "{row:?}");
    assert!(row["error"].contains("only the name of one pattern is understood, not: !E"), "{row:?}");
    let errors = lab.rows("results", "errors.csv", &[("kind", "error")]);
    assert!(errors.iter().all(|row| row["task"].ends_with("/specialize reaching-grammar")), "{errors:?}");
    // What the guide quotes.
    let guide =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/transformers.md")).unwrap();
    let quoted = guide.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    assert!(quoted.lines().count() > 8);
    for line in quoted.lines() {
        assert!(
            run.stdout.lines().any(|found| found == line),
            "docs/transformers.md quotes `{line}`, which is not in\n{}",
            run.stdout
        );
    }
}

#[test]
fn a_program_is_a_transformer_on_the_command_line() {
    if program::find("python3".as_ref()).is_err() {
        return;
    }
    let lab = Lab::new();
    let grambench = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_grambench"));
        command.args(arguments);
        lab.prepare(&mut command);
        Run::from(command.output().unwrap())
    };
    let pattern = r#"<item> is "\"\": <elt>""#;
    let of_json = ["--grammar", "grammars/json.ebnf", "--pattern", pattern];
    let program =
        ["--transformer-command", "python3 'scripts/reaching-grammar'", "--to", "canonical", "--envelope"];
    let run = grambench(&[&["specialize"], &of_json[..], &program].concat()).expect(0);
    lab.write("made.json", &run.stdout);
    // Up to this length there is room for one occurrence only, so that each input has one derivation.
    let length = ["--length", "0..12"];
    let made = lab.path("made.json");
    let counted =
        grambench(&[&["count", "--grammar", made.to_str().unwrap()], &length[..]].concat()).expect(0);
    let wanted = grambench(&[&["count"], &of_json[..], &length].concat()).expect(0);
    let numbers = |run: &Run| run.stdout.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(numbers(&counted), numbers(&wanted));
    assert!(numbers(&wanted)[12].len() > 8, "{wanted:?}");
    let run = grambench(&[&["specialize", "--negate"], &of_json[..], &program].concat()).expect(2);
    assert!(run.stderr.contains("is understood, not: !1"), "{}", run.stderr);
}

/// Lists of `a` and `b`, an expression about them, and a script as a transformer.
fn lists(lab: &Lab, script: &str) -> std::path::PathBuf {
    lab.write("lists.ebnf", "<s> ::= <item> | <item> \",\" <s>\n<item> ::= \"a\" | \"b\"\n");
    lab.write("a.expression", "<s A> where <item A> is \"a\"\n");
    lab.write("mine.sh", script);
    lab.write("config.toml", CONFIG);
    lab.path("config.toml")
}

const CONFIG: &str = r#"
transformers = ["automaton", "mine"]
transform.length = 5
[[command_transformers]]
name = "mine"
command = ["sh", "mine.sh"]
timeout = "10s"
[[expressions]]
name = "an a"
grammar = "lists.ebnf"
expression_file = "a.expression"
[[expressions]]
name = "two"
grammar = "lists.ebnf"
expression = '<s at least 2 A> where <item A> is "a"'
"#;

/// The right grammar of both sides of `an a`, for inputs of any length; the request is on standard input.
const RIGHT: &str = r#"
case $(cat) in
*'"formula":"A"'*) echo '{"[start]": "<t>", "[grammar]": {
    "<t>": [["a"], ["a,", "<s>"], ["b,", "<t>"]], "<s>": [["a"], ["b"], ["a,", "<s>"], ["b,", "<s>"]]}}';;
*'"formula":"!A"'*) echo '{"[start]": "<t>", "[grammar]": {"<t>": [["b"], ["b,", "<t>"]]}}';;
*) echo "counts are not understood" >&2; exit 1;;
esac
"#;

#[test]
fn counting_finds_what_is_wrong_with_a_transformer() {
    let lab = Lab::new();
    let check = |script: &str, expected: [&str; 5]| {
        let config = lists(&lab, script);
        lab.run(&config, "results", &["--fresh", "--quiet"]).expect(3);
        let wanted = [("name", "an a"), ("transformer", "mine")];
        let [row] = &lab.rows("results", "transformers.csv", &wanted)[..] else { panic!("one row") };
        let columns =
            ["f_rules", "complement", "complement_differs_at_bytes", "agrees", "agrees_differs_at_bytes"];
        assert_eq!(columns.map(|column| row[column].as_str()), expected, "{row:?}");
        // A half that is not there is an error, and never hides the other expression's row.
        let wanted = [("name", "two"), ("transformer", "mine")];
        let [row] = &lab.rows("results", "transformers.csv", &wanted)[..] else { panic!("one row") };
        assert!(row["error"].contains("counts are not understood"), "{row:?}");
        assert_eq!((&*row["formula"], &*row["base_rules"], &*row["f_rules"]), ("at least 2 A", "4", ""));
        // What counting finds is a failure of the task, one for each law.
        let task = "expressions/an a/specialize mine";
        let wrong = lab.rows("results", "errors.csv", &[("task", task), ("kind", "error")]);
        let laws = [expected[1], expected[3]].into_iter().filter(|answer| *answer == "no").count();
        assert_eq!(
            wrong.iter().filter(|row| row["detail"].contains("derivations")).count(),
            laws,
            "{wrong:?}"
        );
        // There is nothing to compare the reference with.
        let reference = lab.rows("results", "transformers.csv", &[("transformer", "automaton")]);
        assert!(reference.iter().all(|row| row["agrees"] == "n/a" && row["complement"] == "yes"));
    };
    check(RIGHT, ["7", "yes", "", "yes", ""]);
    // An input is lost: from 3 bytes on there are too few. Nothing is wrong with inputs of 1 byte.
    check(&RIGHT.replacen(r#", ["b,", "<t>"]]"#, "]", 1), ["6", "no", "3", "no", "3"]);
    // It is on the other side instead: together they are right, and each is wrong.
    let swapped = RIGHT.replacen(r#""<t>": [["a"], ["#, r#""<t>": [["#, 1).replacen(
        r#"{"<t>": [["b"], ["#,
        r#"{"<t>": [["a"], ["b"], ["#,
        1,
    );
    check(&swapped, ["6", "yes", "", "no", "1"]);
    // What is there is compared, though the other side is not.
    check(&RIGHT.replace(r#""!A""#, r#""none""#), ["7", "", "", "yes", ""]);
    check(&RIGHT.replace(r#"["a"], ["a,", "<s>"], ["#, r#"["a"], ["a"], ["#), ["7", "no", "1", "no", "1"]);
    // An endless number of derivations cannot be counted; the sizes are there all the same.
    check(&RIGHT.replacen(r#"[["a"], "#, r#"[["<t>"], "#, 1), ["7", "", "", "", ""]);
}

#[test]
fn results_depend_on_grammars_expressions_lengths_and_programs() {
    let lab = Lab::new();
    let config = lists(&lab, RIGHT);
    lab.run(&config, "results", &["--jobs", "2"]).expect(3);
    lab.run(&config, "others", &["--jobs", "1"]).expect(3);
    assert_eq!(lab.tables("results"), lab.tables("others"));
    for (file, from, to, what) in [
        ("lists.ebnf", "\"b\"", "\"c\"", "the grammar `lists.ebnf`"),
        ("a.expression", "is \"a\"", "is \"b\"", "the expression `an a`"),
        ("mine.sh", "echo", "printf '%s' ", "the transformer `mine`"),
        ("config.toml", "10s", "11s", "the transformer `mine`"),
        ("config.toml", "at least 2", "at least 3", "the expression `two`"),
        ("config.toml", "length = 5", "length = 6", "`transform.length`"),
        ("config.toml", "\"two\"", "\"three\"", "the list of expressions"),
    ] {
        let before = fs::read_to_string(lab.path(file)).unwrap();
        lab.edit(file, from, to);
        let run = lab.run(&config, "results", &[]).expect(2);
        assert!(run.stderr.contains("another campaign, which differs in"), "{}", run.stderr);
        assert!(run.stderr.contains(what), "{what}: {}", run.stderr);
        lab.write(file, &before);
    }
    lab.edit("lists.ebnf", "<s> ::=", "# A comment means nothing.\n<s> ::=");
    let run = lab.run(&config, "results", &[]).expect(3);
    assert!(run.stderr.contains("going on where an earlier run ended"), "{}", run.stderr);
    assert_eq!(lab.tables("results"), lab.tables("others"));
}

#[test]
fn what_half_failed_is_tried_again() {
    let lab = Lab::new();
    let there = lab.path("there");
    let script = format!("test -e '{}' || exit 7\n{RIGHT}", there.display());
    let config = lists(&lab, &script);
    let only = ["--only", "an a", "--jobs", "1"];
    lab.run(&config, "results", &only).expect(3);
    assert_eq!(lab.rows("results", "errors.csv", &[("kind", "error")]).len(), 2);
    lab.write("there", "");
    let run = lab.run(&config, "results", &only).expect(0);
    assert!(!run.stderr.contains("specialize automaton"), "what was done is not done again: {}", run.stderr);
    assert!(lab.rows("results", "errors.csv", &[]).is_empty());
    assert_eq!((lab.processes(), lab.scratch_folders()), (Vec::new(), 0));
}

#[test]
fn expressions_need_no_subjects_and_bugs_stand_beside_them() {
    let lab = Lab::new();
    let config = lists(&lab, RIGHT);
    let list = |config: &Path| lab.run(config, "results", &["--list"]).expect(0).stdout;
    let expressions = "expressions/an a/specialize automaton\nexpressions/an a/specialize mine\n\
                       expressions/two/specialize automaton\nexpressions/two/specialize mine\n";
    assert_eq!(list(&config), expressions, "though there is no folder of subjects");
    let head = format!("subject_folder = {:?}\nbugs = [\"lists-zero\"]\n", fixtures().display().to_string());
    lab.write("config.toml", &format!("{head}generalize.checks = 10\n{CONFIG}"));
    let both = list(&config);
    assert!(both.starts_with("lists-zero/check\n") && both.ends_with(expressions), "{both}");
    let run = lab.run(&config, "results", &["--only", "specialize automaton"]).expect(0);
    assert!(run.stdout.contains("lists-zero ") && run.stdout.contains("an a "), "{}", run.stdout);
    let rows = lab.rows("results", "transformers.csv", &[("complement", "yes"), ("agrees", "n/a")]);
    let names: Vec<&str> = rows.iter().map(|row| row["name"].as_str()).collect();
    assert_eq!(names, ["lists-zero", "an a", "two"]);
    assert_eq!((&*rows[0]["grammar_file"], &*rows[0]["bug"]), ("lists.ebnf", "lists-zero"));
}
