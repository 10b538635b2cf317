//! The strongly connected components of what can be reached in a graph (Tarjan 1972, with an
//! explicit stack: the graphs are as deep as inputs are long).

/// The components of the graph on `0..nodes` that can be reached from `roots`, each with whether it
/// is a cycle (more than one node, or an edge to itself). A component comes after all those it leads
/// to. Within a component the nodes ascend.
///
/// `next` appends the successors of a node.
pub fn components(
    nodes: usize,
    roots: impl IntoIterator<Item = usize>,
    next: impl Fn(usize, &mut Vec<u32>),
    mut found: impl FnMut(&[u32], bool),
) {
    const NEW: u32 = 0;
    const DONE: u32 = u32::MAX;
    struct Call {
        node: u32,
        /// Its number in the order of entering.
        number: u32,
        /// Where in `targets` its successors begin; those before the last are still to be followed.
        targets: usize,
        is_loop: bool,
    }
    // The least number that is known to be reachable; numbers begin with 1.
    let mut low: Vec<u32> = vec![NEW; nodes];
    let mut count = 0;
    let mut open: Vec<u32> = Vec::new();
    let mut targets: Vec<u32> = Vec::new();
    let mut calls: Vec<Call> = Vec::new();
    for root in roots {
        if low[root] != NEW {
            continue;
        }
        let mut enter = Some(root as u32);
        loop {
            if let Some(node) = enter.take() {
                count += 1;
                low[node as usize] = count;
                open.push(node);
                calls.push(Call { node, number: count, targets: targets.len(), is_loop: false });
                next(node as usize, &mut targets);
            }
            let Some(call) = calls.last_mut() else { break };
            let node = call.node;
            if targets.len() > call.targets {
                let target = targets.pop().unwrap_or(node);
                call.is_loop |= target == node;
                match low[target as usize] {
                    NEW => enter = Some(target),
                    DONE => {}
                    other => low[node as usize] = low[node as usize].min(other),
                }
                continue;
            }
            let Call { number, is_loop, .. } = *call;
            calls.pop();
            if low[node as usize] == number {
                let first = open.iter().rposition(|&member| member == node).unwrap_or(0);
                open[first..].sort_unstable();
                open[first..].iter().for_each(|&member| low[member as usize] = DONE);
                found(&open[first..], is_loop || open.len() > first + 1);
                open.truncate(first);
            }
            if let Some(parent) = calls.last() {
                let reached = low[node as usize];
                if reached != DONE {
                    let parent = &mut low[parent.node as usize];
                    *parent = (*parent).min(reached);
                }
            }
        }
    }
}
