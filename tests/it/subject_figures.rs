//! The figures in the READMEs of subjects, and of grammars, checks and reducers in docs/results.md and docs/results-reducers.md, are those of
//! the reference results.
//!
//! `SESSIONS=overwrite cargo test subject_figures` writes them anew.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::campaign_output::reference;

pub(super) type Row = BTreeMap<String, String>;

const HEAD: &str = "| bug | grammar | abstract input | lines with the pattern that fail | lines without that pass | failing lines that \
                    the pattern covers: seen, neighbours |\n|---|---|---|---|---|---|\n";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn rows(subject: &str, table: &str) -> Vec<Row> {
    latest(&format!("{subject}-grammars"), table)
}

/// The lines of the table of a subject.
fn lines(subject: &str) -> String {
    let (producing, recognizing) = (rows(subject, "producing.csv"), rows(subject, "recognizing.csv"));
    let mut lines = String::new();
    for found in rows(subject, "abstracting.csv").iter().filter(|row| row["subject"] == subject) {
        let is_same =
            |row: &&Row| ["subject", "bug", "grammar"].iter().all(|&column| row[column] == found[column]);
        let of = |row: &Row, hits: &str, all: &str| format!("{} of {}", row[hits], row[all]);
        let produced = producing.iter().find(is_same).unwrap();
        let covered = |source: &str| {
            let row = recognizing.iter().filter(is_same).find(|row| row["source"] == source).unwrap();
            of(row, "fail_accepted", "fail_inputs")
        };
        lines += &format!(
            "| {} | {} | `{}` | {} | {} | {}, {} |\n",
            found["bug"].trim_start_matches(subject).trim_start_matches('-'),
            found["grammar"],
            found["compact"].replace('|', "\\|"),
            of(produced, "fail_failed", "fail_inputs"),
            of(produced, "pass_passed", "pass_inputs"),
            covered("seen"),
            covered("neighbours"),
        );
    }
    lines
}

/// The head of the table in docs/results.md.
const BOTH_HEAD: &str = "| bug | grammar | abstract input, compact | characters left (paper) | executions (paper) | F: failed | \
                         not F: passed | unresolved | failing, accepted: seen | random | planted | neighbours | corpus | passing, rejected |\n\
                         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
pub(super) const SOURCES: [&str; 5] = ["seen", "random", "planted", "neighbours", "corpus"];

/// The cells of one bug with one grammar that can be added up.
#[derive(Clone, Default)]
struct Sums {
    characters: [u64; 2],
    executions: [u64; 2],
    produced: [u64; 6],
    accepted: [[u64; 2]; SOURCES.len()],
    rejected: [u64; 2],
}

impl Sums {
    fn numbers(&mut self) -> impl Iterator<Item = &mut u64> {
        let parts = [&mut self.characters[..], &mut self.executions, &mut self.produced, &mut self.rejected];
        parts.into_iter().flatten().chain(self.accepted.iter_mut().flatten())
    }

    fn add(&mut self, mut other: Self) {
        self.numbers().zip(other.numbers()).for_each(|(sum, &mut number)| *sum += number);
    }

    fn cells(&self) -> String {
        let [failed, fail_inputs, fail_unresolved, passed, pass_inputs, pass_unresolved] = self.produced;
        let accepted: Vec<_> = self.accepted.iter().map(|[hits, all]| format!("{hits}/{all}")).collect();
        let [characters, executions] =
            [self.characters, self.executions].map(|[ours, theirs]| format!("{ours} ({theirs})"));
        let [rejected, passing] = self.rejected;
        format!(
            "{characters} | {executions} | {failed}/{fail_inputs} | {passed}/{pass_inputs} | {fail_unresolved} + {pass_unresolved} | {} | {rejected}/{passing}",
            accepted.join(" | "),
        )
    }
}

