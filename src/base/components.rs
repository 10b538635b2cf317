//! The strongly connected components of what can be reached in a graph (Tarjan 1972, with an
//! explicit stack: the graphs are as deep as inputs are long).

use super::id::{Id, IdVec};

/// The components of the graph on the first `nodes` ids that can be reached from `roots`, each with whether it
/// is a cycle (more than one node, or an edge to itself). A component comes after all those it leads
/// to. Within a component the nodes ascend.
///
/// `next` appends the successors of a node.
pub fn components<I: Id>(
    nodes: usize,
    roots: impl IntoIterator<Item = I>,
    next: impl Fn(I, &mut Vec<I>),
    mut found: impl FnMut(&[I], bool),
) {
    const NEW: u32 = 0;
    const DONE: u32 = u32::MAX;
    struct Call<I> {
        node: I,
        /// Its number in the order of entering.
        number: u32,
        /// Where in `targets` its successors begin; those before the last are still to be followed.
        targets: usize,
        is_loop: bool,
    }
    // The least number that is known to be reachable; numbers begin with 1.
    let mut low: IdVec<I, u32> = IdVec::filled(NEW, nodes);
    let mut count = 0;
    let mut open: Vec<I> = Vec::new();
    let mut targets: Vec<I> = Vec::new();
    let mut calls: Vec<Call<I>> = Vec::new();
    for root in roots {
        if low[root] != NEW {
            continue;
        }
        let mut enter = Some(root);
        loop {
            if let Some(node) = enter.take() {
                count += 1;
                low[node] = count;
                open.push(node);
                calls.push(Call { node, number: count, targets: targets.len(), is_loop: false });
                next(node, &mut targets);
            }
            let Some(call) = calls.last_mut() else { break };
            let node = call.node;
            if targets.len() > call.targets {
                let target = targets.pop().unwrap_or(node);
                call.is_loop |= target == node;
                match low[target] {
                    NEW => enter = Some(target),
                    DONE => {}
                    other => low[node] = low[node].min(other),
                }
                continue;
            }
            let Call { number, is_loop, .. } = *call;
            calls.pop();
            if low[node] == number {
                let first = open.iter().rposition(|&member| member == node).unwrap_or(0);
                open[first..].sort_unstable();
                open[first..].iter().for_each(|&member| low[member] = DONE);
                found(&open[first..], is_loop || open.len() > first + 1);
                open.truncate(first);
            }
            if let Some(parent) = calls.last() {
                let reached = low[node];
                if reached != DONE {
                    let parent = &mut low[parent.node];
                    *parent = (*parent).min(reached);
                }
            }
        }
    }
}
