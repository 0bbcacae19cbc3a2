//! `Version`: which release of Karpenter is replayed.

use std::fmt;
use std::str::FromStr;

/// A release of Karpenter core, `major.minor.patch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Major.
    pub major: u32,
    /// Minor.
    pub minor: u32,
    /// Patch.
    pub patch: u32,
}

impl Version {
    /// The newest release that is replayed; the default.
    pub const LATEST: Self = Self::new(1, 15, 0);

    /// The oldest release that is replayed.
    pub const OLDEST: Self = Self::new(1, 1, 0);

    /// A release.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }

    /// Whether a behaviour that came with `major.minor.patch` is in this release.
    pub fn since(self, minor: u32, patch: u32) -> bool {
        self >= Self::new(1, minor, patch)
    }
}

impl Default for Version {
    fn default() -> Self {
        Self::LATEST
    }
}

/// Why a text is not a version that can be replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VersionError {
    /// Not of the form `1.2` or `1.2.3`.
    #[error("not a Karpenter version: {0:?}")]
    Unreadable(String),
    /// Outside of what is replayed.
    #[error("Karpenter {0} is not replayed: only 1.1 to 1.15 are")]
    Unsupported(Version),
}

impl VersionError {
    /// The release whose rules are nearest to what the text says.
    pub fn nearest(&self) -> Version {
        match self {
            Self::Unreadable(_) => Version::LATEST,
            Self::Unsupported(version) => (*version).clamp(Version::OLDEST, Version::LATEST),
        }
    }
}

/// Reads `1.9`, `1.9.0` or `v1.9.0`. Without a patch, the newest patch whose behaviour is known stands for the minor.
impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let unreadable = || VersionError::Unreadable(text.chars().take(40).collect());
        let plain = text.trim().trim_start_matches('v');
        let plain = plain.split(['-', '+']).next().unwrap_or_default();
        let parts: Vec<u32> =
            plain.split('.').map(str::parse).collect::<Result<_, _>>().map_err(|_| unreadable())?;
        let version = match parts[..] {
            [major, minor] => Self::new(major, minor, last_patch(minor)),
            [major, minor, patch] => Self::new(major, minor, patch),
            _ => return Err(unreadable()),
        };
        if version >= Self::OLDEST && version.major == 1 && version.minor <= Self::LATEST.minor {
            Ok(version)
        } else {
            Err(VersionError::Unsupported(version))
        }
    }
}

/// The patch that a bare minor stands for.
fn last_patch(minor: u32) -> u32 {
    match minor {
        1 | 5 => 5,
        6 => 4,
        11 => 2,
        12 => 1,
        14 => 3,
        _ => 0,
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_replayed_is_read() {
        assert_eq!("v1.9.0".parse(), Ok(Version::new(1, 9, 0)));
        assert_eq!("1.12".parse(), Ok(Version::new(1, 12, 1)));
        for (text, nearest) in [
            ("0.37.0", Version::OLDEST),
            ("1.0.6", Version::OLDEST),
            ("1.0", Version::OLDEST),
            ("1.16.0", Version::LATEST),
            ("2.0.0", Version::LATEST),
            ("latest", Version::LATEST),
            ("1", Version::LATEST),
            ("", Version::LATEST),
        ] {
            let refused = text.parse::<Version>().map_err(|error| error.nearest());
            assert_eq!(refused, Err(nearest), "{text}");
        }
    }
}
