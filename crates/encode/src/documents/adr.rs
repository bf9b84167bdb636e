//! Records of decisions, in Nygard's form and MADR's, proposals, and logs with one decision a section: what was decided,
//! why, since when, and what it replaces.
//!
//! It must not keep the arguments of every option.

use super::{DocumentLink, DocumentName, Learnt, date, outline::*, piece, place, rules};
use crate::prose;
use lokid_model::{Draft, Kind, MemoryId, Relation, Status, Tier, Timestamp};

const PART: usize = 420;
const MOST_RECORDS: usize = 60;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Standing {
    InForce,
    Proposed,
    Gone,
    Rejected,
}

/// What the sections of a record are for.
#[derive(Clone, Copy, PartialEq)]
enum AdrRole {
    Status,
    Context,
    Decision,
    Consequences,
    Options,
    Date,
}

pub(super) fn learn(path: &str, outline: &Outline) -> Learnt {
    record(path, outline, "").unwrap_or_default()
}

/// Many decisions in one document: each heading of the first level that has several begins one.
pub(super) fn learn_log(path: &str, outline: Outline) -> Learnt {
    let count = |level: usize| outline.sections.iter().filter(|section| section.level == level).count();
    let Some(level) = (1..=4).find(|level| count(*level) > 1 || (*level > 1 && count(*level) == 1)) else {
        return Learnt::default();
    };
    let mut records: Vec<Outline> = Vec::new();
    for mut section in outline.sections.into_iter().skip_while(|section| section.level != level) {
        if section.level < level {
            continue;
        }
        section.above = section.above.split_off((level - 1).min(section.above.len()));
        if section.level == level {
            records.push(Outline::default());
        }
        section.level -= level - 1;
        if let Some(record) = records.last_mut() {
            record.sections.push(section);
        }
    }
    let mut all = Learnt::default();
    for outline in records.iter().take(MOST_RECORDS) {
        let heading = outline.sections.first().map_or("", |section| section.heading.as_str());
        let Some(mut learnt) = record(path, outline, heading).filter(|_| !piece::is_ceremony(heading)) else {
            continue;
        };
        all.drafts.append(&mut learnt.drafts);
        all.links.append(&mut learnt.links);
        all.names.append(&mut learnt.names);
    }
    all
}

/// `within` names the section of a log; a document of its own has none.
fn record(path: &str, outline: &Outline, within: &str) -> Option<Learnt> {
    let told = told(outline);
    let part = |role| prose::cut(&join(&told, role), PART);
    let (context, mut decision, consequences) =
        (part(AdrRole::Context), part(AdrRole::Decision), part(AdrRole::Consequences));
    if decision.is_empty() {
        decision = prose::cut(&opening(outline), PART);
    }
    let title = title(outline).filter(|_| !decision.is_empty())?;
    let status_lines = status_lines(outline, &told);
    let standing = status_lines.iter().find_map(|line| standing(line)).unwrap_or(Standing::InForce);
    let dated = date_of(outline, &told).or_else(|| date::find(within));
    let id = if within.is_empty() {
        piece::key(Kind::Decision, path, &[])
    } else {
        piece::key(Kind::Decision, path, &["section", within])
    };
    let status = status_lines.first().map(|line| prose::cut(&prose::plain(line), 120));
    let mut text = format!("{title}\n");
    let options = join(&told, AdrRole::Options);
    let named = [
        ("Status", status.unwrap_or_default()),
        ("Date", dated.map(Timestamp::day).unwrap_or_default()),
        ("Context", context),
        ("Decision", decision),
        ("Consequences", consequences),
        ("Options considered", prose::cut(&options, 240)),
    ];
    for (name, part) in named.iter().filter(|(_, part)| !part.is_empty()) {
        text.push_str(&format!("{name}: {part}\n"));
    }
    let source = if within.is_empty() { path.to_owned() } else { format!("{path} › {within}") };
    let text = rules::with_source(text.trim_end(), &source);
    let mut draft = piece::draft(Kind::Decision, path, id.clone(), &title, text);
    draft.summary = Some(summary(&title, standing, &named[3].1));
    piece::tag(&mut draft, "adr");
    stand(&mut draft, standing, dated, status_lines.iter().find_map(|line| date::find(line)));
    for section in &outline.sections {
        for block in &section.blocks {
            piece::anchor(&mut draft, path, block.raw());
        }
    }
    // Other records are linked to, not touched by the decision.
    draft.files.retain(|file| place::which(file) != Some(place::DocumentKind::Decision));
    let links = links(path, &id, &status_lines, outline);
    Some(Learnt { drafts: vec![draft], links, names: names(path, &title, &id, within) })
}

