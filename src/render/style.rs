//! `Style`: how text may look: colour or none, how wide, which characters.

use owo_colors::{OwoColorize, Style as Paint};

/// Whether to write colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Color {
    /// None: a pipe, `NO_COLOR`.
    #[default]
    Plain,
    /// The sixteen colours of every terminal.
    Ansi,
}

/// What a piece of text is, which decides its colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Nothing special.
    #[default]
    Text,
    /// As hoped.
    Good,
    /// Not as hoped.
    Bad,
    /// Worth a look.
    Hint,
    /// The name of an object.
    Name,
    /// Beside the point.
    Dim,
    /// A heading, or the answer itself.
    Title,
}

/// How text may look. Given by the command line, which alone knows the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    /// Colours or none.
    pub color: Color,
    /// Columns to fill at most.
    pub width: usize,
    /// Whether only ASCII may be written.
    pub ascii: bool,
    /// Whether a terminal shows it: then a wide page's sentences go on in the next line, not beyond the edge.
    pub is_terminal: bool,
    /// Whether to list every node with its refusals and scores also in the plain table.
    pub nodes: bool,
}

impl Style {
    /// No colour, 80 columns, any character.
    pub const fn plain() -> Self {
        Self { color: Color::Plain, width: 80, ascii: false, is_terminal: false, nodes: false }
    }

    /// A text in its role's colour. The text is laid out already: colours take no columns.
    pub(crate) fn paint(&self, role: Role, text: &str) -> String {
        let paint = match (self.color, role) {
            (Color::Plain, _) | (_, Role::Text) => return text.to_owned(),
            (Color::Ansi, Role::Good) => Paint::new().green(),
            (Color::Ansi, Role::Bad) => Paint::new().red(),
            (Color::Ansi, Role::Hint) => Paint::new().yellow(),
            (Color::Ansi, Role::Name) => Paint::new().cyan(),
            (Color::Ansi, Role::Dim) => Paint::new().dimmed(),
            (Color::Ansi, Role::Title) => Paint::new().bold(),
        };
        if text.trim().is_empty() { text.to_owned() } else { text.style(paint).to_string() }
    }

    /// The first of two texts, or the second where only ASCII may be written.
    pub(crate) const fn glyph<'a>(&self, any: &'a str, ascii: &'a str) -> &'a str {
        if self.ascii { ascii } else { any }
    }
}

impl Default for Style {
    fn default() -> Self {
        Self::plain()
    }
}
