//! What the files of a program look like: to see whether it is still the same program.

/// What some files look like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint {
    /// A digest of what the system says of them without reading them: inodes, sizes and times. When it
    /// is the same, nobody has touched them. Empty when there are no files, for a function of ours.
    pub outside: String,
    /// A digest of what is in them.
    pub inside: String,
}
