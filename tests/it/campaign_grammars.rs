//! Campaigns in which bugs are examined with several grammars of their subject.

use crate::support::*;

/// `digits.ebnf` says what the bug is about, `letters.ebnf` does not know of digits what matters.
fn add_subject(lab: &Lab) {
    lab.add_script_subject("two", ZERO_FAILS);
    let grammars = "grammars = [{ name = \"plain\", file = \"digits.ebnf\" }, { name = \"tailored\", file = \"zeros.ebnf\" }]";
    lab.edit("subjects/two/subject.toml", "grammar = \"digits.ebnf\"", grammars);
    lab.write(
        "subjects/two/zeros.ebnf",
        "<start> ::= (<zero> | <other>)+\n<zero> ::= \"0\"\n<other> ::= [1-9]\n",
    );
    lab.add_script_subject("one", ZERO_FAILS);
}

#[test]
fn a_bug_is_examined_with_each_grammar_that_is_named() {
    let lab = Lab::new();
    add_subject(&lab);
    let plain = lab.own_config(&["two-*"], SMALL);
    lab.run(&plain, "plain", &[]).expect(0);
    let both = lab.own_config(&[], &format!("grammars = [\"default\", \"tailored\"]\n{SMALL}"));
    let list = lab.run(&both, "both", &["--list"]).expect(0).stdout;
    for name in ["one-zero/check", "two-zero/check", "two-zero@tailored/1/reduce perses"] {
        assert!(list.contains(name), "{list}");
    }
    assert!(!list.contains("one-zero@"), "{list}");
    lab.run(&both, "both", &["--jobs", "2"]).expect(0);
    let again = lab.run(&both, "again", &["--jobs", "1"]).expect(0);
    assert_eq!(lab.tables("both"), lab.tables("again"));
    assert!(
        again.stdout.contains("two-zero tailored") && again.stdout.contains("total default"),
        "{}",
        again.stdout
    );

    // Who uses the default has the same figures, whatever other grammars are beside it.
    for table in
        ["producing.csv", "recognizing.csv", "abstracting.csv", "transformers.csv", "instantiating.csv"]
    {
        let rows = |results| lab.rows(results, table, &[("bug", "two-zero"), ("grammar", "plain")]);
        assert_eq!(rows("plain"), rows("both"), "{table}");
        assert!(!rows("both").is_empty(), "{table}");
        assert!(
            !lab.rows("both", table, &[("grammar", "tailored"), ("bug", "two-zero")]).is_empty(),
            "{table}"
        );
        assert!(
            !lab.rows("both", table, &[("grammar", "default"), ("bug", "one-zero")]).is_empty(),
            "{table}"
        );
    }
    let pattern = |grammar| {
        lab.rows("both", "abstracting.csv", &[("grammar", grammar), ("bug", "two-zero")])[0]["pattern"]
            .clone()
    };
    assert_ne!(pattern("plain"), pattern("tailored"));

    // What was executed with one grammar is not executed again with the other.
    let runs = |results: &str| -> u64 {
        lab.rows(results, "timings.csv", &[]).iter().map(|row| row["runs"].parse::<u64>().unwrap()).sum()
    };
    let asked: u64 = lab
        .rows("both", "timings.csv", &[])
        .iter()
        .map(|row| row["executions"].parse::<u64>().unwrap())
        .sum();
    assert!(runs("both") < asked);

    // The grammars are a part of what a campaign is: its store takes no results of others.
    let refused =
        lab.run(&lab.own_config(&["two-*"], &format!("grammars = [\"tailored\"]\n{SMALL}")), "plain", &[]);
    assert!(refused.expect(2).stderr.contains("the list of grammars of `two`"));
}

