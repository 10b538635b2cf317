//! The `automaton` transformer: exact for every expression.
//!
//! The specialized grammar's nonterminals are pairs of a base nonterminal and a set of states in which
//! its subtree may end; the pair with all states is the base nonterminal itself. Each rule of the base
//! grammar becomes one rule for each box (see [`super::boxes`]). Boxes are disjoint, so each derivation
//! tree of the base grammar that satisfies the expression appears exactly once, and the result is
//! unambiguous whenever the base grammar is. (DESIGN, section 2; the construction is the product of a
//! grammar with a tree automaton, Comon et al., "Tree Automata Techniques and Applications", 1.5.)

use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::automaton::describe::Describer;
use crate::automaton::{Automaton, StateId};
use crate::base::id::{Id, IdVec};
use crate::base::limits::{Exceeded, Limits, Meter};
use crate::base::registry::{PlugIn, PlugInSettings};
use crate::grammar::{Grammar, GrammarBuilder, HelperKind, Name, NonterminalId, Role, RuleId, Symbol};
use crate::pattern::Expression;

use super::boxes::{Boxes, RemainderId, Restriction, SetId};
use super::{MakeTransformer, Origin, Specialization, TransformError, Transformer, without_bound_nodes};

/// Specializes by tree automata.
#[derive(Clone, Debug)]
pub struct AutomatonTransformer {
    /// How large automaton and grammar may become.
    pub limits: Limits,
    /// The number of boxes that a rule may become before what several of them end with is made a nonterminal.
    pub most_boxes: usize,
}

impl Default for AutomatonTransformer {
    fn default() -> Self {
        Self::within(Limits::default())
    }
}

impl AutomatonTransformer {
    /// A transformer with these limits.
    pub fn within(limits: Limits) -> Self {
        Self { limits, most_boxes: 64 }
    }
}

pub(super) const PLUG_IN: PlugIn<MakeTransformer> = PlugIn::of::<Settings>();

/// There is nothing to set.
#[derive(Default, Serialize)]
struct Settings;

impl PlugInSettings<MakeTransformer> for Settings {
    const NAME: &'static str = "automaton";

    fn make(self) -> MakeTransformer {
        Arc::new(|limits| Box::new(AutomatonTransformer::within(limits.clone())))
    }
}

impl Transformer for AutomatonTransformer {
    fn name(&self) -> &str {
        Settings::NAME
    }

    fn specialize(
        &self,
        grammar: &Arc<Grammar>,
        expression: &Arc<Expression>,
    ) -> Result<Specialization, TransformError> {
        let expression = &without_bound_nodes(expression);
        let meter = &mut self.limits.meter();
        let automaton = Automaton::new(Arc::clone(grammar), Arc::clone(expression), meter)?;
        let accepted: Vec<StateId> = automaton
            .reachable(expression.start)
            .iter()
            .copied()
            .filter(|&state| automaton.accepts(state))
            .collect();
        Ok(Specializer::new(&automaton, self.most_boxes, meter)?.run(expression.start, &accepted)?)
    }
}

/// A specialized nonterminal: a base nonterminal and a set of its states.
type Pair = (NonterminalId, SetId);

/// The steps that a rule counts as,
const RULE: u64 = 100;
/// and those of a nonterminal, but for the letters of its name.
const NAME: u64 = 200;

/// A rule whose boxes have more symbols than this together is never written out box by box.
const MOST_SYMBOLS: usize = 1 << 20;
/// Where parts of rules end with one way only to go on: at multiples of this position, so that the parts of a long
/// rule share their ends, and all of them together do not take the square of its length.
const LONGEST_PART: usize = 256;

struct Specializer<'a> {
    base: &'a Grammar,
    names: Names<'a>,
    boxes: Boxes<'a>,
    most_boxes: usize,
    meter: &'a mut Meter,
    builder: GrammarBuilder,
    pairs: FxHashMap<Pair, NonterminalId>,
    /// The nonterminals for the ends of long rules: which rule, and how it goes on. That tells from
    /// which symbol on: a remainder has a side for each that is left.
    rests: FxHashMap<(RuleId, RemainderId), NonterminalId>,
    origin: Origin,
    work: VecDeque<Pair>,
}

impl<'a> Specializer<'a> {
    fn new(automaton: &'a Automaton, most_boxes: usize, meter: &'a mut Meter) -> Result<Self, Exceeded> {
        let mut boxes = Boxes::new(automaton);
        Ok(Self {
            base: automaton.grammar(),
            names: Names::new(automaton, &mut boxes, meter)?,
            boxes,
            most_boxes,
            meter,
            builder: GrammarBuilder::new(),
            pairs: FxHashMap::default(),
            rests: FxHashMap::default(),
            origin: Origin::default(),
            work: VecDeque::new(),
        })
    }

