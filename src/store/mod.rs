//! The one file per campaign that remembers everything: events in, rows out.
//!
//! - [`event`]: the one event model from which the store, the progress display and the log are fed;
//! - [`task`]: the plan, as far as the store and the reports need to know it;
//! - [`record`]: what a task found, as it is stored;
//! - [`verdicts`]: how many inputs had each verdict;
//! - [`input`]: bytes as text, without loss;
//! - [`store`]: the SQLite file, and who may use it;
//! - [`mod@merge`]: puts several stores of a campaign together;
//! - [`mod@write`]: how events are written to it;
//! - [`identity`]: what its results depend on;
//! - [`schema`]: its tables and its format version;
//! - `checksum`: how damage is found out; `index`: where the rows are;
//! - `judged`: lists of inputs as bytes;
//! - [`resume`]: what a run finds out about the runs before it;
//! - [`rows`]: what the reports read; [`review`]: all inputs once more;
//! - [`recorder`]: the one thread that owns the store during a run;
//! - [`error`]: what can go wrong.
//!
//! Depends on [`crate::base`] and [`crate::oracle`]; knows neither the stages nor how tasks are run.

mod checksum;
pub mod error;
pub mod event;
pub mod identity;
mod index;
pub mod input;
mod judged;
pub mod merge;
pub mod record;
pub mod recorder;
pub mod resume;
pub mod review;
pub mod rows;
#[cfg(test)]
pub(crate) mod sample;
pub mod schema;
#[allow(clippy::module_inception)]
pub mod store;
pub mod task;
pub mod trouble;
pub mod verdicts;
pub mod write;

pub use error::StoreError;
pub use event::{CampaignOutcome, Event};
pub use identity::{Identity, IdentityPart};
pub use input::Input;
pub use merge::merge;
pub use record::{Escape, Judged, StopReasonText, Stored, VerdictText};
pub use recorder::{Listener, Recorder};
pub use resume::{Earlier, EarlierRecord, TaskId};
pub use review::Seen;
pub use rows::{Cost, Repeats, StoredState, StoredTask, SubjectRow, WarningRow};
pub use store::{Campaign, Store};
pub use task::PlannedTask;
pub use trouble::TroubleRow;
pub use verdicts::Verdicts;
