//! Comparisons of made-up runs, in which something is planted: an accuracy, executions, an expression, an error, or nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::slice::from_ref;

use super::settings::Patterns;
use super::*;
use crate::base::random_stream::RandomStream;
use crate::report::provenance::{Part, tests::sample};
use crate::stage::tables;

/// A run: how many of 100 inputs each bug has right, and what else its rows say.
#[derive(Clone)]
struct Made {
    seed: u64,
    /// For each bug the hits of each repetition.
    hits: Vec<Vec<u64>>,
    executions: Vec<Vec<u64>>,
    expression: &'static str,
    error: &'static str,
    /// How many of 100 inputs of not F pass.
    passed: u64,
}

impl Made {
    fn of(seed: u64, hits: &[u64]) -> Self {
        Self {
            seed,
            hits: hits.iter().map(|&hits| vec![hits]).collect(),
            executions: vec![vec![100]; hits.len()],
            expression: "<start F>",
            error: "",
            passed: 100,
        }
    }

    /// Writes its tables, and reads them as those of a run.
    fn run(&self, folder: &Path) -> Measured {
        fs::create_dir_all(folder).unwrap();
        let header = |file: &str| {
            let table = tables::all().into_iter().find(|table| table.file == file).unwrap();
            let mut columns = table.compared.unwrap().needs();
            columns.extend(["repetition", "seed", "error", "version"]);
            columns
        };
        let write = |file: &str, value: &dyn Fn(usize, usize, &str) -> String| {
            let columns = header(file);
            let mut text = columns.join(",") + "\n";
            for (bug, repetitions) in self.hits.iter().enumerate() {
                for repetition in 0..repetitions.len() {
                    let cell = |column: &&str| match *column {
                        "bug" | "subject" => format!("bug-{bug}"),
                        "repetition" => (repetition + 1).to_string(),
                        "seed" => self.seed.to_string(),
                        "expression" => self.expression.to_owned(),
                        "error" if bug == 0 => self.error.to_owned(),
                        "error" | "version" => String::new(),
                        column => value(bug, repetition, column),
                    };
                    let cells: Vec<String> = columns.iter().map(cell).collect();
                    text += &(cells.join(",") + "\n");
                }
            }
            fs::write(folder.join(file), text).unwrap();
        };
        write("producing.csv", &|bug, repetition, column| match column {
            "fail_inputs" | "pass_inputs" => "100".into(),
            "pass_passed" => self.passed.to_string(),
            "fail_failed" => self.hits[bug][repetition].to_string(),
            "fail_unresolved" | "pass_unresolved" | "fail_timeout" | "pass_timeout" => "0".into(),
            _ => "every".into(),
        });
        write("abstracting.csv", &|bug, repetition, column| match column {
            "executions" => self.executions[bug][repetition].to_string(),
            column if column.contains("executions") => "10".into(),
            "visible_nonterminals" | "invisible_nonterminals" | "remaining_chars" => "1".into(),
            _ => "text".into(),
        });
        Measured::read(folder).unwrap()
    }
}

/// What comparing these runs comes to.
fn compared(before: &[Made], after: &Made, settings: &CompareSettings) -> Comparison {
    let folder = tempfile::tempdir().unwrap();
    let place = |number: usize| -> PathBuf { folder.path().join(number.to_string()) };
    let before: Vec<Measured> =
        before.iter().enumerate().map(|(number, made)| made.run(&place(number))).collect();
    compare(&before, &after.run(&place(before.len())), settings, false).unwrap()
}

/// What got worse: table, row, figure.
fn worse(comparison: &Comparison) -> Vec<String> {
    comparison.of(Outcome::Worse).map(|one| format!("{} {} {}", one.table, one.row, one.figure)).collect()
}

#[test]
fn a_run_is_as_good_as_itself() {
    let made = Made::of(1, &[100, 92, 75]);
    let comparison = compared(from_ref(&made), &made, &CompareSettings::default());
    assert!(!comparison.is_regression());
    assert_eq!(comparison.tests, 0);
    assert!(comparison.differences.iter().all(|one| one.outcome == Outcome::Same), "{comparison:?}");
}

