//! How answers are printed: `-o`, `--color`, and what is known of the terminal. The one place that decides on colour.

use super::{Failure, Io};
use crate::render::{Color, Format, Style, render};
use crate::report::Report;

/// Flags for output, the same for every command that answers.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Output")]
pub struct Output {
    /// Form of the answer
    #[arg(short, long, value_name = "FORMAT", default_value = "table", value_parser = format_names())]
    pub output: String,

    /// When to use colour
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        value_enum,
        hide_possible_values = false
    )]
    pub color: When,

    /// Same as --color=never
    #[arg(long, hide = true)]
    pub no_color: bool,

    /// List every node with its refusals or its scores
    #[arg(long)]
    pub nodes: bool,
}

fn format_names() -> Vec<&'static str> {
    Format::ALL.iter().map(|(name, _)| *name).collect()
}

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum When {
    /// When a terminal reads, and neither NO_COLOR nor TERM=dumb says otherwise.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Output {
    /// The form asked for.
    pub fn format(&self) -> Format {
        Format::of_name(&self.output).unwrap_or_default()
    }

    /// Prints a report.
    pub fn print(&self, report: &Report, io: &mut Io<'_>) -> Result<(), Failure> {
        let text = render(report, self.format(), &self.style(io));
        io.out.write_all(text.as_bytes())?;
        io.out.flush()?;
        Ok(())
    }

    /// How text may look, from the flags and the environment.
    pub fn style(&self, io: &Io<'_>) -> Style {
        Style {
            color: self.color(io),
            width: io.width.unwrap_or(80).clamp(20, 400),
            ascii: is_ascii(io),
            is_terminal: io.out_is_terminal,
            nodes: self.nodes,
        }
    }

    /// `--color`, then `NO_COLOR`, then `CLICOLOR_FORCE` and `FORCE_COLOR`, then `CLICOLOR`, then the terminal.
    fn color(&self, io: &Io<'_>) -> Color {
        let is_forced = |name| io.variable(name).is_some_and(|value| value != "0");
        let wanted = match self.color {
            When::Always => true,
            When::Never => false,
            When::Auto if self.no_color || io.variable("NO_COLOR").is_some() => false,
            When::Auto if is_forced("CLICOLOR_FORCE") || is_forced("FORCE_COLOR") => true,
            When::Auto if io.variable("CLICOLOR") == Some("0") => false,
            When::Auto => io.out_is_terminal && io.variable("TERM").is_some_and(|t| t != "dumb"),
        };
        if wanted { Color::Ansi } else { Color::Plain }
    }
}

/// Whether the locale says that only ASCII can be shown: it is set, and is not one of UTF-8.
fn is_ascii(io: &Io<'_>) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| io.variable(name));
    locale.is_some_and(|locale| {
        let locale = locale.to_ascii_lowercase();
        !locale.contains("utf-8") && !locale.contains("utf8")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::time::Timestamp;

    fn style(flags: &Output, terminal: bool, variables: &[(&str, &str)]) -> Style {
        let variables = variables.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        flags.style(&Io {
            out: &mut Vec::new(),
            err: &mut Vec::new(),
            input: &mut std::io::empty(),
            out_is_terminal: terminal,
            err_is_terminal: terminal,
            width: None,
            variables,
            now: Timestamp::from_seconds(0),
            leftovers: crate::cli::io::Leftovers::default(),
        })
    }

    #[test]
    fn colour_has_one_order_of_precedence() {
        let flag = |color| Output { color, ..Output::default() };
        let auto = flag(When::Auto);
        for (case, flags, terminal, variables, expected) in [
            ("a terminal", &auto, true, &[("TERM", "xterm")][..], true),
            ("a pipe", &auto, false, &[("TERM", "xterm")], false),
            ("no TERM", &auto, true, &[], false),
            ("a dumb terminal", &auto, true, &[("TERM", "dumb")], false),
            ("NO_COLOR", &auto, true, &[("TERM", "xterm"), ("NO_COLOR", "1")], false),
            ("an empty NO_COLOR", &auto, true, &[("TERM", "xterm"), ("NO_COLOR", "")], true),
            ("forced in a pipe", &auto, false, &[("CLICOLOR_FORCE", "1")], true),
            ("FORCE_COLOR=0", &auto, false, &[("FORCE_COLOR", "0")], false),
            ("NO_COLOR over force", &auto, true, &[("NO_COLOR", "1"), ("FORCE_COLOR", "1")], false),
            ("CLICOLOR=0", &auto, true, &[("TERM", "xterm"), ("CLICOLOR", "0")], false),
            ("the flag over all", &flag(When::Always), false, &[("NO_COLOR", "1")], true),
            ("never", &flag(When::Never), true, &[("FORCE_COLOR", "1")], false),
        ] {
            let expected = if expected { Color::Ansi } else { Color::Plain };
            assert_eq!(style(flags, terminal, variables).color, expected, "{case}");
        }
    }

    #[test]
    fn only_a_locale_that_says_so_takes_the_drawing_away() {
        for (case, variables, expected) in [
            ("none set", &[][..], false),
            ("UTF-8", &[("LANG", "en_GB.UTF-8")], false),
            ("C", &[("LANG", "C")], true),
            ("LC_ALL first", &[("LC_ALL", "C.utf8"), ("LANG", "C")], false),
        ] {
            assert_eq!(style(&Output::default(), false, variables).ascii, expected, "{case}");
        }
    }
}
