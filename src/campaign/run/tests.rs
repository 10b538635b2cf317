//! A campaign with a stage that only tests have: what docs/DESIGN.md says is all that it takes.

use std::fs;
use std::path::Path;

use super::*;
use crate::base::diagnostic::Source;
use crate::stage::{Results, tables};

#[test]
fn a_stage_is_a_folder_and_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let subjects = Path::new(env!("CARGO_MANIFEST_DIR")).join("subjects");
    let text = format!(
        "subject_folder = {subjects:?}\nbugs = [\"expr-double-paren\", \"square-root\"]\nexample = true\n"
    );
    let config =
        Config::read(&Source::new("example.toml", text.as_str()), Path::new("example.toml")).unwrap();
    let (catalogue, mut plan) = plan(&config).unwrap();
    plan.only(&["example"]).unwrap();
    let bugs = catalogue.clone();
    let given = Given { config: Arc::new(config), catalogue: Arc::new(catalogue), plan: Arc::new(plan) };
    let options = Options {
        jobs: 2,
        folder: folder.path().into(),
        fresh: false,
        confinement: Confinement::None,
        interrupt: Interrupt::new(),
    };
    // The second run finds the records of the first one in the store.
    for _ in 0..2 {
        let (summary, store) = run(&given, &text, &options, Vec::new()).unwrap();
        assert_eq!((summary.outcome, summary.failed, summary.unfit), (Outcome::Complete, 0, 0));
        let files = tables::write_all(&Results::read(&store).unwrap(), folder.path()).unwrap();
        let table = files.iter().find(|file| file.ends_with("example.csv")).unwrap();
        let length = |name| {
            let bug = bugs.subjects().iter().find_map(|subject| subject.bug(name)).unwrap();
            bug.input.len()
        };
        let mut rows: Vec<String> = fs::read_to_string(table).unwrap().lines().map(str::to_owned).collect();
        assert_eq!(rows.remove(0), "bug,repetition,length_bytes,error");
        rows.sort();
        let wanted = ["expr-double-paren", "square-root"].map(|bug| format!("{bug},1,{},", length(bug)));
        assert_eq!(rows, wanted);
    }
}
