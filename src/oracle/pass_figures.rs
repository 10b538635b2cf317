//! What each pass of a session's work took and achieved.

/// The figures of a pass: of all its turns together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassFigures {
    /// Its name.
    pub pass: &'static str,
    /// The number of its turns.
    pub turns: u64,
    /// The number of executions in them.
    pub executions: u64,
    /// The number of those whose input fails: what a pass goes on from.
    pub accepted: u64,
    /// The number of bytes by which it made the input shorter.
    pub bytes_removed: u64,
}

/// Adds a turn to the figures of its pass; passes stand in the order of their first turns.
pub(super) fn add(all: &mut Vec<PassFigures>, turn: PassFigures) {
    match all.iter_mut().find(|known| known.pass == turn.pass) {
        Some(known) => {
            known.turns += turn.turns;
            known.executions += turn.executions;
            known.accepted += turn.accepted;
            known.bytes_removed += turn.bytes_removed;
        }
        None => all.push(turn),
    }
}