/// The lines of the table in docs/results.md: find and grep with each grammar, and the sums.
fn lines_of_both() -> String {
    let mut lines = String::new();
    for subject in ["find", "grep"] {
        let [found, produced, recognized] =
            ["abstracting.csv", "producing.csv", "recognizing.csv"].map(|table| rows(subject, table));
        let mut sums: BTreeMap<&str, Sums> = BTreeMap::new();
        for found in found.iter().filter(|row| row["subject"] == subject) {
            let is_same = |row: &&Row| row["bug"] == found["bug"] && row["grammar"] == found["grammar"];
            let produced = produced.iter().find(is_same).unwrap();
            let of = [
                "fail_failed",
                "fail_inputs",
                "fail_unresolved",
                "pass_passed",
                "pass_inputs",
                "pass_unresolved",
            ];
            let mut bug = Sums {
                characters: ["remaining_chars", "paper_remaining_chars"].map(|column| number(found, column)),
                executions: ["executions", "paper_executions"].map(|column| number(found, column)),
                produced: of.map(|column| number(produced, column)),
                ..Sums::default()
            };
            for row in recognized.iter().filter(is_same) {
                let place = SOURCES.iter().position(|source| *source == row["source"]).unwrap();
                bug.accepted[place] = ["fail_accepted", "fail_inputs"].map(|column| number(row, column));
                if row["source"] != "seen" {
                    bug.rejected[0] += number(row, "pass_rejected");
                    bug.rejected[1] += number(row, "pass_inputs");
                }
            }
            let compact = found["compact"].replace('|', "\\|");
            lines +=
                &format!("| {} | {} | `{compact}` | {} |\n", found["bug"], found["grammar"], bug.cells());
            sums.entry(found["grammar"].as_str()).or_default().add(bug);
        }
        for (grammar, sums) in sums {
            lines += &format!("| **{subject}** | {grammar} | | {} |\n", sums.cells());
        }
    }
    lines
}

/// The columns of reducing.csv that tables of docs/results-reducers.md have.
const REDUCING: [&str; 4] = ["input_bytes", "output_bytes", "output_tokens", "executions"];

/// The head of the table of reducers on large inputs in docs/results-reducers.md.
const INFLATED_HEAD: &str =
    "| bug | reducer | bytes before | bytes left | tokens left | executions |\n|---|---|---|---|---|---|\n";

/// Its lines: each bug with each reducer, and each reducer's sums; then `auto` over all bugs, and over those for which one after a paper leaves no
/// more than a tenth more tokens, beside the cheapest of these.
fn lines_of_inflated() -> String {
    let mut lines = String::new();
    let mut bugs = Reducings::new();
    for folder in ["inflated", "inflated-programs", "inflated-jvm"] {
        let mut sums: Vec<(String, [u64; 4])> = Vec::new();
        let line = |bug: &str, reducer: &str, [before, after, tokens, executions]: [u64; 4]| {
            format!("| {bug} | `{reducer}` | {before} | {after} | {tokens} | {executions} |\n")
        };
        for row in latest(folder, "reducing.csv") {
            assert_eq!(row["error"], "", "{row:?}");
            let figures = REDUCING.map(|column| row[column].parse().unwrap());
            lines += &line(&row["bug"], &row["reducer"], figures);
            bugs.entry(row["bug"].clone()).or_default().push((row["reducer"].clone(), figures));
            match sums.iter_mut().find(|(known, _)| *known == row["reducer"]) {
                Some((_, sum)) => sum.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure),
                None => sums.push((row["reducer"].clone(), figures)),
            }
        }
        for (reducer, sum) in sums {
            lines += &line(&format!("**{folder}**"), &reducer, sum);
        }
    }
    let near = with_cheapest(&bugs);
    let sums = [
        (format!("**all {}**", bugs.len()), "`auto`", sum_of(&bugs, "auto")),
        (format!("**{} of them**", near.len()), "`auto`", sum_of(&near, "auto")),
        (format!("**{} of them**", near.len()), CHEAPEST, sum_of(&near, "")),
    ];
    for (of, name, [before, after, tokens, executions]) in sums {
        lines += &format!("| {of} | {name} | {before} | {after} | {tokens} | {executions} |\n");
    }
    lines
}

/// By bug, each reducer with bytes before and left, tokens left, and executions.
type Reducings = BTreeMap<String, Vec<(String, [u64; 4])>>;

/// What is called so chooses, for each bug, among the reducers after a paper that leave at most a tenth more tokens than `auto`.
const CHEAPEST: &str = "the cheapest after a paper, bug by bug";

/// The cheapest reducer after a paper of those that leave at most a tenth more tokens than `auto`, if one does.
fn cheapest(reducers: &[(String, [u64; 4])]) -> Option<&[u64; 4]> {
    let (_, auto) = reducers.iter().find(|(name, _)| name == "auto").unwrap();
    let is_near = |name: &str, figures: &[u64; 4]| {
        !["auto", "chains"].contains(&name) && 10 * figures[2] <= 11 * auto[2]
    };
    let near = reducers.iter().filter(|(name, figures)| is_near(name, figures));
    near.map(|(_, figures)| figures).min_by_key(|figures| figures[3])
}

/// The bugs for which there is one.
fn with_cheapest(bugs: &Reducings) -> Reducings {
    bugs.clone().into_iter().filter(|(_, reducers)| cheapest(reducers).is_some()).collect()
}

