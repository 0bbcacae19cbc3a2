//! The side-by-side table: what was intended, what kube-scheduler would pick, what is.

use super::words;
use crate::report::{Class, Explanation, Node, Placement, Room};

/// The columns' headings.
pub(crate) const HEADINGS: [&str; 3] = ["INTENDED", "SCHEDULER'S PICK", "ACTUAL"];

/// A row: one property of the three places.
pub(crate) struct Row {
    /// What it is.
    pub label: &'static str,
    /// Its value at each place.
    pub cells: [Cell; 3],
    /// Whether two known values differ.
    pub differs: bool,
}

/// A value at one place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    /// The value; none when it is not known.
    pub text: Option<String>,
    /// Whether it is what kept the pod off this place.
    pub refuses: bool,
    /// Whether it says why there is no such place.
    pub is_absence: bool,
}

impl Cell {
    fn of(text: Option<String>) -> Self {
        Self { text, ..Self::default() }
    }
}

/// The rows, without those of which nothing is known; the sources of what is known need room.
pub(crate) fn rows(explanation: &Explanation, with_sources: bool) -> Vec<Row> {
    let places = [
        explanation.intended.as_ref(),
        explanation.scheduler_pick.as_ref(),
        explanation.actual.as_ref(),
    ];
    let requests = explanation.pod.requests.as_ref();
    let plain = |label, read: &dyn Fn(&Placement) -> Option<String>| {
        row(label, places.map(|place| Cell::of(place.and_then(read))))
    };
    let free = |label, read: Read| {
        row(
            label,
            places.map(|place| room_cell(place.and_then(|p| p.free.as_ref()), requests, read)),
        )
    };
    let mut rows = vec![
        plain("node", &|place| place.node.clone()),
        plain("nodeclaim", &|place| place.node_claim.clone()),
        plain("nodepool", &|place| place.node_pool.clone()),
        plain("instance type", &|place| place.instance_type.clone()),
        plain("zone", &|place| place.zone.clone()),
        plain("capacity type", &|place| place.capacity_type.clone()),
        free("free cpu", |room| Some((room.cpu.clone()?, room.cpu_milli?))),
        free("free memory", |room| Some((room.memory.clone()?, room.memory_bytes?))),
        row(
            "score",
            places.map(|place| place.map_or_else(Cell::default, |p| score(explanation, p))),
        ),
    ];
    let mut known = plain("known from", &|place| match place.basis {
        Some(basis) if !with_sources => Some(words::basis(basis).to_owned()),
        _ => words::known_from(place),
    });
    known.differs = false;
    rows.push(known);
    name_absences(explanation, &mut rows[0]);
    rows.retain(|row| row.cells.iter().any(|cell| cell.text.is_some()));
    rows
}

/// Says why a place is not there, in the row of the nodes.
fn name_absences(explanation: &Explanation, nodes: &mut Row) {
    let absent = |place: &Option<Placement>, word: &str| {
        place.is_none().then(|| Cell {
            text: Some(word.to_owned()),
            is_absence: true,
            ..Cell::default()
        })
    };
    let intended = match explanation.verdict.class {
        Class::NotKarpenter | Class::Constraint => "none",
        _ => "not known",
    };
    let nothing_fits =
        !explanation.nodes.is_empty() && explanation.nodes.iter().all(|node| !node.feasible);
    let pick = if nothing_fits { "no node fits" } else { "not known" };
    let words = [
        absent(&explanation.intended, intended),
        absent(&explanation.scheduler_pick, pick),
        absent(&explanation.actual, if explanation.pod.gone { "gone" } else { "pending" }),
    ];
    for (cell, word) in nodes.cells.iter_mut().zip(words) {
        if let Some(word) = word {
            *cell = word;
        }
    }
}

fn row(label: &'static str, cells: [Cell; 3]) -> Row {
    let mut known = cells.iter().filter_map(|cell| cell.text.as_ref());
    let first = known.next();
    let differs = known.any(|text| Some(text) != first);
    Row { label, cells, differs }
}

type Read = fn(&Room) -> Option<(String, i64)>;

fn room_cell(free: Option<&Room>, requests: Option<&Room>, read: Read) -> Cell {
    let Some((text, amount)) = free.and_then(read) else { return Cell::default() };
    match requests.and_then(read) {
        Some((asked, needed)) if needed > amount => {
            Cell { text: Some(format!("{text} (asks {asked})")), refuses: true, ..Cell::default() }
        }
        _ => Cell::of(Some(text)),
    }
}

fn score(explanation: &Explanation, place: &Placement) -> Cell {
    if let Some(score) = place.score {
        return Cell::of(Some(score.to_string()));
    }
    match node_of(explanation, place) {
        Some(node) => refusal(node).map_or_else(
            || Cell::of(node.total.map(|total| total.to_string())),
            |text| Cell { text: Some(text), refuses: true, ..Cell::default() },
        ),
        None if place.node.is_none() && place.launched_for_batch == Some(true) => {
            Cell { text: Some("not there yet".to_owned()), refuses: true, ..Cell::default() }
        }
        None => Cell::default(),
    }
}

/// Why kube-scheduler could not take a node, in a few words; none when it could.
pub(crate) fn refusal(node: &Node) -> Option<String> {
    if !node.existed {
        return Some("not there yet".to_owned());
    }
    let first = node.refusals.iter().find(|refusal| refusal.first).or(node.refusals.first())?;
    Some(format!("refused: {}", first.plugin))
}

/// The node of a place.
pub(crate) fn node_of<'a>(explanation: &'a Explanation, place: &Placement) -> Option<&'a Node> {
    explanation.nodes.iter().find(|node| match &place.node {
        Some(name) => *name == node.name,
        None => place.node_claim.is_some() && place.node_claim == node.node_claim,
    })
}
