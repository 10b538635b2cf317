//! The figures of what is learned, in docs/results-learning.md and README.md, are those of the reference results: a line for each bug, and the sums.
//!
//! `SESSIONS=overwrite cargo test learned_figures` writes them anew.

use std::collections::BTreeMap;

use super::subject_figures::{Row, SOURCES, check, latest};

/// The head of a table of what is learned.
fn head_of_learned(bugs: &str) -> String {
    let columns = "generalizer | executions | failing, accepted: random | planted | neighbours | corpus | passing, rejected";
    format!("| {bugs} | {columns} |\n|---|---|---|---|---|---|---|---|\n")
}

/// What a generalizer made of a bug, or of several.
#[derive(Clone, Copy, Default)]
struct Learned {
    bugs: usize,
    executions: u64,
    /// Of each source but the first, the failing inputs that are accepted, and all of them.
    accepted: [[u64; 2]; SOURCES.len() - 1],
    /// The passing inputs that are rejected, and all of them.
    rejected: [u64; 2],
}

impl Learned {
    fn add(&mut self, other: &Self) {
        self.bugs += other.bugs;
        self.executions += other.executions;
        let sums = self.accepted.iter_mut().flatten().chain(&mut self.rejected);
        sums.zip(other.accepted.iter().flatten().chain(&other.rejected))
            .for_each(|(sum, number)| *sum += number);
    }

    /// The cells of a row, with what each part of all is written as.
    fn cells(&self, part: impl Fn(&[u64; 2]) -> String) -> String {
        let parts: Vec<_> = self.accepted.iter().chain([&self.rejected]).map(part).collect();
        format!("{} | {}", self.executions, parts.join(" | "))
    }
}

fn part([hits, all]: &[u64; 2]) -> String {
    format!("{hits}/{all}")
}

fn part_and_share(of: &[u64; 2]) -> String {
    let [hits, all] = of.map(|number| number as f64);
    if of[1] == 0 { "-".to_owned() } else { format!("{} ({:.1} %)", part(of), 100.0 * hits / all) }
}

/// Each bug of a campaign with each generalizer, and what that made of it.
fn learned(campaign: &str) -> Vec<(String, String, Learned)> {
    let recognized = latest(campaign, "recognizing.csv");
    let of = |found: &Row| {
        let is_same = |row: &&Row| row["bug"] == found["bug"] && row["generalizer"] == found["generalizer"];
        let number = |row: &Row, column: &str| row[column].parse::<u64>().unwrap_or(0);
        let mut of = Learned { bugs: 1, executions: number(found, "executions"), ..Learned::default() };
        for row in recognized.iter().filter(is_same).filter(|row| row["source"] != SOURCES[0]) {
            let place = SOURCES[1..].iter().position(|source| *source == row["source"]).unwrap();
            of.accepted[place] = ["fail_accepted", "fail_inputs"].map(|column| number(row, column));
            for (sum, column) in of.rejected.iter_mut().zip(["pass_rejected", "pass_inputs"]) {
                *sum += number(row, column);
            }
        }
        (found["bug"].clone(), found["generalizer"].clone(), of)
    };
    latest(campaign, "abstracting.csv").iter().map(of).collect()
}

/// The sums of the bugs whose names begin so, of each generalizer.
fn sums_of_learned(campaign: &str, prefix: &str) -> BTreeMap<String, Learned> {
    let mut sums: BTreeMap<String, Learned> = BTreeMap::new();
    for (_, generalizer, of) in learned(campaign).iter().filter(|(bug, _, _)| bug.starts_with(prefix)) {
        sums.entry(generalizer.clone()).or_default().add(of);
    }
    sums
}

/// Its lines: each bug with one pattern and with what was learned, and the sums.
fn lines_of_learned(campaign: &str) -> String {
    let mut lines = String::new();
    for (bug, generalizer, of) in learned(campaign) {
        lines += &format!("| {bug} | {generalizer} | {} |\n", of.cells(part));
    }
    for (generalizer, sum) in sums_of_learned(campaign, "") {
        lines += &format!("| **all** | {generalizer} | {} |\n", sum.cells(part));
    }
    lines
}

