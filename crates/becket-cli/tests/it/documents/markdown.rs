//! Minimal Markdown parsing to check links.

/// The lines of a page outside of code blocks.
pub(super) fn prose(page: &str) -> Vec<&str> {
    let mut fence: Option<&str> = None;
    let mut lines = Vec::new();
    for line in page.lines() {
        let ticks = line.trim_start();
        let ticks = &ticks[..ticks.len() - ticks.trim_start_matches('`').len()];
        match fence {
            Some(open) if ticks.len() >= open.len() && line.trim() == ticks => fence = None,
            Some(_) => {}
            None if ticks.len() >= 3 => fence = Some(ticks),
            None => lines.push(line),
        }
    }
    lines
}

/// The link targets of a page.
pub(super) fn links(page: &str) -> Vec<String> {
    let lines = prose(page).into_iter().map(without_code_spans);
    lines.flat_map(|line| targets(&line)).collect()
}

fn without_code_spans(line: &str) -> String {
    let parts = line.split('`').step_by(2);
    parts.collect::<Vec<_>>().join("code")
}

fn targets(line: &str) -> Vec<String> {
    let starts = line.split("](").skip(1);
    let target = |rest: &str| Some(rest.split_once(')')?.0.to_owned());
    starts.filter_map(target).collect()
}

/// The anchors of a page, one per heading.
pub(super) fn anchors(page: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    for line in prose(page) {
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let slug = slug(title.trim());
        let again = anchors.iter().filter(|known| **known == slug).count();
        anchors.push(match again {
            0 => slug,
            count => format!("{slug}-{count}"),
        });
    }
    anchors
}

fn slug(title: &str) -> String {
    let letters = title.chars().filter_map(|c| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        c if c.is_alphanumeric() => Some(c),
        _ => None,
    });
    letters.flat_map(char::to_lowercase).collect()
}

#[test]
fn links_are_found_in_prose_and_not_in_code() {
    let page = "a [b](c.md#d) `[e](f)` and [`g`](h)\n````md\n```\n[i](j)\n````\n[k](l)";
    assert_eq!(links(page), ["c.md#d", "h", "l"]);
}

#[test]
fn headings_get_the_anchors_of_markdown_renderers() {
    let page = "# When it's `off`\n## A, b & c\n```\n# no\n```\n## A, b & c\n#none";
    assert_eq!(anchors(page), ["when-its-off", "a-b--c", "a-b--c-1"]);
}
