//! A comparison for a pull request.

use std::fmt::Write as _;

use super::comparison::Comparison;
use super::difference::{Difference, Outcome};
use super::text::{detail, headline, remarks};

/// The number of rows of a part that may be long.
const ROWS: usize = 50;

/// The comparison as Markdown.
pub fn markdown(comparison: &Comparison) -> String {
    let mut text = format!("### grambench: {}\n", headline(comparison));
    for (outcome, title) in [
        (Outcome::Worse, "Worse"),
        (Outcome::Better, "Better"),
        (Outcome::Missing, "Missing"),
        (Outcome::New, "New"),
        (Outcome::Changed, "Changed"),
    ] {
        let all: Vec<&Difference> = comparison.of(outcome).collect();
        if all.is_empty() {
            continue;
        }
        let is_open = if outcome == Outcome::Worse { " open" } else { "" };
        let _ = writeln!(text, "\n<details{is_open}><summary>{title}: {}</summary>\n", all.len());
        text += "| table | row | figure | before | after | |\n|---|---|---|---|---|---|\n";
        for one in all.iter().take(ROWS) {
            let cells = [one.table, &one.row, one.figure, &one.before, &one.after, &detail(one)].map(cell);
            let _ = writeln!(text, "| {} |", cells.join(" | "));
        }
        if all.len() > ROWS {
            let _ = writeln!(text, "\n{} more", all.len() - ROWS);
        }
        text += "\n</details>\n";
    }
    text.push('\n');
    for remark in remarks(comparison) {
        let _ = writeln!(text, "- {}", escaped(&remark));
    }
    text
}

/// A cell of a table. What is an expression or an input must not become markup.
fn cell(text: &str) -> String {
    escaped(text.trim()).replace('|', "\\|").replace('\n', " ")
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '&' => escaped += "&amp;",
            '*' | '_' | '[' | ']' | '\\' => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_is_no_markup() {
        assert_eq!(cell("<a> | *b*\n[c](d)"), "&lt;a&gt; \\| \\*b\\* \\[c\\](d)");
    }
}
