//! The HTML page: self-contained, escaped, and alive in a real browser where there is one.

#![expect(clippy::print_stderr, reason = "a test that skips says so")]

use std::path::{Path, PathBuf};
use std::process::Command;

use landed::render::{Format, Style, render};
use landed::report::{Node, Report};

const REPORTS: [&str; 8] =
    ["race", "preference", "constraint", "swap", "unknown", "as-intended", "hostile", "list"];

fn report(name: &str) -> Report {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/reports/{name}.json"));
    #[expect(clippy::disallowed_methods, reason = "a test reads its data")]
    let text = std::fs::read_to_string(path).expect("the report is there");
    serde_json::from_str(&text).expect("the report is one")
}

fn page(report: &Report) -> String {
    render(report, Format::Html, &Style::plain())
}

/// The report with many nodes, each refused or scored.
fn many_nodes() -> Report {
    let Report::Explanation(mut explanation) = report("swap") else { panic!("one pod's report") };
    let examples: Vec<Node> = explanation.nodes.clone();
    for number in 0..400 {
        let mut node = examples[number % examples.len()].clone();
        node.roles.clear();
        node.name = format!("ip-10-0-{}-{}.eu-west-1.compute.internal", number / 250, number % 250);
        explanation.nodes.push(node);
    }
    Report::Explanation(explanation)
}

#[test]
fn a_page_loads_nothing() {
    for name in REPORTS {
        let page = page(&report(name));
        for outside in
            ["http://", "https://", "src=", "@import", "url(", "<link", "<iframe", "<img"]
        {
            // Text may name an address; markup may not.
            let found = page.match_indices(outside).find(|(at, _)| !is_in_text(&page, *at));
            assert_eq!(found, None, "{name}: {outside}");
        }
    }
}

/// Whether a place is in text between tags.
fn is_in_text(page: &str, at: usize) -> bool {
    let before = &page[..at];
    before.rfind('>') > before.rfind('<') && before.rfind("</style>") > before.rfind("<style>")
}

#[test]
fn whatever_a_cluster_says_stays_text() {
    let page = page(&report("hostile"));
    assert_eq!(page.matches("<script").count(), 1);
    assert_eq!(page.matches("<svg").count(), 1);
    assert!(!page.contains("<b>node") && !page.contains("<img"));
    assert!(page.contains("&lt;script&gt;alert(1)"));
    assert!(page.chars().all(|c| c == '\n' || !c.is_control()));
}

#[test]
fn ids_are_unique_also_for_several_pods() {
    for name in REPORTS {
        let page = page(&report(name));
        let mut ids: Vec<&str> =
            page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all, "{name}");
    }
}

#[test]
fn many_nodes_stay_within_a_megabyte() {
    assert!(page(&many_nodes()).len() < 1_000_000);
}

fn chromium() -> Option<PathBuf> {
    ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
        .iter()
        .map(PathBuf::from)
        .find(|path| path.exists())
}

/// Opens a page and gives its document as the browser has it after the scripts ran.
fn opened(browser: &Path, name: &str, html: &str, arguments: &[&str]) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("html-{name}"));
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let file = folder.join("page.html");
    std::fs::write(&file, html).expect("a file for the test");
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .args(arguments)
        .arg("--dump-dom")
        .arg(format!("file://{}", file.display()))
        .output()
        .expect("the browser runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_browser_sorts_filters_and_fits_a_phone() {
    let Some(browser) = chromium() else {
        eprintln!("skipped: no Chromium here (apt-get install chromium)");
        return;
    };
    // Sorts by points, filters by a name, and notes what the reader then sees.
    let act = "<script>addEventListener('load', () => {
        const table = document.getElementById('nodes-table');
        const heads = [...table.tHead.rows[0].cells];
        heads[6].querySelector('button').click();
        heads[6].querySelector('button').click();
        const points = [...table.tBodies[0].rows].map((row) => Number(row.cells[6].dataset.sort));
        const sorted = points.every((value, index) => index === 0 || points[index - 1] >= value);
        const input = document.querySelector('input[data-filters=nodes-table]');
        input.value = 'ip-10-0-1-149';
        input.dispatchEvent(new Event('input'));
        const shown = [...table.tBodies[0].rows].filter((row) => !row.hidden).length;
        document.body.dataset.seen = JSON.stringify({ sorted, shown, aria: heads[6].getAttribute('aria-sort') });
    });</script></body>";
    let html = page(&many_nodes()).replace("</body>", act);
    let seen = opened(&browser, "many", &html, &[]);
    assert!(seen.contains(
        "{&quot;sorted&quot;:true,&quot;shown&quot;:1,&quot;aria&quot;:&quot;descending&quot;}"
    ));

    // The smallest window of a headless browser is 500 wide, so the page itself is made as narrow as a phone. What scrolls
    // by itself may be wider.
    let measure = "<style>html { width: 360px }</style><script>addEventListener('load', () => {
        const wide = [...document.querySelectorAll('body *')]
            .filter((element) => !element.parentElement.closest('.scroll, pre') && element.getBoundingClientRect().right > 360);
        document.body.dataset.seen = `wider: ${wide.map((element) => element.outerHTML.slice(0, 80)).join(', ')};`;
    });</script></body>";
    for name in ["race", "preference", "constraint", "hostile", "list"] {
        let html = page(&report(name)).replace("</body>", measure);
        let seen = opened(&browser, name, &html, &["--window-size=500,900"]);
        let wider = seen.split("data-seen=\"").nth(1).and_then(|rest| rest.split(';').next());
        assert_eq!(wider, Some("wider: "), "{name}");
    }
}

/// Writes the pages, and pictures of them, for someone to look at: `SHOTS=DIR cargo test --test html -- --ignored`.
#[test]
#[ignore = "makes pictures for a person to look at"]
fn pictures() {
    #[expect(clippy::disallowed_methods, reason = "a test for a person")]
    let folder = PathBuf::from(std::env::var("SHOTS").expect("SHOTS names a folder"));
    std::fs::create_dir_all(&folder).expect("a folder for the pictures");
    for name in REPORTS {
        std::fs::write(folder.join(format!("{name}.html")), page(&report(name))).expect("a page");
    }
    std::fs::write(folder.join("many.html"), page(&many_nodes())).expect("a page");
}
