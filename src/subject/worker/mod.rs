//! Workers: processes that judge one input after the other, for programs whose start is what takes long.
//!
//! - [`protocol`]: what is said to a worker, and what it answers;
//! - [`worker_pool`]: the workers that live at one time, each with a launcher of its own;
//! - [`command`]: how a manifest says to start one and what to send with an input;
//! - [`oracle`]: the oracle that asks workers, and a fresh process where a worker cannot be relied on;
//! - [`policy`]: whether to use workers, and how many of their verdicts to have judged again.

pub mod command;
pub mod oracle;
pub mod policy;
pub mod protocol;
pub mod worker_pool;

pub use command::{WorkerCommand, WorkerReply};
pub use oracle::WorkerOracle;
pub use policy::Policy;
