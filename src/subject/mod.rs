//! Programs under test: what is known of them, how they are run, and what their runs show.
//!
//! The only layer that starts processes. It depends on [`crate::base`] and [`crate::oracle`] and
//! knows nothing of trees or patterns.
//!
//! - [`execution`]: what is asked of one run, and what came of it;
//! - [`launcher`]: the helper process that runs subjects inside a sandbox;
//! - [`pool`]: several launchers, one per worker;
//! - [`scratch`]: the folders in which runs may write;
//! - [`signal`]: names of signals;
//! - [`words`]: splitting a command line without a shell.

pub mod execution;
pub mod launcher;
pub mod pool;
pub mod scratch;
pub mod signal;
mod survivors;
pub mod words;
