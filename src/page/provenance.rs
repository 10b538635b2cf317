//! What is known of a run beside its store: which machine, when, which versions. It stands in a file of its own,
//! `provenance.json`, if at all; whatever it has is shown, whatever it has not is left out.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// The name of the file, beside the tables.
pub const FILE: &str = "provenance.json";

/// Longer texts, such as that of the config, are not shown.
const LONGEST: usize = 200;
/// Nor are longer lists, such as that of all that results depend on, which the page has from the store.
const MOST: usize = 10;

/// Facts, each with its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// In the order of the file.
    pub facts: Vec<(String, String)>,
}

impl Provenance {
    /// Reads the file in `folder`; of one that is not there, or is not JSON, nothing is known.
    pub fn read(folder: &Path) -> Self {
        let text = fs::read_to_string(folder.join(FILE)).unwrap_or_default();
        let mut facts = Vec::new();
        if let Ok(value) = serde_json::from_str::<Value>(&text) {
            add(&mut facts, "", &value);
        }
        Self { facts }
    }
}

/// Adds what is in `value`; serde_json limits how deep that is.
fn add(facts: &mut Vec<(String, String)>, name: &str, value: &Value) {
    let inner = |part: &str| if name.is_empty() { part.to_owned() } else { format!("{name}, {part}") };
    match value {
        Value::Null => {}
        Value::Object(parts) => {
            parts.iter().for_each(|(part, value)| add(facts, &inner(&part.replace('_', " ")), value));
        }
        Value::Array(parts) if parts.len() > MOST => {}
        Value::Array(parts) => {
            let number = (1..).zip(parts);
            number.for_each(|(number, value): (u32, _)| add(facts, &inner(&number.to_string()), value));
        }
        Value::String(text) if text.chars().count() > LONGEST || text.contains('\n') => {}
        Value::String(text) => facts.push((name.to_owned(), text.clone())),
        Value::Bool(_) | Value::Number(_) => facts.push((name.to_owned(), value.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_there_is_is_shown_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Provenance::read(folder.path()), Provenance::default());
        let write = |text: &str| fs::write(folder.path().join(FILE), text).unwrap();
        write(
            "{\"machine\": {\"cores\": 2, \"load_at_start\": null}, \"config\": \"a\\nb\", \"many\": [1,2,3,4,5,6,7,8,9,0,1], \"seeds\": [\"x\", true]}",
        );
        let facts = [("machine, cores", "2"), ("seeds, 1", "x"), ("seeds, 2", "true")];
        let facts = facts.map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(Provenance::read(folder.path()).facts, facts);
        write("{");
        assert_eq!(Provenance::read(folder.path()), Provenance::default());
    }
}
