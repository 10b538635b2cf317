//! Patterns of the names of tasks, as the command line takes them.

use std::collections::BTreeSet;

use crate::base::diagnostic::Diagnostic;

use super::config::matches_glob;

/// What stands between the parts of a name, and of a pattern.
const BETWEEN: [char; 4] = ['/', ' ', '-', '*'];

/// Whether a pattern means the task of this name: as a whole, or a part of it.
pub fn means_task(pattern: &str, name: &str) -> bool {
    matches_glob(pattern, name) || matches_glob(&format!("*{pattern}*"), name)
}

/// The error of a pattern that means no task of `whole`, such as the plan, with what is near the first part of it that no name has, or has as a part of its own.
pub fn no_task<'n>(pattern: &str, whole: &str, names: impl IntoIterator<Item = &'n str>) -> Diagnostic {
    let names = Vec::from_iter(names);
    let known: BTreeSet<&str> = names.iter().flat_map(|name| name.split(BETWEEN)).collect();
    let parts = || pattern.split(BETWEEN).filter(|part| !part.is_empty());
    let is_in_none = |part: &&str| !names.iter().any(|name| name.contains(part));
    let unknown = parts().find(is_in_none).or_else(|| parts().find(|part| !known.contains(part)));
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
        assert!(help("clojur-*").contains("did you mean `clojure`?"), "{}", help("clojur-*"));
        assert!(help("clojure*recognize plnted").contains("did you mean `planted`?"));
        assert!(!help("nothing").contains("did you mean"));
        assert!(means_task("clojure-2473*planted", names[1]) && means_task("learn", names[1]));
        assert!(!means_task("clojre", names[1]));
    }
}
