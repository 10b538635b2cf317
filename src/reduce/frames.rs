//! `frames`: a pass of our own, which puts a part of an input into the place of what holds it where it has another nonterminal.
//!
//! Hoisting puts a node into the place of one of the same nonterminal, so the expression in the head of a loop never becomes a statement. Here
//! any part may take the place of what holds it: as it is, where the parser finds that the grammar has such an input, and in a *frame*, the
//! shortest derivation of the outer nonterminal that has the inner one in it, such as `x;` for `x` of `for(;x;)if(y);`. Each part is tried in
//! the place of the one that holds it, from the outside inwards; what is further below gets there step by step.

use std::collections::{HashSet, VecDeque};

use crate::grammar::NonterminalId;
use crate::oracle::{Halt, Judge};
use crate::tree::{NodeId, Tree};

use super::minimize::Minimizer;
use super::pass::{NamedPass, Pass};
use super::workpiece::Workpiece;

/// Inputs of more bytes than this are not parsed for each of their parts.
const MOST_PARSED: usize = 4_000;

/// Parts in the place of what holds them.
#[derive(Default)]
pub(super) struct Frames;

impl NamedPass for Frames {
    const NAME: &'static str = "frames";
}

impl Pass for Frames {
    fn run(&self, piece: &mut Workpiece<'_>, _: Minimizer, judge: &mut Judge<'_>) -> Result<bool, Halt> {
        let mut is_changed = false;
        let mut tried: HashSet<Vec<u8>> = HashSet::new();
        let mut open = VecDeque::from([piece.tree().root()]);
        while let Some(node) = open.pop_front() {
            if bare(piece, node, &mut tried, judge)? {
                is_changed = true;
                open = VecDeque::from([piece.tree().root()]);
            } else if let Some(new) = frame(piece, node, judge)? {
                is_changed = true;
                open.push_back(new);
            } else {
                open.extend(parts(piece, node));
            }
        }
        Ok(is_changed)
    }

    fn has_minimizer(&self) -> bool {
        false
    }
}

/// Puts a part of a node into its place as it is, if that is an input of the grammar and fails: says whether one does. The tree is another
/// one then.
fn bare(
    piece: &mut Workpiece<'_>,
    node: NodeId,
    tried: &mut HashSet<Vec<u8>>,
    judge: &mut Judge<'_>,
) -> Result<bool, Halt> {
    if piece.text().len() > MOST_PARSED {
        return Ok(false);
    }
    for part in parts(piece, node) {
        let text = piece.text_with(node, piece.text_of(part));
        if tried.insert(text.clone()) && piece.attempt_text(&text, judge)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Puts a part of a node into its place, in a frame with which there are fewer tokens, if one fails there. Says which node stands there then.
fn frame(piece: &mut Workpiece<'_>, node: NodeId, judge: &mut Judge<'_>) -> Result<Option<NodeId>, Halt> {
    let Some(outer) = piece.editable(node) else { return Ok(None) };
    for part in parts(piece, node) {
        let Some(tree) = framed(piece, node, outer, part) else { continue };
        if let Some(new) = piece.attempt_trees(&[node], &tree, judge)? {
            return Ok(new.first().copied());
        }
    }
    Ok(None)
}

/// The largest parts of a node that are less than all of it, those with the most tokens first.
fn parts(piece: &Workpiece<'_>, node: NodeId) -> Vec<NodeId> {
    let tokens = piece.tokens(node);
    let (mut parts, mut open) = (Vec::new(), vec![node]);
    while let Some(current) = open.pop() {
        for &child in piece.tree().children(current) {
            match piece.editable(child) {
                Some(_) if piece.tokens(child) == tokens => open.push(child),
                Some(_) if piece.tokens(child) > 0 => parts.push(child),
                _ => {}
            }
        }
    }
    parts.sort_by_key(|&part| std::cmp::Reverse(piece.tokens(part)));
    parts
}

/// What a node becomes with a part of it in its shortest frame, if that has fewer tokens. A part may be several nodes, each the only child that
/// derives anything of the one above it; the one with the shortest frame is taken.
fn framed(piece: &Workpiece<'_>, node: NodeId, outer: NonterminalId, part: NodeId) -> Option<Tree> {
    let mut shortest: Option<(usize, Tree)> = None;
    let mut next = Some(part);
    while let Some(at) = next {
        if let Some(inner) = piece.editable(at)
            && let Some((mut tree, hole)) = piece.frame(outer, inner)
        {
            tree.replace(hole, piece.tree(), at);
            let text = tree.text(piece.grammar());
            if shortest.as_ref().is_none_or(|(length, _)| text.len() < *length) {
                shortest = Some((text.len(), tree));
            }
        }
        let same = |&&child: &&NodeId| piece.tokens(child) == piece.tokens(part);
        next = piece.tree().children(at).iter().find(same).copied();
    }
    let (_, tree) = shortest?;
    (piece.tokens_in(&tree) < piece.tokens(node)).then_some(tree)
}

#[cfg(test)]
mod tests {
    use super::super::sample::{failing_oracle, grammar, parsed, reduce_asking, reduce_passes};
    use crate::parse::Parser;

    /// An expression is no statement, but with `;` behind it.
    #[test]
    fn a_part_is_put_into_a_shorter_frame() {
        let grammar = std::sync::Arc::new(grammar(&[
            "program = s",
            "s = for( e ; e ) s | e ; | if( e ) s else_ s",
            "e = t | e + t",
            "t = x | y | ( e ) | < e >",
        ]));
        let oracle = failing_oracle(&|text: &[u8]| text.windows(3).any(|part| part == b"x+y"));
        let tree = parsed(&grammar, b"for(x;<x+y>)if(x)y;else y;");
        let before = reduce_passes(&["chains", "windows"], &grammar, &tree, &oracle).text;
        assert!(before.starts_with(b"for("), "{}", before.escape_ascii());
        let (reduced, asked) =
            reduce_asking("{ name = \"mine\", passes = [\"frames\", \"chains\"] }", &grammar, &tree, &oracle);
        assert_eq!(reduced.text, b"x+y;");
        let parser = Parser::new(grammar);
        assert!(asked.iter().all(|text| parser.recognizes(text).unwrap()));
        assert!(asked.len() < 15, "{}", asked.len());
    }

    /// Nothing that is derived from `s` has the copy of an expression that stands in the head of a loop, but its text is one.
    #[test]
    fn a_part_is_put_there_as_it_is_where_the_grammar_has_a_copy_of_it() {
        let grammar = std::sync::Arc::new(grammar(&[
            "program = s",
            "s = e | for( head ; head ) s",
            "e = a | a is e",
            "head = b | b is head",
            "a = x | y",
            "b = x | y",
        ]));
        let oracle = failing_oracle(&|text: &[u8]| text.windows(4).any(|part| part == b"xisy"));
        let tree = parsed(&grammar, b"for(x;yisxisy)y");
        for (passes, least) in [("chains", &b"for(x;xisy)y"[..]), ("chains\", \"frames", b"xisy")] {
            let name = format!("{{ name = \"mine\", passes = [\"{passes}\"] }}");
            let (reduced, asked) = reduce_asking(&name, &grammar, &tree, &oracle);
            assert_eq!(reduced.text, least);
            assert_eq!(reduced.tree.unwrap().text(&grammar), least);
            let parser = Parser::new(std::sync::Arc::clone(&grammar));
            assert!(asked.iter().all(|text| parser.recognizes(text).unwrap()));
        }
    }
}
