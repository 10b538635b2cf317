//! `tokens`: "T-Rec: Fine-Grained Language-Agnostic Program Reduction Guided by Lexical Syntax" (Xu, Tian, Zhang, Zhao, Jiang and Sun,
//! TOSEM 2024).
//!
//! Tokens are made smaller inside, along the derivation tree that their lexical rule gives them: smaller is shorter, and of as many bytes the
//! one that comes first in the alphabet ("shortlex"). Tokens of one kind with the same text change together first, as a name does everywhere, then
//! each alone.
//!
//! The paper leaves the order open. Short tokens come first: they have few smaller ones. Long ones have many, most of which do not fail
//! where the token is a certain word; before the others have become small, all of these would be asked about once more afterwards.
//!
//! In a grammar without tokens (`@token`) there is nothing to do.

use std::collections::{BTreeSet, HashMap};

use crate::grammar::NonterminalId;
use crate::oracle::{Halt, Judge};
use crate::tree::{NodeId, Tree};

use super::list::List;
use super::minimize::Minimizer;
use super::pass::{NamedPass, Pass};
use super::workpiece::{Edit, Workpiece};

/// Lists of more characters than this are not taken apart one by one by who is thrifty.
const FEW: usize = 4;

/// Smaller tokens.
#[derive(Default)]
pub(super) struct Tokens {
    /// Whether tokens of many characters are not taken apart one by one: what is tried of these are their halves, all without the first
    /// character, all without the last, and all characters as low as they can be at once. A word that has to stay as it is then takes
    /// some executions, and not several for each of its characters.
    pub(super) is_thrifty: bool,
}

/// The nonterminal of a token, and its text.
type Token<'p> = (NonterminalId, &'p [u8]);

impl NamedPass for Tokens {
    const NAME: &'static str = "tokens";
}

impl Pass for Tokens {
    fn run(&self, piece: &mut Workpiece<'_>, _: Minimizer, judge: &mut Judge<'_>) -> Result<bool, Halt> {
        let mut is_changed = false;
        let mut groups = groups(piece);
        groups.sort_by_key(|group| group.first().map(|&node| piece.text_of(node).len()));
        for group in groups {
            let group: Vec<NodeId> = group.into_iter().filter(|&node| piece.is_live(node)).collect();
            let together = shrink(piece, group, self.is_thrifty, judge)?;
            is_changed |= together.1;
            if together.0.len() > 1 {
                for node in together.0 {
                    is_changed |= shrink(piece, vec![node], self.is_thrifty, judge)?.1;
                }
            }
        }
        Ok(is_changed)
    }

    fn has_minimizer(&self) -> bool {
        false
    }
}

/// The tokens of each kind with the same text, those that stand first first.
pub(super) fn groups(piece: &Workpiece<'_>) -> Vec<Vec<NodeId>> {
    let mut groups: Vec<Vec<NodeId>> = Vec::new();
    let mut places: HashMap<Token<'_>, usize> = HashMap::new();
    for (nonterminal, node) in piece.token_nodes() {
        let place = *places.entry((nonterminal, piece.text_of(node))).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(node),
            None => groups.push(vec![node]),
        }
    }
    groups
}

/// Makes tokens with the same text smaller as long as that is possible. Says which nodes they are then, and whether anything changed.
fn shrink(
    piece: &mut Workpiece<'_>,
    mut group: Vec<NodeId>,
    is_thrifty: bool,
    judge: &mut Judge<'_>,
) -> Result<(Vec<NodeId>, bool), Halt> {
    let mut is_changed = false;
    'smaller: while let Some(&first) = group.first() {
        for tree in smaller(piece, first, is_thrifty) {
            if let Some(new) = piece.attempt_trees(&group, &tree, judge)? {
                (group, is_changed) = (new, true);
                continue 'smaller;
            }
        }
        break;
    }
    Ok((group, is_changed))
}

