//! Which files of a repository are documents worth learning from, told by their paths alone. It must not look inside.

/// What a document promises by its place and name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DocumentKind {
    /// An architecture decision record, or a proposal that was accepted.
    Decision,
    /// Many decisions, one a section: `DECISIONS.md`.
    DecisionLog,
    /// What people are told who work on the project.
    Contributing,
    /// Instructions to agents: `AGENTS.md`, `CLAUDE.md` and their like.
    AgentRules,
    Readme,
    /// Any other Markdown: a plan if its front matter says what it requires, provides or affects.
    Planning,
}

/// Folders whose documents speak of something else than this project.
const FOREIGN: &str = "node_modules vendor third_party third-party thirdparty target dist .git .venv venv site-packages \
    fixtures testdata test-data __snapshots__ __fixtures__ .loki bower_components snapshots _vendor vendored \
    deps";
const AGENT_FILES: &str = "agents.md agent.md claude.md gemini.md copilot-instructions.md .cursorrules .windsurfrules .clinerules \
    .goosehints warp.md qwen.md";
/// Folders that hold rules and nothing else.
const AGENT_FOLDERS: &[&str] =
    &[".cursor/rules", ".claude/rules", ".github/instructions", ".windsurf/rules", ".clinerules"];
/// Guides for those who work on the project, at the root or among its documents.
const GUIDES: &str = "hacking developer-guide styleguide style-guide style_guide coding-style code-style codestyle conventions \
    coding-conventions commit-convention ai_policy ai-policy";
/// Elsewhere these tell users how to test and develop with the product.
const GUIDES_AT_THE_ROOT: &str = "development developing testing";
const EXTENSIONS: &[&str] = &["", "md", "markdown", "rst", "txt", "adoc", "asciidoc"];

pub fn which(path: &str) -> Option<DocumentKind> {
    let written = path.rsplit('/').next().unwrap_or(path);
    let path = path.to_lowercase();
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", &path));
    let folders: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    if file.is_empty() || folders.iter().any(|name| listed(FOREIGN, name)) {
        return None;
    }
    let in_agent_folder = AGENT_FOLDERS.iter().any(|rules| format!("/{folder}/").contains(&format!("/{rules}/")));
    // `docs/agents.md` may be about agents; one for them is written large, or lies at the root.
    let shouted = written.starts_with(['.', 'c']) || !written.starts_with(char::is_lowercase) || folders.is_empty();
    if (listed(AGENT_FILES, file) && shouted) || (in_agent_folder && (file.ends_with(".md") || file.ends_with(".mdc")))
    {
        return Some(DocumentKind::AgentRules);
    }
    let (stem, extension) = file.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).unwrap_or((file, ""));
    if !EXTENSIONS.contains(&extension) {
        return None;
    }
    let name = |wanted: &str| {
        stem == wanted || stem.strip_prefix(wanted).is_some_and(|rest| rest.starts_with(['-', '_', '.']))
    };
    let markdown = matches!(extension, "md" | "markdown");
    if markdown && !name("readme") && is_decision(&folders, stem) {
        return Some(DocumentKind::Decision);
    }
    if markdown && is_decision_log(stem) {
        return Some(DocumentKind::DecisionLog);
    }
    let at_home = folders.iter().all(|name| matches!(*name, "docs" | "doc" | ".github" | "dev"));
    let guide = at_home && listed(GUIDES, stem) || folders.is_empty() && listed(GUIDES_AT_THE_ROOT, stem);
    let among_guides = folders.last().is_some_and(|name| matches!(*name, "contributing" | "contribute"));
    if name("contributing") || guide || (among_guides && !name("readme") && stem != "index") {
        return Some(DocumentKind::Contributing);
    }
    if name("readme") {
        // A translation says the same again.
        let rest = stem["readme".len()..].trim_start_matches(['-', '_', '.']);
        let language = rest.len() == 2 || rest.len() == 5 && rest.as_bytes()[2].is_ascii_punctuation();
        return (!language || rest == "en").then_some(DocumentKind::Readme);
    }
    let notes = ["changelog", "changes", "history", "news", "releases"].iter().any(|word| stem.starts_with(word));
    (markdown && !notes && !stem.contains("template")).then_some(DocumentKind::Planning)
}

fn listed(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == name)
}

fn is_decision_log(stem: &str) -> bool {
    matches!(stem, "decisions" | "decision-log" | "decision_log" | "decisionlog" | "adr" | "adrs")
        || stem.starts_with("architecture-decision")
        || stem.starts_with("architecture_decision")
}

