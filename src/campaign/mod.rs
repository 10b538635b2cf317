//! Campaigns: what one config file describes, from the plan to the last task.
//!
//! - [`config`]: the config file, and what it means;
//! - `identity`: what the results depend on;
//! - `provenance`: writes what a run is made with;
//! - [`plan`](mod@plan): the graph of tasks that a config and its subjects give;
//! - [`schedule`]: runs a graph of tasks on threads;
//! - [`run`](mod@run): all of it together, with the store underneath.
//! - [`means_task`]: what a pattern of the names of tasks means.
//!
//! What the tasks do is in [`crate::stage`].

pub mod config;
mod identity;
pub mod plan;
mod provenance;
pub mod run;
pub mod schedule;
mod task_pattern;

pub use config::Config;
pub use plan::{Plan, Shard};
pub use provenance::Called;

pub use run::{CampaignError, Given, Options, Summary, plan, run};
pub use task_pattern::{means_task, no_task};