/// What stands below the title without a heading of its own, unless it only labels: `Date: …`.
fn opening(outline: &Outline) -> String {
    let first = outline.sections.iter().find(|section| section.level == 1 || !section.blocks.is_empty());
    let texts = first.into_iter().flat_map(|section| &section.blocks).map(|block| prose::plain(block.raw()));
    let labels = ["date", "status", "author", "authors", "deciders", "start date", "rfc pr"];
    let is_label = |text: &str| {
        text.split_once(':').is_some_and(|(label, _)| labels.contains(&label.trim().to_lowercase().as_str()))
    };
    let told: Vec<String> = texts.filter(|text| text.split_whitespace().count() >= 4 && !is_label(text)).collect();
    told.join(" ")
}

fn summary(title: &str, standing: Standing, decision: &str) -> String {
    let first = prose::sentences(decision).first().map_or(String::new(), |sentence| prose::cut(sentence, 240));
    let standing = match standing {
        Standing::InForce => "",
        Standing::Proposed => " (proposed)",
        Standing::Gone => " (superseded)",
        Standing::Rejected => " (rejected)",
    };
    if first.is_empty() { format!("{title}{standing}") } else { format!("{title}{standing}: {first}") }
}

/// A decision that no longer holds but does not say since when has ceased before anybody asks.
fn stand(draft: &mut Draft, standing: Standing, dated: Option<Timestamp>, changed: Option<Timestamp>) {
    (draft.valid_at, draft.timestamp) = (dated, dated);
    draft.importance = Some(0.7);
    match standing {
        Standing::InForce => {}
        Standing::Proposed => {
            draft.status = Status::Unverified;
            draft.importance = Some(0.5);
            piece::tag(draft, "proposed");
        }
        Standing::Gone | Standing::Rejected => {
            let end = changed.or(dated).unwrap_or(Timestamp::from_micros(0));
            draft.valid_at = Some(dated.unwrap_or(end).min(end));
            draft.invalid_at = Some(end);
            draft.tier = Some(Tier::Archive);
            draft.importance = Some(0.3);
            piece::tag(draft, if standing == Standing::Gone { "superseded" } else { "rejected" });
        }
    }
}

impl Block {
    fn raw(&self) -> &str {
        match self {
            Block::Paragraph(text) | Block::Item { text, .. } => text,
            Block::Code(_) | Block::Table(_) => "",
        }
    }
}

fn role(heading: &str) -> Option<AdrRole> {
    let heading = prose::fold(heading);
    let heading = heading.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
    let starts = |words: &[&str]| words.iter().any(|word| heading.starts_with(word));
    if matches!(heading, "status" | "current status") {
        Some(AdrRole::Status)
    } else if starts(&["date"]) {
        Some(AdrRole::Date)
    } else if starts(&["context", "problem", "motivation", "background", "issue", "why", "rationale"]) {
        Some(AdrRole::Context)
    } else if starts(&["consequences", "positive consequences", "negative consequences", "implications", "result"]) {
        Some(AdrRole::Consequences)
    } else if starts(&["considered options", "options considered", "considered alternatives", "alternatives"]) {
        Some(AdrRole::Options)
    } else if starts(&["decision", "solution", "the decision", "outcome", "recommendation", "summary", "proposal"])
        && !starts(&["decision driver", "decision maker"])
    {
        Some(AdrRole::Decision)
    } else {
        None
    }
}

/// Every section with what it is for; a section without a role of its own has that of the nearest above.
fn told(outline: &Outline) -> Vec<(AdrRole, &Section)> {
    let of = |section: &Section| {
        role(&section.heading).or_else(|| section.above.iter().skip(1).rev().find_map(|heading| role(heading)))
    };
    outline.sections.iter().filter_map(|section| Some((of(section)?, section))).collect()
}

