//! How many inputs had each verdict.

use serde::{Deserialize, Serialize};

use crate::oracle::{Cut, Judgement, TimeoutAs, Verdict};

/// How many inputs had each verdict, as it was seen, and how a timeout counts.
///
/// Stored as part of a record, among its other fields. It does not refuse fields of other names, since
/// those are the record's; the record does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdicts {
    /// Those whose verdict is `fail`.
    pub fail: u64,
    /// Those whose verdict is `pass`.
    pub pass: u64,
    /// Those whose verdict is `unresolved`.
    pub unresolved: u64,
    /// Those of them whose run wrote too much.
    pub unresolved_output: u64,
    /// Those whose verdict is `timeout`.
    pub timeout: u64,
    /// Those of them whose run waited too long by the clock, and did not use up its processor time.
    pub timeout_wall: u64,
    /// How a timeout counts.
    #[serde(with = "TimeoutAsText")]
    pub timeout_as: TimeoutAs,
}

impl Verdicts {
    /// The numbers of these verdicts, each with the limit that ended the run.
    pub fn of(verdicts: impl IntoIterator<Item = (Verdict, Option<Cut>)>, timeout_as: TimeoutAs) -> Self {
        let mut counts = Self {
            fail: 0,
            pass: 0,
            unresolved: 0,
            unresolved_output: 0,
            timeout: 0,
            timeout_wall: 0,
            timeout_as,
        };
        for (verdict, cut) in verdicts {
            match cut {
                Some(Cut::Output) => counts.unresolved_output += 1,
                Some(Cut::WallTime) => counts.timeout_wall += 1,
                None => {}
            }
            *match verdict {
                Verdict::Fail => &mut counts.fail,
                Verdict::Pass => &mut counts.pass,
                Verdict::Unresolved => &mut counts.unresolved,
                Verdict::Timeout => &mut counts.timeout,
            } += 1;
        }
        counts
    }

    /// The numbers of the verdicts in the log of a session with an oracle.
    pub fn of_log(log: &[(Box<[u8]>, Judgement)], timeout_as: TimeoutAs) -> Self {
        Self::of(log.iter().map(|(_, judgement)| (judgement.verdict, judgement.cut())), timeout_as)
    }

    /// How many inputs had this verdict.
    fn seen(&self, verdict: Verdict) -> u64 {
        match verdict {
            Verdict::Fail => self.fail,
            Verdict::Pass => self.pass,
            Verdict::Unresolved => self.unresolved,
            Verdict::Timeout => self.timeout,
        }
    }

    /// How many inputs count as `verdict`; none counts as `timeout`.
    pub fn counted(&self, verdict: Verdict) -> u64 {
        let counting = Verdict::ALL.into_iter().filter(|&seen| self.timeout_as.count(seen) == verdict);
        counting.map(|seen| self.seen(seen)).sum()
    }
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "TimeoutAs", rename_all = "lowercase")]
enum TimeoutAsText {
    Pass,
    Unresolved,
    Fail,
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: [TimeoutAs; 3] = [TimeoutAs::Pass, TimeoutAs::Unresolved, TimeoutAs::Fail];

    #[test]
    fn each_input_counts_once_and_a_timeout_as_the_setting_says() {
        let seen = [(Verdict::Fail, 1), (Verdict::Pass, 96), (Verdict::Unresolved, 0), (Verdict::Timeout, 2)];
        let all = || seen.into_iter().flat_map(|(verdict, count)| std::iter::repeat_n(verdict, count));
        for timeout_as in SETTINGS {
            let cut = [(Verdict::Timeout, Some(Cut::WallTime)), (Verdict::Unresolved, Some(Cut::Output))];
            let cut = Verdicts::of(cut, timeout_as);
            assert_eq!((cut.timeout, cut.timeout_wall, cut.unresolved, cut.unresolved_output), (1, 1, 1, 1));
            let verdicts = Verdicts::of(all().map(|verdict| (verdict, None)), timeout_as);
            assert_eq!((verdicts.timeout_wall, verdicts.unresolved_output), (0, 0));
            assert_eq!([verdicts.fail, verdicts.pass, verdicts.unresolved, verdicts.timeout], [1, 96, 0, 2]);
            for verdict in Verdict::ALL {
                let counted = all().filter(|&seen| timeout_as.count(seen) == verdict).count();
                assert_eq!(verdicts.counted(verdict), counted as u64, "{timeout_as:?} {verdict}");
            }
            assert_eq!(verdicts.counted(Verdict::Timeout), 0);
        }
    }
}
