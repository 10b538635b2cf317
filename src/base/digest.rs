//! Digests of values: what two of them have in common says whether they are the same.
//!
//! A digest is kept in stores and compared with that of a later run. So it is never taken of what a value looks
//! like to a programmer, which any release of a compiler or a library may change, but of its serialized form.

use serde::Serialize;

/// The digest of `value`, in hexadecimal digits: BLAKE3 of its form in postcard, whose format is fixed. Values of one type
/// have the same digest if they are the same.
///
/// # Panics
/// When `value` has no serialized form, which is an error in its type and not in the value.
pub fn digest(value: &impl Serialize) -> String {
    let form = postcard::to_allocvec(value).expect("the type is one that can be serialized");
    blake3::hash(&form).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_the_same_for_ever() {
        // Of the bytes 1 (there is one), 7, 2 (the length), `a`, `b`.
        let known = blake3::hash(&[1, 7, 2, b'a', b'b']).to_hex().to_string();
        assert_eq!(digest(&(Some(7_u64), "ab")), known);
        assert_ne!(digest(&(["a", "b"], "c")), digest(&(["a", "bc"], "")));
    }
}
