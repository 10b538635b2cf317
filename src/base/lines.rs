//! Where the lines of an input begin, so that places in it can be given by line and column.

/// The beginnings of the lines of an input.
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    input: &'a [u8],
    /// Where to begin to count: an offset, its line and its column. The beginnings of all lines, and
    /// places in long lines, so that many places in one of them can be located.
    marks: Vec<(usize, usize, usize)>,
}

impl<'a> Lines<'a> {
    /// The distance of marks in a line, in bytes.
    const APART: usize = 1 << 10;

    /// The lines of `input`.
    pub fn new(input: &'a [u8]) -> Self {
        let mut marks = vec![(0, 1, 1)];
        let (mut begin, mut line, mut column) = (0, 1, 1);
        for (at, &byte) in input.iter().enumerate() {
            let is_inside_character = byte & 0xc0 == 0x80;
            if at - begin >= Self::APART && !is_inside_character {
                column += characters(&input[begin..at]);
                begin = at;
                marks.push((begin, line, column));
            }
            if byte == b'\n' {
                (begin, line, column) = (at + 1, line + 1, 1);
                marks.push((begin, line, column));
            }
        }
        Self { input, marks }
    }

    /// The line and the column of the byte at `offset`, both counted from 1. Columns are counted in
    /// characters; bytes that are not UTF-8 count as replacement characters do.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let after = self.marks.partition_point(|&(start, ..)| start <= offset);
        let (start, line, column) = self.marks[after - 1];
        (line, column + characters(&self.input[start..offset.min(self.input.len())]))
    }
}

fn characters(bytes: &[u8]) -> usize {
    String::from_utf8_lossy(bytes).chars().count()
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

    #[test]
    fn places_in_a_long_line_are_counted_as_in_a_short_one() {
        let line = "aüb\u{10348}".repeat(1_000).into_bytes();
        let lines = Lines::new(&line);
        for (column, (offset, _)) in String::from_utf8_lossy(&line).char_indices().enumerate() {
            assert_eq!(lines.position(offset), (1, column + 1));
        }
    }
}
