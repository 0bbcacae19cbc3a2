//! kubectl's preferences, as far as they say which credential plugins may be run. As client-go's
//! `checkAllowlistLocked`, in Kubernetes 1.35 and later.

use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Where the preferences are, and where programs are.
#[derive(Clone, Debug, Default)]
pub struct Kuberc {
    /// The file; none: it is switched off.
    pub file: Option<PathBuf>,
    /// Whether the user named it: then it has to be there.
    pub is_named: bool,
    /// `PATH`.
    pub search_path: Vec<PathBuf>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Preference {
    kind: String,
    api_version: String,
    credential_plugin_policy: String,
    credential_plugin_allowlist: Option<Vec<Entry>>,
}

#[derive(Deserialize)]
struct Entry {
    /// `name` until 1.36.
    #[serde(default, alias = "name")]
    command: String,
}

/// The program to run for a plugin's command, or why it may not be run.
pub(super) fn allowed(kuberc: &Kuberc, command: &str) -> Result<PathBuf, String> {
    let command = PathBuf::from(command);
    let Some((path, preference)) = read(kuberc)? else { return Ok(command) };
    let path = path.display();
    let entries = preference.credential_plugin_allowlist;
    match (preference.credential_plugin_policy.as_str(), entries) {
        ("" | "AllowAll", None) => Ok(command),
        ("DenyAll", None) => {
            Err(format!("{path} allows no plugin (credentialPluginPolicy: DenyAll)"))
        }
        ("Allowlist", Some(entries)) if !entries.is_empty() => {
            let found = look_up(&command, &kuberc.search_path)
                .ok_or("there is no such program, which credentialPluginAllowlist asks for")?;
            let is_listed = entries.iter().map(|entry| Path::new(&entry.command)).any(|entry| {
                // A bare name stands for what PATH makes of it, and for nothing else of that name.
                entry == command
                    || entry == found
                    || look_up(entry, &kuberc.search_path).is_some_and(|entry| entry == found)
            });
            if is_listed {
                return Ok(found);
            }
            Err(format!("{} is not in credentialPluginAllowlist of {path}", found.display()))
        }
        (policy, entries) => Err(format!(
            "credentialPluginPolicy {policy:?} with {} entries in credentialPluginAllowlist of {path} is no policy",
            entries.map_or(0, |entries| entries.len())
        )),
    }
}

/// The file's first document that is read as preferences.
fn read(kuberc: &Kuberc) -> Result<Option<(&Path, Preference)>, String> {
    let Some(path) = kuberc.file.as_deref() else { return Ok(None) };
    #[expect(clippy::disallowed_methods, reason = "sources is where files are read")]
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !kuberc.is_named => {
            return Ok(None);
        }
        // What may be run is not guessed.
        read => read.map_err(|error| format!("{} cannot be read: {error}", path.display()))?,
    };
    for document in crate::ingest::yaml::documents(&text) {
        let broken = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let json = document.map_err(|error| broken(&error))?;
        let preference =
            serde_json::from_slice::<Preference>(&json).map_err(|error| broken(&error))?;
        if preference.kind == "Preference"
            && preference.api_version.starts_with("kubectl.config.k8s.io/")
        {
            return Ok(Some((path, preference)));
        }
    }
    Ok(None)
}

/// As Go's `exec.LookPath`: a name with a slash is itself, another is looked for.
fn look_up(command: &Path, search_path: &[PathBuf]) -> Option<PathBuf> {
    if command.components().count() > 1 || command.is_absolute() {
        return is_program(command).then(|| command.to_owned());
    }
    search_path.iter().map(|folder| folder.join(command)).find(|path| is_program(path))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file() || path.with_extension("exe").is_file()
}