#[test]
fn a_drop_at_the_same_seed_is_found_and_a_rise_is_better() {
    let settings = CompareSettings::default();
    let (high, low) = (Made::of(1, &[100, 92, 75]), Made::of(1, &[90, 92, 75]));
    let comparison = compared(from_ref(&high), &low, &settings);
    assert_eq!(worse(&comparison), ["producing bug-0 fail"]);
    let found = comparison.of(Outcome::Worse).next().unwrap();
    assert_eq!((&*found.before, &*found.after), ("100/100 (100.0 %)", "90/100 (90.0 %)"));
    assert!(found.p_adjusted.unwrap() < 0.001 && found.p == found.p_adjusted, "{found:?}");
    // What was and what is has the same numbers for both, and they are two accuracies.
    let both = Made { passed: 90, ..low.clone() };
    let found = worse(&compared(from_ref(&high), &both, &settings));
    assert_eq!(found[..2], ["producing bug-0 fail", "producing bug-0 pass"]);
    let comparison = compared(&[low], &high, &settings);
    assert_eq!(worse(&comparison), [] as [&str; 0]);
    assert_eq!(comparison.of(Outcome::Better).count(), 1);
}

#[test]
fn executions_are_compared_as_such_and_by_ranks() {
    let settings = CompareSettings::default();
    let with = |seed, executions: Vec<Vec<u64>>| {
        let hits = vec![vec![100; executions[0].len()]; executions.len()];
        Made { hits, executions, ..Made::of(seed, &[]) }
    };
    let one = with(1, vec![vec![100], vec![200]]);
    assert_eq!(
        worse(&compared(from_ref(&one), &with(1, vec![vec![109], vec![200]]), &settings)),
        [] as [&str; 0]
    );
    let more = with(1, vec![vec![100], vec![240]]);
    assert_eq!(worse(&compared(from_ref(&one), &more, &settings)), ["abstracting bug-1 executions"]);
    // With another seed a quarter more may be chance, and twice as much is not.
    let more = with(2, vec![vec![100], vec![240]]);
    assert_eq!(worse(&compared(from_ref(&one), &more, &settings)), [] as [&str; 0]);
    let twice = with(2, vec![vec![100], vec![400]]);
    assert_eq!(worse(&compared(&[one], &twice, &settings)), ["abstracting bug-1 executions"]);
    // A little more in all rows is no chance either.
    let (few, all) = (with(1, vec![vec![100]; 6]), with(2, vec![vec![120]; 6]));
    assert_eq!(worse(&compared(&[few], &all, &settings)), ["abstracting all 6 rows executions"]);
    let repeated = |from: u64| with(from, vec![(from..from + 8).collect()]);
    let comparison = compared(&[repeated(100)], &repeated(150), &settings);
    assert_eq!(worse(&comparison), ["abstracting bug-0 executions"]);
    assert_eq!(comparison.of(Outcome::Worse).next().unwrap().a12, Some(1.0));
    assert!(!compared(&[repeated(100)], &repeated(103), &settings).is_regression());
}

#[test]
fn another_expression_is_shown_and_no_regression_unless_the_settings_say_so() {
    let made = Made::of(1, &[100]);
    let other = Made { expression: "<other F>", ..made.clone() };
    let comparison = compared(from_ref(&made), &other, &CompareSettings::default());
    assert!(!comparison.is_regression());
    let changed = comparison.of(Outcome::Changed).find(|one| one.figure == "expression").unwrap();
    assert_eq!((&*changed.before, &*changed.after), ("<start F>", "<other F>"));
    let strict = CompareSettings { patterns: Patterns::Regression, ..CompareSettings::default() };
    assert_eq!(worse(&compared(&[made], &other, &strict)), ["abstracting bug-0 expression"]);
}

#[test]
fn the_text_fits_a_screen() {
    let made = Made::of(1, &[100, 92, 75]);
    let long = "some <expression that says it with many words> & !(<another one> before it) | not <this>";
    let other = Made {
        expression: long,
        hits: Made::of(1, &[10, 92, 75]).hits,
        error: "a message that tells at great length what is broken and what may have to be done about it now",
        ..made.clone()
    };
    for comparison in [
        compared(from_ref(&made), &other, &CompareSettings::default()),
        compared(&[other], &made, &CompareSettings::default()),
    ] {
        let text = text::text(&comparison);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.contains("bug-0"), "{text}");
    }
}

