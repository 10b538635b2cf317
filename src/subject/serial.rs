//! How paths and files are serialized: as the bytes that they are, whether these are a text or not.

/// A path.
pub mod path {
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes a path.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        path.as_os_str().serialize(serializer)
    }

    /// Reads a path.
    ///
    /// # Errors
    /// When there is none.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
        OsString::deserialize(deserializer).map(PathBuf::from)
    }
}

/// Paths.
pub mod paths {
    use std::ffi::OsString;
    use std::path::PathBuf;

    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes paths.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(paths: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(paths.iter().map(|path| path.as_os_str()))
    }

    /// Reads paths.
    ///
    /// # Errors
    /// When there are none.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<PathBuf>, D::Error> {
        let paths = Vec::<OsString>::deserialize(deserializer)?;
        Ok(paths.into_iter().map(PathBuf::from).collect())
    }
}

/// Perhaps a file: its name and content.
pub mod file {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_bytes::{ByteBuf, Bytes};

    /// Writes a file.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(
        file: &Option<(String, Vec<u8>)>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        file.as_ref().map(|(name, content)| (name, Bytes::new(content))).serialize(serializer)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When there is none.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<(String, Vec<u8>)>, D::Error> {
        let file = Option::<(String, ByteBuf)>::deserialize(deserializer)?;
        Ok(file.map(|(name, content)| (name, content.into_vec())))
    }
}
