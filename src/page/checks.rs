//! Accuracy against the number of checks: where a campaign has generalizers that differ in it, each with its total.
//!
//! The number is a setting, and not part of what a task found, so it is read from the config.

use std::collections::{BTreeMap, BTreeSet};

use crate::report::figure::Better;
use crate::report::statistics::Proportion;
use crate::stage::tables::{Figures, Tables};
use crate::stage::{GeneralizeTask, Stage};

/// A figure for each number of checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chart {
    /// Which figure.
    pub title: String,
    /// The numbers of checks with the figure, in order.
    pub points: Vec<(u64, Proportion)>,
}

/// A figure of a table: where the table and the figure are, and of which source of inputs.
type Place<'a> = (usize, usize, Option<&'a str>);

/// How many checks each generalizer makes.
fn checks(config: &str, default: u64) -> BTreeMap<String, u64> {
    let config: toml::Table = config.parse().unwrap_or_default();
    let generalizers = config.get("generalizers").and_then(toml::Value::as_array);
    let entry = |entry: &toml::Value| {
        let text = |key: &str| entry.get(key).and_then(toml::Value::as_str);
        let name = entry.as_str().or(text("name"))?.to_owned();
        let checks = entry.get("checks").and_then(toml::Value::as_integer);
        Some((name, checks.and_then(|checks| u64::try_from(checks).ok()).unwrap_or(default)))
    };
    generalizers.into_iter().flatten().filter_map(entry).collect()
}

/// A chart for each share that is better the larger it is.
pub fn charts(tables: &Tables<'_>) -> Vec<Chart> {
    let key = format!("`{}.checks`", GeneralizeTask::NAME);
    let campaign = &tables.results.campaign;
    let identity = &campaign.identity.0;
    let default = identity.iter().find(|part| part.what == key).and_then(|part| part.digest.parse().ok());
    let checks = checks(&campaign.config, default.unwrap_or_default());
    if checks.values().collect::<BTreeSet<_>>().len() < 2 {
        return Vec::new();
    }
    let mut charts: BTreeMap<Place<'_>, (String, BTreeMap<u64, Proportion>)> = BTreeMap::new();
    for (place, Figures { rows, totals, .. }) in tables.figures.iter().enumerate() {
        for total in totals {
            let Some(&checks) = total.plug_ins.generalizer.and_then(|name| checks.get(name)) else {
                continue;
            };
            for (column, sum) in total.figures.iter().enumerate() {
                let shown = rows.first().and_then(|row| row.figures[column].shown);
                let (Some(shown), Some(share)) = (shown, sum.value.share()) else { continue };
                if shown.better == Better::More && share.of > 0 {
                    let title = format!("{} {}", shown.label, total.source.unwrap_or_default());
                    let chart =
                        charts.entry((place, column, total.source)).or_insert((title, BTreeMap::new()));
                    let sum = chart.1.entry(checks).or_default();
                    *sum = *sum + share;
                }
            }
        }
    }
    let several = charts.into_values().filter(|(_, points)| points.len() > 1);
    several
        .map(|(title, points)| Chart { title: title.trim().to_owned(), points: points.into_iter().collect() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checks_of_each_generalizer_are_those_of_the_config() {
        let config = "generalizers = [\"learn\", { name = \"few\", generalizer = \"ddset\", checks = 5 }]";
        let expected = [("few".to_owned(), 5), ("learn".to_owned(), 100)];
        assert_eq!(checks(config, 100), BTreeMap::from(expected));
        assert_eq!(checks("", 100), BTreeMap::new());
    }
}
