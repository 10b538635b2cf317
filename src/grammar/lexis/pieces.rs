//! Texts that are put together from pieces, with words kept apart.

use super::Lexis;

/// Pieces of a text, from left to right. Between some of them there is a gap, into which a separator is put
/// where words would run together.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    /// The pieces that are not empty, each with whether a gap is in front of it.
    pieces: Vec<(bool, Vec<u8>)>,
    /// Whether a gap is at the end.
    apart: bool,
}

impl Pieces {
    /// Puts a gap behind what is there.
    pub fn gap(&mut self) {
        self.apart = true;
    }

    /// Puts a text behind what is there.
    pub fn push(&mut self, text: &[u8]) {
        if !text.is_empty() {
            self.pieces.push((std::mem::take(&mut self.apart), text.to_vec()));
        }
    }

    /// Puts other pieces behind what is there.
    pub fn append(&mut self, other: Self) {
        for (apart, text) in other.pieces {
            self.apart |= apart;
            self.push(&text);
        }
        self.apart |= other.apart;
    }

    /// The text. Without a lexical layer, gaps mean nothing.
    pub fn join(&self, lexis: Option<&Lexis>) -> Vec<u8> {
        let mut text = Vec::new();
        for (apart, piece) in &self.pieces {
            if let (true, Some(lexis)) = (*apart && !text.is_empty(), lexis) {
                text.extend_from_slice(lexis.separator(&text, piece));
            }
            text.extend_from_slice(piece);
        }
        text
    }
}
