//! What spoke against a larger abstraction: why a part of the input is concrete, and why the pattern is no smaller.

use crate::oracle::Verdict;
use crate::tree::NodeId;

/// What was asked about a node of the input, and answered with no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether anything of its kind may stand there.
    Varies,
    /// Whether it fails in every context.
    FailsEverywhere,
}

/// That the answer to a question about a node is no, and the input that says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refutation {
    /// The node.
    pub node: NodeId,
    /// What was asked.
    pub question: Question,
    /// For [`Question::Varies`] the text that stood there instead.
    pub tried: Option<Vec<u8>>,
    /// The input that did not fail; `None` when too few could be judged at all.
    pub input: Option<Vec<u8>>,
    /// Its verdict.
    pub verdict: Option<Verdict>,
}
