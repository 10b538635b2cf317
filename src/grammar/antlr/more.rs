//! Texts that the lexer command `more` puts together.
//!
//! `'"' -> more, mode(STRING)` keeps what was matched, and the token that follows in the mode `STRING` has it in front of its own text. So
//! what stands between two tokens is a way by tokens with `more` to one without. Each way by which a mode can be left so becomes a token of
//! the mode in which it begins, with the commands of all that it passes; its text is a fragment of its own, which [`super::joined`] defines
//! when all other fragments are. A token with `more` alone, and one of a mode that is only come to by `more`, is no token any longer.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::merge::rename;
use super::modes::DEFAULT_MODE;
use super::syntax::{Alternative, Atom, Command, Dropped, Item, Rule, Span, Use, names};

/// A text is followed through so many `pushMode` that are still open.
const MOST_DEEP: usize = 6;
/// The most ways out of all modes together.
const MOST_ENDS: usize = 600;

/// Where the lexer is within a text: the modes to come back to, from the outermost on, and its mode.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Place {
    below: Vec<String>,
    pub mode: String,
}

impl Place {
    pub fn at(mode: &str) -> Self {
        Self { below: Vec::new(), mode: mode.to_owned() }
    }

    /// Where the lexer is behind a token; `None` where that lies outside of what is followed.
    pub fn behind(&self, commands: &[Command]) -> Option<Self> {
        let mut place = self.clone();
        for command in commands {
            match (command.name.name.as_str(), &command.argument) {
                ("mode", Some(to)) => place.mode.clone_from(to),
                ("pushMode", Some(to)) => place.below.push(std::mem::replace(&mut place.mode, to.clone())),
                ("popMode", _) => place.mode = place.below.pop()?,
                _ => {}
            }
        }
        (place.below.len() <= MOST_DEEP).then_some(place)
    }
}

/// Alternatives of a token that have the same commands.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// The fragment that has their texts.
    pub name: String,
    pub mode: String,
    pub commands: Vec<Command>,
    pub is_more: bool,
    /// The token.
    pub token: Use,
}

/// The texts that begin in a mode.
#[derive(Clone, Debug)]
pub(super) struct Joined {
    pub mode: String,
    /// The fragment for each place in which the last piece of a text stands, and the number of that piece.
    pub ends: BTreeMap<(Place, usize), String>,
}

/// What `more` puts together in a grammar.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    /// In the order of their rules.
    pub pieces: Vec<Piece>,
    pub joined: Vec<Joined>,
}

/// Takes `more` out of the rules; what is left out of a text is added to `dropped`. Nothing is changed where there would be too many tokens.
pub(super) fn join(rules: &mut Vec<Rule>, dropped: &mut Vec<(Dropped, Span)>) -> Texts {
    let (pieces, bodies) = pieces(rules);
    if !pieces.iter().any(|piece| piece.is_more) {
        return Texts::default();
    }
    let mut found =
        Found { pieces: &pieces, reached: first_modes(&pieces), ways: Vec::new(), deep: Vec::new() };
    if !found.explore() {
        return Texts::default();
    }
    let Found { reached, ways, deep, .. } = found;
    dropped.extend(deep.into_iter().map(|span| (Dropped::Deep, span)));
    let involved: BTreeSet<String> = ways.iter().flat_map(|way| way.modes.iter().cloned()).collect();
    for (piece, body) in pieces.iter().zip(bodies).filter(|(piece, _)| involved.contains(piece.mode.as_str()))
    {
        rules.push(Rule { name: Use { name: piece.name.clone(), ..body.name.clone() }, ..body });
    }
    retire(rules, &reached);
    let mut texts = Texts::default();
    for Way { mode, ends, .. } in ways {
        let begins = pieces.iter().filter(|piece| piece.is_more && involved.contains(piece.mode.as_str()));
        let begins: Vec<Alternative> =
            begins.map(|piece| plain(vec![named(&piece.name, &piece.token.span)])).collect();
        let mut names = BTreeMap::new();
        for ((place, number), path) in ends {
            let piece = &pieces[number];
            let span = &piece.token.span;
            let name = format!("{}-text-{}-{}", piece.token.name, mode, names.len() + 1);
            // A stand-in, which tells what it uses.
            let begins = Item { atom: Atom::Group(begins.clone()), operator: None, span: span.clone() };
            let body = plain(vec![begins, named(&piece.name, span)]);
            let rule = |name: String, alternative: Alternative, is_fragment: bool| Rule {
                name: Use { name, span: span.clone() },
                is_fragment,
                any_case: false,
                mode: (mode != DEFAULT_MODE).then(|| mode.clone()),
                alternatives: vec![alternative],
            };
            let mut commands: Vec<Command> = path.into_iter().chain(piece.commands.iter().cloned()).collect();
            if !commands.iter().any(|command| command.name.name == "type") {
                let name = Use { name: "type".to_owned(), span: span.clone() };
                commands.push(Command { name, argument: Some(piece.token.name.clone()) });
            }
            let token = Alternative { commands, ..plain(vec![named(&name, span)]) };
            rules.push(rule(format!("{name}-token"), token, false));
            rules.push(rule(name.clone(), body, true));
            names.insert((place, number), name);
        }
        texts.joined.push(Joined { mode, ends: names });
    }
    texts.pieces = pieces;
    texts
}

