//! `AmiFamily`: the kind of operating system image, which decides what the kubelet keeps for itself.

/// A family of machine images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AmiFamily {
    /// Amazon Linux 2; also any family that is not known, and Ubuntu.
    Al2,
    /// Amazon Linux 2023.
    Al2023,
    /// Bottlerocket.
    Bottlerocket,
    /// Windows Server 2019.
    Windows2019,
    /// Windows Server 2022.
    Windows2022,
    /// Windows Server 2025.
    Windows2025,
    /// Images that the user chose by other means than an alias.
    Custom,
}

impl AmiFamily {
    /// The family of `spec.amiFamily`. What is not known counts as Amazon Linux 2.
    pub fn of_name(name: &str) -> Self {
        match name {
            "AL2023" => Self::Al2023,
            "Bottlerocket" => Self::Bottlerocket,
            "Windows2019" => Self::Windows2019,
            "Windows2022" => Self::Windows2022,
            "Windows2025" => Self::Windows2025,
            "Custom" => Self::Custom,
            _ => Self::Al2,
        }
    }

    /// The family of an alias such as `al2023@v20240807`.
    pub fn of_alias(alias: &str) -> Option<Self> {
        let family = alias.split('@').next().unwrap_or_default();
        Some(match family.to_ascii_lowercase().as_str() {
            "al2" => Self::Al2,
            "al2023" => Self::Al2023,
            "bottlerocket" => Self::Bottlerocket,
            "windows2019" => Self::Windows2019,
            "windows2022" => Self::Windows2022,
            "windows2025" => Self::Windows2025,
            _ => return None,
        })
    }

    /// Its name, as the API has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Al2 => "AL2",
            Self::Al2023 => "AL2023",
            Self::Bottlerocket => "Bottlerocket",
            Self::Windows2019 => "Windows2019",
            Self::Windows2022 => "Windows2022",
            Self::Windows2025 => "Windows2025",
            Self::Custom => "Custom",
        }
    }

    /// Whether it is a Windows.
    pub const fn is_windows(self) -> bool {
        matches!(self, Self::Windows2019 | Self::Windows2022 | Self::Windows2025)
    }

    /// `node.kubernetes.io/windows-build`.
    pub const fn windows_build(self) -> Option<&'static str> {
        match self {
            Self::Windows2019 => Some("10.0.17763"),
            Self::Windows2022 => Some("10.0.20348"),
            Self::Windows2025 => Some("10.0.26100"),
            Self::Al2 | Self::Al2023 | Self::Bottlerocket | Self::Custom => None,
        }
    }

    /// Whether the kubelet's memory is reckoned by the pods that the interfaces allow, whatever `maxPods` says.
    pub const fn reserves_by_interfaces(self) -> bool {
        matches!(self, Self::Al2 | Self::Al2023 | Self::Custom)
    }

    /// Whether `podsPerCore` counts.
    pub const fn honours_pods_per_core(self) -> bool {
        !matches!(self, Self::Bottlerocket)
    }

    /// Whether `evictionSoft` counted before 1.9.
    pub const fn honoured_soft_eviction(self) -> bool {
        !matches!(self, Self::Bottlerocket)
    }

    /// The device that holds the pods' storage; `None` stands for the last one.
    pub const fn data_device(self) -> Option<&'static str> {
        match self {
            Self::Al2 | Self::Al2023 => Some("/dev/xvda"),
            Self::Bottlerocket => Some("/dev/xvdb"),
            Self::Windows2019 | Self::Windows2022 | Self::Windows2025 => Some("/dev/sda1"),
            Self::Custom => None,
        }
    }

    /// The size of that device in GiB where nothing else is said.
    pub const fn default_storage_gib(self) -> i64 {
        if self.is_windows() { 50 } else { 20 }
    }
}
