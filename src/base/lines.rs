//! Where the lines of an input begin, so that places in it can be told by line and column.

/// The beginnings of the lines of an input.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    input: &'a [u8],
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// The lines of `input`.
    pub fn new(input: &'a [u8]) -> Self {
        let ends = input.iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
        Self { input, starts: std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect() }
    }

    /// The line and the column of the byte at `offset`, both counted from 1. Columns are counted in
    /// characters; bytes that are not UTF-8 count as replacement characters do.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|&start| start <= offset);
        let before = &self.input[self.starts[line - 1]..offset.min(self.input.len())];
        (line, String::from_utf8_lossy(before).chars().count() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_are_counted_from_one_and_in_characters() {
        let lines = Lines::new("ab\n\nüx\n".as_bytes());
        let places: Vec<(usize, usize)> = [0, 2, 3, 4, 6, 7, 8].map(|at| lines.position(at)).into();
        assert_eq!(places, [(1, 1), (1, 3), (2, 1), (3, 1), (3, 2), (3, 3), (4, 1)]);
        assert_eq!(Lines::new(b"").position(0), (1, 1));
    }
}