    fn run(mut self, start: NonterminalId, accepted: &[StateId]) -> Result<Specialization, Exceeded> {
        let set = self.boxes.set(accepted);
        let start = self.pair((start, set))?;
        while let Some((nonterminal, set)) = self.work.pop_front() {
            self.expand(nonterminal, set)?;
        }
        Ok(Specialization { grammar: Arc::new(self.builder.finish(start)), origin: Some(self.origin) })
    }

    /// The specialized nonterminal of a pair, which is queued if it is new.
    fn pair(&mut self, pair: Pair) -> Result<NonterminalId, Exceeded> {
        if let Some(&known) = self.pairs.get(&pair) {
            return Ok(known);
        }
        let (nonterminal, set) = pair;
        let name = self.names.of(nonterminal, set, &self.boxes, self.meter)?;
        self.meter.spend(NAME + name.text().len() as u64)?;
        let id = self.fresh(nonterminal, name, self.base.nonterminal(nonterminal).role);
        self.builder.set_token_like(id, self.base, nonterminal);
        self.pairs.insert(pair, id);
        self.work.push_back(pair);
        Ok(id)
    }

    fn fresh(&mut self, of: NonterminalId, name: Name, role: Role) -> NonterminalId {
        let id = self.builder.fresh(name);
        self.builder.set_role(id, role);
        debug_assert_eq!(self.origin.nonterminals.len(), id.index(), "each has its own name");
        self.origin.nonterminals.push(of);
        id
    }

    fn expand(&mut self, nonterminal: NonterminalId, set: SetId) -> Result<(), Exceeded> {
        let lhs = self.pairs[&(nonterminal, set)];
        let is_whole = set == self.names.whole[nonterminal];
        for &rule in self.base.rules_of(nonterminal) {
            if is_whole {
                self.copy(lhs, rule)?;
                continue;
            }
            let remainder = self.boxes.of_rule(rule, set, self.meter)?;
            if self.boxes.is_reject(remainder) {
                continue;
            }
            let ways = self.boxes.ways(remainder);
            let symbols = ways.saturating_mul(self.base.rule(rule).symbols.len());
            let is_large = ways > self.most_boxes.max(1) && ways > self.boxes.size(remainder);
            if is_large || symbols > MOST_SYMBOLS {
                self.share(lhs, rule, remainder)?;
                continue;
            }
            let mut all: Vec<Restriction> = Vec::new();
            self.meter.check_rules(self.origin.rules.len().saturating_add(ways))?;
            self.boxes.visit(remainder, |sides| all.extend(sides));
            for sides in 0..ways {
                let length = all.len() / ways;
                self.rule(lhs, rule, &all[sides * length..][..length])?;
            }
        }
        Ok(())
    }

    /// The rule itself, for all states that its nonterminal can have.
    fn copy(&mut self, lhs: NonterminalId, rule: RuleId) -> Result<(), Exceeded> {
        let mut sides: SmallVec<[Restriction; 8]> = SmallVec::new();
        for &symbol in &self.base.rule(rule).symbols {
            sides.push(match symbol {
                Symbol::Literal(_) => continue,
                Symbol::Class(class) => {
                    let class = self.base.class(class);
                    if class.is_empty() {
                        return Ok(());
                    }
                    Restriction::Chars(self.boxes.chars.intern(class.clone()))
                }
                Symbol::Nonterminal(nonterminal) => {
                    let whole = self.names.whole[nonterminal];
                    if self.boxes.sets[whole].is_empty() {
                        return Ok(());
                    }
                    Restriction::States(whole)
                }
            });
        }
        self.rule(lhs, rule, &sides)
    }

    /// The rules of a long rule: what several of its boxes end with is one nonterminal.
    fn share(&mut self, lhs: NonterminalId, rule: RuleId, remainder: RemainderId) -> Result<(), Exceeded> {
        let symbols = &self.base.rule(rule).symbols;
        let mut open = vec![(lhs, 0, remainder)];
        while let Some((lhs, first, remainder)) = open.pop() {
            let branches: SmallVec<[_; 8]> = self.boxes.branches(remainder).into();
            for (side, next) in branches {
                // Where there is one way only to go on, no nonterminal is needed.
                let mut sides: SmallVec<[Restriction; 8]> = smallvec![side];
                let mut next = next;
                let choices = symbols.iter().enumerate().skip(first);
                let choices = choices.filter(|(_, symbol)| !matches!(symbol, Symbol::Literal(_)));
                let mut positions = choices.map(|(position, _)| position).skip(1);
                let mut position = positions.next().unwrap_or(symbols.len());
                while let &[(side, after)] = self.boxes.branches(next)
                    && !position.is_multiple_of(LONGEST_PART)
                {
                    sides.push(side);
                    next = after;
                    position = positions.next().unwrap_or(symbols.len());
                }
                let rest = match self.boxes.is_accept(next) {
                    true => None,
                    false => Some(self.rest(rule, position, next, &mut open)),
                };
                let last = rest.map_or(symbols.len(), |_| position);
                self.part(lhs, rule, first..last, &sides, rest)?;
            }
        }
        Ok(())
    }

