//! `Style`: how text may look: colour or none, how wide, which characters.

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
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
    /// A heading.
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
    /// Whether to list every node with its refusals and scores also in the plain table.
    pub nodes: bool,
}

impl Style {
    /// No colour, 80 columns, any character.
    pub const fn plain() -> Self {
        Self { color: Color::Plain, width: 80, ascii: false, nodes: false }
    }
}

impl Default for Style {
    fn default() -> Self {
        Self::plain()
    }
}
