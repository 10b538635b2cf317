//! A comparison for people, on one screen.

use std::fmt::Write as _;

use crate::report::grid::wrapped;
use crate::stage::tables::WIDTH;

use super::comparison::Comparison;
use super::difference::{Difference, Outcome};
use super::lines::broken;

/// The number of figures of a part that may be long.
const FIGURES: usize = 12;

/// What does not fit a line goes on this far to the right.
const INDENT: usize = 6;

/// The comparison as text, in lines that fit a screen of 80 columns.
pub fn text(comparison: &Comparison) -> String {
    let mut text = wrapped(&headline(comparison), WIDTH);
    for (outcome, title, most) in [
        (Outcome::Worse, "worse", usize::MAX),
        (Outcome::Better, "better", FIGURES),
        (Outcome::Missing, "missing", FIGURES),
        (Outcome::New, "new", FIGURES),
        (Outcome::Changed, "changed, neither better nor worse, or no more than chance", FIGURES),
    ] {
        let all: Vec<&Difference> = comparison.of(outcome).collect();
        if all.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n{title}: {}", all.len());
        for difference in &shown(&all)[..all.len().min(most)] {
            text += &lines(difference);
        }
        if all.len() > most {
            let _ = writeln!(text, "  and {} more, which --format json has", all.len() - most);
        }
    }
    text.push('\n');
    for note in remarks(comparison) {
        text += &wrapped(&note, WIDTH);
    }
    text
}

/// In a sentence.
pub fn headline(comparison: &Comparison) -> String {
    let count = |outcome, what: &str| match comparison.of(outcome).count() {
        0 => format!("nothing {what}"),
        count => format!("{count} {what}"),
    };
    let before = match &comparison.before[..] {
        [run] => format!("`{}`", run.display()),
        runs => format!("{} runs", runs.len()),
    };
    format!(
        "{} against {before}: {}, {}",
        format_args!("`{}`", comparison.after.display()),
        count(Outcome::Worse, "worse"),
        count(Outcome::Better, "better")
    )
}

/// What is to be known when reading it.
pub fn remarks(comparison: &Comparison) -> Vec<String> {
    let mut remarks = vec![match comparison.tests {
        0 => "no test was needed: all that may differ by chance is the same".to_owned(),
        tests => format!(
            "tests made: {tests}; the probability of any false alarm is at most {} %",
            100.0 * comparison.alpha
        ),
    }];
    if let Some(([least, median, most], count)) = comparison.power() {
        remarks.push(format!(
            "a drop is found with a probability of 80 % from {least:.1} points on at best, {median:.1} in the median \
             and {most:.1} at worst, of {count} accuracies"
        ));
    }
    remarks.extend(comparison.notes.iter().map(|note| format!("note: {note}")));
    remarks
}

/// Texts first, which say why figures changed; then what was nearest to being found worse.
fn shown<'a>(all: &[&'a Difference]) -> Vec<&'a Difference> {
    let rank = |difference: &Difference| match (difference.p, difference.ratio) {
        (None, None) => 0.0,
        (Some(p), _) => 1.0 + p,
        (None, Some(_)) => 2.0,
    };
    let mut shown = all.to_vec();
    shown.sort_by(|one, other| rank(one).total_cmp(&rank(other)));
    shown
}

/// The lines about one figure.
fn lines(difference: &Difference) -> String {
    let Difference { table, row, figure, before, after, .. } = difference;
    let place = format!("  {table}  {row}  {figure}");
    let more = detail(difference);
    let is_long = before.chars().count() + after.chars().count() > 60;
    let lines = match (before.is_empty(), after.is_empty()) {
        (true, true) => vec![format!("{place}{more}")],
        (true, false) => vec![format!("{place}: {after}{more}")],
        (false, true) => vec![format!("{place}: no longer {before}{more}")],
        (false, false) if is_long => {
            vec![format!("{place}{more}"), format!("    - {before}"), format!("    + {after}")]
        }
        (false, false) => vec![format!("{place}: {before} -> {after}{more}")],
    };
    lines.iter().map(|line| broken(line, INDENT, WIDTH)).collect()
}

/// What statistics say.
pub fn detail(difference: &Difference) -> String {
    let mut parts = Vec::new();
    if let Some(ratio) = difference.ratio {
        parts.push(format!("x {ratio:.2}"));
    }
    if let Some(effect) = difference.a12 {
        parts.push(format!("A12 {effect:.2}"));
    }
    if let (Some(p), Outcome::Worse | Outcome::Changed) = (difference.p_adjusted, difference.outcome) {
        parts.push(if p < 0.001 { "p < 0.001".to_owned() } else { format!("p {p:.3}") });
    }
    parts.extend(difference.note.clone());
    if parts.is_empty() { String::new() } else { format!("  ({})", parts.join("; ")) }
}
