//! `Allocator`: whether a node has devices for all of a pod's claims that have none yet.
//!
//! The search is upstream's in outline: claims in order, requests in order, devices pool by pool, the first complete
//! solution counts.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::model::names::{ObjectKey, Str};
use crate::model::taint::{Effect, Taint, Toleration, TolerationOperator};

use super::cel::{Selector, Stop};
use super::devices::{DeviceKey, Offered, in_use, offered};
use super::dra_claims::{requests, text};
use super::framework::Cycle;
use super::node_info::NodeInfo;
use crate::model::dra::ResourceClaim;

/// Longer searches are given up.
const MAX_STEPS: usize = 200_000;

/// What a request may be met with.
struct Alternative {
    /// Request, or request and alternative: `gpu`, `gpu/big`.
    name: String,
    selectors: Vec<Selector>,
    tolerations: Vec<Toleration>,
    /// `None`: all that there are.
    count: Option<usize>,
    is_admin: bool,
    is_not_modelled: bool,
}

/// One request: its alternatives in order of preference.
struct Request {
    claim: usize,
    name: String,
    alternatives: Vec<Alternative>,
    is_prioritized: bool,
    /// The extended resource that the devices stand for.
    stands_for: Option<Str>,
}

/// A rule over the devices of a claim.
struct Rule<'a> {
    claim: usize,
    requests: Vec<&'a str>,
    attribute: &'a str,
    is_distinct: bool,
}

/// What the search is made with; the same for every node.
pub(crate) struct Allocator<'a> {
    claims: Vec<ObjectKey>,
    requests: Vec<Request>,
    rules: Vec<Rule<'a>>,
    devices: Vec<Offered<'a>>,
    /// The devices of one node alone, by its name, and the places of all others. A hash map: looked up only.
    of_node: FxHashMap<Str, Vec<usize>>,
    of_several: Vec<usize>,
    in_use: BTreeSet<DeviceKey>,
    honors_taints: bool,
}

/// How a search ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// All claims can be met; for each prioritized request, which alternative was taken.
    Solution(Vec<usize>),
    /// They cannot.
    Nothing,
    /// A selector fails.
    Fails(String),
    /// It takes what is not modelled.
    NotModelled,
}

/// A request that no claim states: devices of a class in place of an extended resource.
pub(crate) struct Extended<'a> {
    /// The resource; a node that has it in the old way needs no device.
    pub(crate) resource: Str,
    /// The class.
    pub(crate) class: &'a str,
    /// How many.
    pub(crate) count: usize,
}

