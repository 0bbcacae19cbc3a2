//! `Grid`: columns that share a width. The widest columns give way first; what is cut says so.

use super::style::{Role, Style};
use super::text;

/// A table of text.
#[derive(Default)]
pub(crate) struct Grid {
    columns: Vec<Column>,
    rows: Vec<Vec<Text>>,
}

/// A column.
#[derive(Clone, Default)]
pub(crate) struct Column {
    heading: String,
    fit: Fit,
    right: bool,
}

/// How a column gives way.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Fit {
    /// It keeps its width.
    #[default]
    Keep,
    /// Names are cut in the middle.
    Name,
    /// Sentences are cut at their end.
    End,
    /// Sentences go on in the next line.
    Wrap,
}

/// How much room lines have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// As much as every cell needs.
    Any,
    /// So many columns; names and sentences are cut where their column says so.
    Columns(usize),
    /// So many columns, and nothing is cut: what would be goes on in the next line.
    Uncut(usize),
}

/// A piece of text and what it is.
#[derive(Clone, Default)]
pub(crate) struct Text {
    pub text: String,
    pub role: Role,
}

/// A piece of text.
pub(crate) fn cell(text: impl Into<String>, role: Role) -> Text {
    Text { text: text::safe(&text.into()), role }
}

/// Columns between two columns.
const GAP: usize = 2;
/// Columns below which no column is cut.
const LEAST: usize = 8;

impl Grid {
    /// A further column.
    #[must_use]
    pub(crate) fn column(mut self, heading: &str, fit: Fit) -> Self {
        self.columns.push(Column { heading: heading.to_owned(), fit, right: false });
        self
    }

    /// A further column of numbers.
    #[must_use]
    pub(crate) fn numbers(mut self, heading: &str) -> Self {
        self.columns.push(Column { heading: heading.to_owned(), fit: Fit::Keep, right: true });
        self
    }

    /// A further row; one cell a column.
    pub(crate) fn row(&mut self, cells: Vec<Text>) {
        self.rows.push(cells);
    }

    /// Takes out the columns that are empty in every row.
    pub(crate) fn drop_empty_columns(&mut self) {
        for index in (0..self.columns.len()).rev() {
            let is_empty = |row: &Vec<Text>| row.get(index).is_none_or(|cell| cell.text.is_empty());
            if self.rows.iter().all(is_empty) {
                self.columns.remove(index);
                for row in &mut self.rows {
                    if index < row.len() {
                        row.remove(index);
                    }
                }
            }
        }
    }

    /// The lines, at most as wide as there is room, as far as columns can give way.
    pub(crate) fn lines(&self, style: &Style, room: Room) -> Vec<String> {
        let widths = self.widths(room);
        let mut lines = Vec::new();
        if self.columns.iter().any(|column| !column.heading.is_empty()) {
            let headings: Vec<Text> = self
                .columns
                .iter()
                .map(|column| Text { text: column.heading.clone(), role: Role::Title })
                .collect();
            self.push_row(&mut lines, &headings, &widths, style, room);
        }
        for row in &self.rows {
            self.push_row(&mut lines, row, &widths, style, room);
        }
        lines
    }

    fn widths(&self, room: Room) -> Vec<usize> {
        let natural = |index: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(index));
            let widest = cells.map(|cell| text::width(&cell.text)).max().unwrap_or_default();
            widest.max(text::width(&self.columns[index].heading))
        };
        let mut widths: Vec<usize> = (0..self.columns.len()).map(natural).collect();
        let (Room::Columns(width) | Room::Uncut(width)) = room else { return widths };
        let room = width.saturating_sub(GAP * self.columns.len().saturating_sub(1));
        let mut total: usize = widths.iter().sum();
        while total > room {
            let widest = (0..widths.len())
                .filter(|&index| self.columns[index].fit != Fit::Keep)
                .filter(|&index| {
                    widths[index] > text::width(&self.columns[index].heading).max(LEAST)
                })
                .max_by_key(|&index| (widths[index], index));
            let Some(index) = widest else { break };
            widths[index] -= 1;
            total -= 1;
        }
        widths
    }

    fn push_row(
        &self,
        lines: &mut Vec<String>,
        row: &[Text],
        widths: &[usize],
        style: &Style,
        room: Room,
    ) {
        let is_uncut = matches!(room, Room::Uncut(_));
        let pieces: Vec<Vec<String>> = row
            .iter()
            .zip(&self.columns)
            .zip(widths)
            .map(|((cell, column), &width)| match column.fit {
                Fit::Keep => vec![cell.text.clone()],
                Fit::Name | Fit::End if is_uncut => text::wrap(&cell.text, width),
                Fit::Name => vec![text::cut_name(&cell.text, width, style.ascii)],
                Fit::End => vec![text::cut_end(&cell.text, width, style.ascii)],
                Fit::Wrap => text::wrap(&cell.text, width),
            })
            .collect();
        let height = pieces.iter().map(Vec::len).max().unwrap_or(1).max(1);
        for line in 0..height {
            let mut text = String::new();
            for (index, (cell, &width)) in row.iter().zip(widths).enumerate() {
                let piece = pieces[index].get(line).map_or("", String::as_str);
                let pad = " ".repeat(width.saturating_sub(text::width(piece)));
                let painted = style.paint(cell.role, piece);
                if index > 0 {
                    text += &" ".repeat(GAP);
                }
                text += &if self.columns[index].right { pad + &painted } else { painted + &pad };
            }
            lines.push(text.trim_end().to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_column_gives_way_first_and_lines_fit() {
        let mut grid =
            Grid::default().column("NODE", Fit::Name).column("WHY", Fit::Wrap).numbers("N");
        grid.row(vec![
            cell("ip-10-0-133-217.eu-central-1.compute.internal", Role::Name),
            cell("a sentence of some length that goes on", Role::Text),
            cell("7", Role::Text),
        ]);
        let lines = grid.lines(&Style::plain(), Room::Columns(40));
        assert_eq!(
            lines,
            [
                "NODE                WHY                N",
                "ip-10-0-133-217.…   a sentence of      7",
                "                    some length that",
                "                    goes on",
            ]
        );
        let lines = grid.lines(&Style::plain(), Room::Uncut(40));
        assert_eq!(
            lines,
            [
                "NODE                WHY                N",
                "ip-10-0-133-217.    a sentence of      7",
                "eu-central-1.       some length that",
                "compute.internal    goes on",
            ]
        );
    }
}
