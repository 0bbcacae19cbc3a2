//! `Page`: lines of text that fit the width.

use super::super::grid::{Grid, Room};
use super::super::style::{Role, Style};
use super::super::{text, words};
use crate::model::time::Timestamp;
use crate::report::Gap;

/// A page that grows line by line.
pub(super) struct Page<'a> {
    pub style: &'a Style,
    /// Whether every node is shown and no name is cut.
    pub wide: bool,
    out: String,
}

impl<'a> Page<'a> {
    pub(super) const fn new(style: &'a Style, wide: bool) -> Self {
        Self { style, wide, out: String::new() }
    }

    /// The page as text.
    pub(super) fn finish(self) -> String {
        self.out
    }

    /// A line that is laid out and painted.
    pub(super) fn line(&mut self, line: &str) {
        self.out += line.trim_end();
        self.out.push('\n');
    }

    /// An empty line.
    pub(super) fn blank(&mut self) {
        self.out.push('\n');
    }

    /// An empty line and a heading, with a remark beside it.
    pub(super) fn heading(&mut self, heading: &str, remark: &str) {
        self.blank();
        let heading_width = text::width(heading) + 2;
        let remark = text::safe(remark);
        if heading_width + text::width(&remark) > self.style.width {
            self.line(&self.style.paint(Role::Title, heading));
            self.paragraph(2, "", Role::Dim, &remark);
        } else {
            let heading = self.style.paint(Role::Title, heading);
            self.line(&format!("{heading}  {}", self.style.paint(Role::Dim, &remark)));
        }
    }

    /// A text that wraps, its further lines under the first one's text. Control characters are written out.
    pub(super) fn paragraph(&mut self, indent: usize, lead: &str, role: Role, text: &str) {
        let margin = indent + text::width(lead);
        let room = self.style.width.saturating_sub(margin);
        for (index, line) in text::wrap(&text::safe(text), room).iter().enumerate() {
            let start = if index == 0 { lead } else { "" };
            let pad = " ".repeat(margin - text::width(start));
            self.line(&format!("{}{}{}", pad, start, self.style.paint(role, line)));
        }
    }

    /// Text that stands as it is: commands and manifests.
    pub(super) fn verbatim(&mut self, indent: usize, lead: &str, role: Role, text: &str) {
        for (index, line) in text.lines().enumerate() {
            let start = if index == 0 { lead.to_owned() } else { " ".repeat(text::width(lead)) };
            let line = self.style.paint(role, &text::safe(line));
            self.line(&format!("{}{start}{line}", " ".repeat(indent)));
        }
    }

    /// Painted pieces beside each other, as many as fit in a line.
    pub(super) fn flow(&mut self, indent: usize, pieces: &[String], separator: &str) {
        let mut line = String::new();
        for piece in pieces {
            let longer = format!("{line}{separator}{piece}");
            if line.is_empty() {
                line.clone_from(piece);
            } else if indent + text::width(&text::unpainted(&longer)) <= self.style.width {
                line = longer;
            } else {
                self.line(&format!("{}{line}", " ".repeat(indent)));
                line.clone_from(piece);
            }
        }
        if !line.is_empty() {
            self.line(&format!("{}{line}", " ".repeat(indent)));
        }
    }

    /// A grid.
    pub(super) fn grid(&mut self, indent: usize, grid: &Grid) {
        let columns = self.style.width.saturating_sub(indent);
        let room = match (self.wide, self.style.is_terminal) {
            (false, _) => Room::Columns(columns),
            (true, true) => Room::Uncut(columns),
            (true, false) => Room::Any,
        };
        for line in grid.lines(self.style, room) {
            self.line(&format!("{}{line}", " ".repeat(indent)));
        }
    }

    /// A sentence with its long names cut, where the page has little room; the answer's first sentence has them in full.
    pub(super) fn brief(&self, sentence: &str) -> String {
        if self.wide || self.style.width >= 120 {
            return sentence.to_owned();
        }
        let is_part = |c: char| c.is_ascii_alphanumeric() || "-./_".contains(c);
        let words = sentence.split(' ').map(|word| {
            let end = word.trim_end_matches(|c| !is_part(c)).len();
            let (name, rest) = word.split_at(end);
            let is_name = name.matches('-').count() >= 3 && name.chars().all(is_part);
            let shorter =
                if is_name { text::cut_name(name, 32, self.style.ascii) } else { name.to_owned() };
            shorter + rest
        });
        words.collect::<Vec<String>>().join(" ")
    }

    /// What had to be assumed or is not known, gaps that are alike as one.
    pub(super) fn gaps(&mut self, gaps: &[Gap]) {
        if gaps.is_empty() {
            return;
        }
        self.heading("Assumed or not known", "");
        for gap in words::grouped_gaps(gaps) {
            let bullet = self.style.glyph("• ", "- ");
            self.paragraph(1, bullet, Role::Text, &format!("{}: {}", gap.subject, gap.detail));
            if let Some(hint) = gap.hint.as_ref().filter(|_| self.wide) {
                self.paragraph(3, "hint: ", Role::Dim, hint);
            }
        }
    }

    /// A bar of at most so many columns.
    pub(super) fn bar(&self, value: i64, largest: i64, columns: usize) -> String {
        let eighths = usize::try_from(value.max(0).saturating_mul(8)).unwrap_or(usize::MAX);
        let largest = usize::try_from(largest.max(1)).unwrap_or(usize::MAX);
        let filled = (eighths.saturating_mul(columns) / largest).min(columns * 8);
        if self.style.ascii {
            return "#".repeat(filled.div_ceil(8).min(columns));
        }
        let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][filled % 8];
        format!("{}{rest}", "█".repeat(filled / 8))
    }
}

/// A moment's time of day, to the second.
pub(super) fn clock(time: Timestamp) -> String {
    let text = time.to_string();
    text.split_once('T').map_or_else(String::new, |(_, clock)| clock.chars().take(8).collect())
}

/// A moment's day.
pub(super) fn day(time: Timestamp) -> String {
    time.to_string().split('T').next().unwrap_or_default().to_owned()
}
