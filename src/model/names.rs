//! Names of things. Each kind of name is a type of its own, so that two kinds never meet by mistake.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;

/// Text that many objects share: cloning copies a pointer.
pub type Str = Arc<str>;

/// Declares name types: shared text with a meaning.
macro_rules! names {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(pub Str);

        impl $name {
            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(Str::from(text))
            }
        }
        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(Str::from(text))
            }
        }
        impl From<Str> for $name {
            fn from(text: Str) -> Self {
                Self(text)
            }
        }
        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }
    )+};
}

names! {
    /// The name of a Node.
    NodeName;
    /// The name of a NodePool.
    NodePoolName;
    /// The name of a NodeClaim.
    NodeClaimName;
    /// The name of an instance type, such as `m5.large`.
    InstanceTypeName;
    /// The name of a Namespace.
    NamespaceName;
    /// The name of a resource, such as `cpu` or `nvidia.com/gpu`.
    ResourceName;
    /// An object's `metadata.uid`.
    Uid;
}

/// A pod's namespace and name. Written `namespace/name`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PodKey {
    /// `metadata.namespace`.
    pub namespace: NamespaceName,
    /// `metadata.name`.
    pub name: Str,
}

/// The namespace and name of an object that is not a pod. Written `namespace/name`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey {
    /// `metadata.namespace`.
    pub namespace: NamespaceName,
    /// `metadata.name`.
    pub name: Str,
}

impl PodKey {
    /// The key of a pod.
    pub fn new(namespace: impl Into<NamespaceName>, name: impl Into<Str>) -> Self {
        Self { namespace: namespace.into(), name: name.into() }
    }

    /// Reads `namespace/name`; `None` when there is no slash.
    pub fn parse(text: &str) -> Option<Self> {
        text.split_once('/').map(|(namespace, name)| Self::new(namespace, name))
    }
}

impl ObjectKey {
    /// The key of an object.
    pub fn new(namespace: impl Into<NamespaceName>, name: impl Into<Str>) -> Self {
        Self { namespace: namespace.into(), name: name.into() }
    }
}

impl fmt::Display for PodKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

impl Serialize for PodKey {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
