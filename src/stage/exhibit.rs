//! What a task found, for a reader who looks at it: what stands on a page beside the row of a table.

use crate::store::Input;

/// Something to show of what a task found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exhibit<'a> {
    /// An input.
    Input {
        /// What it is.
        what: &'static str,
        /// The input.
        input: &'a Input,
    },
    /// An abstract input.
    Abstract {
        /// The text, with placeholders as `<name>`. A `<` of the input itself stands for itself.
        text: &'a str,
        /// How many placeholders there are.
        placeholders: u64,
    },
    /// The expression, with its patterns.
    Expression {
        /// The text; in its patterns a `<` of an input itself is `\<`.
        text: &'a str,
        /// The file of the grammar, as the manifest or the config calls it.
        grammar_file: Option<&'a str>,
    },
    /// The grammar, with which inputs have their derivation trees.
    Grammar {
        /// Its text, in the project's notation.
        text: &'a str,
    },
    /// How many rules grammars have, each with what it is.
    Rules(Vec<(&'static str, u64)>),
    /// The inputs that were judged are steps towards a small one that fails.
    Descent,
    /// Every input that was judged is worth seeing, and not only those that are not as they should be.
    EveryInput,
}
