//! Finding the program that a command line names.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

/// The absolute path of the program called `name`: a path, or a name to be looked up on PATH.
///
/// # Errors
/// Says what is missing.
pub fn find(name: &OsStr) -> Result<PathBuf, String> {
    let shown = name.display();
    if name.as_bytes().contains(&b'/') {
        let path = std::path::absolute(name).map_err(|error| format!("`{shown}`: {error}"))?;
        if is_executable(&path) {
            Ok(path)
        } else if path.exists() {
            Err(format!("`{shown}` is not an executable file"))
        } else {
            Err(format!("there is no program `{shown}`"))
        }
    } else {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&folders)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(name))
            .find(|path| is_executable(path))
            .ok_or_else(|| format!("there is no program `{shown}` on PATH"))
    }
}

fn is_executable(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_by_path_and_by_name() {
        assert_eq!(find("/bin/sh".as_ref()), Ok("/bin/sh".into()));
        assert!(find("sh".as_ref()).unwrap().is_absolute());
        let error = |name: &str| find(name.as_ref()).unwrap_err();
        assert_eq!(error("/no/such"), "there is no program `/no/such`");
        assert_eq!(error("no-such-program"), "there is no program `no-such-program` on PATH");
        assert_eq!(error("/etc/passwd"), "`/etc/passwd` is not an executable file");
        assert_eq!(error("/tmp"), "`/tmp` is not an executable file");
    }
}
