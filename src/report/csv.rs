//! A table as a CSV file: commas, line feeds, quotes where they are needed (RFC 4180).
//!
//! A row is a flat struct; its fields are the columns, in their order. So a header cannot get out of step with its
//! cells.

use std::io;
use std::path::Path;

use serde::Serialize;

use super::file;
use super::paper::Accuracy;
use super::statistics::{Percent, Proportion};

/// The first rows of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// What the columns are called.
    pub header: Vec<String>,
    /// The cells of these rows.
    pub rows: Vec<Vec<String>>,
    /// How many rows the table has.
    pub all: usize,
    /// Of each column whether any row of the table has something in it.
    pub says: Vec<bool>,
}

/// The text of a CSV file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Csv(String);

impl Csv {
    /// A table of these rows.
    ///
    /// # Panics
    /// When rows are not flat.
    pub fn of<R: Serialize + Default>(rows: impl IntoIterator<Item = R>) -> Self {
        // Where there are no rows there are columns all the same.
        let mut text = written([R::default()], true);
        let header = text.find('\n').map_or(text.len(), |end| end + 1);
        text.truncate(header);
        text += &written(rows, false);
        Self(text)
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.0.find('\n').is_none_or(|end| end + 1 == self.0.len())
    }

    /// The first rows, at most this number.
    pub fn excerpt(&self, most: usize) -> Excerpt {
        let mut reader = csv::Reader::from_reader(self.0.as_bytes());
        let texts = |row: &csv::StringRecord| row.iter().map(str::to_owned).collect::<Vec<String>>();
        let header = reader.headers().map(texts).unwrap_or_default();
        let mut excerpt = Excerpt { says: vec![false; header.len()], header, rows: Vec::new(), all: 0 };
        // There may be a hundred thousand rows, so all are read into the same one.
        let mut row = csv::StringRecord::new();
        while reader.read_record(&mut row).unwrap_or(false) {
            excerpt.all += 1;
            excerpt.says.iter_mut().zip(&row).for_each(|(says, cell)| *says |= !cell.is_empty());
            if excerpt.rows.len() < most {
                excerpt.rows.push(texts(&row));
            }
        }
        excerpt
    }

    /// Writes the table to `path`, at once or not at all.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        file::replace(path, &self.0)
    }
}

fn written<R: Serialize>(rows: impl IntoIterator<Item = R>, has_headers: bool) -> String {
    let mut writer = csv::WriterBuilder::new().has_headers(has_headers).from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).expect("rows are flat, and memory can be written to");
    }
    let bytes = writer.into_inner().expect("memory can be written to");
    String::from_utf8(bytes).expect("cells are text")
}

/// The cells for a share: inputs, hits, percentage, and the ends of its interval.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShareCells {
    /// Of how many.
    pub of: Option<u64>,
    /// How many have the property.
    pub hits: Option<u64>,
    /// The percentage.
    pub percent: Option<Percent>,
    /// The lower end of its interval.
    pub low: Option<Percent>,
    /// The upper end.
    pub high: Option<Percent>,
}

impl From<Option<Proportion>> for ShareCells {
    fn from(share: Option<Proportion>) -> Self {
        let interval = share.and_then(Proportion::interval);
        Self {
            of: share.map(|share| share.of),
            hits: share.map(|share| share.hits),
            percent: share.and_then(Proportion::percent),
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
        }
    }
}

/// The cells for what the paper says.
#[derive(Clone, Copy, Debug, Default)]
pub struct AccuracyCells<'a> {
    /// The percentage of failing inputs.
    pub fail_percent: Option<&'a str>,
    /// Of how many.
    pub fail_inputs: Option<u64>,
    /// The percentage of passing inputs.
    pub pass_percent: Option<&'a str>,
    /// Of how many.
    pub pass_inputs: Option<u64>,
}

impl<'a> From<Option<&'a Accuracy>> for AccuracyCells<'a> {
    fn from(row: Option<&'a Accuracy>) -> Self {
        Self {
            fail_percent: row.map(|row| row.fail.percent.as_str()),
            fail_inputs: row.map(|row| row.fail.inputs),
            pass_percent: row.map(|row| row.pass.percent.as_str()),
            pass_inputs: row.map(|row| row.pass.inputs),
        }
    }
}

/// The word for an answer.
pub fn yes_or_no(answer: bool) -> &'static str {
    if answer { "yes" } else { "no" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default, Serialize)]
    struct Row {
        name: &'static str,
        count: Option<u64>,
        share: Option<Percent>,
    }

    #[test]
    fn columns_are_the_fields_also_where_there_are_no_rows() {
        assert_eq!(Csv::of::<Row>([]).text(), "name,count,share\n");
        let share = Proportion::new(1, 3).percent();
        let rows = [Row { name: "a,\"b\"\nc", count: Some(1), share }, Row { name: "d", ..Row::default() }];
        let table = Csv::of(rows);
        assert_eq!(table.text(), "name,count,share\n\"a,\"\"b\"\"\nc\",1,33.3\nd,,\n");
        let texts = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let rows = [texts(["a,\"b\"\nc", "1", "33.3"]), texts(["d", "", ""])];
        let header = texts(["name", "count", "share"]);
        for most in 0..4 {
            let rows: Vec<_> = rows.iter().take(most).cloned().collect();
            let expected = Excerpt { header: header.clone(), rows, all: 2, says: vec![true; 3] };
            assert_eq!(table.excerpt(most), expected);
        }
        let silent = Csv::of([Row::default(), Row { count: Some(0), ..Row::default() }]);
        assert_eq!(silent.excerpt(1).says, [false, true, false], "also of rows that are left out");
        assert!(!table.is_empty() && Csv::of::<Row>([]).is_empty());
        assert_eq!(
            Csv::of::<Row>([]).excerpt(9),
            Excerpt { header, rows: Vec::new(), all: 0, says: vec![false; 3] }
        );
    }
}
