//! Random grammars for the tests, as models and as texts.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};

use crate::base::id::{Id, IdVec};

use super::class::CharClass;
use super::model::{Grammar, GrammarBuilder, HelperKind, NonterminalId, Role, Symbol, Token};
use super::{numbering, spelling};

/// Names that are plain, specialized, and such as helpers get.
const NAMES: [&str; 16] = [
    "a",
    "b",
    "é-1",
    "a E & !N",
    "b at least 2 E",
    "a*1",
    "a*2",
    "a+1",
    "a?1",
    "a|1",
    "a|2",
    "b*1",
    "b|1",
    "b?1",
    "skip1",
    "start1",
];

const KINDS: [HelperKind; 5] =
    [HelperKind::Star, HelperKind::Plus, HelperKind::Optional, HelperKind::Group, HelperKind::Skip];

#[derive(Clone, Debug)]
enum Part {
    Literal(Vec<u8>),
    Class(CharClass),
    Nonterminal(Index),
    /// The nonterminal after this one; so helpers are often used just once.
    Next,
}

#[derive(Clone, Debug)]
struct Plan {
    name: &'static str,
    kind: Option<HelperKind>,
    /// Whether the rules are what an operator makes.
    shaped: bool,
    rules: Vec<Vec<Part>>,
    token: Option<(Vec<Index>, Option<CharClass>)>,
}

pub(crate) fn literal() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => select(vec!["x", "<", "<b>", " ", "\"", "'", "\\", "\n", "ab", "\u{200b}", "#", "é"])
            .prop_map(|text| text.as_bytes().to_vec()),
        1 => vec(any::<u8>(), 1..4),
    ]
}

pub(crate) fn class() -> impl Strategy<Value = CharClass> {
    let range = prop_oneof![
        (any::<char>(), any::<char>()),
        (select(vec!['-', ']', '[', '^', '\\', ' ', '"', 'a', '0']), 0u8..4)
            .prop_map(|(low, more)| (low, char::from(low as u8 + more))),
    ];
    (vec(range, 1..4), any::<bool>()).prop_filter_map("empty", |(ranges, negated)| {
        let class = CharClass::new(ranges);
        let class = if negated { class.complement() } else { class };
        (!class.is_empty()).then_some(class)
    })
}

fn plan(name: &'static str) -> impl Strategy<Value = Plan> {
    let part = prop_oneof![
        2 => literal().prop_map(Part::Literal),
        1 => class().prop_map(Part::Class),
        1 => any::<Index>().prop_map(Part::Nonterminal),
        1 => Just(Part::Next),
    ];
    let token = option::weighted(0.1, (vec(any::<Index>(), 0..3), option::of(class())));
    // Names with a sign are what helpers are called.
    let sign = name.chars().find_map(|c| {
        Some(match c {
            '*' => HelperKind::Star,
            '+' => HelperKind::Plus,
            '?' => HelperKind::Optional,
            '|' => HelperKind::Group,
            _ => return None,
        })
    });
    let kind = match sign {
        Some(kind) => prop_oneof![4 => Just(Some(kind)), 1 => Just(None)].boxed(),
        None => option::weighted(0.15, select(KINDS.to_vec())).boxed(),
    };
    (kind, proptest::bool::weighted(0.8), vec(vec(part, 0..4), 0..4), token)
        .prop_map(move |(kind, shaped, rules, token)| Plan { name, kind, shaped, rules, token })
}

/// Any grammar at all.
pub(crate) fn grammar() -> impl Strategy<Value = Grammar> {
    subsequence(NAMES.to_vec(), 1..8)
        .prop_shuffle()
        .prop_flat_map(|names| {
            (
                names.into_iter().map(plan).collect::<Vec<_>>(),
                any::<Index>(),
                option::weighted(0.3, any::<Index>()),
            )
        })
        .prop_map(|(plans, start, skip)| build(&plans, start, skip))
}

fn build(plans: &[Plan], start: Index, skip: Option<Index>) -> Grammar {
    let mut builder = GrammarBuilder::new();
    let ids: Vec<NonterminalId> = plans
        .iter()
        .map(|plan| builder.nonterminal(spelling::name(plan.name).expect("the names are right")))
        .collect();
    for (index, (plan, &id)) in plans.iter().zip(&ids).enumerate() {
        let next = ids[(index + 1) % ids.len()];
        if let Some(kind) = plan.kind {
            builder.set_role(id, Role::Helper(kind));
        }
        if let Some((except, not_before)) = &plan.token {
            let except = except.iter().map(|index| *index.get(&ids)).collect();
            let not_before = not_before.clone().map(|class| builder.class_id(class));
            builder.set_token(id, Token { except, not_before });
        }
        let mut rules: Vec<Vec<Symbol>> = Vec::new();
        for rule in &plan.rules {
            rules.push(
                rule.iter()
                    .filter_map(|part| match part {
                        Part::Literal(bytes) => builder.literal(bytes),
                        Part::Class(class) => Some(builder.class(class.clone())),
                        Part::Nonterminal(index) => Some(Symbol::Nonterminal(*index.get(&ids))),
                        Part::Next => Some(Symbol::Nonterminal(next)),
                    })
                    .collect(),
            );
        }
        if let Some(kind) = plan.kind.filter(|_| plan.shaped) {
            let body = rules.first().cloned().unwrap_or_default();
            let again: Vec<Symbol> = body.iter().copied().chain([Symbol::Nonterminal(id)]).collect();
            match kind {
                HelperKind::Star => rules = vec![vec![], again],
                HelperKind::Plus => rules = vec![body, again],
                HelperKind::Optional => rules = vec![vec![], body],
                HelperKind::Group | HelperKind::Skip => {}
            }
        }
        for rule in rules {
            builder.rule(id, rule);
        }
    }
    if let Some(skip) = skip {
        builder.set_skip(*skip.get(&ids));
    }
    builder.finish(*start.get(&ids))
}

