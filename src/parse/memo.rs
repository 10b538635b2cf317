//! What a parse with several stacks has made so far at the current offset, so that nothing is made twice.
//!
//! A hash table that is emptied in one step, since that happens at each offset.

/// What an entry is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The forest node of a variable that begins at an offset.
    Node,
    /// An alternative of a forest node.
    Alternative,
    /// An edge of the graph-structured stack.
    Edge,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    key: (Kind, u32, u32, u32, u32),
    value: u32,
    round: u32,
}

const FREE: Entry = Entry { key: (Kind::Node, 0, 0, 0, 0), value: 0, round: 0 };

/// A table from up to four numbers to a number.
#[derive(Debug)]
pub(super) struct Memo {
    /// Twice as many as can be used, a power of two. Entries of earlier rounds are free.
    entries: Vec<Entry>,
    used: usize,
    round: u32,
}

impl Memo {
    pub(super) fn new() -> Self {
        Self { entries: vec![FREE; 256], used: 0, round: 1 }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.used = 0;
        self.round = self.round.checked_add(1).unwrap_or_else(|| {
            self.entries.fill(FREE);
            1
        });
    }

    /// The value of a key, if it has one; else it gets `value`.
    pub(super) fn get_or_insert(&mut self, kind: Kind, numbers: [u32; 4], value: u32) -> Option<u32> {
        let [a, b, c, d] = numbers;
        let key = (kind, a, b, c, d);
        let place = self.find(key);
        if self.entries[place].round == self.round {
            return Some(self.entries[place].value);
        }
        self.entries[place] = Entry { key, value, round: self.round };
        self.used += 1;
        if 2 * self.used > self.entries.len() {
            self.grow();
        }
        None
    }

    /// Where the key is, or is to be put.
    fn find(&self, key: (Kind, u32, u32, u32, u32)) -> usize {
        let (kind, a, b, c, d) = key;
        let mut hash = kind as u64;
        for number in [a, b, c, d] {
            hash = (hash.rotate_left(5) ^ u64::from(number)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        let mask = self.entries.len() - 1;
        let mut place = (hash >> 32) as usize & mask;
        while self.entries[place].round == self.round && self.entries[place].key != key {
            place = (place + 1) & mask;
        }
        place
    }

    fn grow(&mut self) {
        let larger = vec![FREE; 2 * self.entries.len()];
        let smaller = std::mem::replace(&mut self.entries, larger);
        for entry in smaller.into_iter().filter(|entry| entry.round == self.round) {
            let place = self.find(entry.key);
            self.entries[place] = entry;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memo_remembers_until_it_is_cleared() {
        let mut memo = Memo::new();
        for round in 0..3 {
            for number in 0..2_000 {
                assert_eq!(memo.get_or_insert(Kind::Node, [number, 1, 2, round], number), None);
                assert_eq!(memo.get_or_insert(Kind::Edge, [number, 1, 2, round], 7), None);
            }
            for number in 0..2_000 {
                assert_eq!(memo.get_or_insert(Kind::Node, [number, 1, 2, round], 0), Some(number));
            }
            memo.clear();
        }
    }
}
