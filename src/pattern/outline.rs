//! Patterns in short form: `<s>(<s>("a") <s>)`, so that trees of the same text can be told apart.

use crate::grammar::{Grammar, spelling};

use super::expression::PatternId;
use super::model::{Pattern, PatternNode, PatternNodeId};
use super::quote::placeholder;

/// Deeper nodes are left out: `<s>(...)`.
const DEEPEST: usize = 8;

/// Longer outlines are cut, in characters.
const WIDEST: usize = 160;

/// The part of each pattern in which they differ: the smallest subtree that holds all differences.
pub fn differences(grammar: &Grammar, patterns: &[Pattern]) -> Vec<String> {
    let mut nodes: Vec<PatternNodeId> = patterns.iter().map(Pattern::root).collect();
    while let Some(next) = only_difference(patterns, &nodes) {
        nodes = next;
    }
    let outline = |(pattern, node): (&Pattern, PatternNodeId)| {
        let mut text = String::new();
        write(grammar, pattern, node, 0, &mut text);
        match text.char_indices().nth(WIDEST) {
            Some((at, _)) => format!("{}...", &text[..at]),
            None => text,
        }
    };
    patterns.iter().zip(nodes).map(outline).collect()
}

/// The children of nodes with the same rule that are not all equal, when they stand at one place.
fn only_difference(patterns: &[Pattern], nodes: &[PatternNodeId]) -> Option<Vec<PatternNodeId>> {
    let mut rows: Vec<&[PatternNodeId]> = Vec::new();
    let mut common = None;
    for (pattern, &node) in patterns.iter().zip(nodes) {
        match pattern.node(node) {
            PatternNode::Rule(rule, children) if *common.get_or_insert(*rule) == *rule => rows.push(children),
            _ => return None,
        }
    }
    let (&first, others) = rows.split_first()?;
    let mut places = (0..first.len()).filter(|&place| {
        let is_other = |(row, pattern): (&&[PatternNodeId], &Pattern)| {
            !is_equal((&patterns[0], first[place]), (pattern, row[place]))
        };
        others.iter().zip(&patterns[1..]).any(is_other)
    });
    let place = places.next().filter(|_| places.next().is_none())?;
    Some(rows.iter().map(|row| row[place]).collect())
}

fn is_equal((left, root): (&Pattern, PatternNodeId), (right, other): (&Pattern, PatternNodeId)) -> bool {
    let mut work = vec![(root, other)];
    while let Some((one, other)) = work.pop() {
        match (left.node(one), right.node(other)) {
            (PatternNode::Rule(rule, children), PatternNode::Rule(other, others)) if rule == other => {
                work.extend(children.iter().copied().zip(others.iter().copied()));
            }
            (PatternNode::Rule(..), _) | (_, PatternNode::Rule(..)) => return false,
            (one, other) if one == other => {}
            _ => return false,
        }
    }
    true
}

/// Recursion is as deep as [`DEEPEST`].
fn write(grammar: &Grammar, pattern: &Pattern, node: PatternNodeId, depth: usize, text: &mut String) {
    match pattern.node(node) {
        PatternNode::Literal(literal) => text.push_str(&spelling::literal(grammar.literal(*literal))),
        PatternNode::Char(c) => text.push_str(&spelling::literal(c.encode_utf8(&mut [0; 4]).as_bytes())),
        PatternNode::Letter(c) => text.push_str(&format!("%i\"{c}\"")),
        PatternNode::AnyChar => text.push_str("<any character>"),
        open @ (PatternNode::Abstract(_) | PatternNode::Bound(..) | PatternNode::Where(..)) => {
            text.push_str(&placeholder(grammar, open, &PatternId::to_string));
        }
        PatternNode::Rule(rule, children) => {
            text.push_str(&format!("{}(", grammar.name(grammar.rule(*rule).lhs)));
            if depth == DEEPEST {
                text.push_str("...");
            } else {
                for (index, &child) in children.iter().enumerate() {
                    if index > 0 {
                        text.push(' ');
                    }
                    write(grammar, pattern, child, depth + 1, text);
                }
            }
            text.push(')');
        }
    }
}
