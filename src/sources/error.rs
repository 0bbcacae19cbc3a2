//! `SourceError`: why the input could not be read at all. What could be read in part becomes a gap instead.

use std::path::PathBuf;

/// Why the input could not be read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// There is no such file, or it may not be opened.
    #[error("cannot open {}: {}", .0.display(), plain(.1))]
    Open(PathBuf, std::io::Error),
    /// Reading stopped in the middle.
    #[error("cannot read {0}: {error}", error = plain(.1))]
    Read(String, std::io::Error),
    /// A folder was given and holds nothing at its top level.
    #[error("{} has no JSON, YAML or log files at its top level", .0.display())]
    EmptyFolder(PathBuf),
    /// A file has no bytes.
    #[error("{0} is empty")]
    Empty(String),
    /// A file is not what it must be.
    #[error("{0} is {1}")]
    NotADump(String, String),
    /// A file of settings or instance types is not what it must be.
    #[error("cannot read {0}: {1}")]
    Settings(String, String),
    /// Nothing of use was in it, because it is damaged.
    #[error("cannot read {0}: {1}")]
    Damaged(String, String),
    /// All was read, and nothing of use was in it.
    #[error("no pods, nodes, NodePools or events in {0}")]
    Nothing(String),
}

/// The commands that make a dump with all that an answer needs.
pub const GOOD_DUMP: &str = "make a dump with: kubectl landed dump, or kubectl get -A --show-managed-fields -o json pods,nodes,namespaces,events,daemonsets,deployments,replicasets,statefulsets,services,pv,pvc,storageclasses,csinodes,pdb,priorityclasses,nodepools,nodeclaims > dump.json";

impl SourceError {
    /// The next command to try.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::EmptyFolder(path) => {
                Some(format!("-R -f {} reads its folders too", path.display()))
            }
            Self::Empty(_) | Self::NotADump(..) | Self::Nothing(_) => Some(GOOD_DUMP.to_owned()),
            Self::Open(..) | Self::Read(..) | Self::Damaged(..) | Self::Settings(..) => None,
        }
    }
}

/// An error of the system without its number.
fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    let plain = text.split(" (os error").next().unwrap_or_default();
    let mut letters = plain.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect::<String>())
}