/// The head of the overview of all that is learned.
const OVERVIEW_HEAD: &str = "| bugs | number | executions | failing, accepted: random | planted | neighbours | corpus | passing, rejected |\n\
                             |---|---|---|---|---|---|---|---|\n";

/// The campaigns in it, as they are called there.
const OVERVIEW: [(&str, &str); 10] = [
    ("learn", "built in, find, grep, Lua"),
    ("learn-jvm-clojure", "Clojure"),
    ("learn-jvm-rhino", "Rhino"),
    ("learn-grammars-v4", "grammars of others, first set"),
    ("learn-grammars-v4-second", "second set"),
    ("learn-grammars-v4-third-unseen", "third set, unseen"),
    ("learn-grammars-v4-third", "third set"),
    ("learn-grammars-v4-fourth-unseen", "fourth set, unseen"),
    ("learn-grammars-v4-fourth", "fourth set"),
    ("learn-grammars-v4-fifth-unseen", "fifth set, unseen"),
];

/// Its lines: the sums of each campaign.
fn lines_of_overview() -> String {
    let line = |(campaign, bugs): (&str, &str)| {
        let sum = sums_of_learned(campaign, "")["learn"];
        format!("| {bugs} | {} | {} |\n", sum.bugs, sum.cells(part_and_share))
    };
    OVERVIEW.into_iter().map(line).collect()
}

/// The head of the table in README.md.
const README_HEAD: &str = "| find's four bugs | executions | failing, accepted: random | planted | neighbours | corpus | passing, rejected |\n\
                           |---|---|---|---|---|---|---|\n";

/// Its lines: the sums of find's bugs, of each generalizer.
fn lines_of_readme() -> String {
    let sums = sums_of_learned("learn", "find-").into_iter();
    sums.map(|(generalizer, sum)| format!("| `{generalizer}` | {} |\n", sum.cells(part_and_share))).collect()
}

/// The tables of what is learned beside that of `learn`: the campaign of each, how many bugs it has, and how the table calls them.
const LEARNED: [(&str, usize, &str); 9] = [
    ("learn-jvm-clojure", 6, "bug of Clojure"),
    ("learn-jvm-rhino", 2, "bug of Rhino"),
    ("learn-grammars-v4", 14, "bug of another program"),
    ("learn-grammars-v4-second", 7, "bug of the second set"),
    ("learn-grammars-v4-third-unseen", 7, "bug of the third set, unseen"),
    ("learn-grammars-v4-third", 7, "bug of the third set"),
    ("learn-grammars-v4-fourth-unseen", 7, "bug of the fourth set, unseen"),
    ("learn-grammars-v4-fourth", 7, "bug of the fourth set"),
    ("learn-grammars-v4-fifth-unseen", 7, "bug of the fifth set, unseen"),
];

#[test]
fn the_results_of_learning_are_those_of_the_reference() {
    let expected = lines_of_learned("learn");
    assert!(expected.lines().count() > 20, "each bug with both generalizers");
    check("docs/results-learning.md", &head_of_learned("bug"), &expected);
}

#[test]
fn the_overview_of_learning_is_that_of_the_reference() {
    check("docs/results-learning.md", OVERVIEW_HEAD, &lines_of_overview());
    let expected = lines_of_readme();
    assert_eq!(expected.lines().count(), 2, "both generalizers");
    check("README.md", README_HEAD, &expected);
}

#[test]
fn the_results_of_learning_with_other_programs_are_those_of_the_reference() {
    for (campaign, number, bugs) in LEARNED {
        let expected = lines_of_learned(campaign);
        assert_eq!(expected.lines().count(), number + 1, "each bug, and sums");
        check("docs/results-learning.md", &head_of_learned(bugs), &expected);
    }
}
