//! `lokid why`: who wrote it, what explains it, what broke here before, and what is remembered about it.

use std::path::Path;

use serde_json::Value;

use super::args::Why;
use super::ask::{self, Ask};
use super::failure::{Done, Failure};
use super::reach::Reach;
use super::screen::{Screen, Style};
use super::settings::Settings;
use super::{show, words};
use lokid_sys::{env, git, plain};

/// What was typed: `FILE`, `FILE:LINE`, `FILE:FIRST-LAST`, `FILE:SYMBOL`.
#[derive(Debug, Default, PartialEq, Eq)]
struct WhyTarget<'a> {
    file: &'a str,
    lines: Option<(u32, u32)>,
    symbol: Option<&'a str>,
}

pub(super) fn run(why: &Why, settings: &Settings, screen: &mut Screen) -> Done {
    if let Some(id) = commit(&why.target, settings) {
        return show_commit(&id, settings, screen);
    }
    let target = parse(&why.target, |file| standing(file, settings).is_some());
    if target.file.is_empty() {
        return Err(Failure::usage("a file is needed: `lokid why src/auth.rs:42`"));
    }
    let file = standing(target.file, settings).unwrap_or_else(|| target.file.to_owned());
    let ask = Ask::post("/why")
        .project(settings)
        .field("file", file)
        .maybe_field("line", target.lines.map(|lines| lines.0))
        .maybe_field("end_line", target.lines.map(|lines| lines.1))
        .maybe_field("symbol", target.symbol)
        .maybe_field("k", why.k)
        .maybe_field("namespace", why.namespace.clone());
    let Some(answer) = Reach::reader(settings, screen)?.told(&ask, settings, screen)? else { return Ok(()) };
    tell(&answer, screen)
}

fn show_commit(id: &str, settings: &Settings, screen: &mut Screen) -> Done {
    let ask = Ask::get(&format!("/memories/{id}")).project(settings).query("counted", "false");
    let answer = Reach::reader(settings, screen)?.ask(&ask)?;
    if settings.json { screen.text(&answer.text()) } else { show::record(&ask::json(&answer)?, screen) }
}

/// The id under which a commit is shown, if what was typed is one: `commit-0123456789ab`, or the digits alone.
fn commit(typed: &str, settings: &Settings) -> Option<String> {
    let digits = typed.strip_prefix("commit-").unwrap_or(typed);
    let is_id = (7..=40).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_id || (digits == typed && standing(typed, settings).is_some()) {
        return None;
    }
    let tree = git::discover(&settings.project).map(|checkout| checkout.worktree);
    let whole = tree.and_then(|tree| git::commit_of(&tree, digits)).unwrap_or_else(|| digits.to_ascii_lowercase());
    Some(format!("commit-{}", &whole[..whole.len().min(12)]))
}

/// A file that is there, from where the user stands or from the project: absolute.
fn standing(file: &str, settings: &Settings) -> Option<String> {
    let from = |folder: &Path| {
        let path = folder.join(file);
        let path = plain::is_file(&path).then(|| plain::canonical(&path).ok())??;
        path.to_str().map(str::to_owned)
    };
    let here = || from(&env::current_dir().ok()?);
    let tree = || from(&git::discover(&settings.project)?.worktree);
    if settings.project_named { from(&settings.project).or_else(tree) } else { here().or_else(tree) }
}

/// A colon may stand in the name of a file, and two of them in that of a symbol.
fn parse(typed: &str, is_file: impl Fn(&str) -> bool) -> WhyTarget<'_> {
    if is_file(typed) {
        return WhyTarget { file: typed, ..WhyTarget::default() };
    }
    let mut colons = typed.match_indices(':').map(|(at, _)| at);
    let known = colons.find(|at| is_file(&typed[..*at]));
    let Some(at) = known.or_else(|| typed.find(':')) else { return WhyTarget { file: typed, ..WhyTarget::default() } };
    let (file, rest) = (&typed[..at], typed[at..].trim_matches(':'));
    if rest.is_empty() {
        return WhyTarget { file, ..WhyTarget::default() };
    }
    match lines(rest) {
        Some(lines) => WhyTarget { file, lines: Some(lines), symbol: None },
        None => WhyTarget { file, lines: None, symbol: Some(rest) },
    }
}