    fn rest(
        &mut self,
        rule: RuleId,
        position: usize,
        remainder: RemainderId,
        open: &mut Vec<(NonterminalId, usize, RemainderId)>,
    ) -> NonterminalId {
        let key = (rule, remainder);
        if let Some(&known) = self.rests.get(&key) {
            return known;
        }
        let of = self.base.rule(rule).lhs;
        let name = Name::specialized(self.base.name(of).text(), format!("rest {}", self.rests.len() + 1));
        let id = self.fresh(of, name, Role::Helper(HelperKind::Group));
        self.origin.rests.insert(id);
        self.rests.insert(key, id);
        open.push((id, position, remainder));
        id
    }

    fn rule(&mut self, lhs: NonterminalId, rule: RuleId, sides: &[Restriction]) -> Result<(), Exceeded> {
        self.part(lhs, rule, 0..self.base.rule(rule).symbols.len(), sides, None)
    }

    /// Adds a rule from a part of a base rule, with the restrictions of its symbols, and its rest.
    fn part(
        &mut self,
        lhs: NonterminalId,
        rule: RuleId,
        part: Range<usize>,
        sides: &[Restriction],
        rest: Option<NonterminalId>,
    ) -> Result<(), Exceeded> {
        self.meter.check_rules(self.origin.rules.len() + 1)?;
        self.meter.spend(RULE)?;
        let mut sides = sides.iter();
        let mut symbols: Vec<Symbol> = Vec::with_capacity(part.len() + 1);
        for &symbol in &self.base.rule(rule).symbols[part] {
            let side = match symbol {
                Symbol::Literal(_) => None,
                Symbol::Class(_) | Symbol::Nonterminal(_) => sides.next(),
            };
            symbols.extend(match (symbol, side) {
                (Symbol::Literal(literal), _) => self.builder.literal(self.base.literal(literal)),
                (_, Some(&Restriction::Chars(chars))) => {
                    Some(self.builder.class(self.boxes.chars[chars].clone()))
                }
                (Symbol::Nonterminal(child), Some(&Restriction::States(set))) => {
                    Some(Symbol::Nonterminal(self.pair((child, set))?))
                }
                (symbol, side) => unreachable!("{side:?} for {symbol:?}"),
            });
        }
        symbols.extend(rest.map(Symbol::Nonterminal));
        self.builder.rule(lhs, symbols);
        self.origin.rules.push(rule);
        Ok(())
    }
}

/// Names specialized nonterminals.
struct Names<'a> {
    describer: Describer<'a>,
    /// The set of all states of each nonterminal.
    whole: IdVec<NonterminalId, SetId>,
    /// The conditions met so far: of a set among all the states that a nonterminal has.
    conditions: FxHashMap<(SetId, SetId), Option<String>>,
}

impl<'a> Names<'a> {
    fn new(automaton: &'a Automaton, boxes: &mut Boxes, meter: &mut Meter) -> Result<Self, Exceeded> {
        let nonterminals = automaton.grammar().nonterminals().ids();
        Ok(Self {
            describer: Describer::new(automaton, meter)?,
            whole: nonterminals.map(|nonterminal| boxes.set(automaton.reachable(nonterminal))).collect(),
            conditions: FxHashMap::default(),
        })
    }

