//! The stage `specialize`: makes a grammar and an expression into specialized grammars, and counts what they derive.

mod expressions;
pub mod external;
mod record;
mod run;
mod table;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::keys::Keys;
use crate::base::limits::Sizes;
use crate::store::Identity;
use crate::transform::{MakeTransformer, TRANSFORMERS};

use super::settings::{PlugInNames, Settings, StageSettings, Variants};
use super::tables::StageTable;
use super::{
    About, CheckTask, Context, ExpressionKey, GeneralizeTask, PlanStep, PlugIns, Registered, Stage,
    StageError, Task,
};
pub use expressions::GivenExpression;
pub use external::ExternalTransformer;
pub use record::{DerivationCounts, Equality, Size, SpecializeRecord};

/// Specializes a grammar to an expression and to its negation.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpecializeTask {
    /// The expression.
    pub expression: ExpressionKey,
    /// The transformer.
    pub transformer: Arc<str>,
}

impl Stage for SpecializeTask {
    const NAME: &'static str = "specialize";
    const TABLE: Option<StageTable> = Some(table::TABLE);
    type Record = SpecializeRecord;
    type Settings = SpecializeSettings;

    fn next(step: &PlanStep<'_>, settings: &Settings) -> Vec<Self> {
        let Some(expression) = step.expression() else { return Vec::new() };
        let task = |transformer: &Arc<str>| Self {
            expression: expression.clone(),
            transformer: Arc::clone(transformer),
        };
        settings.specialize.transformers_of(&expression).iter().map(task).collect()
    }

    fn name(&self) -> String {
        format!("{}/{} {}", self.expression.stem(), Self::NAME, self.transformer)
    }

    fn needs(&self) -> Vec<Task> {
        self.expression.needs()
    }

    fn about(&self) -> About<'_> {
        let about = self.expression.about();
        About { plug_ins: PlugIns { transformer: Some(&self.transformer), ..about.plug_ins }, ..about }
    }

    fn expression(&self) -> Option<&ExpressionKey> {
        Some(&self.expression)
    }

    fn run(&self, context: &Context<'_>) -> Result<(SpecializeRecord, u64), StageError> {
        Ok((run::specialize(self, context)?, 0))
    }
}

impl ExpressionKey {
    /// The tasks after which the expression is there.
    pub fn needs(&self) -> Vec<Task> {
        match self {
            Self::OfConfig(_) => Vec::new(),
            Self::OfBug(repetition) => vec![CheckTask { bug: Arc::clone(&repetition.bug) }.into_task()],
            Self::Learned(task) => vec![GeneralizeTask::clone(task).into_task()],
        }
    }

    /// What a row about it says first.
    pub fn about(&self) -> About<'_> {
        match self {
            Self::OfConfig(_) => About::no_bug(),
            Self::OfBug(repetition) => About::repetition(repetition),
            Self::Learned(task) => task.about(),
        }
    }
}

/// Which transformers take part, on which expressions, and what they may need.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecializeSettings {
    /// The labels of all, programs among them.
    pub transformers: PlugInNames,
    /// Those that are no programs, with their settings.
    pub variants: Variants<MakeTransformer>,
    /// Programs that specialize grammars; `transformers` says which of them take part.
    pub external: Vec<ExternalTransformer>,
    /// The expressions that the config gives by hand, besides those of the bugs.
    pub expressions: Vec<GivenExpression>,
    /// The number of bytes beyond the shortest input of F up to which the derivations of specialized grammars are counted.
    pub length: usize,
    /// How large automata and specialized grammars may become.
    pub sizes: Sizes,
}

impl Default for SpecializeSettings {
    fn default() -> Self {
        Self {
            transformers: vec![TRANSFORMERS.default().into()],
            variants: Variants::default_of(&TRANSFORMERS),
            external: Vec::new(),
            expressions: Vec::new(),
            length: 20,
            sizes: Sizes::default(),
        }
    }
}

impl SpecializeSettings {
    /// The transformers that take part for an expression.
    fn transformers_of(&self, expression: &ExpressionKey) -> &[Arc<str>] {
        let ExpressionKey::OfConfig(name) = expression else { return &self.transformers };
        let given = self.expressions.iter().find(|given| given.name == **name);
        given.map_or(&self.transformers, |given| &given.transformers)
    }
}

impl StageSettings for SpecializeSettings {
    fn read(keys: &mut Keys<'_>) -> Self {
        let defaults = Self::default();
        let (document, entries) = (keys.document(), keys.or("command_transformers", Vec::new()));
        // Those too whose entries are wrong: one error is enough.
        let programs: Vec<String> = entries.iter().map(external::Entry::name).collect();
        let programs: Vec<&str> = programs.iter().map(String::as_str).collect();
        let external = external::read(document, entries);
        let (transformers, variants) = keys.variants_or("transformers", &TRANSFORMERS, &programs);
        let variants = Variants(variants);
        let mut known: Vec<&str> = TRANSFORMERS.names().collect();
        known.extend(programs);
        let own = transformers.iter().map(|label| &**label).filter(|label| !known.contains(label));
        known.extend(own.collect::<Vec<_>>());
        let entries = keys.or("expressions", Vec::new());
        let expressions = expressions::read(document, entries, &known, &transformers);
        let mut keys = keys.table("transform");
        let Sizes { states, rules, steps } = defaults.sizes;
        let read = Self {
            transformers: transformers.clone(),
            variants,
            external,
            expressions,
            length: keys.or("length", defaults.length),
            sizes: Sizes {
                states: keys.or("states", states),
                rules: keys.or("rules", rules),
                steps: keys.or("steps", steps),
            },
        };
        keys.end();
        read
    }

    fn identify(&self, identity: &mut Identity) {
        let Self { transformers, variants, external, expressions, length, sizes } = self;
        let Sizes { states, rules, steps } = sizes;
        identity.add(None, "the transformers", transformers.join(" "));
        for variant in variants.0.iter().filter(|variant| *variant.label != *variant.name) {
            identity.add(None, format!("the transformer `{}`", variant.label), variant.identity());
        }
        for external in external {
            identity.add(None, format!("the transformer `{}`", external.name), external.command.digest());
        }
        expressions::identify(expressions, identity);
        identity.add(None, "`transform.length`", length.to_string());
        identity.add(None, "`transform.states`", states.to_string());
        identity.add(None, "`transform.rules`", rules.to_string());
        identity.add(None, "`transform.steps`", steps.to_string());
    }
}
