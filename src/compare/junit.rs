//! A comparison as JUnit XML, which the pages of hosted CI show: a suite for each table, a case for each figure of a row.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::comparison::Comparison;
use super::difference::{Difference, Outcome};
use super::text::detail;

/// The comparison as XML.
///
/// # Errors
/// When it cannot be written as such.
pub fn junit(comparison: &Comparison) -> Result<String, String> {
    let mut report = Report::new("grambench compare");
    let mut suites: Vec<TestSuite> = Vec::new();
    for difference in &comparison.differences {
        let suite = match suites.iter_mut().find(|suite| suite.name.as_str() == difference.table) {
            Some(suite) => suite,
            None => {
                suites.push(TestSuite::new(difference.table));
                suites.last_mut().ok_or("there is no suite")?
            }
        };
        let mut case = TestCase::new(format!("{} {}", difference.row, difference.figure), status(difference));
        case.set_classname(difference.table);
        suite.add_test_case(case);
    }
    report.add_test_suites(suites);
    report.to_string().map_err(|error| error.to_string())
}

fn status(difference: &Difference) -> TestCaseStatus {
    let Difference { outcome, before, after, .. } = difference;
    if *outcome != Outcome::Worse {
        return TestCaseStatus::success();
    }
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(format!("{before} -> {after}{}", detail(difference)));
    status
}
