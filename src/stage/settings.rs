//! How the stages work: what concerns several of them, and what each says for itself.

use std::fmt;
use std::num::NonZeroU64;
use std::sync::Arc;

use crate::base::keys::Keys;
use crate::base::registry::{Registry, Variant};
use crate::base::share::Share;
use crate::oracle::TimeoutAs;
use crate::report::provenance::part;
use crate::store::Identity;
use crate::subject::manifest::RuleSet;
use crate::subject::worker::Policy;

use super::{Stage, StageError, for_each_stage};

/// The settings of one stage: which keys of a config are its own, and what they must be.
pub trait StageSettings: Clone + fmt::Debug + Default + PartialEq {
    /// Takes its keys out of the top level of a config. Errors are reported to the document.
    fn read(keys: &mut Keys<'_>) -> Self;

    /// Adds all settings that results depend on, each by itself, so that a refusal can name the one that differs.
    fn identify(&self, identity: &mut Identity);
}

/// The settings of a stage that has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoSettings;

impl StageSettings for NoSettings {
    fn read(_: &mut Keys<'_>) -> Self {
        Self
    }

    fn identify(&self, _: &mut Identity) {}
}

/// Labels of plug-ins, in the order of the config.
pub type PlugInNames = Vec<Arc<str>>;

/// Plug-ins of a kind that take part, in the order of the config.
#[derive(Clone)]
pub struct Variants<M>(pub Vec<Variant<M>>);

impl<M> PartialEq for Variants<M> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<M> fmt::Debug for Variants<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.0).finish()
    }
}

impl<M> Variants<M> {
    /// The default one alone.
    pub fn default_of(registry: &Registry<M>) -> Self {
        Self(registry.get(registry.default()).into_iter().collect())
    }

    /// Their labels.
    pub fn labels(&self) -> impl Iterator<Item = &Arc<str>> {
        self.0.iter().map(|variant| &variant.label)
    }

    /// The one with this label.
    ///
    /// # Errors
    /// When there is none: the task is of another config.
    pub fn get(&self, label: &str) -> Result<&M, StageError> {
        let found = self.0.iter().find(|variant| *variant.label == *label).map(|variant| &variant.make);
        found.ok_or_else(|| StageError::failed(format!("the config has no `{label}`")))
    }

    /// All that results depend on.
    pub fn identity(&self) -> String {
        self.0.iter().map(Variant::identity).collect::<Vec<_>>().join(" ")
    }
}

/// The most repetitions: each is some tasks for each bug, all of which are planned
/// before the first one begins.
const MOST_REPETITIONS: u32 = 10_000;

/// How inputs are judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OracleSettings {
    /// How a timeout counts.
    pub timeout_as: TimeoutAs,
    /// Which rule set decides what an outcome means.
    pub rule_set: RuleSet,
    /// The share of all verdicts that is judged a second time, to see whether the program is deterministic.
    pub repeated: Share,
    /// When more than this share of them differ, it is not.
    pub flaky: Share,
}

impl Default for OracleSettings {
    fn default() -> Self {
        Self {
            timeout_as: TimeoutAs::Pass,
            rule_set: RuleSet::Own,
            repeated: Policy::SHARE,
            flaky: Share::of_millionths(10_000),
        }
    }
}

impl StageSettings for OracleSettings {
    fn read(keys: &mut Keys<'_>) -> Self {
        let (defaults, mut keys) = (Self::default(), keys.table("oracle"));
        let timeout_as =
            [("pass", TimeoutAs::Pass), ("unresolved", TimeoutAs::Unresolved), ("fail", TimeoutAs::Fail)];
        let rule_sets = [("own", RuleSet::Own), ("paper", RuleSet::Paper)];
        let read = Self {
            timeout_as: keys.one_of("timeout_as", &timeout_as, defaults.timeout_as),
            rule_set: keys.one_of("verdict", &rule_sets, defaults.rule_set),
            repeated: keys.share("repeated", defaults.repeated),
            flaky: keys.share("flaky", defaults.flaky),
        };
        keys.end();
        read
    }

