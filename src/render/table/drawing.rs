//! The picture of the time line, drawn with characters.

use super::super::picture::{Lane, LaneKind, Mark, Picture, State, rank};
use super::super::style::Role;
use super::super::{text, words};
use super::page::{Page, clock};
use crate::report::{Explanation, Moment};

/// Columns for the lanes' names.
const MARGIN: usize = 18;
/// Columns after the last tick, where what is still there goes on.
const TAIL: usize = 8;
/// The widest picture: wider ones tear apart what belongs together.
const WIDEST: usize = 110;

/// Draws the picture, when the page has room for one.
pub(super) fn write(page: &mut Page<'_>, explanation: &Explanation) {
    let width = page.style.width.saturating_sub(MARGIN + 1).min(WIDEST);
    if width < 36 {
        return;
    }
    let Some(picture) = Picture::of(explanation, width / 7) else { return };
    page.blank();
    let columns = columns(&picture, width);
    let first = picture.ticks[0].time;
    let mut axis = Canvas::new(width);
    for (tick, &column) in picture.ticks.iter().zip(&columns) {
        axis.label(column, &tick.offset, Role::Dim);
    }
    write_lane(page, &format!("{} UTC", clock(first)), Role::Dim, &axis);
    for lane in &picture.lanes {
        let (bar, labels) = draw(page, lane, &columns, width);
        write_lane(page, lane.kind.label(), Role::Title, &bar);
        write_lane(page, "", Role::Text, &labels);
    }
}

fn write_lane(page: &mut Page<'_>, name: &str, role: Role, canvas: &Canvas) {
    let name = text::cut_end(name, MARGIN, page.style.ascii);
    let pad = " ".repeat(MARGIN + 1 - text::width(&name));
    let line = format!("{}{pad}{}", page.style.paint(role, &name), canvas.painted(page));
    if !line.trim().is_empty() {
        page.line(&line);
    }
}

/// The column of each tick: in proportion, but far enough apart to be told from the next.
fn columns(picture: &Picture<'_>, width: usize) -> Vec<usize> {
    let apart = 3;
    let end = width - TAIL;
    let count = picture.ticks.len();
    let mut columns: Vec<usize> = Vec::with_capacity(count);
    for (index, tick) in picture.ticks.iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "a terminal's width is a small number")]
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to the width"
        )]
        let wanted = (tick.at * end as f64).round() as usize;
        let least = columns.last().map_or(0, |column| column + apart);
        let most = end.saturating_sub((count - 1 - index) * apart);
        columns.push(wanted.clamp(least, most.max(least)));
    }
    columns
}

fn draw(page: &Page<'_>, lane: &Lane<'_>, columns: &[usize], width: usize) -> (Canvas, Canvas) {
    let style = page.style;
    let mut bar = Canvas::new(width);
    for stretch in &lane.stretches {
        let from = stretch.from.map_or(0, |tick| columns[tick]);
        let to = stretch.to.map_or(width, |tick| columns[tick]);
        let (glyph, role) = match stretch.state {
            State::Waiting => (style.glyph("┄", "."), Role::Dim),
            State::Up => (style.glyph("━", "="), Role::Good),
        };
        bar.fill(from, to, glyph, role);
    }
    let mut marks: Vec<&Mark<'_>> = lane.marks.iter().collect();
    marks.sort_by_key(|mark| rank(mark.entry));
    let mut labels = Canvas::new(width);
    for mark in marks {
        let column = columns[mark.tick];
        let (glyph, role) = match mark.entry.moment {
            Moment::Deleted | Moment::Preempted | Moment::Evicted | Moment::LaunchFailed => {
                (style.glyph("╳", "x"), Role::Bad)
            }
            _ if mark.entry.deciding => (style.glyph("◆", "#"), Role::Hint),
            _ => (style.glyph("●", "o"), Role::Text),
        };
        bar.mark(column, glyph, role);
        let label = match lane.kind {
            LaneKind::Others => text::safe(&mark.entry.object),
            _ => words::moment(mark.entry.moment).to_owned(),
        };
        labels.label(column, &label, if mark.entry.deciding { Role::Hint } else { Role::Dim });
    }
    (bar, labels)
}

/// A line of cells to draw on, one column each.
struct Canvas {
    cells: Vec<Option<(String, Role)>>,
    marked: Vec<bool>,
}

impl Canvas {
    fn new(width: usize) -> Self {
        Self { cells: vec![None; width], marked: vec![false; width] }
    }

    fn fill(&mut self, from: usize, to: usize, glyph: &str, role: Role) {
        let to = to.min(self.cells.len());
        for cell in self.cells.get_mut(from..to).into_iter().flatten() {
            *cell = Some((glyph.to_owned(), role));
        }
    }

    /// Puts a mark, unless a weightier one is there.
    fn mark(&mut self, column: usize, glyph: &str, role: Role) {
        if column < self.cells.len() && !self.marked[column] {
            self.cells[column] = Some((glyph.to_owned(), role));
            self.marked[column] = true;
        }
    }

    /// Writes a label at a column, or ending there, where nothing stands yet; else leaves it out.
    fn label(&mut self, column: usize, label: &str, role: Role) {
        let wide: Vec<char> = label.chars().collect();
        let ending = (column + 1).saturating_sub(wide.len());
        for start in [column, ending] {
            let end = start + wide.len();
            let with_gap = start.saturating_sub(1)..(end + 1).min(self.cells.len());
            let is_free = |range: std::ops::Range<usize>| {
                self.cells.get(range).is_some_and(|cells| cells.iter().all(Option::is_none))
            };
            if end <= self.cells.len() && is_free(with_gap) {
                for (offset, c) in wide.iter().enumerate() {
                    self.cells[start + offset] = Some((c.to_string(), role));
                }
                return;
            }
        }
    }

    fn painted(&self, page: &Page<'_>) -> String {
        let mut line = String::new();
        let mut run = (String::new(), Role::Text);
        for cell in &self.cells {
            let (glyph, role) = cell.as_ref().map_or((" ", Role::Text), |(g, role)| (g, *role));
            if role != run.1 {
                line += &page.style.paint(run.1, &run.0);
                run = (String::new(), role);
            }
            run.0 += glyph;
        }
        line + &page.style.paint(run.1, &run.0)
    }
}