/// Smaller tokens instead of the one at `node`, the smallest first.
fn smaller(piece: &Workpiece<'_>, node: NodeId, is_thrifty: bool) -> Vec<Tree> {
    let inside = piece.inside(node);
    let mut edits: Vec<Vec<Edit>> = Vec::new();
    let mut lowered = Vec::new();
    let mut open = vec![inside.tree().root()];
    while let Some(node) = open.pop() {
        edits.push(vec![Edit::Minimal(node)]);
        let list = List::at(&inside, node);
        if let Some(list) = &list {
            let (half, all) = (list.len() / 2, list.len());
            let mut parts = vec![0..half, half..all];
            if is_thrifty {
                parts.extend([1..all, 0..all - 1]);
            }
            for kept in parts {
                edits.extend(list.leaving(&inside, &kept.collect::<Vec<_>>()));
            }
        }
        if is_thrifty && list.is_some_and(|list| list.len() > FEW) {
            let below = inside.tree().preorder(node);
            lowered.extend(below.filter_map(|node| inside.lower_character(node)));
            continue;
        }
        edits.extend(inside.shorter_rules(node).into_iter().map(|edit| vec![edit]));
        edits.extend(inside.nearest_alike(node).into_iter().map(|below| vec![Edit::Hoist(node, below)]));
        edits.extend(inside.lower_character(node).map(|edit| vec![edit]));
        open.extend(inside.tree().children(node).iter().rev());
    }
    if !lowered.is_empty() {
        edits.push(lowered);
    }
    let mut known = BTreeSet::new();
    let key = |text: &[u8]| (text.len(), text.to_vec());
    let own = key(inside.text());
    let mut found: Vec<((usize, Vec<u8>), Tree)> = Vec::new();
    for edits in edits {
        // Terminals have nothing minimal in them.
        let Some(text) = inside.candidate_of(&edits) else { continue };
        let key = key(&text);
        // A token is never nothing.
        if key < own && !text.is_empty() && known.insert(text) {
            let mut edited = inside.clone();
            edited.apply_all(&edits);
            found.push((key, edited.into_parts().1));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found.into_iter().map(|(_, tree)| tree).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::sample::failing_oracle;
    use super::*;
    use crate::base::diagnostic::Source;
    use crate::grammar::format;
    use crate::parse::Parser;

    /// Tokens with literals in them, and with parts that have a part of the same kind.
    const TOKENS: &str = r#"<line> ::= (<name> | <text>)+
        @token <name> ::= <letter> <letter>*
        @token <text> ::= '"' ("\\" <letter> | <letter>)* '"'
        <letter> ::= [a-z]"#;

    #[test]
    fn tokens_become_smaller_together_and_alone() {
        let grammar = Arc::new(format::read(&Source::new("line.ebnf", TOKENS), None).unwrap().grammar);
        let parser = Parser::new(Arc::clone(&grammar));
        let tree = parser.first_tree(br#""qr\sz"yxz"qr\sz""#).unwrap().unwrap();
        let mut piece = Workpiece::new(&grammar, tree);
        let fails =
            |text: &[u8]| text.contains(&b'y') && text.iter().filter(|&&byte| byte == b's').count() > 1;
        let oracle = failing_oracle(&fails);
        let mut judge = Judge::new(&oracle);
        assert_eq!(Tokens::default().run(&mut piece, Minimizer::default(), &mut judge), Ok(true));
        assert_eq!(String::from_utf8_lossy(piece.text()), r#""s"y"s""#);
    }

    /// A name that has to stay as it is comes first in the text, and a number of smaller texts are tried for it: all of them
    /// beside what is left of the short token, so that a second turn asks nothing anew.
    #[test]
    fn long_tokens_are_asked_about_when_short_ones_are_as_small_as_they_become() {
        let grammar = Arc::new(format::read(&Source::new("line.ebnf", TOKENS), None).unwrap().grammar);
        let parser = Parser::new(Arc::clone(&grammar));
        let tree = parser.first_tree(br#"upvaluejoin"zb""#).unwrap().unwrap();
        let mut piece = Workpiece::new(&grammar, tree);
        let fails = |text: &[u8]| text.starts_with(b"upvaluejoin\"") && text.len() > 13;
        let oracle = failing_oracle(&fails);
        let mut judge = Judge::new(&oracle);
        assert_eq!(Tokens::default().run(&mut piece, Minimizer::default(), &mut judge), Ok(true));
        assert_eq!(String::from_utf8_lossy(piece.text()), r#"upvaluejoin"b""#);
        let long = judge.passed().into_iter().filter(|text| !text.starts_with(b"upvaluejoin")).count();
        let beside = judge.passed().into_iter().filter(|text| text.ends_with(br#""b""#)).count();
        assert!(long > 10 && long == beside, "{long}, {beside}");
        let before = judge.executions();
        assert_eq!(Tokens::default().run(&mut piece, Minimizer::default(), &mut judge), Ok(false));
        assert_eq!(judge.executions(), before);
    }
}
