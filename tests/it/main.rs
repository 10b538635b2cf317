//! Tests of the program as a whole, in one binary. What confines programs is tested apart (`tests/sandbox.rs`): there a test
//! kills all launchers of its process.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod architecture;
mod builtin_line;
mod campaign_checks;
mod campaign_grammars;
mod campaign_inputs;
mod campaign_output;
mod campaign_refusals;
mod campaign_resume;
mod campaign_shards;
mod campaign_subjects;
mod campaign_transformers;
mod campaign_truth;
mod cli;
mod docs_grammar;
mod docs_pages;
mod docs_subject;
mod interrupt;
mod large_texts;
mod learned_figures;
mod load;
mod paper_figures;
mod parsing_limits;
mod programs;
mod reader_mutations;
mod reduce_lists;
mod reducer_command;
mod report_page;
mod search_progress;
mod session;
mod subject_command;
mod subject_corpus;
mod subject_figures;
mod subject_prepare;
mod subject_process;
mod subject_transformer;
mod support;
mod tables;
mod workers;