    fn identify(&self, identity: &mut Identity) {
        // The limit is about what is said of figures, not about the figures.
        let Self { timeout_as, rule_set, repeated, flaky: _ } = self;
        let timeout_as = match timeout_as {
            TimeoutAs::Pass => "pass",
            TimeoutAs::Unresolved => "unresolved",
            TimeoutAs::Fail => "fail",
        };
        let rule_set = match rule_set {
            RuleSet::Own => "own",
            RuleSet::Paper => "paper",
        };
        identity.add(None, "`oracle.timeout_as`", timeout_as);
        identity.add(None, "`oracle.verdict`", rule_set);
        identity.add(None, "`oracle.repeated`", repeated.to_string());
    }
}

/// Whether workers judge inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerSettings {
    /// Whether they do where a subject has them.
    pub are_used: bool,
    /// The share of their verdicts that is judged again by a fresh process.
    pub judged_again: Share,
}

impl Default for WorkerSettings {
    fn default() -> Self {
        Self { are_used: true, judged_again: Policy::SHARE }
    }
}

impl StageSettings for WorkerSettings {
    fn read(keys: &mut Keys<'_>) -> Self {
        let (defaults, mut keys) = (Self::default(), keys.table("workers"));
        let read = Self {
            are_used: keys.or("use", defaults.are_used),
            judged_again: keys.share("judged_again", defaults.judged_again),
        };
        keys.end();
        read
    }

    fn identify(&self, identity: &mut Identity) {
        let Self { are_used, judged_again } = self;
        identity.add(None, "whether workers are used", are_used.to_string());
        identity.add(None, "`workers.judged_again`", judged_again.to_string());
    }
}

macro_rules! settings {
    ($($(#[$attribute:meta])* $variant:ident in $module:ident is $task:ident;)*) => {
        /// How the stages work.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Settings {
            /// The seed from which every task's stream is derived.
            pub seed: u64,
            /// How often everything is repeated, each time with other random choices.
            pub repetitions: u32,
            /// How inputs are judged.
            pub oracle: OracleSettings,
            /// Whether workers judge them.
            pub workers: WorkerSettings,
            $(
                #[doc = concat!("Those of the stage `", stringify!($module), "`.")]
                $(#[$attribute])*
                pub $module: <super::$module::$task as Stage>::Settings,
            )*
        }

        impl Default for Settings {
            fn default() -> Self {
                Self {
                    seed: 0,
                    repetitions: 1,
                    oracle: OracleSettings::default(),
                    workers: WorkerSettings::default(),
                    $($(#[$attribute])* $module: <super::$module::$task as Stage>::Settings::default(),)*
                }
            }
        }

        impl StageSettings for Settings {
            fn read(keys: &mut Keys<'_>) -> Self {
                Self {
                    seed: keys.or("seed", 0),
                    repetitions: repetitions(keys),
                    oracle: OracleSettings::read(keys),
                    workers: WorkerSettings::read(keys),
                    $($(#[$attribute])* $module: <super::$module::$task as Stage>::Settings::read(keys),)*
                }
            }

            fn identify(&self, identity: &mut Identity) {
                identity.add(None, part::SEED, self.seed.to_string());
                identity.add(None, part::REPETITIONS, self.repetitions.to_string());
                self.oracle.identify(identity);
                self.workers.identify(identity);
                $($(#[$attribute])* self.$module.identify(identity);)*
            }
        }
    };
}
for_each_stage!(settings);

/// How often everything is done.
fn repetitions(keys: &mut Keys<'_>) -> u32 {
    let document = keys.document();
    let Some(number) = keys.take::<NonZeroU64>("repetitions") else { return 1 };
    let repetitions = u32::try_from(number.get_ref().get()).ok();
    repetitions.filter(|&repetitions| repetitions <= MOST_REPETITIONS).unwrap_or_else(|| {
        document.wrong_at(number.span(), format!("at most {MOST_REPETITIONS} repetitions are possible"));
        1
    })
}
