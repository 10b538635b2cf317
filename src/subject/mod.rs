//! Programs under test: what is known of them, how they are run, and what their runs show.
//!
//! The only layer that starts processes. It depends on [`crate::base`] and [`crate::oracle`] and,
//! but for [`transformer`], [`reducer_command`] and [`dictionary`], knows nothing of grammars, patterns, reducers or generalizers.
//!
//! A subject is declared in a file and got once:
//! - [`manifest`]: `subject.toml`; [`quantity`], [`template`]: parts of it;
//! - [`catalogue`]: all subjects of a folder;
//! - [`prepare`]: getting and building the program; [`prepared`]: what comes of that;
//! - [`contents`]: digests of the files that it is made of; [`watch`]: is it still the same?
//! - [`fitness`]: is it what it should be? [`corpus`]: inputs of it that people wrote;
//! - [`dictionary`]: the words that the program itself has.
//!
//! It is run again and again:
//! - [`execution`]: what is asked of one run, and what came of it;
//! - [`launcher`]: the helper process that runs subjects inside a sandbox;
//! - [`confinement`]: how that is asked for; `cgroup`: limits of all processes of a launcher together;
//! - `launched`: a launcher, seen from the program; [`running`]: all that live, to end them before the program ends;
//! - [`pool`]: several launchers, so that several programs can run at once; [`scratch`]: the folders in
//!   which runs may write;
//! - [`attack`]: attempts to get out of the sandbox, to see whether it holds;
//! - [`program`]: finding programs; [`words`]: splitting a command line without a shell.
//!
//! And what is seen becomes a verdict:
//! - [`rules`]: ordered rules on outcomes; [`fail_on`]: one condition, as written on the command line;
//! - [`command`]: the oracle that runs processes; [`worker`]: the one that asks processes that judge many
//!   inputs; [`builtin`]: the oracles that are functions.
//!
//! Two more kinds of programs are run here:
//! - [`transformer`], an external transformer; [`transformer_command`]: its command line;
//! - `command_reducer`, an external reducer; [`reducer_command`]: its command line; [`judge_socket`]: how it asks about
//!   candidates; `trusted`: how it runs.

pub mod attack;
pub mod builtin;
pub mod catalogue;
mod cgroup;
pub mod command;
mod command_reducer;
pub mod confinement;
pub mod contents;
pub mod corpus;
pub mod dictionary;
pub mod execution;
pub mod fail_on;
pub mod fitness;
pub mod judge_socket;
mod launched;
pub mod launcher;
pub mod manifest;
mod orphans;
pub mod pool;
pub mod prepare;
pub mod prepared;
pub mod program;
pub mod quantity;
pub mod reducer_command;
pub mod rules;
pub mod running;
pub mod scratch;
pub mod serial;
pub mod signal;
pub mod template;
pub mod transformer;
pub mod transformer_command;
mod trusted;
pub mod watch;
pub mod words;
pub mod worker;
