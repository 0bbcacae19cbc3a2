//! Renderers: one file a format, each a text over the same [`Report`].

mod check;
mod comparison;
mod github;
mod grid;
mod html;
mod json;
mod junit;
mod markdown;
mod name;
mod picture;
mod points;
mod prose;
mod sarif;
mod style;
mod table;
mod text;
mod words;
mod yaml;

use crate::report::Report;

pub(crate) use check::counted;
pub use check::{CheckFormat, RuleText, render_check, render_simulation};
pub(crate) use json::escaped;
pub use prose::render_prose;
pub use style::{Color, Role, Style};
pub(crate) use text::safe;
pub use words::class_meaning;

/// A form of output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// A page for a terminal.
    #[default]
    Table,
    /// The same with every node and every score, and no name cut.
    Wide,
    /// The contract, as JSON.
    Json,
    /// The contract, as YAML.
    Yaml,
    /// One `node/NAME` a line.
    Name,
    /// For an issue or a chat.
    Markdown,
    /// One self-contained page.
    Html,
}

impl Format {
    /// Every form with its name for `-o`, in the order in which help lists them.
    pub const ALL: [(&'static str, Self); 7] = [
        ("table", Self::Table),
        ("wide", Self::Wide),
        ("json", Self::Json),
        ("yaml", Self::Yaml),
        ("name", Self::Name),
        ("markdown", Self::Markdown),
        ("html", Self::Html),
    ];

    /// The form of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, format)| *format)
    }
}

/// The report in a format. Ends with a newline.
pub fn render(report: &Report, format: Format, style: &Style) -> String {
    match format {
        Format::Table => table::render(report, false, style),
        Format::Wide => table::render(report, true, style),
        Format::Json => json::render(report),
        Format::Markdown => markdown::render(report),
        Format::Html => html::render(report),
        Format::Yaml => yaml::render(report),
        Format::Name => name::render(report),
    }
}
