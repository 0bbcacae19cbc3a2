//! The cookbook of docs/jq.md: each query is run on the reports of the tests, and gives what the page says.

#![expect(clippy::disallowed_methods, reason = "tests read files and the environment")]
#![expect(clippy::print_stderr, reason = "a test that skips says so")]

use std::process::Command;

/// A query and the answer that stands under it.
struct Recipe {
    /// The report that it is asked of.
    report: &'static str,
    query: String,
    answer: String,
}

fn recipes(page: &str) -> Vec<Recipe> {
    let mut recipes = Vec::new();
    for part in page.split("```sh\n").skip(1) {
        let (command, rest) = part.split_once("\n```").expect("a command ends");
        let (asked, arguments) = command.split_once("| jq ").expect("a command asks jq");
        let report = match asked.split(' ').nth(2) {
            Some("audit") => "audit",
            Some("node") => "node",
            _ => "list",
        };
        let answer = rest.split("```text\n").nth(1).and_then(|rest| rest.split("```").next());
        recipes.push(Recipe {
            report,
            query: arguments.to_owned(),
            answer: answer.expect("an answer follows").to_owned(),
        });
    }
    recipes
}

#[test]
fn each_query_gives_what_the_page_says() {
    if Command::new("jq").arg("--version").output().is_err() {
        eprintln!("skipped: no jq here (apt-get install jq)");
        return;
    }
    let root = env!("CARGO_MANIFEST_DIR");
    let page = std::fs::read_to_string(format!("{root}/docs/jq.md")).expect("the page is there");
    let recipes = recipes(&page);
    assert_eq!(recipes.len(), 14);
    for recipe in recipes {
        // The page's quoting is a shell's, so a shell reads it.
        let output = Command::new("sh")
            .args([
                "-c",
                &format!("jq {} {root}/tests/reports/{}.json", recipe.query, recipe.report),
            ])
            .output()
            .expect("jq runs");
        let answer = String::from_utf8_lossy(&output.stdout);
        assert_eq!(
            answer,
            recipe.answer,
            "{}\n{}",
            recipe.query,
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
