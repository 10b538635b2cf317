//! Reads arithmetic expressions: `+ - * /` with signs, parentheses and decimal numbers. Blanks may
//! stand between any two tokens.

/// A token of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Open,
    Close,
    /// `+` or `-` before an operand.
    Sign(u8),
    /// One of `+ - * /` between two operands.
    Operator(u8),
    /// Digits, perhaps with a point and more digits.
    Number(&'a [u8]),
}

/// The tokens of a text, if they are an expression.
pub(super) fn read(text: &[u8]) -> Option<Vec<Token<'_>>> {
    let mut tokens = Vec::new();
    let mut depth = 0_usize;
    let mut after_operand = false;
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        let mut next = after;
        match (byte, after_operand) {
            (b' ', _) => {}
            (b'(', false) => {
                depth += 1;
                tokens.push(Token::Open);
            }
            (b')', true) => {
                depth = depth.checked_sub(1)?;
                tokens.push(Token::Close);
            }
            (b'+' | b'-', false) => tokens.push(Token::Sign(byte)),
            (b'+' | b'-' | b'*' | b'/', true) => {
                tokens.push(Token::Operator(byte));
                after_operand = false;
            }
            (b'0'..=b'9', false) => {
                let mut length = digits(rest);
                if rest.get(length) == Some(&b'.') {
                    let fraction = digits(&rest[length + 1..]);
                    if fraction == 0 {
                        return None;
                    }
                    length += 1 + fraction;
                }
                tokens.push(Token::Number(&rest[..length]));
                next = &rest[length..];
                after_operand = true;
            }
            _ => return None,
        }
        rest = next;
    }
    (after_operand && depth == 0).then_some(tokens)
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}