    fn of(
        &mut self,
        nonterminal: NonterminalId,
        set: SetId,
        boxes: &Boxes,
        meter: &mut Meter,
    ) -> Result<Name, Exceeded> {
        let condition = match self.conditions.entry((self.whole[nonterminal], set)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                place.insert(self.describer.condition(nonterminal, &boxes.sets[set], meter)?)
            }
        };
        let base = self.describer.grammar().name(nonterminal);
        Ok(match condition {
            None => base.clone(),
            Some(condition) => Name::specialized(base.text(), condition.as_str()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::counts;
    use crate::base::diagnostic::Source;
    use crate::grammar::format::{self, Format};
    use crate::parse::Parser;
    use crate::pattern::read_expression;

    /// The expression of the paper's Fig. 1, whose specialized grammar has 31 nonterminals.
    #[test]
    fn the_papers_example_is_small_and_readable() {
        let source = Source::new("json.ebnf", include_str!("../../grammars/json.ebnf"));
        let grammar = Arc::new(format::read(&source, None).unwrap().grammar);
        let text = r#"<json E & !N> where <item E> is "\"\": <elt>", <item N> is "<string>: null""#;
        let expression = Arc::new(read_expression(&Source::new("expression", text), &grammar).unwrap());
        let special = AutomatonTransformer::default().specialize(&grammar, &expression).unwrap().grammar;
        assert_eq!(special.nonterminals().len(), 31);
        insta::assert_snapshot!(format::write(&special, Format::Ebnf, false).unwrap());
    }

    /// What occurs may stand at any of its places, and before and behind it there is nearly all of the rule each time.
    #[test]
    fn a_very_long_rule_takes_space_linear_in_its_length() {
        let symbols = |length: usize| {
            let text = format!("<s> ::= {}\n<a> ::= \"x\" | \"y\"", "<a> ".repeat(length));
            let grammar = Arc::new(format::read(&Source::new("long.ebnf", text), None).unwrap().grammar);
            let expression = r#"<s E> where <a E> is "x""#;
            let expression =
                Arc::new(read_expression(&Source::new("expression", expression), &grammar).unwrap());
            let special = AutomatonTransformer::default().specialize(&grammar, &expression).unwrap().grammar;
            special.rules().iter().map(|rule| rule.symbols.len()).sum::<usize>()
        };
        let [once, twice] = [symbols(2000), symbols(4000)];
        assert!(twice < 3 * once, "{once} and {twice} symbols");
        assert!(twice < 4000 * 2 * LONGEST_PART);
    }

    /// A long rule that is cut into parts derives what it should, wherever its parts begin and end.
    #[test]
    fn a_very_long_rule_keeps_its_derivations() {
        let length = 1100;
        let text = format!("<s> ::= {}\n<a> ::= \"x\" | \"y\"", "<a> ".repeat(length));
        let grammar = Arc::new(format::read(&Source::new("long.ebnf", text), None).unwrap().grammar);
        for (formula, least, most) in [("E", 1, length), ("!E", 0, 0), ("exactly 2 E", 2, 2)] {
            let text = format!(r#"<s {formula}> where <a E> is "x""#);
            let expression = Arc::new(read_expression(&Source::new("expression", text), &grammar).unwrap());
            let special = AutomatonTransformer::default().specialize(&grammar, &expression).unwrap().grammar;
            let parser = Parser::new(special);
            let sets: [&[usize]; 8] =
                [&[], &[0], &[255], &[256], &[257, 511], &[0, length - 1], &[512, 513], &[1, 2, 1024]];
            for places in sets {
                let input: Vec<u8> =
                    (0..length).map(|place| if places.contains(&place) { b'x' } else { b'y' }).collect();
                let holds = (least..=most).contains(&places.len());
                assert_eq!(parser.recognizes(&input).unwrap(), holds, "{formula}: {places:?}");
                assert!(!parser.recognizes(&input[1..]).unwrap());
            }
        }
    }

    /// Each of the four patterns may occur first in any of the twelve symbols.
    #[test]
    fn a_long_rule_does_not_blow_up() {
        let cells = "<x> <x> <x> <x> <x> <x> <x> <x> <x> <x> <x> <x>";
        // Both rules go on alike, but they do not end alike.
        let lines = format!(
            "<line> ::= {cells} | {cells} \"!\"\n\
            <x> ::= <y> <y>\n<y> ::= \"a\" | \"b\" | \"c\" | \"d\""
        );
        let grammar = Arc::new(format::read(&Source::new("line.ebnf", lines), None).unwrap().grammar);
        let text = r#"<line A & B & C & D> where <y A> is "a", <y B> is "b", <y C> is "c", <y D> is "d""#;
        let expression = Arc::new(read_expression(&Source::new("expression", text), &grammar).unwrap());
        let specialize = |most_boxes| {
            let transformer = AutomatonTransformer { most_boxes, ..AutomatonTransformer::default() };
            transformer.specialize(&grammar, &expression).unwrap().grammar
        };
        let (shared, boxes) = (specialize(64), specialize(usize::MAX));
        assert!(shared.rules().len() < 2_000, "{}", shared.rules().len());
        assert!(boxes.rules().len() > 10_000, "{}", boxes.rules().len());
        assert_eq!(counts(&shared, shared.start(), 25), counts(&boxes, boxes.start(), 25));
    }
}
