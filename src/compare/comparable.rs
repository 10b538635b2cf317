//! Whether runs are of the same campaign, so that a difference between their figures says something of the program.

use super::measured::Measured;

/// What is to be said of two runs before they are compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparability {
    /// Why they cannot be compared.
    pub obstacles: Vec<String>,
    /// What is not known of them.
    pub notes: Vec<String>,
}

/// Whether `before` and `after` can be compared.
pub fn comparability(before: &Measured, after: &Measured) -> Comparability {
    let mut found = Comparability::default();
    match (&before.provenance, &after.provenance) {
        (Some(one), Some(other)) => {
            let differences = one.differences(other);
            found.obstacles.extend(differences.changed);
            found.notes.extend(differences.of_one.into_iter().map(|what| {
                format!(
                    "only one of the runs says anything of {what}: the version of grambench is another one"
                )
            }));
        }
        (one, other) => {
            for run in [(one, before), (other, after)] {
                if let (None, run) = run {
                    found.notes.push(format!(
                        "`{}` has no provenance.json: that its config and its subjects are the same is not known",
                        run.folder.display()
                    ));
                }
            }
        }
    }
    // The tables know the versions of subjects too.
    for (file, table) in &after.tables {
        for row in table.rows() {
            let (Some(bug), Some(version)) = (row.cell("bug"), row.cell("version")) else { continue };
            let earlier = before.tables.get(file).and_then(|table| {
                table.rows().find(|row| row.cell("bug") == Some(bug)).and_then(|row| row.cell("version"))
            });
            if let Some(earlier) = earlier.filter(|earlier| *earlier != version) {
                let what =
                    format!("the version of the program of `{bug}`, which was {earlier} and is {version}");
                if !found.obstacles.contains(&what) {
                    found.obstacles.push(what);
                }
            }
        }
    }
    found
}
