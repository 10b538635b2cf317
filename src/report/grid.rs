//! Aligned plain text for the terminal: a label on the left, figures on the right. A table that is too wide for the terminal is
//! shown in two parts, one below the other.

/// A table as text.
#[derive(Clone, Debug)]
pub struct Grid {
    headers: Vec<&'static str>,
    /// How many columns say what a line is about.
    keys: usize,
    /// Before which column the table may be parted.
    parted: Option<usize>,
    lines: Vec<Line>,
}

#[derive(Clone, Debug)]
enum Line {
    /// A cell for each column.
    Cells(Vec<String>),
    /// A label, and a remark in place of all figures.
    Remark(String, String),
    /// Sets off what follows.
    Rule,
}

/// What stands between two columns.
const GAP: &str = "  ";
/// A label is not made shorter than this.
const SHORTEST_LABEL: usize = 12;
/// A remark takes at most this number of lines.
const REMARK_LINES: usize = 3;
/// Rather than make labels shorter than this, a table is parted.
const READABLE_LABEL: usize = 24;

impl Grid {
    /// A table with these columns, the first of them the labels'.
    pub fn new(headers: impl IntoIterator<Item = &'static str>) -> Self {
        Self { headers: headers.into_iter().collect(), keys: 1, parted: None, lines: Vec::new() }
    }

    /// Says that the table may be parted before this column where it is too wide. Each part has the first `keys` columns.
    #[must_use]
    pub fn parted_before(self, column: usize, keys: usize) -> Self {
        Self { keys, parted: Some(column), ..self }
    }

    /// Adds a line.
    ///
    /// # Panics
    /// When it has not one cell for each column.
    pub fn push(&mut self, cells: Vec<String>) {
        assert_eq!(cells.len(), self.headers.len(), "a line has a cell for each of {:?}", self.headers);
        self.lines.push(Line::Cells(cells));
    }

    /// Adds a line with a remark in place of figures.
    pub fn remark(&mut self, label: String, remark: &str) {
        self.lines.push(Line::Remark(label, remark.into()));
    }

    /// Sets off the lines that follow.
    pub fn rule(&mut self) {
        self.lines.push(Line::Rule);
    }

    /// The text, its lines at most `width` characters long if the figures leave room for labels.
    /// What is too long ends in `…`.
    pub fn to_text(&self, width: usize) -> String {
        let all: Vec<usize> = (0..self.headers.len()).collect();
        let widths = self.widths();
        let figures: usize = widths[1..].iter().map(|width| width + GAP.len()).sum();
        match self.parted {
            Some(column) if figures + widths[0].min(READABLE_LABEL) > width => {
                let has_figures = self.lines.iter().any(|line| matches!(line, Line::Cells(_)));
                let (first, second) = all.split_at(column);
                let second: Vec<usize> = all[..self.keys].iter().chain(second).copied().collect();
                let text = self.part(first, width, true);
                if has_figures { format!("{text}\n{}", self.part(&second, width, false)) } else { text }
            }
            _ => self.part(&all, width, true),
        }
    }

    /// How wide each column is.
    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> = self.headers.iter().map(|header| header.chars().count()).collect();
        for line in &self.lines {
            match line {
                Line::Cells(cells) => {
                    for (width, cell) in widths.iter_mut().zip(cells) {
                        *width = (*width).max(cell.chars().count());
                    }
                }
                Line::Remark(label, _) => widths[0] = widths[0].max(label.chars().count()),
                Line::Rule => {}
            }
        }
        widths
    }

    /// Some of the columns. Lines that say nothing in them are left out; remarks stand in one part.
    fn part(&self, columns: &[usize], width: usize, with_remarks: bool) -> String {
        let all = self.widths();
        let mut widths: Vec<usize> = columns.iter().map(|&column| all[column]).collect();
        let figures: usize = widths[1..].iter().map(|width| width + GAP.len()).sum();
        widths[0] = widths[0].min(width.saturating_sub(figures).max(SHORTEST_LABEL));
        let whole = widths[0] + figures;
        let of = |cells: &[String]| columns.iter().map(|&column| cells[column].clone()).collect::<Vec<_>>();
        let mut text = row(&columns.iter().map(|&column| self.headers[column]).collect::<Vec<_>>(), &widths);
        for line in &self.lines {
            text += &match line {
                Line::Cells(cells) => {
                    let cells = of(cells);
                    if !with_remarks && cells[self.keys..].iter().all(String::is_empty) {
                        continue;
                    }
                    row(&cells, &widths)
                }
                Line::Remark(..) if !with_remarks => continue,
                Line::Remark(label, remark) => {
                    let room = width.max(whole).saturating_sub(widths[0] + GAP.len());
                    let remark = in_lines(remark, room, REMARK_LINES);
                    let begin = widths[0] + GAP.len();
                    let label = shorten(label, widths[0]);
                    let more = remark.lines().skip(1).map(|line| format!("{:begin$}{line}\n", ""));
                    let first = remark.lines().next().unwrap_or_default();
                    format!(
                        "{label:<label_width$}{GAP}{first}\n{}",
                        more.collect::<String>(),
                        label_width = widths[0]
                    )
                }
                Line::Rule => format!("{}\n", "-".repeat(whole)),
            };
        }
        text
    }
}

