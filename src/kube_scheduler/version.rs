//! `Version`: the release of kube-scheduler that is replayed, and what changed between releases.

use std::fmt;
use std::str::FromStr;

use crate::model::names::Str;

/// The oldest minor release that is replayed.
pub const OLDEST_MINOR: u32 = 30;
/// The newest minor release that is replayed.
pub const NEWEST_MINOR: u32 = 37;

/// A release of Kubernetes 1 that is replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    minor: u32,
    text: Str,
}

/// Why a text is not a version that is replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VersionError {
    /// Not a version at all.
    #[error("not a Kubernetes version: {0:?}")]
    Unreadable(String),
    /// A version, but its scheduler is not modelled.
    #[error("kube-scheduler {0} is not replayed, only 1.{OLDEST_MINOR} to 1.{NEWEST_MINOR} are")]
    NotReplayed(String),
}

impl Version {
    /// A minor release of Kubernetes 1. `None`: it is not replayed.
    pub fn of_minor(minor: u32) -> Option<Self> {
        let replayed = (OLDEST_MINOR..=NEWEST_MINOR).contains(&minor);
        replayed.then(|| Self { minor, text: format!("1.{minor}").into() })
    }

    /// The replayed release that is nearest to a version: the newest for a newer one, the oldest for an older one.
    /// `None`: the text is not a version.
    pub fn nearest(text: &str) -> Option<Self> {
        match text.parse::<Self>() {
            Ok(version) => Some(version),
            Err(VersionError::Unreadable(_)) => None,
            Err(VersionError::NotReplayed(_)) => {
                let (major, minor) = major_and_minor(text)?;
                let newer = major > 1 || minor > NEWEST_MINOR;
                Self::of_minor(if newer { NEWEST_MINOR } else { OLDEST_MINOR })
            }
        }
    }

    /// The number after the first point.
    pub const fn minor(&self) -> u32 {
        self.minor
    }

    /// Whether this is the minor release or a later one.
    pub(crate) const fn since(&self, minor: u32) -> bool {
        self.minor >= minor
    }
}

/// The newest release that is replayed.
impl Default for Version {
    fn default() -> Self {
        Self { minor: NEWEST_MINOR, text: "1.37".into() }
    }
}

/// Reads `1.37`, `1.37.2`, `v1.37.2`, `v1.34.4-eks-1234567`, `1.34.4+k3s1`.
impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let shown = || text.chars().take(60).collect::<String>();
        let (major, minor) =
            major_and_minor(text).ok_or_else(|| VersionError::Unreadable(shown()))?;
        if major == 1 && (OLDEST_MINOR..=NEWEST_MINOR).contains(&minor) {
            Ok(Self { minor, text: text.strip_prefix('v').unwrap_or(text).into() })
        } else {
            Err(VersionError::NotReplayed(shown()))
        }
    }
}

fn major_and_minor(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.trim().trim_start_matches('v').splitn(3, '.');
    let major = parts.next()?.parse().ok()?;
    let minor = parts.next()?;
    let end = minor.find(|c: char| !c.is_ascii_digit()).unwrap_or(minor.len());
    Some((major, minor[..end].parse().ok()?))
}

/// As given, without a leading `v`.
impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_as_servers_give_it() {
        for (text, minor) in [
            ("1.37", 37),
            ("v1.37.2", 37),
            ("1.30.0", 30),
            ("v1.34.4-eks-1a2b3c", 34),
            ("1.36+", 36),
        ] {
            assert_eq!(text.parse::<Version>().map(|version| version.minor()), Ok(minor), "{text}");
        }
    }

    #[test]
    fn what_is_not_replayed_is_refused() {
        for text in ["1.29.15", "1.38.0", "2.0", "0.37"] {
            assert_eq!(
                text.parse::<Version>(),
                Err(VersionError::NotReplayed(text.to_owned())),
                "{text}"
            );
        }
        for text in ["", "v", "latest", "1", "1.x"] {
            assert_eq!(
                text.parse::<Version>(),
                Err(VersionError::Unreadable(text.to_owned())),
                "{text}"
            );
        }
    }

    #[test]
    fn the_nearest_release_stands_in() {
        for (text, minor) in [("1.12", 30), ("1.44.1", 37), ("2.1", 37), ("1.33", 33)] {
            assert_eq!(
                Version::nearest(text).map(|version| version.minor()),
                Some(minor),
                "{text}"
            );
        }
    }
}
