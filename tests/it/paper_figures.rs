//! The figures beside the papers' in docs/results.md are those of the reference results: a line for each of the 22 bugs, and the sums.
//!
//! `SESSIONS=overwrite cargo test paper_figures` writes them anew.

use super::subject_figures::{Row, check, latest, number};

const ABSTRACTING_HEAD: &str =
    "| bug | abstract input, compact | chars left (paper) | executions (paper) |\n|---|---|---|---|\n";

const MEASURED_HEAD: &str = "| bug | F: failed | not F: passed | unresolved | failing, accepted: seen (paper) | random | planted | neighbours | corpus | passing, rejected: seen | held-out | instances: valid | failing (paper) |\n\
                             |---|---|---|---|---|---|---|---|---|---|---|---|---|\n";

const HELD_OUT: [&str; 4] = ["random", "planted", "neighbours", "corpus"];

fn sum(rows: &[Row], column: &str) -> u64 {
    rows.iter().map(|row| number(row, column)).sum()
}

/// Abstract inputs, and what they took.
fn lines_of_abstracting() -> String {
    let rows = latest("paper", "abstracting.csv");
    let line = |row: &Row| {
        let compact = row["compact"].replace('|', "\\|");
        let beside = |column: &str| format!("{} ({})", row[column], row[&format!("paper_{column}")]);
        format!(
            "| {} | `{compact}` | {} | {} |\n",
            row["bug"],
            beside("remaining_chars"),
            beside("executions")
        )
    };
    let beside =
        |column: &str| format!("{} ({})", sum(&rows, column), sum(&rows, &format!("paper_{column}")));
    let all = format!("| **all** | | {} | {} |\n", beside("remaining_chars"), beside("executions"));
    rows.iter().map(line).chain([all]).collect()
}

/// `hits` of `all` of some rows.
fn of(rows: &[Row], hits: &str, all: &str) -> String {
    format!("{}/{}", sum(rows, hits), sum(rows, all))
}

/// What some bugs come to, but for the papers' figures.
fn measured(produced: &[Row], recognized: &[Row], made: &[Row], papers: [String; 2]) -> String {
    let from = |sources: &[&str]| -> Vec<Row> {
        recognized.iter().filter(|row| sources.contains(&row["source"].as_str())).cloned().collect()
    };
    let accepted = |sources: &[&str]| of(&from(sources), "fail_accepted", "fail_inputs");
    let rejected = |sources: &[&str]| of(&from(sources), "pass_rejected", "pass_inputs");
    let [seen_in_paper, failing_in_paper] = papers;
    [
        of(produced, "fail_failed", "fail_inputs"),
        of(produced, "pass_passed", "pass_inputs"),
        format!("{} + {}", sum(produced, "fail_unresolved"), sum(produced, "pass_unresolved")),
        accepted(&["seen"]) + &seen_in_paper,
        HELD_OUT.map(|source| accepted(&[source])).join(" | "),
        rejected(&["seen"]),
        rejected(&HELD_OUT),
        of(made, "instances_valid", "instances_inputs"),
        of(made, "valid_failed", "valid_inputs") + &failing_in_paper,
    ]
    .join(" | ")
}

/// What F and not F produce and accept, and instances of the abstract inputs.
fn lines_of_measured() -> String {
    let [produced, recognized, made] =
        ["producing.csv", "recognizing.csv", "instantiating.csv"].map(|table| {
            let mut rows = latest("paper", table);
            // The producer and the transformer of the papers.
            rows.retain(|row| ["limit", ""].contains(&row.get("producer").map_or("", String::as_str)));
            rows
        });
    let mut lines = String::new();
    for bug in &made {
        let [produced, recognized, made] = [&produced, &recognized, &made].map(|rows| -> Vec<Row> {
            rows.iter().filter(|row| row["bug"] == bug["bug"]).cloned().collect()
        });
        assert_eq!((produced.len(), recognized.len(), made.len()), (1, 5, 1), "{bug:?}");
        let seen = recognized.iter().find(|row| row["source"] == "seen").unwrap();
        let papers = [
            format!(" ({} %)", seen["paper_fail_pct"]),
            format!(" ({} %, {} %)", bug["paper_valid_pct"], bug["paper_fail_pct"]),
        ];
        lines += &format!("| {} | {} |\n", bug["bug"], measured(&produced, &recognized, &made, papers));
    }
    lines + &format!("| **all** | {} |\n", measured(&produced, &recognized, &made, Default::default()))
}

#[test]
fn the_abstract_inputs_beside_the_papers_are_those_of_the_reference() {
    let expected = lines_of_abstracting();
    assert_eq!(expected.lines().count(), 22 + 1, "each bug, and all");
    check("docs/results.md", ABSTRACTING_HEAD, &expected);
}

#[test]
fn the_figures_beside_the_papers_are_those_of_the_reference() {
    let expected = lines_of_measured();
    assert_eq!(expected.lines().count(), 22 + 1, "each bug, and all");
    check("docs/results.md", MEASURED_HEAD, &expected);
}
