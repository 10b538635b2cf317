//! All tables of a run, each made once for all who show it: the files, the terminal, and the page.

use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use crate::report::csv::Csv;

use super::super::results::Results;
use super::totals::{self, Measured, Total};
use super::{Make, ReportError, StageTable, summary};

/// The tables of a run.
pub struct Tables<'a> {
    /// What they are made of.
    pub results: &'a Results,
    /// All of them, in their order.
    pub all: Vec<(StageTable, Csv)>,
    /// The figures of those that have any, in the same order.
    pub figures: Vec<Figures<'a>>,
}

/// The figures of a table that can be summed up.
pub struct Figures<'a> {
    /// Which table.
    pub table: StageTable,
    /// Those of each row.
    pub rows: Vec<Measured<'a>>,
    /// What they come to.
    pub totals: Vec<Total<'a>>,
}

impl<'a> Tables<'a> {
    /// Makes all tables of `results`.
    pub fn of(results: &'a Results) -> Self {
        let all = super::all();
        let figures = each(&all, |table| {
            let rows = (table.figures?)(results);
            Some(Figures { table: *table, totals: totals::of(&rows), rows })
        });
        let figures: Vec<Figures<'a>> = figures.into_iter().flatten().collect();
        let texts = each(&all, |table| match table.make {
            Make::OfResults(make) => make(results),
            Make::OfFigures(make) => make(results, &figures),
        });
        Self { results, all: all.into_iter().zip(texts).collect(), figures }
    }

    /// Writes all tables into `folder`; says where they are. A file is replaced at once or not at all.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<Vec<PathBuf>, ReportError> {
        fs::create_dir_all(folder).map_err(|source| ReportError::Write { path: folder.into(), source })?;
        let written = each(&self.all, |(table, text)| {
            let path = folder.join(table.file);
            match text.write(&path) {
                Ok(()) => Ok(path),
                Err(source) => Err(ReportError::Write { path, source }),
            }
        });
        written.into_iter().collect()
    }

    /// What a run ends with, as text. `files` are those that were written.
    pub fn summary(&self, files: &[PathBuf]) -> String {
        summary::of(self, files)
    }

    /// What the figures of `table` come to; nothing where it has none.
    pub fn totals(&self, table: &StageTable) -> &[Total<'a>] {
        let of_table = self.figures.iter().find(|figures| figures.table.file == table.file);
        of_table.map_or(&[], |figures| &figures.totals)
    }
}

/// What `work` makes of each, at the same time.
fn each<T: Sync, R: Send>(all: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    // Not on rayon's threads: of a campaign that was interrupted, work may be left on these that does not end.
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = all.iter().map(|one| scope.spawn(move || work(one))).collect();
        let ended = threads.into_iter().map(thread::ScopedJoinHandle::join);
        ended.map(|result| result.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}
