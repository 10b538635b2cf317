//! What the documents say is so: their sessions are run, their configs and expressions read, and what they
//! refer to is there.

use crate::session;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use grambench::base::diagnostic::Source;
use grambench::campaign::Config;
use grambench::grammar::format;
use grambench::pattern::read_expression;
use grambench::subject::reducer_command::ALL_REDUCERS;
use grambench::{generalize, produce, transform};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A fenced block of a page.
struct Block {
    /// The words after the fence.
    words: Vec<String>,
    /// The line of the fence.
    line: usize,
    text: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut inside = false;
    for (index, line) in page.lines().enumerate() {
        if let Some(info) = line.strip_prefix("```") {
            inside = !inside;
            if inside {
                let words = info.split(' ').map(String::from).collect();
                blocks.push(Block { words, line: index + 1, text: String::new() });
            }
        } else if let Some(block) = blocks.last_mut().filter(|_| inside) {
            block.text.push_str(line);
            block.text.push('\n');
        }
    }
    blocks
}

/// Asks of each block that begins with `kind` that `read` takes it, or refuses it if it is marked `error`.
fn each_block<E: std::fmt::Display>(page: &str, kind: &str, read: impl Fn(&Arc<Source>) -> Result<(), E>) {
    let text = fs::read_to_string(root().join(page)).unwrap();
    let mut found = 0;
    for block in blocks(&text).into_iter().filter(|block| block.words[0] == kind) {
        found += 1;
        let place = format!("{page}:{}", block.line);
        let wrong = block.words.iter().any(|word| word == "error");
        match read(&Source::new(place.as_str(), block.text)) {
            Ok(()) => assert!(!wrong, "{place} is to be an error"),
            Err(error) => assert!(wrong, "{error}"),
        }
    }
    assert!(found > 1, "{page} has {kind} blocks");
}

#[test]
fn the_sessions_of_the_documents_go_as_written() {
    for page in ["README.md", "docs/config.md", "docs/expressions.md", "docs/reducers.md", "docs/compare.md"]
    {
        session::check(&root().join(page), root());
    }
}

#[test]
fn the_configs_of_the_guide_are_read() {
    let path = root().join("configs/quick.toml");
    for page in ["docs/config.md", "docs/reducers.md", "docs/compare.md"] {
        each_block(page, "toml", |source| Config::read(source, &path).map(drop));
    }
}

#[test]
fn the_config_that_is_written_out_is_the_default() {
    let text = fs::read_to_string(root().join("docs/config.md")).unwrap();
    let first = blocks(&text).into_iter().find(|block| block.words == ["toml"]).unwrap();
    let read = |text: &str| Config::read(&Source::new("quick.toml", text), Path::new("quick.toml")).unwrap();
    let (written, default) = (read(&first.text), read(""));
    assert_eq!((written.settings, written.compare), (default.settings, default.compare));
    assert_eq!((written.title, written.subject_folder), (default.title, default.subject_folder));
    assert_eq!(written.bugs.of(&["a", "b"]).unwrap(), default.bugs.of(&["a", "b"]).unwrap());
}

#[test]
fn the_guide_to_configs_names_every_plug_in() {
    let text = fs::read_to_string(root().join("docs/config.md")).unwrap();
    for (kind, names) in [
        ("reducers", ALL_REDUCERS.names().collect::<Vec<_>>()),
        ("generalizers", generalize::GENERALIZERS.names().collect::<Vec<_>>()),
        ("transformers", transform::TRANSFORMERS.names().collect::<Vec<_>>()),
        ("producers", produce::PRODUCERS.names().collect::<Vec<_>>()),
    ] {
        let row = text.lines().find(|line| line.starts_with(&format!("| `{kind}` |"))).unwrap();
        for name in names {
            assert!(
                row.contains(&format!("`{name}`")),
                "docs/config.md does not name `{name}` among the {kind}"
            );
        }
    }
}

#[test]
fn the_expressions_of_the_guide_are_read() {
    let text = fs::read_to_string(root().join("grammars/json.ebnf")).unwrap();
    let read = format::read(&Source::new("json.ebnf", text), None);
    let grammar = read.unwrap_or_else(|errors| panic!("{errors}")).grammar;
    each_block("docs/expressions.md", "expression", |source| read_expression(source, &grammar).map(drop));
}

/// The targets of a page's links that are files of ours. What stands between backticks is no link.
fn links(page: &str) -> Vec<String> {
    let prose: Vec<String> = page.lines().map(|line| line.split('`').step_by(2).collect()).collect();
    let page = prose.join("\n");
    let targets = page.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    let files = targets.filter(|target| !target.starts_with("http") && !target.starts_with('#'));
    files.map(|target| target.split('#').next().unwrap().to_owned()).collect()
}

#[test]
fn what_the_documents_refer_to_is_there() {
    let mut pages: Vec<PathBuf> =
        ["README.md", "CHANGELOG.md"].iter().map(|name| root().join(name)).collect();
    let documents = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    // Beside them are pictures.
    pages.extend(documents.filter(|path| path.is_file()));
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for target in links(&text) {
            let path = page.parent().unwrap().join(&target);
            assert!(path.exists(), "{} refers to {target}, which is not there", page.display());
        }
    }
}

#[test]
fn the_design_knows_every_layer() {
    let text = fs::read_to_string(root().join("docs/DESIGN.md")).unwrap();
    for entry in fs::read_dir(root().join("src")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(
            !path.is_dir() || text.contains(&format!("| `{name}/` |")),
            "docs/DESIGN.md does not know {name}"
        );
    }
}
