//! Clauses over features as an expression.
//!
//! A clause is one name, with a pattern for each of its features. Where it asks for the hypothesis as well, that has its own names.

use crate::base::id::Id;
use crate::grammar::Grammar;
use crate::pattern::{Expression, Formula, NamedPattern, PatternId, Side, Surrounding};

use super::expression::{MASK_NAME, NEED_NAME, Names, side_by_side};
use super::feature_patterns::Inner;
use super::features::{Clause, FeatureId, Features};
use super::hypothesis::ClassId;
use super::unmasked::{Excepting, Unmasked};

/// What a name of something below a node begins with.
const PART_NAME: &str = "part_";

/// The names of an expression as it is written, and their patterns: those of hypotheses first, then those of clauses.
struct Writer<'f> {
    grammar: &'f Grammar,
    features: &'f Features,
    names: Names,
    patterns: Vec<NamedPattern>,
    /// What hypotheses with some of the root classes say.
    hypotheses: Vec<(Vec<ClassId>, Formula)>,
    /// The clauses that have features which are patterns: each its name and them.
    of_clauses: Vec<(PatternId, Vec<Excepting>)>,
}

impl Features {
    /// Clauses as an expression.
    pub(super) fn expression(&self, grammar: &Grammar, clauses: &[Clause]) -> Expression {
        let mut writer = Writer {
            grammar,
            features: self,
            names: Names::default(),
            patterns: Vec::new(),
            hypotheses: Vec::new(),
            of_clauses: Vec::new(),
        };
        let (wanted, unwanted): (Vec<&Clause>, Vec<&Clause>) =
            clauses.iter().partition(|clause| clause.is_positive);
        let number = wanted.len();
        let unwanted = unwanted.into_iter().flat_map(|clause| clause.features.iter().copied()).collect();
        let unwanted = Clause::unwanted(unwanted);
        for clause in wanted.iter().copied().chain([&unwanted]) {
            writer.add_hypothesis(writer.roots(&clause.features));
        }
        let formulas: Vec<Formula> =
            wanted.into_iter().chain([&unwanted]).map(|clause| writer.clause(clause)).collect();
        let formulas = formulas.into_iter().enumerate().filter_map(|(place, formula)| {
            let is_wanted = place < number;
            let is_empty = formula == Formula::Constant(false);
            (is_wanted || !is_empty).then(|| if is_wanted { formula } else { !formula })
        });
        let formula = formulas.reduce(|all, next| all & next).unwrap_or(Formula::Constant(false));
        Expression { start: grammar.start(), patterns: writer.patterns().into_iter().collect(), formula }
    }
}

impl Writer<'_> {
    /// The root classes of features.
    fn roots(&self, features: &[FeatureId]) -> Vec<ClassId> {
        let mut roots: Vec<ClassId> = Vec::new();
        for &root in features.iter().flat_map(|&feature| self.features.roots(feature)) {
            if !roots.contains(&root) {
                roots.push(root);
            }
        }
        roots
    }

    /// Adds the names of a hypothesis with these root classes.
    fn add_hypothesis(&mut self, roots: Vec<ClassId>) {
        if roots.is_empty() || self.hypotheses.iter().any(|(known, _)| *known == roots) {
            return;
        }
        let mut hypothesis = self.features.hypothesis.clone();
        hypothesis.set_roots(roots.clone());
        let Expression { patterns, formula, .. } = hypothesis.expression(self.grammar);
        let names: Vec<PatternId> = patterns.iter().map(|named| self.names.like(&named.name)).collect();
        let renamed = |name: PatternId| names[name.index()];
        for (named, &name) in patterns.iter().zip(&names) {
            self.patterns.push(NamedPattern {
                name: self.names.text(name).to_owned(),
                alternatives: named.alternatives.iter().map(|pattern| pattern.renamed(renamed)).collect(),
            });
        }
        self.hypotheses.push((roots, formula.renamed(&renamed)));
    }

    /// What a clause asks for, or what it says is nowhere, as if it asked for that.
    fn clause(&mut self, clause: &Clause) -> Formula {
        let of_masks = |&feature: &FeatureId| self.features.unmasked(feature);
        if let Some(Unmasked { wanted, masks }) = clause.features.iter().find_map(of_masks) {
            let name = self.named(NEED_NAME, wanted.iter().map(|&feature| Excepting::of(feature)).collect());
            let mask = self.named(MASK_NAME, masks.clone());
            return Formula::Some(
                name,
                vec![Surrounding { is_there: false, side: Side::Before, name: mask, within: None }],
            );
        }
        let base = if clause.is_positive { NEED_NAME } else { MASK_NAME };
        self.formula(base, clause.features.clone())
    }

    /// A new name, for one of some features.
    fn named(&mut self, base: &str, features: Vec<Excepting>) -> PatternId {
        let name = self.names.first_or_numbered(base);
        self.of_clauses.push((name, features));
        name
    }

    /// That one of some features is there.
    fn formula(&mut self, base: &str, mut features: Vec<FeatureId>) -> Formula {
        let roots = self.roots(&features);
        let hypothesis = self.hypotheses.iter().find(|(known, _)| *known == roots);
        let mut formula = hypothesis.map(|(_, formula)| formula.clone());
        features.retain(|&feature| self.features.roots(feature).is_empty());
        if !features.is_empty() {
            let of_clause =
                Formula::Contains(self.named(base, features.into_iter().map(Excepting::of).collect()));
            formula = Some(match formula {
                Some(formula) => formula | of_clause,
                None => of_clause,
            });
        }
        formula.unwrap_or(Formula::Constant(false))
    }

    /// The patterns of all names.
    fn patterns(mut self) -> Vec<NamedPattern> {
        // What is looked for below nodes has a name of its own.
        let number = self.patterns.len() + self.of_clauses.len();
        let mut inner: Vec<Inner> = Vec::new();
        let mut name = |wanted: Inner| {
            let place = inner.iter().position(|&known| known == wanted).unwrap_or_else(|| {
                inner.push(wanted);
                inner.len() - 1
            });
            PatternId::new(number + place)
        };
        for (id, features) in self.of_clauses {
            let of_feature = |it: &Excepting| self.features.pattern_excepting(self.grammar, it, &mut name);
            let patterns = features.iter().map(of_feature).collect();
            let name = self.names.text(id).to_owned();
            self.patterns.push(NamedPattern { name, alternatives: side_by_side(patterns) });
        }
        for wanted in inner {
            let no_name = &mut |_| unreachable!("a rule or a text has no name in it");
            let patterns = self.features.patterns(self.grammar, wanted, no_name);
            let id = self.names.numbered(PART_NAME);
            let name = self.names.text(id).to_owned();
            self.patterns.push(NamedPattern { name, alternatives: side_by_side(patterns) });
        }
        self.patterns
    }
}
