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
        // So a number is told that is too large for 64 bits.
        other => other.strip_suffix(" as i128").unwrap_or(other),
    };
    let whole_number = |least: u64, most: u64| {
        let number = found.strip_prefix("integer `").and_then(|rest| rest.strip_suffix('`'));
        let is_too_large = number.and_then(|it| it.parse().ok()).is_some_and(|it: i128| it > most.into());
        match is_too_large {
            true => format!("a whole number of at most {most}"),
            false => format!("a whole number of at least {least}"),
        }
    };
    let expected = match expected {
        "u8" => whole_number(0, u8::MAX.into()),
        "u16" => whole_number(0, u16::MAX.into()),
        "u32" => whole_number(0, u32::MAX.into()),
        "u64" | "usize" => whole_number(0, u64::MAX),
        "a nonzero u64" => whole_number(1, u64::MAX),
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a boolean" => "true or false".to_owned(),
        expected if expected == "a map" || expected.starts_with("struct ") => "a table".to_owned(),
        other => other.to_owned(),
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
            "jobs = 4294967296\n",
            "jobs = 1\nseed = 99999999999999999999\n",
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