fn named(name: &str, span: &Span) -> Item {
    Item { atom: Atom::Name(name.to_owned()), operator: None, span: span.clone() }
}

fn plain(items: Vec<Item>) -> Alternative {
    Alternative { items, ..Alternative::default() }
}

fn mode_of(rule: &Rule) -> &str {
    rule.mode.as_deref().unwrap_or(DEFAULT_MODE)
}

fn is_token(rule: &Rule) -> bool {
    rule.is_lexical() && !rule.is_fragment
}

fn is_more(alternative: &Alternative) -> bool {
    alternative.commands.iter().any(|command| command.name.name == "more")
}

/// The pieces of all tokens, each with the fragment that it becomes.
fn pieces(rules: &[Rule]) -> (Vec<Piece>, Vec<Rule>) {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut bodies: Vec<Rule> = Vec::new();
    for rule in rules.iter().filter(|rule| is_token(rule)) {
        let words = |commands: &[Command]| -> Vec<(String, Option<String>)> {
            commands.iter().map(|command| (command.name.name.clone(), command.argument.clone())).collect()
        };
        let mut known: Vec<Vec<(String, Option<String>)>> = Vec::new();
        for alternative in &rule.alternatives {
            let own = words(&alternative.commands);
            if known.last() == Some(&own) {
                if let Some(body) = bodies.last_mut() {
                    body.alternatives.push(Alternative { commands: Vec::new(), ..alternative.clone() });
                }
                continue;
            }
            known.push(own);
            let mut commands = alternative.commands.clone();
            commands.retain(|command| command.name.name != "more");
            pieces.push(Piece {
                name: format!("{}-part-{}", rule.name.name, known.len()),
                mode: mode_of(rule).to_owned(),
                commands,
                is_more: is_more(alternative),
                token: rule.name.clone(),
            });
            let alternative = Alternative { commands: Vec::new(), ..alternative.clone() };
            // What is said of a place within it is said of this rule.
            let start = alternative.items.first().map_or(rule.name.span.start, |item| item.span.start);
            let name = Use { name: rule.name.name.clone(), span: start..start.max(rule.name.span.end) };
            bodies.push(Rule { name, is_fragment: true, alternatives: vec![alternative], ..rule.clone() });
        }
    }
    (pieces, bodies)
}

/// The mode in which a lexer begins, and those to which no token leads: code does, if anything.
fn first_modes(pieces: &[Piece]) -> BTreeSet<String> {
    let led_to: BTreeSet<&str> = pieces.iter().flat_map(|piece| modes_led_to(&piece.commands)).collect();
    let modes = pieces.iter().map(|piece| piece.mode.as_str()).filter(|mode| !led_to.contains(mode));
    std::iter::once(DEFAULT_MODE).chain(modes).map(str::to_owned).collect()
}

fn modes_led_to(commands: &[Command]) -> impl Iterator<Item = &str> {
    let commands =
        commands.iter().filter(|command| matches!(command.name.name.as_str(), "mode" | "pushMode"));
    commands.filter_map(|command| command.argument.as_deref())
}

/// The texts that begin in a mode, each end with the commands on the way to it.
struct Way {
    mode: String,
    /// The modes through which they lead.
    modes: BTreeSet<String>,
    ends: BTreeMap<(Place, usize), Vec<Command>>,
}

struct Found<'a> {
    pieces: &'a [Piece],
    /// The modes in which a token may begin.
    reached: BTreeSet<String>,
    ways: Vec<Way>,
    /// The pieces behind which texts are not followed any further.
    deep: Vec<Span>,
}

