//! A campaign with a stage that only tests have: what docs/DESIGN.md says is all that it takes.

use std::fs;
use std::path::Path;

use super::*;
use crate::base::diagnostic::Source;
use crate::stage::Results;
use crate::stage::tables::Tables;

/// `grambench run` of a config about builtin subjects; the rows of one of its tables.
fn rows_of(text: &str, only: &str, table: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let subjects = Path::new(env!("CARGO_MANIFEST_DIR")).join("subjects");
    let text = format!("subject_folder = {subjects:?}\n{text}");
    let config =
        Config::read(&Source::new("example.toml", text.as_str()), Path::new("example.toml")).unwrap();
    let (catalogue, whole) = plan(&config).unwrap();
    let mut plan = whole.clone();
    plan.only(&[only]).unwrap();
    let given = Given {
        config: Arc::new(config),
        catalogue: Arc::new(catalogue),
        plan: Arc::new(plan),
        whole: Arc::new(whole),
    };
    let options = Options {
        called: Called::default(),
        jobs: 2,
        folder: folder.path().into(),
        is_shard: false,
        fresh: false,
        confinement: Confinement::None,
        interrupt: Interrupt::new(),
    };
    let mut rows = Vec::new();
    // The second run finds the records of the first one in the store.
    for _ in 0..2 {
        let (summary, store) = run(&given, &text, &options, Vec::new()).unwrap();
        assert_eq!((summary.outcome, summary.failed, summary.unfit), (CampaignOutcome::Complete, 0, 0));
        let results = Results::read(&store).unwrap();
        let files = Tables::of(&results).write(folder.path()).unwrap();
        let file = files.iter().find(|file| file.ends_with(table)).unwrap();
        let written: Vec<String> = fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect();
        assert!(rows.is_empty() || rows == written);
        rows = written;
    }
    rows
}

#[test]
fn a_reducer_is_a_file_and_a_line() {
    let text = "bugs = [\"expr-double-paren\"]\nreducers = [\"example\"]\ngeneralize.checks = 10\n";
    let rows = rows_of(text, "generalize", "abstracting.csv");
    // Nothing can be left out at the end, so nothing is.
    assert!(rows[1].starts_with("expr,expr-double-paren,default,1,example,ddset,"), "{rows:?}");
}

#[test]
fn a_stage_is_a_folder_and_a_line() {
    let text = "bugs = [\"expr-double-paren\", \"square-root\"]\nexample = true\n";
    let mut rows = rows_of(text, "example", "example.csv");
    assert_eq!(rows.remove(0), "bug,repetition,length_bytes,error");
    let subjects = Path::new(env!("CARGO_MANIFEST_DIR")).join("subjects");
    let catalogue = Catalogue::load(&subjects).unwrap();
    let length =
        |name| catalogue.subjects().iter().find_map(|subject| subject.bug(name)).unwrap().input.len();
    let wanted = ["expr-double-paren", "square-root"].map(|bug| format!("{bug},1,{},", length(bug)));
    rows.sort();
    assert_eq!(rows, wanted);
}

/// The columns of a table that are called so, of each row.
fn columns(rows: &[String], names: &[&str]) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_reader(std::io::Cursor::new(rows.join("\n")));
    let header = reader.headers().unwrap().clone();
    let place = |name: &&str| header.iter().position(|column| column == *name).unwrap();
    let places: Vec<usize> = names.iter().map(place).collect();
    let row = |row: csv::StringRecord| places.iter().map(|&place| row[place].to_owned()).collect();
    reader.records().map(|record| row(record.unwrap())).collect()
}

#[test]
fn a_bug_is_reduced_from_its_own_input_and_from_a_large_one() {
    let text = "bugs = [\"expr-double-paren\", { name = \"expr-double-paren\", inflate = \"3 kB\" }]\n\
                reducers = [\"chains\"]\nreduce.only = true\n";
    let rows = rows_of(text, "*", "reducing.csv");
    let rows = columns(&rows, &["bug", "input_bytes", "output_bytes", "same_failure"]);
    let [given, large] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!((given[0].as_str(), large[0].as_str()), ("expr-double-paren", "expr-double-paren@3kB"));
    let bytes: Vec<usize> = rows.iter().map(|row| row[1].parse().unwrap()).collect();
    assert!(bytes[0] < 50 && (2_850..=3_150).contains(&bytes[1]), "{bytes:?}");
    assert!(large[2].parse::<usize>().unwrap() < 50 && large[3] == "yes", "{large:?}");
}
