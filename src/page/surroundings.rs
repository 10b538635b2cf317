//! What lies beside the store: what the run was made with, and the runs before it. A page shows what there is.

use std::path::Path;

use crate::report::provenance::Provenance;

use super::trend::Trend;

/// What lies beside a store.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surroundings {
    /// What the run was made with; `None` where nothing says so.
    pub provenance: Option<Provenance>,
    /// Why what is there cannot be read.
    pub unreadable: Option<String>,
    /// The figures of this run and of those before it.
    pub trend: Trend,
}

impl Surroundings {
    /// Reads what lies in the folder of a run, and in those beside it.
    pub fn read(run: &Path) -> Self {
        match Provenance::read(run) {
            Ok(Some(provenance)) => {
                let trend = Trend::read(run, &provenance);
                Self { provenance: Some(provenance), unreadable: None, trend }
            }
            Ok(None) => Self::default(),
            Err(error) => Self { unreadable: Some(error.to_string()), ..Self::default() },
        }
    }
}