impl<'a> Allocator<'a> {
    /// Prepares the search for claims that have no devices yet.
    pub(crate) fn new(cycle: &Cycle<'a>, claims: &[&'a ResourceClaim]) -> Self {
        let mut allocator = Self {
            claims: claims.iter().map(|claim| claim.meta.key()).collect(),
            requests: Vec::new(),
            rules: Vec::new(),
            devices: offered(cycle),
            of_node: FxHashMap::default(),
            of_several: Vec::new(),
            in_use: in_use(cycle),
            honors_taints: cycle.version().since(36),
        };
        for (at, device) in allocator.devices.iter().enumerate() {
            match device.only_node() {
                Some(node) => allocator.of_node.entry(node.clone()).or_default().push(at),
                None => allocator.of_several.push(at),
            }
        }
        for (at, claim) in claims.iter().enumerate() {
            for request in requests(claim) {
                allocator.requests.push(read(cycle, at, request));
            }
            let constraints = claim.devices.get("constraints").and_then(Value::as_array);
            for constraint in constraints.into_iter().flatten() {
                let is_distinct = constraint.get("distinctAttribute").is_some();
                let field = if is_distinct { "distinctAttribute" } else { "matchAttribute" };
                let listed = constraint.get("requests").and_then(Value::as_array);
                allocator.rules.push(Rule {
                    claim: at,
                    requests: listed.into_iter().flatten().filter_map(Value::as_str).collect(),
                    attribute: text(constraint, field),
                    is_distinct,
                });
            }
        }
        allocator
    }

    /// Adds requests that no claim states.
    pub(crate) fn add(&mut self, cycle: &Cycle<'a>, extended: &[Extended<'a>]) {
        for wanted in extended {
            self.requests.push(Request {
                claim: self.claims.len(),
                name: wanted.class.to_owned(),
                alternatives: vec![Alternative {
                    name: wanted.class.to_owned(),
                    selectors: class_selectors(cycle, wanted.class),
                    tolerations: Vec::new(),
                    count: Some(wanted.count),
                    is_admin: false,
                    is_not_modelled: false,
                }],
                is_prioritized: false,
                stands_for: Some(wanted.resource.clone()),
            });
        }
    }

    /// What is said when a request wants all devices while a pool of the node is being updated.
    fn updating(&self, here: &[&Offered<'a>]) -> Option<String> {
        let pool = here.iter().find(|device| device.is_of_incomplete_pool)?;
        let mut requests = self
            .requests
            .iter()
            .flat_map(|request| request.alternatives.iter().map(move |it| (request.claim, it)));
        let (claim, wants_all) = requests.find(|(_, it)| it.count.is_none())?;
        let (driver, name, _) = &pool.key;
        Some(format!(
            "claim {}, request {}: asks for all devices, but resource pool {driver}/{name} is currently being updated",
            self.claims[claim], wants_all.name
        ))
    }

    /// Searches on a node.
    pub(crate) fn allocate(&self, info: &NodeInfo) -> Found {
        let node = &*info.node;
        let is_needed = |request: &Request| {
            let resource = request.stands_for.as_ref();
            resource.is_none_or(|resource| info.allocatable.scalar(resource) == 0)
        };
        let requests: Vec<&Request> = self.requests.iter().filter(|it| is_needed(it)).collect();
        if requests.is_empty() {
            return Found::Solution(Vec::new());
        }
        let own = self.of_node.get(&node.meta.name).map_or(&[][..], Vec::as_slice);
        let shared = self.of_several.iter().filter(|at| self.devices[**at].is_on(node));
        let mut places: Vec<usize> = own.iter().chain(shared).copied().collect();
        places.sort_unstable();
        let here: Vec<&Offered<'a>> = places.iter().map(|at| &self.devices[*at]).collect();
        if here.iter().any(|device| device.is_not_modelled()) {
            return Found::NotModelled;
        }
        if let Some(text) = self.updating(&here) {
            return Found::Fails(text);
        }
        let mut search = Search {
            allocator: self,
            requests: &requests,
            here,
            taken: Vec::new(),
            chosen: Vec::new(),
            steps: 0,
        };
        match search.request(0) {
            Ok(true) => Found::Solution(
                search
                    .chosen
                    .iter()
                    .zip(&requests)
                    .filter(|(_, request)| request.is_prioritized)
                    .map(|(chosen, _)| *chosen)
                    .collect(),
            ),
            Ok(false) => Found::Nothing,
            Err(Stop::NotModelled) => Found::NotModelled,
            Err(Stop::Runtime(text)) => Found::Fails(text),
        }
    }
}

fn read(cycle: &Cycle<'_>, claim: usize, request: &Value) -> Request {
    let name = text(request, "name");
    let listed = request.get("firstAvailable").and_then(Value::as_array);
    let alternatives = if let Some(listed) = listed {
        let named = |it| alternative(cycle, it, format!("{name}/{}", text(it, "name")));
        listed.iter().map(named).collect()
    } else {
        let exact = request.get("exactly").unwrap_or(request);
        vec![alternative(cycle, exact, name.to_owned())]
    };
    Request {
        claim,
        name: name.to_owned(),
        alternatives,
        is_prioritized: listed.is_some(),
        stands_for: None,
    }
}

fn alternative(cycle: &Cycle<'_>, json: &Value, name: String) -> Alternative {
    let mut selectors = class_selectors(cycle, text(json, "deviceClassName"));
    selectors.extend(expressions(json).map(Selector::read));
    let all = text(json, "allocationMode") == "All";
    let count = json.get("count").and_then(Value::as_u64).unwrap_or(1);
    let tolerations = json.get("tolerations").and_then(Value::as_array);
    Alternative {
        name,
        selectors,
        tolerations: tolerations.into_iter().flatten().map(toleration).collect(),
        count: (!all).then(|| usize::try_from(count).unwrap_or(usize::MAX)),
        is_admin: json.get("adminAccess").and_then(Value::as_bool) == Some(true),
        is_not_modelled: json.get("capacity").is_some(),
    }
}

fn class_selectors(cycle: &Cycle<'_>, class: &str) -> Vec<Selector> {
    let class = cycle.cluster.objects.device_classes.get(class);
    class.map(|class| expressions(&class.spec).map(Selector::read).collect()).unwrap_or_default()
}

fn expressions(json: &Value) -> impl Iterator<Item = &str> {
    let listed = json.get("selectors").and_then(Value::as_array);
    listed
        .into_iter()
        .flatten()
        .filter_map(|selector| selector.get("cel")?.get("expression")?.as_str())
}

fn toleration(json: &Value) -> Toleration {
    Toleration {
        key: text(json, "key").into(),
        operator: match text(json, "operator") {
            "" | "Equal" => TolerationOperator::Equal,
            "Exists" => TolerationOperator::Exists,
            other => TolerationOperator::Unknown(other.into()),
        },
        value: text(json, "value").into(),
        effect: Some(text(json, "effect")).filter(|it| !it.is_empty()).map(Effect::parse),
        seconds: None,
    }
}