/// The sums of a reducer over all bugs, or of the cheapest after a paper where it has no name.
fn sum_of(bugs: &Reducings, reducer: &str) -> [u64; 4] {
    let mut sum = [0; 4];
    for reducers in bugs.values() {
        let of_name = reducers.iter().find(|(name, _)| name == reducer).map(|(_, figures)| figures);
        let figures = if reducer.is_empty() { cheapest(reducers) } else { of_name };
        sum.iter_mut().zip(figures.unwrap()).for_each(|(sum, figure)| *sum += figure);
    }
    sum
}

/// The head of the table of reducers on the papers' inputs in docs/results-reducers.md.
const PLAIN_HEAD: &str = "| reducer | bytes left | tokens left | bugs for which no other leaves fewer tokens | executions |\n\
                          |---|---|---|---|---|\n";

/// Its lines: each reducer over all bugs, and the one that is cheapest for each, where one comes near `auto`, beside that.
fn lines_of_plain() -> String {
    let mut bugs = Reducings::new();
    let mut names: Vec<String> = Vec::new();
    for row in latest("reducers-programs", "reducing.csv") {
        assert_eq!((row["error"].as_str(), row["same_failure"].as_str()), ("", "yes"), "{row:?}");
        let (name, figures) = (row["reducer"].clone(), REDUCING.map(|column| row[column].parse().unwrap()));
        if !names.contains(&name) {
            names.push(name.clone());
        }
        bugs.entry(row["bug"].clone()).or_default().push((name, figures));
    }
    let mut lines = String::new();
    for name in names {
        let is_smallest = |reducers: &&Vec<(String, [u64; 4])>| {
            let (_, own) = reducers.iter().find(|(known, _)| *known == name).unwrap();
            reducers.iter().all(|(_, figures)| own[2] <= figures[2])
        };
        let smallest = bugs.values().filter(is_smallest).count();
        let [_, after, tokens, executions] = sum_of(&bugs, &name);
        lines += &format!("| `{name}` | {after} | {tokens} | {smallest} | {executions} |\n");
    }
    let near = with_cheapest(&bugs);
    for (name, reducer) in [("`auto`", "auto"), (CHEAPEST, "")] {
        let [_, after, tokens, executions] = sum_of(&near, reducer);
        lines += &format!("| {name}, {} of them | {after} | {tokens} | | {executions} |\n", near.len());
    }
    lines
}

/// A number of a row.
pub(super) fn number(row: &Row, column: &str) -> u64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column} of {row:?}"))
}

