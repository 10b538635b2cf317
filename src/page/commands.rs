//! The commands that show an input again, as a reader types them into a shell.
//!
//! The folder of the run is the variable `RUN`, so that a page says the same wherever it lies.

use crate::subject::words;

/// The commands about the inputs of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commands {
    /// Shows all of them.
    pub all: String,
    /// What the number of an input takes the place of in the others.
    pub one: Vec<String>,
}

/// Stands for the number of an input.
pub const NUMBER: &str = "N";

impl Commands {
    /// The commands for a task about a subject, given the expression that it works with and the file of the grammar.
    pub fn of(task: &str, subject: &str, expression: Option<(&str, &str)>) -> Self {
        let word = |text: &str| String::from_utf8_lossy(&words::join(&[text])).into_owned();
        let all = format!("grambench inputs \"$RUN\" {}", word(task));
        let input = format!("{all} | sed -n {NUMBER}p | cut -f 3");
        let mut one = vec![input.clone()];
        if let Some((expression, file)) = expression {
            let grammar = word(&format!("subjects/{subject}/{file}"));
            one.push(format!("{input} | grambench parse --escaped --grammar {grammar}"));
            one.push(format!(
                "{input} | grambench validate --escaped --explain --grammar {grammar} -e {}",
                word(expression)
            ));
        }
        Self { all, one }
    }
}