/// One search on one node.
struct Search<'s, 'a> {
    allocator: &'s Allocator<'a>,
    /// The requests that the node needs devices for.
    requests: &'s [&'s Request],
    here: Vec<&'s Offered<'a>>,
    /// The devices taken so far: the request, the alternative's place, the device's place in `here`.
    taken: Vec<(usize, usize, usize)>,
    /// The alternative taken for each request so far.
    chosen: Vec<usize>,
    steps: usize,
}

impl Search<'_, '_> {
    /// Meets a request and those after it.
    fn request(&mut self, at: usize) -> Result<bool, Stop> {
        let Some(request) = self.requests.get(at).copied() else { return Ok(true) };
        for (place, alternative) in request.alternatives.iter().enumerate() {
            if alternative.is_not_modelled {
                return Err(Stop::NotModelled);
            }
            let eligible = self.eligible(alternative)?;
            self.chosen.push(place);
            let met = match alternative.count {
                Some(count) => self.choose(at, place, &eligible, count)?,
                None => self.take_all(at, place, &eligible)?,
            };
            if met {
                return Ok(true);
            }
            self.chosen.pop();
        }
        Ok(false)
    }

    /// The devices that a request could be met with, were they free.
    fn eligible(&self, alternative: &Alternative) -> Result<Vec<usize>, Stop> {
        let mut eligible = Vec::new();
        for (place, device) in self.here.iter().enumerate() {
            let mut suits = !device.is_of_incomplete_pool;
            for selector in &alternative.selectors {
                suits = suits && selector.holds(device.as_seen())?;
            }
            if suits {
                eligible.push(place);
            }
        }
        Ok(eligible)
    }

    /// Takes so many of the devices, and goes on.
    fn choose(
        &mut self,
        at: usize,
        place: usize,
        devices: &[usize],
        count: usize,
    ) -> Result<bool, Stop> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(Stop::NotModelled);
        }
        if count == 0 {
            return self.request(at + 1);
        }
        for (index, device) in devices.iter().enumerate() {
            if devices.len() - index < count {
                break;
            }
            if self.is_free(at, place, *device) {
                self.taken.push((at, place, *device));
                if self.choose(at, place, &devices[index + 1..], count - 1)? {
                    return Ok(true);
                }
                self.taken.pop();
            }
        }
        Ok(false)
    }

    /// Takes all of the devices, at least one, and goes on.
    fn take_all(&mut self, at: usize, place: usize, devices: &[usize]) -> Result<bool, Stop> {
        let before = self.taken.len();
        for device in devices {
            if !self.is_free(at, place, *device) {
                self.taken.truncate(before);
                return Ok(false);
            }
            self.taken.push((at, place, *device));
        }
        if !devices.is_empty() && self.request(at + 1)? {
            return Ok(true);
        }
        self.taken.truncate(before);
        Ok(false)
    }

    /// Whether a device is not in use, and keeps the rules of its claim.
    fn is_free(&self, at: usize, place: usize, device: usize) -> bool {
        let request = self.requests[at];
        let alternative = &request.alternatives[place];
        let offered = self.here[device];
        let is_taken = self.taken.iter().any(|(_, _, other)| *other == device);
        let is_free =
            alternative.is_admin || !is_taken && !self.allocator.in_use.contains(&offered.key);
        let suits = !self.allocator.honors_taints || tolerated(offered, alternative);
        is_free
            && suits
            && self.allocator.rules.iter().all(|rule| self.keeps(rule, at, place, offered))
    }

    fn keeps(&self, rule: &Rule<'_>, at: usize, place: usize, device: &Offered<'_>) -> bool {
        let applies = |at: usize, place: usize| {
            let request = self.requests[at];
            rule.claim == request.claim
                && (rule.requests.is_empty()
                    || rule
                        .requests
                        .iter()
                        .any(|it| *it == request.name || *it == request.alternatives[place].name))
        };
        if !applies(at, place) {
            return true;
        }
        let Some(value) = device.attribute(rule.attribute) else { return false };
        let mut others = self.taken.iter().filter(|(at, place, _)| applies(*at, *place));
        others.all(|(_, _, other)| {
            let equal = self.here[*other].attribute(rule.attribute) == Some(value);
            equal != rule.is_distinct
        })
    }
}

fn tolerated(device: &Offered<'_>, alternative: &Alternative) -> bool {
    let taints = device.json.get("taints").and_then(Value::as_array);
    taints.into_iter().flatten().all(|taint| {
        let taint = Taint {
            key: text(taint, "key").into(),
            value: text(taint, "value").into(),
            effect: Effect::parse(text(taint, "effect")),
            added: None,
        };
        !matches!(taint.effect, Effect::NoSchedule | Effect::NoExecute)
            || alternative.tolerations.iter().any(|it| it.tolerates(&taint))
    })
}
