//! How the stages of a campaign work.

use crate::base::limits::Sizes;
use crate::base::share::Share;
use crate::generalize::Characteristic;
use crate::oracle::TimeoutAs;
use crate::produce;
use crate::subject::manifest::Reading;
use crate::subject::worker::Policy;

use super::check::Checker;
use super::wire;

/// How the stages work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// So many fills of an abstract node must fail in a row.
    pub checks: usize,
    /// How the characteristic node is found.
    pub characteristic: Characteristic,
    /// So many distinct instances of an abstract input are judged.
    pub instances: usize,
    /// Up to this length, in bytes, the derivations of specialized grammars are counted.
    pub counted: usize,
    /// How large automata and specialized grammars may become.
    pub sizes: Sizes,
    /// So many distinct, resolved inputs are produced from each grammar.
    pub inputs: usize,
    /// How the producers work.
    pub producer: produce::Settings,
    /// So many random inputs of the base grammar are held out for recognizing.
    pub held_out_random: usize,
    /// So many mutations of the failing input are held out for recognizing.
    pub held_out_mutations: usize,
    /// How a timeout counts.
    pub timeout_as: TimeoutAs,
    /// Whose rules decide what an outcome means.
    pub reading: Reading,
    /// Whether workers judge inputs where a subject has them.
    pub uses_workers: bool,
    /// The share of workers' verdicts that is judged again by a process of its own.
    pub judged_again: Share,
    /// The share of all verdicts that is judged a second time, to see whether the program is deterministic.
    pub repeated: Share,
    /// When more than this share of them differ, it is not.
    pub flaky: Share,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            checks: 100,
            characteristic: Characteristic::Asked,
            instances: 100,
            counted: 20,
            sizes: Sizes::default(),
            inputs: 100,
            producer: produce::Settings::default(),
            held_out_random: 100,
            held_out_mutations: 100,
            timeout_as: TimeoutAs::Pass,
            reading: Reading::Own,
            uses_workers: true,
            judged_again: Policy::SHARE,
            repeated: Policy::SHARE,
            flaky: Share::of_millionths(10_000),
        }
    }
}

impl Settings {
    /// The settings that are written, and the defaults of the others.
    pub(super) fn read(wire: &wire::Config, checker: &mut Checker<'_>) -> Self {
        let defaults = Self::default();
        Self {
            checks: checker.positive(wire.generalize.checks.as_ref(), defaults.checks),
            characteristic: checker.one_of(
                wire.generalize.characteristic.as_ref(),
                &[("asked", Characteristic::Asked), ("static", Characteristic::Static)],
                defaults.characteristic,
            ),
            instances: checker.positive(wire.instantiate.inputs.as_ref(), defaults.instances),
            counted: wire.transform.length.unwrap_or(defaults.counted),
            sizes: Sizes {
                states: wire.transform.states.unwrap_or(defaults.sizes.states),
                rules: wire.transform.rules.unwrap_or(defaults.sizes.rules),
                steps: wire.transform.steps.unwrap_or(defaults.sizes.steps),
            },
            inputs: checker.positive(wire.produce.inputs.as_ref(), defaults.inputs),
            producer: produce::Settings {
                depth: wire.produce.depth.unwrap_or(defaults.producer.depth),
                lengths: checker.lengths(wire.produce.length.as_ref(), defaults.producer.lengths),
                paths: checker.paths(wire.produce.paths.as_ref(), defaults.producer.paths),
            },
            held_out_random: wire.recognize.random.unwrap_or(defaults.held_out_random),
            held_out_mutations: wire.recognize.mutations.unwrap_or(defaults.held_out_mutations),
            timeout_as: checker.one_of(
                wire.oracle.timeout_as.as_ref(),
                &[
                    ("pass", TimeoutAs::Pass),
                    ("unresolved", TimeoutAs::Unresolved),
                    ("fail", TimeoutAs::Fail),
                ],
                defaults.timeout_as,
            ),
            reading: checker.one_of(
                wire.oracle.verdict.as_ref(),
                &[("own", Reading::Own), ("paper", Reading::Paper)],
                defaults.reading,
            ),
            uses_workers: wire.workers.are_used.unwrap_or(defaults.uses_workers),
            judged_again: checker.share(wire.workers.judged_again.as_ref(), defaults.judged_again),
            repeated: checker.share(wire.oracle.repeated.as_ref(), defaults.repeated),
            flaky: checker.share(wire.oracle.flaky.as_ref(), defaults.flaky),
        }
    }
}
