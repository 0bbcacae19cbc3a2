//! Files of a cloud's machines and prices, whichever program made them.

use std::sync::Arc;

use serde_json::Value;

use crate::model::catalogue::Catalogue;
use crate::model::instance_type::InstanceType;

use super::instance_types::{InstanceTypesError, instance_types};
use super::{aws, azure};

/// What such a file holds.
#[derive(Clone, Debug, PartialEq)]
pub enum CatalogueInput {
    /// The kwok provider's list.
    Listed(Vec<Arc<InstanceType>>),
    /// What a cloud's command line prints.
    Facts(Catalogue),
}

/// Reads a file of instance types, of offerings or of prices; several documents may follow one another.
pub fn catalogue(json: &[u8], file: &str) -> Result<CatalogueInput, InstanceTypesError> {
    let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
    let mut found = Catalogue::default();
    for value in serde_json::Deserializer::from_slice(json).into_iter::<Value>() {
        let value = value.map_err(|error| InstanceTypesError::NotAList(error.to_string()))?;
        if let Value::Array(entries) = &value {
            let Some(sizes) = azure::skus(entries, file) else {
                return instance_types(json).map(CatalogueInput::Listed);
            };
            found.extend(sizes);
            continue;
        }
        let facts = facts(&value, file).ok_or_else(|| {
            InstanceTypesError::NotAList("the document is of no known command".to_owned())
        })?;
        found.extend(facts);
    }
    if found.is_empty() {
        return Err(InstanceTypesError::NotAList("the file is empty".to_owned()));
    }
    Ok(CatalogueInput::Facts(found))
}

/// Facts of one document; `None` when it is nothing of the kind.
pub(super) fn facts(value: &Value, file: &str) -> Option<Catalogue> {
    aws::document(value, file).or_else(|| azure::prices(value, file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_follow_one_another() {
        let page = |name: &str| {
            format!(
                r#"{{"InstanceTypeOfferings":[{{"InstanceType":"{name}","Location":"us-east-1a"}}]}}"#
            )
        };
        let text = format!("{}\n{}", page("m5.large"), page("m5.xlarge"));
        let Ok(CatalogueInput::Facts(read)) = catalogue(text.as_bytes(), "pages.json") else {
            panic!("facts")
        };
        assert_eq!(read.ec2_zones.len(), 2);
        for text in ["", "{}", "[{\"name\": 1}]", "{\"InstanceTypes\": []} x"] {
            assert!(catalogue(text.as_bytes(), "x").is_err(), "{text}");
        }
    }
}