#[test]
fn grammars_are_chosen_for_a_bug_and_on_the_command_line() {
    let lab = Lab::new();
    add_subject(&lab);
    let mut text = std::fs::read_to_string(lab.own_config(&[], SMALL)).unwrap();
    text =
        text.replace("bugs = []", "bugs = [{ name = \"two-*\", grammars = [\"tailored\"] }, \"one-zero\"]");
    lab.write("config.toml", &text);
    let config = lab.path("config.toml");
    let list = |more: &[&str]| lab.run(&config, "results", &[&["--list"], more].concat());
    let names = list(&[]).expect(0).stdout;
    assert!(names.contains("two-zero@tailored/check") && names.contains("one-zero/check"), "{names}");
    assert!(!names.contains("two-zero/check"), "{names}");
    let names = list(&["--grammar", "plain", "--grammar", "default"]).expect(0).stdout;
    assert!(names.contains("two-zero/check") && names.contains("one-zero/check"), "{names}");
    let error = list(&["--grammar", "plian"]).expect(2).stderr;
    assert!(error.contains("no bug that takes part has a grammar called `plian`"), "{error}");
    assert!(error.contains("did you mean `plain`?"), "{error}");
    let error = list(&["--grammar", "plain"]).expect(2).stderr;
    assert!(error.contains("`one-zero` has none of these grammars"), "{error}");
}

#[test]
fn a_grammar_that_does_not_derive_the_input_is_unfit_and_no_other_is() {
    let lab = Lab::new();
    add_subject(&lab);
    lab.write("subjects/two/zeros.ebnf", "<start> ::= [1-9]+\n");
    let both = lab.own_config(&["two-*"], &format!("grammars = [\"plain\", \"tailored\"]\n{SMALL}"));
    for jobs in ["1", "2"] {
        lab.run(&both, jobs, &["--jobs", jobs]).expect(4);
        let unfit = lab.rows(jobs, "errors.csv", &[("kind", "unfit")]);
        assert_eq!((unfit.len(), unfit[0]["grammar"].as_str()), (1, "tailored"), "{unfit:?}");
        let row = |grammar| {
            lab.rows(jobs, "producing.csv", &[("bug", "two-zero"), ("grammar", grammar)])[0].clone()
        };
        assert_eq!(row("plain")["error"], "");
        assert!(
            row("tailored")["error"].starts_with("F: unfit: ")
                || row("tailored")["error"].starts_with("unfit: ")
        );
    }
    assert_eq!(lab.tables("1"), lab.tables("2"));
}

#[test]
fn a_subject_names_the_start_symbol_of_a_grammar_that_begins_with_another_rule() {
    let lab = Lab::new();
    lab.add_script_subject("two", ZERO_FAILS);
    lab.write("subjects/two/late.ebnf", "<digit> ::= [0-9]\n<list> ::= <digit>+\n");
    let manifest = "subjects/two/subject.toml";
    lab.edit(manifest, "grammar = \"digits.ebnf\"", "grammar = \"late.ebnf\"");
    let config = lab.own_config(&["two-*"], SMALL);
    lab.run(&config, "first", &[]).expect(4);
    let unfit = &lab.rows("first", "errors.csv", &[("kind", "unfit")])[0];
    assert!(unfit["detail"].contains("expected end of the input"), "{unfit:?}");

    lab.edit(manifest, "\"late.ebnf\"", "\"late.ebnf\"\nstart = \"<lsit>\"");
    lab.run(&config, "wrong", &[]).expect(4);
    let wrong = &lab.rows("wrong", "errors.csv", &[])[0];
    for told in ["the grammar has no nonterminal `<lsit>`", "did you mean `<list>`?", "late.ebnf`"] {
        assert!(wrong["detail"].contains(told), "{wrong:?}");
    }

    lab.edit(manifest, "<lsit>", "list");
    lab.run(&config, "started", &[]).expect(0);
    assert_eq!(lab.rows("started", "errors.csv", &[("kind", "unfit")]), []);
    assert!(!lab.rows("started", "producing.csv", &[("error", "")]).is_empty());

    // It is a part of what a campaign is.
    lab.edit(manifest, "start = \"list\"", "start = \"digit\"");
    let refused = lab.run(&config, "started", &[]).expect(2).stderr;
    assert!(refused.contains("the grammar `default` of `two`"), "{refused}");

    lab.edit(manifest, "grammar = \"late.ebnf\"", "grammars = [{ name = \"late\", file = \"late.ebnf\" }]");
    let both = lab.run(&config, "both", &[]).expect(2).stderr;
    assert!(both.contains("`start` and `grammars` cannot both be given"), "{both}");
}

