//! What the results in a store depend on, part by part, so that a refusal can say what is not as it was.

use serde::{Deserialize, Serialize};

/// One thing that results depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdentityPart {
    /// The bug whose results depend on it; `None` when all do.
    pub bug: Option<String>,
    /// What it is, as it is called in a message: "the grammar of `find`".
    pub what: String,
    /// Differs whenever the thing does.
    pub digest: String,
}

/// All that the results of a campaign depend on. A bug has each part once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Identity(pub Vec<IdentityPart>);

impl Identity {
    /// Adds a part.
    pub fn add(&mut self, bug: Option<&str>, what: impl Into<String>, digest: impl Into<String>) {
        self.0.push(IdentityPart { bug: bug.map(str::to_owned), what: what.into(), digest: digest.into() });
    }

    /// The parts in which `self` and `other` differ, each once: of `self`, and those that only `other` has.
    pub fn differences<'a>(&'a self, other: &'a Self) -> Vec<&'a IdentityPart> {
        let own = self.0.iter().filter(|part| !other.0.contains(part));
        let is_own =
            |part: &IdentityPart| self.0.iter().any(|own| own.bug == part.bug && own.what == part.what);
        own.chain(other.0.iter().filter(|part| !is_own(part))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_changed_came_or_went_differ() {
        let identity = |parts: &[(Option<&str>, &str, &str)]| {
            let mut identity = Identity::default();
            for (bug, what, digest) in parts {
                identity.add(*bug, *what, *digest);
            }
            identity
        };
        let one = identity(&[(None, "seed", "1"), (Some("a"), "grammar", "x"), (Some("b"), "grammar", "x")]);
        let other =
            identity(&[(None, "seed", "2"), (Some("a"), "grammar", "x"), (Some("c"), "grammar", "x")]);
        let names: Vec<String> = one
            .differences(&other)
            .into_iter()
            .map(|part| format!("{} {}", part.bug.as_deref().unwrap_or("-"), part.what))
            .collect();
        assert_eq!(names, ["- seed", "b grammar", "c grammar"]);
        assert_eq!(one.differences(&one), [] as [&IdentityPart; 0]);
    }
}
