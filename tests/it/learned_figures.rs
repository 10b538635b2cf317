//! The figures of what is learned, in docs/results-learning.md and README.md, are those of the reference results: a line for each bug, and the sums.
//!
//! `SESSIONS=overwrite cargo test learned_figures` writes them anew.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use grambench::base::diagnostic::Source;
use grambench::grammar::format;
use grambench::pattern::read_expression;
use grambench::subject::catalogue::Catalogue;

use super::subject_figures::{Row, SOURCES, check, latest};

/// A campaign whose bugs are learned.
struct Campaign {
    /// The folder of its reference results.
    folder: &'static str,
    /// What the names of its bugs begin with: one folder may have those of several programs.
    prefix: &'static str,
    bugs: usize,
    /// What its bugs are called in the overview, and each of them in the table.
    names: [&'static str; 2],
}

const fn campaign(folder: &'static str, bugs: usize, names: [&'static str; 2]) -> Campaign {
    part_of_campaign(folder, "", bugs, names)
}

const fn part_of_campaign(
    folder: &'static str,
    prefix: &'static str,
    bugs: usize,
    names: [&'static str; 2],
) -> Campaign {
    Campaign { folder, prefix, bugs, names }
}

/// All of them.
const CAMPAIGNS: &[Campaign] = &[
    campaign("learn", 16, ["built in, find, grep, Lua", "bug"]),
    campaign("learn-seed-2", 16, ["the same with seed 2", "bug, with seed 2"]),
    campaign(
        "learn-independent-unseen",
        7,
        [
            "find and grep with grammars that nothing was made with, unseen, three runs of each",
            "bug with the grammar `independent`, unseen, and run",
        ],
    ),
    campaign(
        "learn-independent",
        7,
        [
            "find and grep with grammars that nothing was made with, three runs of each",
            "bug with the grammar `independent`, and run",
        ],
    ),
    part_of_campaign("learn-jvm", "clojure-", 6, ["Clojure", "bug of Clojure"]),
    part_of_campaign("learn-jvm", "rhino-", 2, ["Rhino", "bug of Rhino"]),
    campaign("learn-jvm-closure", 6, ["Closure Compiler", "bug of the Closure Compiler"]),
    campaign("learn-grammars-v4", 14, ["grammars of others, first set", "bug of another program"]),
    campaign("learn-grammars-v4-second", 7, ["second set", "bug of the second set"]),
    campaign("learn-grammars-v4-third-unseen", 7, ["third set, unseen", "bug of the third set, unseen"]),
    campaign("learn-grammars-v4-third", 7, ["third set", "bug of the third set"]),
    campaign("learn-grammars-v4-fourth-unseen", 7, ["fourth set, unseen", "bug of the fourth set, unseen"]),
    campaign("learn-grammars-v4-fourth", 7, ["fourth set", "bug of the fourth set"]),
    campaign("learn-grammars-v4-fifth-unseen", 7, ["fifth set, unseen", "bug of the fifth set, unseen"]),
    campaign("learn-grammars-v4-fifth", 7, ["fifth set", "bug of the fifth set"]),
    campaign("learn-grammars-v4-sixth-unseen", 7, ["sixth set, unseen", "bug of the sixth set, unseen"]),
    campaign("learn-grammars-v4-sixth", 7, ["sixth set", "bug of the sixth set"]),
    campaign(
        "learn-grammars-v4-sixth-three",
        7,
        ["the same, three runs of each", "bug of the sixth set, and run"],
    ),
    campaign(
        "learn-grammars-v4-sixth-10000",
        7,
        ["the same with 10,000 executions", "bug of the sixth set, with 10,000 executions"],
    ),
];

/// The bugs of the papers: of campaigns those whose names begin so.
const OF_PAPERS: &[[&str; 2]] = &[
    ["learn", "find-"],
    ["learn", "grep-"],
    ["learn", "lua-"],
    ["learn-jvm", "clojure-"],
    ["learn-jvm", "rhino-"],
    ["learn-jvm-closure", "closure-"],
];

/// The head of a table whose first columns are these.
fn head(first: &[&str]) -> String {
    let rest =
        ["executions", "failing, accepted: random", "planted", "neighbours", "corpus", "passing, rejected"];
    let columns = [first, &rest].concat();
    format!("| {} |\n|{}\n", columns.join(" | "), "---|".repeat(columns.len()))
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

/// Each bug of a campaign with each generalizer, and what that made of it; each repetition by itself, where there are several.
fn learned(campaign: &str) -> Vec<(String, String, Learned)> {
    let recognized = latest(campaign, "recognizing.csv");
    let abstracted = latest(campaign, "abstracting.csv");
    let is_repeated = abstracted.iter().any(|row| row["repetition"] != "1");
    let of = |found: &Row| {
        let is_same = |row: &&Row| {
            ["bug", "repetition", "generalizer"].iter().all(|&column| row[column] == found[column])
        };
        let number = |row: &Row, column: &str| row[column].parse::<u64>().unwrap_or(0);
        // A bug is counted in its first repetition.
        let bugs = usize::from(found["repetition"] == "1");
        let mut of = Learned { bugs, executions: number(found, "executions"), ..Learned::default() };
        for row in recognized.iter().filter(is_same).filter(|row| row["source"] != SOURCES[0]) {
            let place = SOURCES[1..].iter().position(|source| *source == row["source"]).unwrap();
            of.accepted[place] = ["fail_accepted", "fail_inputs"].map(|column| number(row, column));
            for (sum, column) in of.rejected.iter_mut().zip(["pass_rejected", "pass_inputs"]) {
                *sum += number(row, column);
            }
        }
        // It would be in the table as if there were nothing to accept.
        assert_eq!(found["error"], "", "{found:?}");
        let bug = match is_repeated {
            true => format!("{}, {}", found["bug"], found["repetition"]),
            false => found["bug"].clone(),
        };
        (bug, found["generalizer"].clone(), of)
    };
    abstracted.iter().map(of).collect()
}

/// The sums of the bugs whose names begin so, of each generalizer.
fn sums_of_learned(campaign: &str, prefix: &str) -> BTreeMap<String, Learned> {
    let mut sums: BTreeMap<String, Learned> = BTreeMap::new();
    for (_, generalizer, of) in learned(campaign).iter().filter(|(bug, _, _)| bug.starts_with(prefix)) {
        sums.entry(generalizer.clone()).or_default().add(of);
    }
    sums
}

/// The lines of the table of a campaign: each bug with each generalizer, and the sums.
fn lines_of_learned(Campaign { folder, prefix, .. }: &Campaign) -> String {
    let mut lines = String::new();
    for (bug, generalizer, of) in learned(folder).iter().filter(|(bug, _, _)| bug.starts_with(prefix)) {
        lines += &format!("| {bug} | {generalizer} | {} |\n", of.cells(part));
    }
    for (generalizer, sum) in sums_of_learned(folder, prefix) {
        lines += &format!("| **all** | {generalizer} | {} |\n", sum.cells(part));
    }
    lines
}

/// The sum of the bugs of the papers.
fn sum_of_papers() -> Learned {
    let mut sum = Learned::default();
    OF_PAPERS.iter().for_each(|[folder, prefix]| sum.add(&sums_of_learned(folder, prefix)["learn"]));
    sum
}

/// The lines of the overview: the sums of each campaign, and before them those of the bugs of the papers.
fn lines_of_overview() -> String {
    let line =
        |bugs: &str, sum: &Learned| format!("| {bugs} | {} | {} |\n", sum.bugs, sum.cells(part_and_share));
    let of_campaigns = CAMPAIGNS.iter().map(|Campaign { folder, prefix, names: [bugs, _], .. }| {
        line(bugs, &sums_of_learned(folder, prefix)["learn"])
    });
    std::iter::once(line("find, grep, Lua, Clojure, Rhino, Closure: those of the papers", &sum_of_papers()))
        .chain(of_campaigns)
        .collect()
}

/// The lines of the table in README.md: the sums of find's bugs, of each generalizer.
fn lines_of_readme() -> String {
    let sums = sums_of_learned("learn", "find-").into_iter();
    sums.map(|(generalizer, sum)| format!("| `{generalizer}` | {} |\n", sum.cells(part_and_share))).collect()
}

#[test]
fn the_results_of_learning_are_those_of_the_reference() {
    for campaign in CAMPAIGNS {
        let Campaign { folder, prefix, bugs, names: [_, name] } = campaign;
        assert_eq!(sums_of_learned(folder, prefix)["learn"].bugs, *bugs, "{folder}");
        check("docs/results-learning.md", &head(&[name, "generalizer"]), &lines_of_learned(campaign));
    }
}

#[test]
fn the_overview_of_learning_is_that_of_the_reference() {
    assert_eq!(sum_of_papers().bugs, 22, "no bug of the papers is missing");
    check("docs/results-learning.md", &head(&["bugs", "number"]), &lines_of_overview());
    let expected = lines_of_readme();
    assert_eq!(expected.lines().count(), 2, "both generalizers");
    check("README.md", &head(&["find's four bugs"]), &expected);
}

/// Those of subjects whose grammars are in the repository: what is printed is read, and comes to the same.
#[test]
fn the_expressions_that_were_learned_are_read_as_they_are_printed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("subjects");
    let catalogue = Catalogue::load(&folder).unwrap_or_else(|errors| panic!("{errors}"));
    let folders = CAMPAIGNS.iter().map(|campaign| campaign.folder);
    let folders: BTreeSet<&str> = folders.filter(|folder| !folder.contains("grammars-v4")).collect();
    let mut grammars = BTreeMap::new();
    let mut number = 0;
    for row in folders.into_iter().flat_map(|folder| latest(folder, "abstracting.csv")) {
        let [subject, bug, grammar, text] =
            ["subject", "bug", "grammar", "expression"].map(|column| &*row[column]);
        let subject = catalogue.subject(subject).unwrap_or_else(|error| panic!("{error:?}"));
        let file = subject.grammar(grammar).unwrap_or_else(|| panic!("{bug} has no grammar {grammar}"));
        let grammar = grammars.entry(file.file.clone()).or_insert_with(|| {
            let text = std::fs::read_to_string(&file.file).unwrap();
            format::read(&Source::new("grammar", text), None)
                .unwrap_or_else(|errors| panic!("{errors}"))
                .grammar
        });
        let read = read_expression(&Source::new("expression", text), grammar);
        let read = read.unwrap_or_else(|error| panic!("{bug}: {error:?}"));
        assert_eq!(read.text(grammar), text, "{bug}");
        number += 1;
    }
    assert!(number > 0, "there are none");
}
