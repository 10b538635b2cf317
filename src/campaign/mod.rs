//! Campaigns: what one config file describes, from the plan to the last task.
//!
//! - [`config`]: the config file, and what it means;
//! - [`expressions`]: the expressions that a config gives by hand;
//! - [`transformers`]: the built-in transformers, and the programs that a config names;
//! - `identity`: what the results depend on;
//! - [`plan`]: the graph of tasks that a config and its subjects give;
//! - [`bench`](mod@bench): a bug made ready for work: grammar, parser, oracle;
//! - [`workshop`]: what several tasks share, made once;
//! - [`stage`]: what the tasks do, one module each;
//! - [`stopwatch`]: how long a task's own work takes;
//! - [`schedule`]: runs a graph of tasks on threads;
//! - [`run`](mod@run): all of it together, with the store underneath.
//!
//! Depends on all layers below but [`crate::report`], which only reads the store.

pub mod bench;
pub mod config;
pub mod expressions;
mod identity;
pub mod plan;
pub mod run;
pub mod schedule;
pub mod stage;
pub mod stopwatch;
pub mod transformers;
pub mod workshop;

pub use config::Config;
pub use plan::Plan;

pub use run::{CampaignError, Given, Options, Summary, plan, run};
