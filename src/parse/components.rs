//! The strongly connected components of what can be reached in a graph (Tarjan 1972, with an
//! explicit stack: the graphs are as deep as inputs are long).

/// The components of the graph on `0..nodes` that can be reached from `roots`, each with whether it
/// is a cycle (more than one node, or an edge to itself). A component comes after all those it leads
/// to. Within a component the nodes ascend.
pub(super) fn components(
    nodes: usize,
    roots: impl IntoIterator<Item = usize>,
    next: impl Fn(usize) -> Vec<usize>,
) -> Vec<(Vec<usize>, bool)> {
    const NEW: u32 = 0;
    const DONE: u32 = u32::MAX;
    // The least number that is known to be reachable; numbers begin with 1.
    let mut low: Vec<u32> = vec![NEW; nodes];
    let mut count = 0;
    let mut open: Vec<usize> = Vec::new();
    let mut components = Vec::new();
    // Node, its own number, its successors, how many of them were followed, an edge to itself.
    let mut calls: Vec<(usize, u32, Vec<usize>, usize, bool)> = Vec::new();
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
                calls.push((node, count, next(node), 0, false));
            }
            let Some((node, number, targets, followed, is_loop)) = calls.last_mut() else { break };
            if let Some(&target) = targets.get(*followed) {
                *followed += 1;
                *is_loop |= target == *node;
                match low[target] {
                    NEW => enter = Some(target),
                    DONE => {}
                    other => low[*node] = low[*node].min(other),
                }
                continue;
            }
            let (node, number, is_loop) = (*node, *number, *is_loop);
            calls.pop();
            if low[node] == number {
                let first = open.iter().rposition(|&member| member == node).unwrap_or(0);
                let mut component = open.split_off(first);
                component.sort_unstable();
                component.iter().for_each(|&member| low[member] = DONE);
                let is_cycle = is_loop || component.len() > 1;
                components.push((component, is_cycle));
            } else if let Some((parent, ..)) = calls.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
        }
    }
    components
}
