//! Each bug: what was found of it, its figures, and its inputs with what was seen of them.

use maud::{Markup, html};

use crate::report::grid::shorten;
use crate::stage::Exhibit;

use super::super::inputs::{Group, Shown};
use super::super::report::{Bug, Finding, List, Report};
use super::super::table::Cell;
use super::super::words::{counted, number};
use super::{bug_id, figures};

/// The number of characters that are shown of what was seen.
const SEEN: usize = 240;
/// The number of tasks without a result that are named of a bug.
const MISSING: usize = 20;

/// All bugs.
pub fn content(report: &Report<'_>) -> Option<Markup> {
    (!report.bugs.is_empty()).then(|| {
        html! {
            p.lead {
                "Inputs are folded up below their bugs, by task; a click on one, or its number, shows its derivation tree and the commands \
                 that show it again. Those of reductions and generalizations are not on the page, nor those \
                 that were recognized rightly. " code { "grambench inputs \"$RUN\" TASK" } " shows them. \
                 The commands are for a shell in the folder that has " code { "subjects" } ". In them "
                code { "RUN" } " is the folder of the run: " code.run { "RUN=results/runs/…" }
            }
            @for (place, bug) in report.bugs.iter().enumerate() { (article(report, place, bug)) }
        }
    })
}

fn article(report: &Report<'_>, place: usize, bug: &Bug<'_>) -> Markup {
    let about = bug.about;
    html! {
        article id=(bug_id(place)) data-names=(bug.names.names.join("\n")) {
            h3 { (bug.name) }
            p.quiet {
                (about.subject) " " (about.version)
                @if about.reintroduced { ", put back into this release" }
                @if !about.grammar.is_empty() { "; grammar " (about.grammar) }
            }
            @if !bug.missing.is_empty() { (missing(bug)) }
            dl.findings { @for finding in &bug.findings { (self::finding(finding)) } }
            (shares(report, bug))
            @for list in &bug.lists { (inputs(list)) }
            @if bug.left_out > 0 {
                p.quiet { (counted(bug.left_out, "more task or finding", "more tasks and findings")) ": the page has no room for them." }
            }
        }
    }
}

fn missing(bug: &Bug<'_>) -> Markup {
    let left_out = bug.missing.len().saturating_sub(MISSING);
    html! {
        details.missing {
            summary { strong.worse { (counted(bug.missing.len(), "task", "tasks")) " without a result" } }
            ul {
                @for (task, why) in bug.missing.iter().take(MISSING) {
                    li { code { (task) } ": " (shorten(why, SEEN)) }
                }
                @if left_out > 0 { li.quiet { "and " (number(left_out as u64)) " more" } }
            }
        }
    }
}

fn finding(finding: &Finding<'_>) -> Markup {
    let labels: Vec<&str> =
        finding.labels.iter().map(String::as_str).filter(|label| !label.is_empty()).collect();
    let (what, size, content) = match &finding.exhibit {
        Exhibit::Input { what, input } => {
            let bytes = input.bytes().len();
            (*what, counted(bytes, "byte", "bytes"), lines(input.bytes()))
        }
        Exhibit::Abstract { text, placeholders } => {
            ("Abstract input", String::new(), placeholders_in(text, Some(*placeholders)))
        }
        Exhibit::Expression { text, .. } => ("Expression F", String::new(), placeholders_in(text, None)),
        Exhibit::Grammar { .. } | Exhibit::Rules(_) | Exhibit::Descent | Exhibit::EveryInput => {
            return html! {};
        }
    };
    html! {
        dt {
            (what)
            @if !size.is_empty() { " " span.quiet { (size) } }
            @if !labels.is_empty() { " " span.quiet { (shorten(&labels.join(", "), SEEN)) } }
        }
        dd {
            pre tabindex="0" { code { (content) } }
            @if let Some(tree) = &finding.tree {
                details.tree {
                    summary { "Derivation tree" }
                    pre tabindex="0" { code { (tree) } }
                }
            }
        }
    }
}

/// An input as it is, line by line; what is no text of it is escaped.
fn lines(bytes: &[u8]) -> Markup {
    const LONGEST: usize = 20_000;
    let cut = &bytes[..bytes.len().min(LONGEST)];
    let text = match std::str::from_utf8(cut) {
        Ok(text) if !text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) => text.to_owned(),
        _ => crate::store::Input::from(cut).to_escaped(),
    };
    html! {
        (text)
        @if cut.len() < bytes.len() { span.quiet { "… (" (number(bytes.len() as u64)) " bytes)" } }
    }
}

/// A pattern with its placeholders set off. Of a text in which a `<` may stand for itself, none is if there are not as many as
/// there must be.
fn placeholders_in(text: &str, count: Option<u64>) -> Markup {
    let parts = parts(text);
    let found = parts.iter().filter(|part| part.0).count() as u64;
    let is_clear = count.is_none_or(|count| count == found);
    html! {
        @for (is_placeholder, part) in parts {
            @if is_placeholder && is_clear { mark { (part) } } @else { (part) }
        }
    }
}