/// The rows of a table of the latest reference results.
pub(super) fn latest(folder: &str, table: &str) -> Vec<Row> {
    let mut reader = csv::Reader::from_path(reference(folder).join(table)).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

/// The head of the table of numbers of checks in docs/results.md.
const CHECKS_HEAD: &str = "| generalizer | executions | characters left concrete | placeholders | instances that failed | inputs of F that failed | lowest of a bug | F holds for the given input | no other has more of F failing |\n\
                           |---|---|---|---|---|---|---|---|---|\n";

/// Its lines: what each generalizer comes to over all bugs and repetitions.
fn lines_of_checks() -> String {
    let mut generalizers: Vec<(String, Vec<Row>)> = Vec::new();
    for row in latest("checks", "generalizing.csv") {
        assert_eq!(row["error"], "", "{row:?}");
        match generalizers.iter_mut().find(|(name, _)| *name == row["generalizer"]) {
            Some((_, rows)) => rows.push(row),
            None => generalizers.push((row["generalizer"].clone(), vec![row])),
        }
    }
    let line = |(name, rows): (String, Vec<Row>)| {
        let sum = |column: &str| rows.iter().map(|row| number(row, column)).sum::<u64>();
        let having = |column: &str, cell: &str| {
            format!("{}/{}", rows.iter().filter(|row| row[column] == cell).count(), rows.len())
        };
        let share = |hits: u64, of: u64| format!("{hits}/{of} ({:.1} %)", 100.0 * hits as f64 / of as f64);
        let mut bugs: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
        for row in &rows {
            let of_bug = bugs.entry(&row["bug"]).or_default();
            of_bug[0] += number(row, "fail_failed");
            of_bug[1] += number(row, "fail_inputs");
        }
        let rate = |[hits, of]: &[u64; 2]| *hits as f64 / *of as f64;
        let (bug, [hits, of]) = bugs.iter().min_by(|a, b| rate(a.1).total_cmp(&rate(b.1))).unwrap();
        format!(
            "| `{name}` | {} | {} | {} | {} | {} | {bug} {} | {} | {} |\n",
            sum("executions"),
            sum("remaining_chars"),
            sum("placeholders"),
            share(sum("valid_failed"), sum("valid_inputs")),
            share(sum("fail_failed"), sum("fail_inputs")),
            share(*hits, *of),
            having("holds_for_input", "yes"),
            having("rank_failed", "1"),
        )
    };
    generalizers.into_iter().map(line).collect()
}

/// The head of the table of programs of others in docs/results-reducers.md.
const OTHERS_HEAD: &str = "| bug | reducer | bytes before | bytes left | tokens left | executions | asked again | ended |\n\
                           |---|---|---|---|---|---|---|---|\n";
/// And of the seconds that they take.
const SECONDS_HEAD: &str = "| reducer, seconds | `expr-division-by-zero` 20 kB | `expr-double-paren` 20 kB | `json-check` 100 kB | `lua-5.3.5-4` 20 kB |\n\
                            |---|---|---|---|---|\n";

/// The lines of both.
fn lines_of_others() -> [String; 2] {
    let (rows, timings) =
        (latest("reducers-others", "reducing.csv"), latest("reducers-others", "timings.csv"));
    let mut lines = String::new();
    let mut seconds: Vec<(&str, String)> = Vec::new();
    for row in &rows {
        let [bug, reducer] = [&row["bug"], &row["reducer"]];
        let cells = ["input_bytes", "output_bytes", "output_tokens", "executions", "asked_again"];
        let cells: Vec<&str> = cells.iter().map(|column| row[*column].as_str()).collect();
        let ended = if row["error"].is_empty() { &row["stop"] } else { &row["error"] };
        lines += &format!("| {bug} | `{reducer}` | {} | {ended} |\n", cells.join(" | "));
        let task = format!("{bug}/{}/reduce {reducer}", row["repetition"]);
        let timing = timings.iter().find(|timing| timing["task"] == task).unwrap();
        let cell = timing["wall_seconds"].parse::<f64>().map_or("".into(), |time| format!(" {time:.1} |"));
        match seconds.iter_mut().find(|(name, _)| name == reducer) {
            Some((_, cells)) => *cells += &cell,
            None => seconds.push((reducer, cell)),
        }
    }
    let seconds = seconds.into_iter().map(|(reducer, cells)| format!("| `{reducer}` |{cells}\n")).collect();
    [lines, seconds]
}

/// Tests that write tables of one page do so one after the other.
static WRITING: Mutex<()> = Mutex::new(());

/// Holds the table under `head` in a page against `expected`, or writes it.
pub(super) fn check(page: &str, head: &str, expected: &str) {
    let _alone = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let path = root().join(page);
    let text = std::fs::read_to_string(&path).unwrap();
    let begin = text.find(head).unwrap_or_else(|| panic!("{page}: the table is not there")) + head.len();
    let rows = text[begin..].split_inclusive('\n').take_while(|line| line.starts_with('|'));
    let end = begin + rows.map(str::len).sum::<usize>();
    if std::env::var("SESSIONS").as_deref() == Ok("overwrite") {
        std::fs::write(&path, [&text[..begin], expected, &text[end..]].concat()).unwrap();
    } else {
        assert_eq!(&text[begin..end], expected, "{page}");
    }
}

#[test]
fn the_figures_of_a_subject_are_those_of_its_reference_results() {
    for subject in ["find", "grep"] {
        let expected = lines(subject);
        assert!(expected.lines().count() > 5, "each bug with each grammar");
        check(&format!("subjects/{subject}/README.md"), HEAD, &expected);
    }
}

#[test]
fn the_results_with_both_grammars_are_those_of_the_reference() {
    let expected = lines_of_both();
    assert_eq!(expected.lines().count(), 2 * (4 + 3) + 2 * 2, "each bug with each grammar, and sums");
    check("docs/results.md", BOTH_HEAD, &expected);
}

#[test]
fn the_results_on_large_inputs_are_those_of_the_reference() {
    let expected = lines_of_inflated();
    assert!(expected.lines().count() > 60, "each bug with each reducer");
    check("docs/results-reducers.md", INFLATED_HEAD, &expected);
}

#[test]
fn the_results_on_the_papers_inputs_are_those_of_the_reference() {
    let expected = lines_of_plain();
    assert_eq!(expected.lines().count(), 11 + 2, "each reducer, and the cheapest beside `auto`");
    check("docs/results-reducers.md", PLAIN_HEAD, &expected);
}

#[test]
fn the_results_on_numbers_of_checks_are_those_of_the_reference() {
    let expected = lines_of_checks();
    assert_eq!(expected.lines().count(), 9, "each generalizer");
    check("docs/results.md", CHECKS_HEAD, &expected);
}

#[test]
fn the_results_beside_programs_of_others_are_those_of_the_reference() {
    let [figures, seconds] = lines_of_others();
    assert_eq!((figures.lines().count(), seconds.lines().count()), (4 * 7, 7), "each bug with each reducer");
    check("docs/results-reducers.md", OTHERS_HEAD, &figures);
    check("docs/results-reducers.md", SECONDS_HEAD, &seconds);
}
