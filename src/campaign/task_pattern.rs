//! Patterns of the names of tasks, as the command line takes them.

use crate::base::diagnostic::Diagnostic;

use super::config::matches_glob;

/// What stands between the parts of a name, and of a pattern.
const BETWEEN: [char; 4] = ['/', ' ', '-', '*'];

/// Whether a pattern means the task of this name: as a whole, or a part of it.
pub fn means_task(pattern: &str, name: &str) -> bool {
    matches_glob(pattern, name) || matches_glob(&format!("*{pattern}*"), name)
}

/// The error of a pattern that means no task of `whole`, such as the plan, with what is near the first part of it that no name has.
pub fn no_task<'n>(pattern: &str, whole: &str, names: impl IntoIterator<Item = &'n str>) -> Diagnostic {
    let names = Vec::from_iter(names);
    let mut parts = pattern.split(BETWEEN).filter(|part| !part.is_empty());
    let unknown = parts.find(|part| !names.iter().any(|name| name.contains(part)));
    let known = names.into_iter().flat_map(|name| name.split(BETWEEN));
    Diagnostic::error(format!("no task of the {whole} matches `{pattern}`"))
        .suggest(unknown.unwrap_or(pattern), known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_the_part_that_no_task_has_is_named() {
        let names = ["clojure-2473/check", "clojure-2473/1/perses/learn/recognize planted"];
        let help = |pattern: &str| no_task(pattern, "plan", names).to_string();
        assert!(help("clojre-2473*").contains("did you mean `clojure`?"), "{}", help("clojre-2473*"));
        assert!(help("*recognise*").contains("did you mean `recognize`?"));
        assert!(help("clojure*recognize plnted").contains("did you mean `planted`?"));
        assert!(!help("nothing").contains("did you mean"));
        assert!(means_task("clojure-2473*planted", names[1]) && means_task("learn", names[1]));
        assert!(!means_task("clojre", names[1]));
    }
}
