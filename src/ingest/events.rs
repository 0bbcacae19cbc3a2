//! Events of both APIs, as one shape.

use serde::Deserialize;

use crate::model::event::{Event, ObjectRef};
use crate::model::names::{NamespaceName, Str, Uid};

use super::intern::Interner;
use super::meta::{RawMeta, time};
use super::wire::Text;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RawEvent<'a> {
    #[serde(borrow)]
    pub metadata: RawMeta<'a>,
    #[serde(borrow)]
    involved_object: RawObjectRef<'a>,
    #[serde(borrow)]
    regarding: RawObjectRef<'a>,
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow)]
    reason: Text<'a>,
    #[serde(borrow)]
    message: Text<'a>,
    #[serde(borrow)]
    note: Text<'a>,
    #[serde(borrow)]
    source: RawSource<'a>,
    #[serde(borrow)]
    deprecated_source: RawSource<'a>,
    #[serde(borrow)]
    reporting_component: Text<'a>,
    #[serde(borrow)]
    reporting_controller: Text<'a>,
    #[serde(borrow)]
    event_time: Text<'a>,
    #[serde(borrow)]
    first_timestamp: Text<'a>,
    #[serde(borrow)]
    last_timestamp: Text<'a>,
    #[serde(borrow)]
    deprecated_first_timestamp: Text<'a>,
    #[serde(borrow)]
    deprecated_last_timestamp: Text<'a>,
    count: Option<i64>,
    deprecated_count: Option<i64>,
    #[serde(borrow)]
    series: Option<RawSeries<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawObjectRef<'a> {
    #[serde(borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    namespace: Text<'a>,
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(borrow)]
    uid: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RawSource<'a> {
    #[serde(borrow)]
    component: Text<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawSeries<'a> {
    count: Option<i64>,
    #[serde(borrow)]
    last_observed_time: Text<'a>,
}

impl RawEvent<'_> {
    pub fn read(&self, interner: &mut Interner) -> Event {
        let object = if self.regarding.kind.is_empty() && self.regarding.name.is_empty() {
            &self.involved_object
        } else {
            &self.regarding
        };
        let reporter = first_filled([
            &self.reporting_controller,
            &self.reporting_component,
            &self.source.component,
            &self.deprecated_source.component,
        ]);
        let exact = time(&self.event_time);
        let first = exact
            .or_else(|| {
                time(first_filled([&self.first_timestamp, &self.deprecated_first_timestamp]))
            })
            .or_else(|| time(&self.last_timestamp))
            .or_else(|| self.metadata.created());
        let last_of_series =
            self.series.as_ref().and_then(|series| time(&series.last_observed_time));
        let last = last_of_series
            .or_else(|| time(first_filled([&self.last_timestamp, &self.deprecated_last_timestamp])))
            .or(first);
        let count = self.series.as_ref().and_then(|series| series.count);
        Event {
            regarding: ObjectRef {
                kind: interner.text(object.kind.as_str()),
                namespace: NamespaceName(interner.text(object.namespace.as_str())),
                name: interner.text(object.name.as_str()),
                uid: Uid(interner.text(object.uid.as_str())),
            },
            kind: interner.text(self.kind.as_str()),
            reason: interner.text(self.reason.as_str()),
            message: Str::from(first_filled([&self.note, &self.message]).as_str()),
            reporter: interner.text(reporter.as_str()),
            first,
            last,
            is_precise: exact.is_some(),
            count: count.or(self.count).or(self.deprecated_count).unwrap_or(1).max(1),
        }
    }
}

fn first_filled<'a, 'b, const N: usize>(texts: [&'a Text<'b>; N]) -> &'a Text<'b> {
    texts.iter().find(|text| !text.is_empty()).copied().unwrap_or(texts[0])
}