fn join(told: &[(AdrRole, &Section)], wanted: AdrRole) -> String {
    let mut out = String::new();
    for (_, section) in told.iter().filter(|(role, _)| *role == wanted) {
        // Options are described at length below their own headings; their names are enough.
        if wanted == AdrRole::Options && role(&section.heading) != Some(AdrRole::Options) {
            continue;
        }
        for block in &section.blocks {
            let text = prose::plain(block.raw());
            if text.is_empty() || out.len() > 8 * PART {
                continue;
            }
            if !out.is_empty() {
                out.push_str(if out.ends_with(['.', ':', ';', '!', '?']) { " " } else { "; " });
            }
            out.push_str(&text);
        }
    }
    out
}

fn title(outline: &Outline) -> Option<String> {
    let front = outline.front.as_ref().and_then(|front| front.get("title")?.text()).map(str::to_owned);
    let heading = outline.sections.iter().find(|section| section.level == 1).map(|section| section.heading.clone());
    let heading = heading.or(front).or_else(|| {
        let first = outline.sections.iter().find(|section| section.level > 0 && role(&section.heading).is_none())?;
        Some(first.heading.clone())
    })?;
    let bare = heading.trim_start_matches(|c: char| c == '[' || c.is_whitespace());
    let marks = [':', '-', ' ', '–', '—', ']', ')', '.'];
    let dated = bare.get(..10).filter(|day| date::find(day).is_some());
    let bare = dated.map_or(bare, |day| bare[day.len()..].trim_start_matches(marks));
    let bare = strip_word(bare, "adr").trim_start_matches([' ', '-', '_', '#']);
    let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
    let after = &bare[digits..];
    let numbered = digits > 0 && after.starts_with(marks);
    let rest = if numbered { after.trim_start_matches(marks) } else { bare };
    let rest = rest.trim_start_matches([':', '-', ' ']).trim();
    Some(if rest.is_empty() { heading.clone() } else { rest.to_owned() })
}

fn strip_word<'a>(text: &'a str, word: &str) -> &'a str {
    match text.get(..word.len()) {
        Some(start) if start.eq_ignore_ascii_case(word) => &text[word.len()..],
        _ => text,
    }
}

/// The lines that speak of the status, wherever the form at hand puts them.
fn status_lines(outline: &Outline, told: &[(AdrRole, &Section)]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    if let Some(status) = outline.front.as_ref().and_then(|front| front.get("status")) {
        lines.extend(status.texts().into_iter().map(str::to_owned));
    }
    let sections = told.iter().filter(|(role, _)| *role == AdrRole::Status);
    lines.extend(sections.flat_map(|(_, section)| &section.blocks).map(|block| block.raw().to_owned()));
    lines.extend(labelled(outline, &["status"]));
    for label in ["supersedes", "superseded by", "amends", "replaces", "replaced by"] {
        lines.extend(labelled(outline, &[label]).map(|rest| format!("{label} {rest}")));
    }
    lines.retain(|line| !line.trim().is_empty());
    lines.truncate(12);
    lines
}

/// What follows `Label:` in the lines before the first section proper: `- **Status:** Accepted`.
fn labelled<'a>(outline: &'a Outline, labels: &'a [&str]) -> impl Iterator<Item = String> + 'a {
    let opening = outline.sections.iter().filter(|section| section.level <= 1).flat_map(|section| &section.blocks);
    opening.filter_map(|block| {
        let text = block.raw().replace("**", "");
        let (label, rest) = text.split_once(':')?;
        let label = label.trim().trim_matches(['*', '_']).to_lowercase();
        labels.contains(&label.as_str()).then(|| rest.trim().to_owned())
    })
}