/// `12`, `12-20`, and `12:5` as compilers write it.
fn lines(text: &str) -> Option<(u32, u32)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| text.split(':').next()?.parse().ok();
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b':'));
    is_number.then(|| Some((number(first)?, number(last)?))).flatten()
}

fn tell(answer: &Value, screen: &mut Screen) -> Done {
    let mut head = words::field(answer, "file");
    if let Some(span) = answer.get("lines").map(span) {
        head.push_str(&format!(":{span}"));
    }
    head = screen.paint(Style::Bold, &head);
    let (symbol, before) = (words::field(answer, "symbol"), words::field(answer, "earlier_names"));
    if !symbol.is_empty() {
        head.push_str(&format!("  in {symbol}"));
    }
    if !before.is_empty() {
        head.push_str(&screen.paint(Style::Dim, &format!("  earlier {before}")));
    }
    screen.line(head)?;
    let note = words::field(answer, "note");
    if !note.is_empty() {
        screen.note(&note);
    }
    let mut any = false;
    for (heading, list) in [
        ("Who wrote these lines", "blame"),
        ("What explains it", "explained_by"),
        ("What broke here before", "broke_before"),
        ("What is remembered about it", "memories"),
    ] {
        let found = ask::list(answer, list);
        if found.is_empty() {
            continue;
        }
        any = true;
        screen.line("")?;
        screen.line(screen.paint(Style::Bold, heading))?;
        for one in found {
            entry(one, screen)?;
        }
    }
    if !any && note.is_empty() {
        screen.note("no commit explains it, and nothing is remembered about it");
    }
    Ok(())
}

fn entry(one: &Value, screen: &mut Screen) -> Done {
    let is_memory = one.get("subject").is_none();
    let mut aside: Vec<String> = ["date", "author", "kind"].iter().map(|name| words::field(one, name)).collect();
    if is_memory {
        aside.extend(words::field(one, "created_at").get(..10).map(str::to_owned));
    }
    match one.get("lines").and_then(Value::as_array) {
        Some(lines) => {
            let spans: Vec<String> = lines.iter().map(span).collect();
            aside.push(format!("lines {}", words::brief(&spans.join(", "), 40)));
        }
        None => aside.push(words::field(one, "why")),
    }
    let path = words::field(one, "path");
    if !path.is_empty() {
        aside.push(format!("then in {path}"));
    }
    aside.retain(|word| !word.is_empty() && word != "change");
    screen.line(format!("  {}  {}", words::field(one, "id"), screen.paint(Style::Dim, &aside.join(" · "))))?;
    let (title, text) = if is_memory {
        (String::new(), words::field(one, "summary"))
    } else {
        (words::field(one, "subject"), words::field(one, "reason"))
    };
    for line in title.lines().chain(text.lines()) {
        screen.line(format!("    {line}"))?;
    }
    Ok(())
}

/// `12`, `12-20`
fn span(lines: &Value) -> String {
    let number = |at: usize| lines.get(at).and_then(Value::as_u64).unwrap_or(0);
    if number(0) == number(1) { number(0).to_string() } else { format!("{}-{}", number(0), number(1)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(typed: &str, file: &str, lines: Option<(u32, u32)>, symbol: Option<&str>) {
        assert_eq!(
            parse(typed, |name| name == "src/a.rs" || name == "odd:name"),
            WhyTarget { file, lines, symbol },
            "{typed}"
        );
    }

    #[test]
    fn a_file_may_be_followed_by_lines_or_by_a_name() {
        check("src/a.rs", "src/a.rs", None, None);
        check("src/a.rs:", "src/a.rs", None, None);
        check("src/a.rs:12", "src/a.rs", Some((12, 12)), None);
        check("src/a.rs:12:5", "src/a.rs", Some((12, 12)), None);
        check("src/a.rs:12-20", "src/a.rs", Some((12, 20)), None);
        check("src/a.rs:Session::send", "src/a.rs", None, Some("Session::send"));
        check("src/a.rs::send", "src/a.rs", None, Some("send"));
        check("src/a.rs:-3", "src/a.rs", None, Some("-3"));
        check("odd:name", "odd:name", None, None);
        check("odd:name:7", "odd:name", Some((7, 7)), None);
        check("none.rs:9", "none.rs", Some((9, 9)), None);
        check("none.rs", "none.rs", None, None);
    }
}