#[test]
fn the_papers_grammars_are_read_with_rules_as_lists_and_as_plain_strings() {
    let lab = Lab::new();
    add_subject(&lab);
    let grammars = "grammars = [{ name = \"plain\", file = \"digits.ebnf\" }, { name = \"paper\", file = \"paper.json\" }]";
    let manifest = std::fs::read_to_string(lab.path("subjects/two/subject.toml")).unwrap();
    let line = manifest.lines().find(|line| line.starts_with("grammars")).unwrap().to_owned();
    lab.edit("subjects/two/subject.toml", &line, grammars);
    let config = lab.own_config(&["two-*"], &format!("grammars = [\"paper\"]\n{SMALL}"));
    for (results, rules) in [
        (
            "lists",
            r#"{"<start>": [["<digits>"]], "<digits>": [["<digit>"], ["<digit>", "<digits>"]], "<digit>": [["0"], ["1"], ["2"]]}"#,
        ),
        (
            "strings",
            r#"{"<start>": ["<digits>"], "<digits>": ["<digit>", "<digit><digits>"], "<digit>": ["0", "1", "2"]}"#,
        ),
        (
            "mixed",
            r#"{"<start>": [["<digits>"]], "<digits>": ["<digit>", ["<digit>", "<digits>"]], "<digit>": ["0", "1", "2"]}"#,
        ),
    ] {
        lab.write("subjects/two/paper.json", rules);
        lab.run(&config, results, &[]).expect(0);
    }
    let of = |results| lab.rows(results, "producing.csv", &[("grammar", "paper")]);
    assert_eq!(of("lists"), of("strings"));
    assert_eq!(of("lists"), of("mixed"));
    assert_eq!(of("lists")[0]["fail_inputs"], "10");
}

#[test]
fn where_no_input_has_only_such_parses_those_with_some_are_measured_and_that_is_said() {
    let lab = Lab::new();
    lab.add_script_subject("two", ZERO_FAILS);
    lab.write(
        "subjects/two/digits.ebnf",
        "<start> ::= <digit>+\n<digit> ::= <zero> | <any>\n<zero> ::= \"0\"\n<any> ::= [0-9]\n",
    );
    let config = lab.own_config(&[], SMALL);
    let run = lab.run(&config, "every", &[]).expect(0);
    let row = &lab.rows("every", "producing.csv", &[("bug", "two-zero")])[0];
    assert_eq!(
        (&*row["fail_parses"], &*row["fail_inputs"], &*row["fail_failed"]),
        ("some", "10", "10"),
        "{row:?}"
    );
    assert!(run.stdout.contains("inputs of which some parse, not every, satisfies F"), "{}", run.stdout);
    let warned = |results| {
        let warnings = lab.rows(results, "errors.csv", &[("kind", "warning")]);
        warnings.iter().filter(|row| row["detail"].contains("every parse satisfies F")).count()
    };
    assert_eq!(warned("every"), 1);
    let config = lab.own_config(&[], &SMALL.replace("[produce]", "[produce]\nparses = \"some\""));
    lab.run(&config, "every", &[]).expect(2);
    lab.run(&config, "some", &[]).expect(0);
    let row = &lab.rows("some", "producing.csv", &[("bug", "two-zero")])[0];
    assert_eq!((&*row["fail_parses"], &*row["pass_parses"], &*row["fail_inputs"]), ("some", "some", "10"));
    assert_eq!(warned("some"), 0);
}