/// The parts of a pattern's text: whether it is a placeholder, and the text.
fn parts(text: &str) -> Vec<(bool, &str)> {
    let mut parts = Vec::new();
    let (mut begin, mut from) = (0, 0);
    while let Some(open) = text[from..].find('<').map(|at| from + at) {
        let backslashes = text[..open].bytes().rev().take_while(|&byte| byte == b'\\').count();
        let end = text[open + 1..].find(['<', '>']).map(|at| open + 1 + at);
        match end {
            Some(end) if backslashes % 2 == 0 && text.as_bytes()[end] == b'>' && end > open + 1 => {
                parts.extend((begin < open).then(|| (false, &text[begin..open])));
                parts.push((true, &text[open..=end]));
                (begin, from) = (end + 1, end + 1);
            }
            _ => from = open + 1,
        }
    }
    parts.extend((begin < text.len()).then(|| (false, &text[begin..])));
    parts
}

/// The shares of the bug in all tables.
fn shares(report: &Report<'_>, bug: &Bug<'_>) -> Markup {
    let about = bug.about;
    let is_of_bug = |of: &str, grammar: &str| of == about.bug && grammar == about.grammar;
    let has_shares = report.tables.iter().any(|table| {
        let has_share = |cell: &Cell| cell.value.share().is_some_and(|share| share.of > 0);
        table.rows.iter().any(|row| is_of_bug(row.bug, row.grammar) && row.cells.iter().any(has_share))
    });
    html! {
        @if has_shares {
            details {
                summary { "Figures" }
                div.scroll tabindex="0" role="group" aria-label={ "Figures of " (bug.name) } {
                    table.shares {
                        @for table in &report.tables {
                            @let rows = table.rows.iter().filter(|row| is_of_bug(row.bug, row.grammar));
                            tbody {
                                (figures::shares(table, rows.map(|row| {
                                    (row.label.strip_prefix(about.bug).unwrap_or(&row.label).trim(), row.source, &*row.cells)
                                })))
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The inputs of a task.
fn inputs(list: &List<'_>) -> Markup {
    let List { task, inputs, commands } = list;
    let short = task.split_once('/').map_or(*task, |(_, rest)| rest);
    let verdicts: Vec<String> = inputs
        .verdicts
        .iter()
        .map(|(verdict, count)| format!("{} {verdict}", number(*count as u64)))
        .collect();
    let mistakes = inputs.mistakes();
    let line = html! {
        code { (short) } " "
        span.quiet { (counted(inputs.all, "input", "inputs")) ": " (verdicts.join(", ")) }
        @if mistakes > 0 { " " strong.worse { (number(mistakes as u64)) " misjudged" } }
        @if inputs.left_out > 0 { span.quiet { "; " (number(inputs.left_out as u64)) " not on this page, for want of room" } }
    };
    if inputs.shown.is_empty() {
        return html! { p.inputs { (line) } };
    }
    html! {
        details.inputs {
            summary { (line) }
            p.quiet { "All of them, and one of them: " span.number { "N is its number." } }
            pre.commands tabindex="0" {
                code { (commands.all) }
                @for command in &commands.one { "\n" code.one { (command) } }
            }
            @for group in inputs.groups() { (self::group(&group)) }
        }
    }
}

fn group(group: &Group<'_>) -> Markup {
    html! {
        div.group {
            p {
                span class={ "verdict " (group.verdict.as_str()) } { (group.verdict.as_str()) }
                @if let Some(mistake) = group.mistake { " " strong.worse { (shorten(mistake, SEEN)) } }
                @if let Some(evidence) = group.evidence { " " samp { (shorten(evidence, SEEN)) } }
                " " span.quiet { (counted(group.inputs.len(), "input", "inputs")) }
            }
            ol {
                @let mut before = 0;
                @for shown in &group.inputs {
                    @let follows = shown.number == before + 1;
                    ({ before = shown.number; item(shown, follows) })
                }
            }
        }
    }
}

fn item(shown: &Shown, follows: bool) -> Markup {
    let (text, whole) = shown.text();
    let value = (!follows).then_some(shown.number);
    html! {
        li value=[value] data-tree=[&shown.tree] {
            code { (text) }
            @if let Some(bytes) = whole { span.quiet { "… (" (number(bytes as u64)) " bytes)" } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_set_off_where_they_can_be_told_from_text() {
        let shown = |text, count| placeholders_in(text, count).into_string();
        assert_eq!(shown("(<expr>/0)", Some(1)), "(<mark>&lt;expr&gt;</mark>/0)");
        assert_eq!(shown(r#""\<b><x>""#, None), r"&quot;\&lt;b&gt;<mark>&lt;x&gt;</mark>&quot;");
        assert_eq!(shown("a<b", None), "a&lt;b");
        assert_eq!(shown("<><a <b>", None), "&lt;&gt;&lt;a <mark>&lt;b&gt;</mark>");
        assert_eq!(shown("<b><x>", Some(1)), "&lt;b&gt;&lt;x&gt;", "one of them is text");
    }
}