/// `text` in at most `most` lines of at most `width` characters; what is too long ends in `…`.
pub fn in_lines(text: &str, width: usize, most: usize) -> String {
    let text = shorten(text, usize::MAX);
    let all: Vec<String> = wrapped(&text, width).lines().map(str::to_owned).collect();
    let mut lines = String::new();
    for (number, line) in all.iter().enumerate().take(most) {
        let is_cut = number + 1 == most && all.len() > most;
        let line = if is_cut { format!("{line} …") } else { line.clone() };
        lines += &format!("{}\n", shorten(&line, width));
    }
    lines
}

/// `text` in lines of at most `width` characters, broken between words; a word that is longer has a line of its own.
pub fn wrapped(text: &str, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let mut current = String::new();
        for word in line.split_whitespace() {
            if !current.is_empty() && current.chars().count() + 1 + word.chars().count() > width {
                lines.push(std::mem::take(&mut current));
            } else if !current.is_empty() {
                current.push(' ');
            }
            current.push_str(word);
        }
        lines.push(current);
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn row(cells: &[impl AsRef<str>], widths: &[usize]) -> String {
    let mut line = String::new();
    for (index, (cell, &width)) in cells.iter().zip(widths).enumerate() {
        if index == 0 {
            line += &format!("{:<width$}", shorten(cell.as_ref(), width));
        } else {
            line += &format!("{GAP}{:>width$}", cell.as_ref());
        }
    }
    line.truncate(line.trim_end().len());
    line.push('\n');
    line
}

/// `text` on one line and in at most `width` characters.
pub fn shorten(text: &str, width: usize) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.chars().count() <= width {
        return line;
    }
    line.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn figures_are_aligned_and_labels_give_way() {
        let mut grid = Grid::new(["bug", "failed", "%"]);
        grid.push(["a-bug-with-a-long-name", "100/100", "100.0"].map(String::from).into());
        grid.push(["b", "1/3", "33.3"].map(String::from).into());
        grid.remark("c".into(), "not run:\nthe program could not be built at all");
        grid.rule();
        grid.push(["total", "101/103", ""].map(String::from).into());
        insta::assert_snapshot!(grid.to_text(32));
    }

    #[test]
    fn a_table_that_is_too_wide_is_parted() {
        let mut grid = Grid::new(["bug", "source", "failed", "%", "passed", "%"]).parted_before(4, 2);
        let cells = ["a-bug-with-a-long-name", "seen", "100/100", "100.0", "99/100", "99.0"];
        grid.push(cells.map(String::from).into());
        grid.push(["b", "random", "1/3", "33.3", "", ""].map(String::from).into());
        grid.remark("c".into(), "the program could not be built");
        grid.rule();
        grid.push(["total", "", "101/103", "", "99/100", ""].map(String::from).into());
        assert_eq!(grid.to_text(80).lines().count(), 6);
        insta::assert_snapshot!(grid.to_text(50));
    }

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(
            wrapped("one two  three\nfour averylongword\n", 7),
            "one two\nthree\nfour\naverylongword\n"
        );
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_allowed(label in "\\PC{0,60}", remark in "\\PC{0,90}", width in 30usize..80) {
            let mut grid = Grid::new(["bug", "failed", "%"]);
            grid.push(vec![label.clone(), "100/100".into(), "100.0".into()]);
            grid.remark(label, &remark);
            for line in grid.to_text(width).lines() {
                prop_assert!(line.chars().count() <= width, "{}", line);
            }
        }
    }
}