/// The text of a grammar in the project's notation, with all operators, `@skip` and `@token`.
pub(crate) fn ebnf() -> impl Strategy<Value = String> {
    const DEFINED: [&str; 4] = ["a", "b", "c E", "d"];
    let atom = prop_oneof![
        literal().prop_map(|bytes| spelling::literal(&bytes)),
        class().prop_map(|class| class.to_string()),
        select(DEFINED.to_vec()).prop_map(|name| format!("<{name}>")),
        Just("\"\"".to_owned()),
    ];
    let sequence = |item: BoxedStrategy<String>| vec(item, 0..4).prop_map(|items| items.join(" "));
    let alternatives =
        move |item: BoxedStrategy<String>| vec(sequence(item), 1..3).prop_map(|all| all.join(" | "));
    let operator = || select(vec!["", "*", "+", "?"]);
    let item =
        (atom, operator()).prop_map(|(atom, sign)| atom + sign).prop_recursive(3, 12, 3, move |item| {
            (alternatives(item), operator()).prop_map(|(inner, sign)| format!("({inner}){sign}"))
        });
    let bodies = vec(alternatives(item.boxed()), DEFINED.len());
    (bodies, any::<[bool; 4]>(), any::<bool>(), select(DEFINED.to_vec())).prop_map(
        |(bodies, tokens, skip, start)| {
            let mut text = format!("@start <{start}>\n");
            if skip {
                text += "@skip <space>\n<space> ::= ' '\n";
            }
            for ((name, body), token) in DEFINED.iter().zip(bodies).zip(tokens) {
                let prefix = if token { "@token(except: <a>, not-before: [a-z]) " } else { "" };
                text += &format!("{prefix}<{name}> ::= {body}\n");
            }
            text
        },
    )
}

/// Pieces of a notation, in any order.
pub(crate) fn fragments(fragments: &'static [&'static str]) -> impl Strategy<Value = String> {
    vec(select(fragments.to_vec()), 0..24).prop_map(|parts| parts.concat())
}

/// Some bytes of a text replaced by others.
#[derive(Clone, Debug)]
pub(crate) struct Damage(Vec<(Index, usize, Vec<u8>)>);

pub(crate) fn damage() -> impl Strategy<Value = Damage> {
    let bytes = prop_oneof![
        vec(any::<u8>(), 0..3),
        select(vec!["<", ">", "\"", "\\", "[", "]", "(", "{", ",", "@", "|", "::=", "\n"])
            .prop_map(|text| text.as_bytes().to_vec()),
    ];
    vec((any::<Index>(), 0usize..4, bytes), 1..4).prop_map(Damage)
}

impl Damage {
    pub fn of(&self, text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        for (place, length, new) in &self.0 {
            let start = place.index(bytes.len() + 1);
            let end = (start + length).min(bytes.len());
            bytes.splice(start..end, new.iter().copied());
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// One small change to a grammar, such as makes helpers and gaps differ from what operators make.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    DropRule(Index),
    Repeat(Index),
    Redirect(Index, Index),
    Role(Index, Option<HelperKind>),
    Start(Index),
    Skip(Option<Index>),
    Order,
}

pub(crate) fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        any::<Index>().prop_map(Change::DropRule),
        any::<Index>().prop_map(Change::Repeat),
        (any::<Index>(), any::<Index>()).prop_map(|(rule, target)| Change::Redirect(rule, target)),
        (any::<Index>(), option::of(select(KINDS.to_vec()))).prop_map(|(id, kind)| Change::Role(id, kind)),
        any::<Index>().prop_map(Change::Start),
        option::of(any::<Index>()).prop_map(Change::Skip),
        Just(Change::Order),
    ]
}

impl Change {
    pub fn of(&self, grammar: &Grammar) -> Grammar {
        let ids: Vec<NonterminalId> = grammar.nonterminals().ids().collect();
        let mut order = ids.clone();
        if let Self::Order = self {
            order.reverse();
        }
        let mut builder = GrammarBuilder::new();
        for &id in &order {
            numbering::copy_head(grammar, id, &mut builder);
        }
        let new: IdVec<NonterminalId, NonterminalId> =
            ids.iter().map(|&id| builder.nonterminal(grammar.name(id).clone())).collect();
        for &id in &ids {
            numbering::copy_token(grammar, id, &mut builder, &new);
        }
        for (id, rule) in grammar.rules().entries() {
            let mut symbols: Vec<Symbol> = rule
                .symbols
                .iter()
                .map(|&symbol| numbering::copy_symbol(grammar, symbol, &mut builder, &new))
                .collect();
            let here = |index: &Index| index.index(grammar.rules().len()) == id.index();
            match self {
                Self::DropRule(index) if here(index) => continue,
                Self::Repeat(index) if here(index) => symbols.extend(symbols.first().copied()),
                Self::Redirect(index, target) if here(index) => {
                    symbols.push(Symbol::Nonterminal(new[*target.get(&ids)]));
                }
                _ => {}
            }
            builder.rule(new[rule.lhs], symbols);
        }
        if let Self::Role(id, kind) = self {
            builder.set_role(new[*id.get(&ids)], kind.map_or(Role::Named, Role::Helper));
        }
        let skip = match self {
            Self::Skip(index) => index.map(|index| *index.get(&ids)),
            _ => grammar.skip(),
        };
        if let Some(skip) = skip {
            builder.set_skip(new[skip]);
        }
        let start = match self {
            Self::Start(index) => *index.get(&ids),
            _ => grammar.start(),
        };
        builder.finish(new[start])
    }
}
