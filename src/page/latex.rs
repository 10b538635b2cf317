//! The tables as LaTeX: for a paper. They need the package `booktabs`.

use crate::stage::tables::Tables;

use super::grid::Grid;
use super::table;

/// All tables that have figures.
pub fn tables(tables: &Tables<'_>) -> String {
    let tables = table::all(tables).into_iter().map(|table| text(&Grid::of(&table), table.of.name()));
    format!("% \\usepackage{{booktabs}}\n\n{}", tables.collect::<Vec<_>>().join("\n"))
}

fn text(grid: &Grid, name: &str) -> String {
    let columns: String =
        (0..grid.heads.len()).map(|place| if place < grid.names { 'l' } else { 'r' }).collect();
    let line = |cells: &Vec<String>| {
        let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
        format!("    {} \\\\\n", cells.join(" & "))
    };
    let lines = |rows: &[Vec<String>]| rows.iter().map(line).collect::<String>();
    format!(
        "\\begin{{table}}\n  \\centering\n  \\caption{{{title}}}\n  \\label{{tab:{name}}}\n  \
         \\begin{{tabular}}{{{columns}}}\n    \\toprule\n{heads}    \\midrule\n{rows}    \\midrule\n{totals}    \
         \\bottomrule\n  \\end{{tabular}}\n\\end{{table}}\n",
        title = escaped(grid.title),
        heads = line(&grid.heads),
        rows = lines(&grid.rows),
        totals = lines(&grid.totals),
    )
}

/// `text` as it is, whatever characters of it mean something in LaTeX.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', c]),
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '<' => escaped.push_str("\\textless{}"),
            '>' => escaped.push_str("\\textgreater{}"),
            '–' => escaped.push_str("--"),
            '−' => escaped.push_str("$-$"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
