//! What the name of a VM size tells: family, series, version.

/// The parts of a name such as `Standard_NC24ads_A100_v4`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeName {
    /// `N`.
    pub family: String,
    /// `NC`: the family with what narrows it down.
    pub subfamily: String,
    /// vCPUs.
    pub vcpus: i64,
    /// Whether some cores are switched off, as in `E8-4s_v5`.
    pub is_constrained: bool,
    /// `NCads_v4`.
    pub series: String,
    /// `A100`; empty without one.
    pub accelerator: String,
    /// `4`; `1` where the name has none.
    pub version: String,
}

/// Reads a name; `None` where it is not of the usual form.
pub fn parse(name: &str) -> Option<SizeName> {
    let mut parts =
        name.strip_prefix("Standard_").or_else(|| name.strip_prefix("Basic_"))?.split('_');
    let first = parts.next()?;
    let letters = first.find(|c: char| !c.is_ascii_uppercase())?;
    let (subfamily, rest) = first.split_at(letters);
    let family = subfamily.get(..1)?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (vcpus, rest) = rest.split_at(digits);
    let (is_constrained, additive) = match rest.strip_prefix('-') {
        Some(rest) => (true, rest.trim_start_matches(|c: char| c.is_ascii_digit())),
        None => (false, rest),
    };
    let (mut accelerator, mut version) = (String::new(), String::new());
    for part in parts {
        match part.strip_prefix('v') {
            Some(number) if number.chars().all(|c| c.is_ascii_digit()) && !number.is_empty() => {
                number.clone_into(&mut version);
            }
            _ => part.clone_into(&mut accelerator),
        }
    }
    let suffix = if version.is_empty() { String::new() } else { format!("_v{version}") };
    (!vcpus.is_empty()).then(|| SizeName {
        family: family.to_owned(),
        subfamily: subfamily.to_owned(),
        vcpus: vcpus.parse().unwrap_or(0),
        is_constrained,
        series: format!("{subfamily}{additive}{suffix}"),
        accelerator,
        version: if version.is_empty() { "1".to_owned() } else { version },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance_types::built_in;

    #[test]
    fn the_table_agrees_with_the_names() {
        let mut wrong = Vec::new();
        let sizes = &built_in::azure().sizes;
        for size in sizes.iter().filter(|size| size.excluded.is_empty()) {
            let Some(name) = parse(size.name.as_str()) else {
                wrong.push(size.name.to_string());
                continue;
            };
            let told = (&*name.family, &*name.series, &*name.version);
            if told != (&*size.family, &*size.series, &*size.version) {
                wrong.push(format!("{}: {told:?}", size.name));
            }
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}
