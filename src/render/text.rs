//! Text that fits: how wide it is, where to cut it, how to wrap it, and nothing in it that a terminal would obey.

use unicode_width::UnicodeWidthChar;

/// Text from a cluster, safe to show: what a terminal or a reader's eye would obey (control characters, marks that turn the
/// direction of writing) is written out as `\u{1b}`; line breaks and tabs are spaces.
pub(crate) fn safe(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => safe.push(' '),
            '\r' => {}
            _ if is_obeyed(c) => safe.extend(c.escape_unicode()),
            _ => safe.push(c),
        }
    }
    safe
}

/// Whether a terminal or a bidirectional layout acts on a character instead of showing it.
pub(crate) fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Columns that a text takes.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

fn char_width(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// A text cut in the middle to a width: the tail, where names differ, keeps the larger part.
pub(crate) fn cut_middle(text: &str, columns: usize, ascii: bool) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mark = if ascii { ".." } else { "…" };
    let Some(room) = columns.checked_sub(width(mark)) else { return take(text, columns) };
    let head = take(text, room * 2 / 5);
    let tail = take_back(text, room - width(&head));
    format!("{head}{mark}{tail}")
}

/// A name cut to a width: a host's domain goes first, then the middle.
pub(crate) fn cut_name(name: &str, columns: usize, ascii: bool) -> String {
    let mark = if ascii { ".." } else { ".…" };
    match name.split_once('.') {
        Some((host, _)) if width(name) > columns && width(host) + 2 <= columns => {
            format!("{host}{mark}")
        }
        _ => cut_middle(name, columns, ascii),
    }
}

/// A text cut at its end to a width.
pub(crate) fn cut_end(text: &str, columns: usize, ascii: bool) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mark = if ascii { ".." } else { "…" };
    match columns.checked_sub(width(mark)) {
        Some(room) => take(text, room) + mark,
        None => take(text, columns),
    }
}

fn take(text: &str, columns: usize) -> String {
    let mut used = 0;
    text.chars()
        .take_while(|&c| {
            used += char_width(c);
            used <= columns
        })
        .collect()
}

fn take_back(text: &str, columns: usize) -> String {
    let mut used = 0;
    let reversed: String = text
        .chars()
        .rev()
        .take_while(|&c| {
            used += char_width(c);
            used <= columns
        })
        .collect();
    reversed.chars().rev().collect()
}

/// Lines of at most a width, broken at spaces; a word that is wider than a line is broken where the line ends.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(8);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let mut word = word.to_owned();
        let gap = usize::from(!line.is_empty());
        if width(&line) + gap + width(&word) > columns && !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        while width(&word) > columns {
            let mut head = take(&word, columns);
            // Between the parts of a name, where one of them ends in the line.
            if let Some(end) = head.rfind(['-', '/', '.', ',']).filter(|&end| end * 3 > head.len())
            {
                head.truncate(end + 1);
            }
            word.drain(..head.len());
            lines.push(head);
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// A text without the colours that [`Style::paint`](super::Style) gave it.
pub(crate) fn unpainted(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = after.split_once('m').map_or("", |(_, after)| after);
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_written_out() {
        for (case, text, expected) in [
            ("escape", "a\u{1b}[31mb", "a\\u{1b}[31mb"),
            ("8-bit escape", "\u{9b}2J", "\\u{9b}2J"),
            ("bell, delete, nul", "\u{7}\u{7f}\0", "\\u{7}\\u{7f}\\u{0}"),
            ("direction", "\u{202e}x\u{2066}", "\\u{202e}x\\u{2066}"),
            ("breaks", "a\r\nb\tc", "a b c"),
            ("other scripts", "ünï-コード-🚀", "ünï-コード-🚀"),
        ] {
            assert_eq!(safe(text), expected, "{case}");
        }
    }

    #[test]
    fn a_cut_keeps_the_unique_tail_and_the_width() {
        let name = "ip-10-0-133-217.eu-central-1.compute.internal";
        assert_eq!(cut_middle(name, 20, false), "ip-10-0…ute.internal");
        assert_eq!(cut_middle(name, 20, true), "ip-10-0..te.internal");
        for columns in 0..60 {
            assert!(
                width(&cut_middle("节点-节点-节点-节点", columns, false)) <= columns,
                "{columns}"
            );
            assert!(width(&cut_end(name, columns, true)) <= columns, "{columns}");
        }
    }

    #[test]
    fn wrapping_loses_nothing_and_fits() {
        let text = "one two  threeeeeeeeeeeeeeeeeeee node/a-b-c four";
        let lines = wrap(text, 10);
        assert_eq!(lines, ["one two", "threeeeeee", "eeeeeeeeee", "eee", "node/a-b-c", "four"]);
        assert_eq!(wrap("kwok-general-tzlbf", 10), ["kwok-", "general-", "tzlbf"]);
        assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""));
    }
}
