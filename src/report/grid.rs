//! Aligned plain text for the terminal: a label on the left, figures on the right.

/// A table as text.
#[derive(Clone, Debug)]
pub struct Grid {
    headers: Vec<&'static str>,
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

impl Grid {
    /// A table with these columns, the first of them the labels'.
    pub fn new(headers: impl IntoIterator<Item = &'static str>) -> Self {
        Self { headers: headers.into_iter().collect(), lines: Vec::new() }
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
        let figures: usize = widths[1..].iter().map(|width| width + GAP.len()).sum();
        widths[0] = widths[0].min(width.saturating_sub(figures).max(SHORTEST_LABEL));
        let whole = widths[0] + figures;
        let mut text = row(&self.headers, &widths);
        for line in &self.lines {
            text += &match line {
                Line::Cells(cells) => row(cells, &widths),
                Line::Remark(label, remark) => {
                    let room = width.max(whole).saturating_sub(widths[0] + GAP.len());
                    let label = shorten(label, widths[0]);
                    format!("{label:<first$}{GAP}{}\n", shorten(remark, room), first = widths[0])
                }
                Line::Rule => format!("{}\n", "-".repeat(whole)),
            };
        }
        text
    }
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
