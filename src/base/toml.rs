//! Reading TOML that users write: what serde finds wrong becomes a diagnostic with its place.
//!
//! Structs that are read here say `deny_unknown_fields`, and use neither `flatten` nor `untagged`, with
//! which an error loses its place and its list of valid keys.

use std::sync::Arc;

use serde::de::DeserializeOwned;

use super::diagnostic::{Diagnostic, Source};

/// Reads `source`.
///
/// # Errors
/// When it is not TOML, or not what `T` wants: an unknown key comes with the nearest valid one.
pub fn read<T: DeserializeOwned>(source: &Arc<Source>) -> Result<T, Diagnostic> {
    ::toml::from_str(source.text()).map_err(|error| diagnostic(source, &error))
}

pub(super) fn diagnostic(source: &Arc<Source>, error: &::toml::de::Error) -> Diagnostic {
    let message = error.message().trim_end();
    let span = error.span().unwrap_or(0..0);
    for (prefix, what) in [("unknown field `", "key"), ("unknown variant `", "value")] {
        // serde's words: "unknown field `x`, expected one of `a`, `b`".
        let Some((wrong, expected)) = message.strip_prefix(prefix).and_then(|rest| rest.split_once('`'))
        else {
            continue;
        };
        let names: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
        let diagnostic = Diagnostic::error(format!("unknown {what} `{wrong}`"))
            .at(source, span, "")
            .suggest(wrong, names.iter().copied());
        return match names.as_slice() {
            [] => diagnostic,
            names => diagnostic.help(format!("possible here: {}", names.join(", "))),
        };
    }
    let message = message.replace("missing field", "missing key").replace('\n', ", ");
    Diagnostic::error(wrong_type(&message).unwrap_or(message)).at(source, span, "")
}

/// What is said of a value of a wrong type, in the words of the file instead of this program's types.
fn wrong_type(message: &str) -> Option<String> {
    let rest = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "))?;
    let (found, expected) = rest.rsplit_once(", expected ")?;
    let found = match found {
        "map" => "a table",
        "sequence" => "a list",
        other => other,
    };
    let expected = match expected {
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number of at least 0",
        "a nonzero u64" => "a whole number of at least 1",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a sequence" => "a list",
        "a boolean" => "true or false",
        expected if expected == "a map" || expected.starts_with("struct ") => "a table",
        other => other,
    };
    Some(format!("expected {expected}, found {found}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only read")]
    struct Config {
        jobs: u32,
        seed: Option<u64>,
        stage: Option<Vec<Stage>>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only read")]
    struct Stage {
        kind: Kind,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Kind {
        Reduce,
        Produce,
    }

    fn error(text: &str) -> String {
        read::<Config>(&Source::new("config.toml", text)).unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_is_shown_with_its_place_and_the_nearest_name() {
        let texts = [
            "jobs = 1\nsede = 2\n",
            "jobs = 1\n[[stage]]\nkind = \"reduec\"\n",
            "jobs = \"many\"\n",
            "jobs = -1\n",
            "jobs = 1\nstage = 2\n",
            "jobs = 1\nstage = [\"reduce\"]\n",
            "seed = 1\n",
            "jobs = 1\njobs = 2\n",
            "jobs = \n",
        ];
        let all: Vec<String> = texts.into_iter().map(error).collect();
        insta::assert_snapshot!(all.join("\n\n"));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text: String) {
            if let Err(error) = read::<Config>(&Source::new("config.toml", text)) {
                let _ = error.to_string();
            }
        }
    }
}