#[test]
fn an_error_is_a_regression_and_rows_that_come_and_go_are_shown() {
    let settings = CompareSettings::default();
    let made = Made::of(1, &[100, 100]);
    let failed = Made { error: "the oracle is broken", ..made.clone() };
    let found = worse(&compared(from_ref(&made), &failed, &settings));
    assert_eq!(found, ["abstracting bug-0 error", "producing bug-0 error"]);
    assert!(!compared(from_ref(&failed), &failed, &settings).is_regression());
    let fewer = compared(from_ref(&made), &Made::of(1, &[100]), &settings);
    assert_eq!((fewer.is_regression(), fewer.of(Outcome::Missing).count()), (false, 2));
    assert_eq!(compared(&[Made::of(1, &[100])], &made, &settings).of(Outcome::New).count(), 2);
}

#[test]
fn other_settings_and_subjects_are_refused_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, digest: &str| {
        let mut run = Made::of(1, &[100]).run(&folder.path().join(name));
        let mut provenance = sample();
        provenance.depends_on =
            vec![Part { bug: None, what: "`produce.inputs`".into(), digest: digest.into() }];
        run.provenance = Some(provenance);
        run
    };
    let (one, other) = (run("one", "100"), run("other", "200"));
    let settings = CompareSettings::default();
    let refused = compare(from_ref(&one), &other, &settings, false).unwrap_err();
    assert_eq!(refused.0, ["`produce.inputs`"]);
    let forced = compare(from_ref(&one), &other, &settings, true).unwrap();
    assert!(forced.notes[0].contains("differ in `produce.inputs`"), "{:?}", forced.notes);
    assert!(compare(from_ref(&one), &one, &settings, false).is_ok());
}

/// How many of 100 inputs fail if each does so with this probability.
fn drawn(stream: &mut RandomStream, percent: u64) -> u64 {
    (0..100).filter(|_| (stream.below(100) as u64) < percent).count() as u64
}

/// A run whose bugs have these shares.
fn drawn_run(stream: &mut RandomStream, seed: u64, percents: &[u64]) -> Made {
    Made::of(seed, &percents.iter().map(|&percent| drawn(stream, percent)).collect::<Vec<_>>())
}

/// The shares of a campaign: most at 100 %, some not.
const SHARES: [u64; 10] = [100, 100, 100, 100, 99, 98, 95, 90, 75, 50];

/// The rates that docs/methodology.md tells. The streams are fixed, so the counts are always the same.
#[test]
fn hardly_ever_is_there_a_false_alarm_and_a_drop_of_ten_points_is_found() {
    let settings = CompareSettings::default();
    let mut stream = RandomStream::derive(1, "compare");
    let alarms = (0..200)
        .filter(|_| {
            let before = drawn_run(&mut stream, 1, &SHARES);
            compared(&[before], &drawn_run(&mut stream, 2, &SHARES), &settings).is_regression()
        })
        .count();
    assert!(alarms <= 10, "{alarms} of 200 comparisons are false alarms");

    let mut planted = SHARES;
    planted[0] = 90;
    let is_found = |comparison: &Comparison| worse(comparison).contains(&"producing bug-0 fail".to_owned());
    let found = (0..100)
        .filter(|_| {
            let before = drawn_run(&mut stream, 1, &SHARES);
            // At the same seed nothing but the planted figure differs.
            let after = Made {
                hits: [vec![vec![drawn(&mut stream, 90)]], before.hits[1..].to_vec()].concat(),
                ..before.clone()
            };
            is_found(&compared(&[before], &after, &settings))
        })
        .count();
    assert!(found >= 90, "at the same seed {found} of 100 are found");
    let found = (0..60)
        .filter(|_| {
            let before: Vec<Made> = (1..=5).map(|seed| drawn_run(&mut stream, seed, &SHARES)).collect();
            is_found(&compared(&before, &drawn_run(&mut stream, 6, &planted), &settings))
        })
        .count();
    assert!(found >= 54, "with five runs before, {found} of 60 are found");
}
