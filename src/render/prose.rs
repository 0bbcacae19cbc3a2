//! Our own pages, written in Markdown, as text for a terminal: headings, paragraphs, lists, and pieces that stay as they are.

use super::style::{Role, Style};
use super::text;

/// Columns beyond which lines of prose are hard to read.
const WIDEST: usize = 100;

/// A page as text. Ends with a newline.
pub fn render_prose(page: &str, style: &Style) -> String {
    let width = style.width.min(WIDEST);
    let mut out = String::new();
    let mut paragraph = String::new();
    let mut verbatim = false;
    for line in page.lines() {
        if line.starts_with("```") {
            write(&mut out, &mut paragraph, width);
            verbatim = !verbatim;
        } else if verbatim {
            out += format!("    {}", text::safe(line)).trim_end();
            out.push('\n');
        } else if let Some(heading) = line.strip_prefix('#') {
            write(&mut out, &mut paragraph, width);
            let heading = heading.trim_start_matches('#').trim();
            out += &style.paint(Role::Title, &text::safe(heading));
            out.push('\n');
        } else if line.is_empty() {
            write(&mut out, &mut paragraph, width);
            out.push('\n');
        } else {
            if line.starts_with("- ") {
                write(&mut out, &mut paragraph, width);
            }
            paragraph += line.trim_start();
            paragraph.push(' ');
        }
    }
    write(&mut out, &mut paragraph, width);
    out
}

/// Writes a paragraph, or an item of a list, and empties it.
fn write(out: &mut String, paragraph: &mut String, width: usize) {
    let plain = text::safe(&without_links(paragraph.trim_end()));
    paragraph.clear();
    let (lead, indent, plain) = match plain.strip_prefix("- ") {
        Some(item) => ("- ", 4, item),
        None => ("", 2, &*plain),
    };
    for (index, line) in text::wrap(plain, width.saturating_sub(indent)).iter().enumerate() {
        let start = if index == 0 { lead } else { "" };
        *out += &format!("{start:>indent$}{line}\n");
    }
}

/// A text with each link as the words that it stands on.
fn without_links(markdown: &str) -> String {
    let mut plain = String::new();
    let mut rest = markdown;
    while let Some((before, link)) = rest.split_once('[') {
        plain += before;
        match link.split_once("](").and_then(|(words, after)| Some((words, after.split_once(')')?)))
        {
            Some((words, (_, after))) if !words.contains('[') => {
                plain += words;
                rest = after;
            }
            _ => {
                plain.push('[');
                rest = link;
            }
        }
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_wrapped_and_its_commands_are_not() {
        let page = "# code\n\nOne two three\nfour five six seven.\n\n- By [a rule](../checks.md#a): it\n  finds [0] too.\n\n```sh\nkubectl get pods -o wide --show-labels -A\n```\n";
        let style = Style { width: 24, ..Style::plain() };
        assert_eq!(
            render_prose(page, &style),
            "code\n\n  One two three four\n  five six seven.\n\n  - By a rule: it finds\n    [0] too.\n\n    kubectl get pods -o wide --show-labels -A\n"
        );
    }
}