fn is_decision(folders: &[&str], stem: &str) -> bool {
    if ["index", "template", "toc", "summary"].contains(&stem) || stem.contains("template") {
        return false;
    }
    let bare = ["adr-", "adr_", "adr", "rfc-", "rfc_", "rfc"].iter().find_map(|mark| stem.strip_prefix(mark));
    let numbered = bare.unwrap_or(stem).bytes().take_while(u8::is_ascii_digit).count() >= 2;
    let among = |names: &[&str]| folders.iter().any(|name| names.contains(name));
    let last = folders.last().copied().unwrap_or("");
    let in_docs = among(&["docs", "doc", "documentation", "architecture", "design", "."]);
    let home = ["adr", "adrs", "decisions", "decision-records", "architecture-decisions", "architecture_decisions"];
    stem.ends_with(".adr")
        || (bare.is_some() && numbered && (in_docs || folders.is_empty()))
        || (home.contains(&last) && (numbered || in_docs || folders.len() == 1))
        || (numbered && among(&["adr", "adrs", "rfcs", "rfc"]))
}

/// The folder a document speaks for: its own, without `docs` and hidden folders. Empty for the whole repository.
pub(super) fn scope(path: &str) -> String {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let speaks = folder.split('/').take_while(|name| !name.starts_with('.') && !matches!(*name, "docs" | "doc"));
    speaks.collect::<Vec<_>>().join("/")
}

/// A relative address in a document, as a path of the repository. None for addresses of the web and ways out of it.
pub(super) fn resolve(document: &str, address: &str) -> Option<String> {
    let address = address.split(['#', '?', ' ']).next().unwrap_or("");
    if address.is_empty() || address.len() > 300 || address.contains("://") || address.starts_with("mailto:") {
        return None;
    }
    let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = if address.starts_with('/') { Vec::new() } else { folder.split('/').collect() };
    for part in address.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    parts.retain(|part| !part.is_empty());
    (!parts.is_empty()).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_told_by_name_and_place() {
        use DocumentKind::*;
        for (path, expect) in [
            ("docs/adr/0007-use-tantivy.md", Some(Decision)),
            ("doc/adr/README.md", Some(Readme)),
            ("docs/adr/template.md", None),
            ("docs/decisions/use-names.md", Some(Decision)),
            ("services/pay/adr/0001-x.md", Some(Decision)),
            ("src/cache.adr.md", Some(Decision)),
            ("docs/architecture/ADR-001-runtime.md", Some(Decision)),
            ("rfcs/0012-names.md", Some(Decision)),
            ("doc/decisions/use-names.md", Some(Decision)),
            ("DECISIONS.md", Some(DecisionLog)),
            ("docs/decision-log.md", Some(DecisionLog)),
            ("CHANGELOG", None),
            ("CHANGES.rst", None),
            ("docs/style-guide.md", Some(Contributing)),
            ("docs/contributing/pull-requests.md", Some(Contributing)),
            ("TESTING.md", Some(Contributing)),
            ("docs/testing.md", Some(Planning)),
            (".github/CONTRIBUTING.md", Some(Contributing)),
            ("docs/contributing.rst", Some(Contributing)),
            ("a/b/AGENTS.md", Some(AgentRules)),
            ("CLAUDE.md", Some(AgentRules)),
            ("references/agents.md", Some(Planning)),
            (".cursorrules", Some(AgentRules)),
            (".cursor/rules/style.mdc", Some(AgentRules)),
            ("app/.github/copilot-instructions.md", Some(AgentRules)),
            ("README", Some(Readme)),
            ("Readme.adoc", Some(Readme)),
            ("README.zh-CN.md", None),
            (".planning/phases/03-x/03-02-SUMMARY.md", Some(Planning)),
            ("node_modules/x/README.md", None),
            ("src/readme.rs", None),
            ("", None),
            ("docs/", None),
        ] {
            assert_eq!(which(path), expect, "{path}");
        }
    }

    #[test]
    fn a_document_speaks_for_its_folder_but_hidden_folders_speak_for_the_one_above() {
        let check = |path: &str, expect: &str| assert_eq!(scope(path), expect, "{path}");
        check("AGENTS.md", "");
        check("crates/core/AGENTS.md", "crates/core");
        check("web/.cursor/rules/a.mdc", "web");
        check("docs/contributing.rst", "");
    }

    #[test]
    fn links_are_followed_inside_the_repository_only() {
        assert_eq!(resolve("docs/adr/1.md", "../x.md#part").as_deref(), Some("docs/x.md"));
        assert_eq!(resolve("a.md", "../../etc/passwd"), None);
        assert_eq!(resolve("a.md", "https://x.y"), None);
    }
}
