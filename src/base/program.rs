//! Which program this is: version, revision, and the content of its executable. A rebuilt program of the same version may
//! find other results.

use std::fmt;
use std::fs::File;
use std::sync::LazyLock;

/// The executable that this process runs, also when it was replaced at its path meanwhile.
pub const OWN_EXECUTABLE: &str = "/proc/self/exe";

/// Which program this is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThisProgram {
    /// Its version.
    pub version: &'static str,
    /// The revision of its sources, with a `+` if they were changed, if whoever built it said so.
    pub revision: Option<&'static str>,
    /// The digest of its executable.
    pub digest: String,
}

impl ThisProgram {
    /// The one that runs. The executable is read once.
    pub fn get() -> &'static Self {
        static THIS: LazyLock<ThisProgram> = LazyLock::new(|| ThisProgram {
            version: env!("CARGO_PKG_VERSION"),
            revision: option_env!("GRAMBENCH_REVISION").filter(|revision| !revision.is_empty()),
            digest: digest().unwrap_or_else(|error| format!("cannot be read: {error}")),
        });
        &THIS
    }
}

fn digest() -> std::io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    std::io::copy(&mut File::open(OWN_EXECUTABLE)?, &mut hasher)?;
    Ok(hasher.finalize().to_hex().to_string())
}

impl fmt::Display for ThisProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, ", self.version)?;
        if let Some(revision) = self.revision {
            write!(f, "revision {revision}, ")?;
        }
        write!(f, "executable {}", self.digest.get(..16).unwrap_or(&self.digest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_knows_its_own_content() {
        let this = ThisProgram::get();
        let content = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(this.digest, blake3::hash(&content).to_hex().to_string());
        let text = this.to_string();
        assert!(text.starts_with(env!("CARGO_PKG_VERSION")) && text.ends_with(&this.digest[..16]), "{text}");
    }
}