impl Found<'_> {
    /// Follows all texts from all modes in which one may begin; whether they are few enough.
    fn explore(&mut self) -> bool {
        let mut open: Vec<String> = self.reached.iter().cloned().collect();
        let mut ends = 0;
        while let Some(mode) = open.pop() {
            let mut led_to: Vec<String> = Vec::new();
            for piece in self.pieces.iter().filter(|piece| piece.mode == mode && !piece.is_more) {
                led_to.extend(modes_led_to(&piece.commands).map(str::to_owned));
            }
            let way = self.way(&mode);
            for (place, number) in way.ends.keys() {
                if let Some(behind) = place.behind(&self.pieces[*number].commands) {
                    led_to.extend(behind.below);
                    led_to.push(behind.mode);
                }
            }
            ends += way.ends.len();
            if ends > MOST_ENDS {
                return false;
            }
            if !way.ends.is_empty() {
                self.ways.push(way);
            }
            open.extend(led_to.into_iter().filter(|mode| self.reached.insert(mode.clone())));
        }
        self.ways.sort_by(|one, other| one.mode.cmp(&other.mode));
        true
    }

    fn way(&mut self, mode: &str) -> Way {
        let mut way =
            Way { mode: mode.to_owned(), modes: BTreeSet::from([mode.to_owned()]), ends: BTreeMap::new() };
        let mut known: BTreeMap<Place, Vec<Command>> = BTreeMap::new();
        let mut open = vec![(Place::at(mode), Vec::new())];
        while let Some((place, path)) = open.pop() {
            for piece in self.pieces.iter().filter(|piece| piece.is_more && piece.mode == place.mode) {
                let Some(behind) = place.behind(&piece.commands) else {
                    if !self.deep.contains(&piece.token.span) {
                        self.deep.push(piece.token.span.clone());
                    }
                    continue;
                };
                if !known.contains_key(&behind) && known.len() <= MOST_ENDS {
                    let path: Vec<Command> = path.iter().chain(&piece.commands).cloned().collect();
                    known.insert(behind.clone(), path.clone());
                    open.push((behind, path));
                }
            }
        }
        for (place, path) in known {
            way.modes.insert(place.mode.clone());
            for (number, piece) in self.pieces.iter().enumerate() {
                if !piece.is_more && piece.mode == place.mode {
                    way.ends.insert((place.clone(), number), path.clone());
                }
            }
        }
        way
    }
}

/// Takes away from all tokens what is none: alternatives with `more`, and all of modes in which no token begins. Other tokens that have such a
/// token as a part have a fragment with all of it instead.
fn retire(rules: &mut Vec<Rule>, reached: &BTreeSet<String>) {
    let is_lost =
        |rule: &Rule, alternative: &Alternative| is_more(alternative) || !reached.contains(mode_of(rule));
    let mut whole: BTreeMap<String, Rule> = BTreeMap::new();
    for rule in rules.iter_mut().filter(|rule| is_token(rule)) {
        let (lost, kept): (Vec<_>, Vec<_>) =
            rule.alternatives.iter().cloned().partition(|alternative| is_lost(rule, alternative));
        if lost.is_empty() {
            continue;
        }
        let name = Use { name: format!("{}-whole", rule.name.name), span: rule.name.span.clone() };
        let mut all = Rule { name, is_fragment: true, ..rule.clone() };
        all.alternatives.iter_mut().for_each(|alternative| alternative.commands.clear());
        whole.insert(rule.name.name.clone(), all);
        rule.alternatives = kept;
    }
    rules.retain(|rule| !rule.alternatives.is_empty() || !whole.contains_key(&rule.name.name));
    let new: HashMap<String, String> =
        whole.iter().map(|(name, all)| (name.clone(), all.name.name.clone())).collect();
    // Those that are used, by rules or by each other.
    let mut left: Vec<Rule> = whole.into_values().collect();
    let lexical = rules.iter_mut().chain(&mut left).filter(|rule| rule.is_lexical());
    lexical.for_each(|rule| rename(&mut rule.alternatives, &new));
    loop {
        let used = names(rules.iter());
        let (more, rest): (Vec<Rule>, Vec<Rule>) =
            left.into_iter().partition(|rule| used.contains(rule.name.name.as_str()));
        if more.is_empty() {
            break;
        }
        rules.extend(more);
        left = rest;
    }
}