fn standing(line: &str) -> Option<Standing> {
    let line = prose::fold(&prose::plain(line));
    let starts = |words: &[&str]| words.iter().any(|word| line.starts_with(word) || line.contains(&format!(" {word}")));
    if starts(&["superseded", "superceded", "replaced by", "deprecated", "obsolete", "retired", "withdrawn"]) {
        Some(Standing::Gone)
    } else if starts(&["rejected", "declined", "abandoned"]) {
        Some(Standing::Rejected)
    } else if starts(&["accepted", "approved", "adopted", "implemented", "active", "decided", "final"]) {
        Some(Standing::InForce)
    } else if starts(&["proposed", "draft", "in review", "under discussion", "pending", "on hold", "rfc", "wip"]) {
        Some(Standing::Proposed)
    } else {
        None
    }
}

fn date_of(outline: &Outline, told: &[(AdrRole, &Section)]) -> Option<Timestamp> {
    let front = outline.front.as_ref().and_then(|front| date::find(front.get("date")?.text()?));
    let said = || labelled(outline, &["date", "decision date", "decided"]).find_map(|line| date::find(&line));
    let section = || {
        let dated = told.iter().filter(|(role, _)| matches!(role, AdrRole::Date));
        dated.flat_map(|(_, section)| &section.blocks).find_map(|block| date::find(block.raw()))
    };
    let status = || status_lines(outline, told).first().and_then(|line| date::find(line));
    front.or_else(said).or_else(section).or_else(status)
}

/// The names other records use: the path, and the number within the folder or the log.
fn names(path: &str, title: &str, id: &MemoryId, within: &str) -> Vec<DocumentName> {
    let mut names = vec![format!("decision {}", prose::fold(title))];
    if within.is_empty() {
        names.push(path.to_owned());
    }
    let file = path.rsplit('/').next().unwrap_or(path);
    names.extend(number_of(if within.is_empty() { file } else { within }).map(|number| numbered(path, number)));
    names.into_iter().map(|name| DocumentName { name, key: id.clone() }).collect()
}

fn number_of(name: &str) -> Option<u64> {
    let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let digits = &digits[..digits.bytes().take_while(u8::is_ascii_digit).count().min(9)];
    digits.parse().ok()
}

fn numbered(path: &str, number: u64) -> String {
    format!("{}#{number}", path.rsplit_once('/').map_or("", |(folder, _)| folder))
}

fn links(path: &str, id: &MemoryId, status_lines: &[String], outline: &Outline) -> Vec<DocumentLink> {
    let mut links = Vec::new();
    let mut add = |to_name, relation| {
        let link = DocumentLink { from_key: id.clone(), to_name, relation };
        if !links.contains(&link) {
            links.push(link);
        }
    };
    for line in status_lines {
        let Some(relation) = relation(line) else { continue };
        targets(path, line).into_iter().for_each(|target| add(target, relation));
    }
    let stated: Vec<String> = status_lines.iter().flat_map(|line| targets(path, line)).collect();
    let mentioned = outline
        .sections
        .iter()
        .flat_map(|section| &section.blocks)
        .flat_map(|block| piece::linked_files(path, block.raw()));
    for file in
        mentioned.filter(|file| place::which(file) == Some(place::DocumentKind::Decision) && file != path).take(12)
    {
        if !stated.contains(&file) {
            add(file, Relation::RelatedTo);
        }
    }
    links
}

fn relation(line: &str) -> Option<Relation> {
    let line = prose::fold(line);
    if line.contains("superseded by") || line.contains("superceded by") || line.contains("replaced by") {
        Some(Relation::SupersededBy)
    } else if line.contains("supersedes") || line.contains("supercedes") || line.contains("replaces") {
        Some(Relation::Supersedes)
    } else if line.contains("amends") || line.contains("amended by") || line.contains("clarifies") {
        Some(Relation::Elaborates)
    } else {
        None
    }
}

/// The records a line points to: by link, else by number.
fn targets(path: &str, line: &str) -> Vec<String> {
    let linked = piece::linked_files(path, line);
    if !linked.is_empty() {
        return linked;
    }
    let words = line.split(|c: char| !c.is_alphanumeric());
    let numbers = words.map(|word| strip_word(word, "adr")).filter(|word| (1..=4).contains(&word.len()));
    // A year of a date is no record: dates are taken out by their dashes.
    let dated = date::find(line).is_some();
    numbers
        .filter_map(|word| word.parse().ok())
        .take(if dated { 1 } else { 4 })
        .map(|number| numbered(path, number))
        .collect()
}
