//! `lokid redact`: words that match a pattern made unreadable. It tells what matches, and does it when told to.

use serde_json::{Value, json};

use super::args::Redact;
use super::ask::{self, Ask};
use super::failure::Done;
use super::reach::Reach;
use super::screen::Screen;
use super::settings::Settings;
use super::words;
use lokid_mirror::KeyKind;

/// The counts of an answer, and what one and several of each are called.
const PLACES: [(&str, &str, &str); 6] = [
    ("memories", "memory", "memories"),
    ("archived", "archived memory", "archived memories"),
    ("documents", "ledger or handoff", "ledgers and handoffs"),
    ("history", "earlier wording", "earlier wordings"),
    ("changes", "line of the log of changes", "lines of the log of changes"),
    ("derived", "memory of the repository itself", "memories of the repository itself"),
];

/// A pass that replaced current contents made new versions: another one sees whether any is left.
const MOST_PASSES: usize = 4;

pub(super) fn run(redact: &Redact, settings: &Settings, screen: &mut Screen) -> Done {
    let daemon = Reach::daemon(settings)?;
    if redact.scope != "managed" {
        here(redact, &daemon, settings, screen)?;
    }
    if redact.scope != "local" {
        there(redact, &daemon, settings, screen)?;
        if redact.scope == "managed" {
            screen.note("memories on this machine that match may bring it back there: --scope all");
        }
        return Ok(());
    }
    if settings.config.managed.uses_network() {
        screen.note("the memory stores were not looked at: --scope all does");
    }
    Ok(())
}

fn here(redact: &Redact, daemon: &Reach, settings: &Settings, screen: &mut Screen) -> Done {
    let ask = Ask::post("/memories/redact")
        .project(settings)
        .field("pattern", redact.pattern.as_str())
        .maybe_field("namespace", redact.namespace.as_deref())
        .maybe_field("reason", redact.reason.as_deref())
        .field("dry_run", !redact.yes);
    let Some(told) = daemon.told(&ask, settings, screen)? else { return Ok(()) };
    screen.table(&ask::list(&told, "redacted").iter().map(row).collect::<Vec<_>>())?;
    let counts = counts(&told);
    if counts.is_empty() {
        screen.note("nothing matches");
    } else if redact.yes {
        screen.line(format!("made unreadable: {counts}"))?;
    } else {
        screen.line(format!("matches: {counts}"))?;
        screen.note("nothing was changed: add --yes to make it unreadable for good");
    }
    if told["derived"].as_u64() > Some(0) {
        screen.note("what the repository itself says is no longer remembered, but stands there as before");
    }
    Ok(())
}

/// The stores' versions, page after page. Whoever ends it in between finds what is done done, and goes on another time.
fn there(redact: &Redact, daemon: &Reach, settings: &Settings, screen: &mut Screen) -> Done {
    let managed = &settings.config.managed;
    for (store, id) in [("user", &managed.user_store), ("org", &managed.org_store)] {
        if store == "org" && (id.is_none() || KeyKind::Organisation.read(managed).is_err()) {
            screen.note("the organisation's store was not looked at: it takes the organisation's own key");
            continue;
        }
        let mut all = Pages::default();
        for _ in 0..MOST_PASSES {
            let replaced = all.replaced;
            pass(redact, daemon, settings, store, &mut all, screen)?;
            if all.replaced == replaced {
                break;
            }
        }
        if settings.json {
            screen.line(all.json(store, !redact.yes).to_string())?;
        } else {
            let versions = words::count(all.versions, "version", "versions");
            let matched = if redact.yes { all.redacted } else { all.matched };
            let verb = if redact.yes { "made unreadable" } else { "match" };
            screen.line(format!("{store} store: {versions}, {} {verb}", words::number(matched)))?;
        }
        if all.named > 0 {
            screen
                .note(format!("{} whose path matches: the path stays", words::count(all.named, "memory", "memories")));
        }
    }
    Ok(())
}

fn pass(
    redact: &Redact,
    daemon: &Reach,
    settings: &Settings,
    store: &str,
    all: &mut Pages,
    screen: &mut Screen,
) -> Done {
    let mut page: Option<String> = None;
    (all.versions, all.matched, all.named) = (0, 0, 0);
    loop {
        let ask = Ask::post("/managed/redact")
            .project(settings)
            .field("store", store)
            .field("pattern", redact.pattern.as_str())
            .field("dry_run", !redact.yes)
            .maybe_field("page", page.as_deref());
        let told = ask::json(&daemon.ask(&ask)?)?;
        all.add(&told);
        page = told["next_page"].as_str().map(str::to_owned);
        if page.is_none() {
            return Ok(());
        }
        screen.note(format!("{store} store: looked at {} so far", words::count(all.versions, "version", "versions")));
    }
}

/// What several pages say together.
#[derive(Default)]
struct Pages {
    versions: u64,
    matched: u64,
    redacted: u64,
    replaced: u64,
    named: u64,
}

impl Pages {
    fn add(&mut self, page: &Value) {
        for (name, sum) in [
            ("versions", &mut self.versions),
            ("matched", &mut self.matched),
            ("redacted", &mut self.redacted),
            ("replaced", &mut self.replaced),
            ("named", &mut self.named),
        ] {
            *sum += page[name].as_u64().unwrap_or(0);
        }
    }

    fn json(&self, store: &str, dry_run: bool) -> Value {
        json!({"store": store, "dry_run": dry_run, "versions": self.versions, "matched": self.matched,
            "redacted": self.redacted, "replaced": self.replaced, "named": self.named})
    }
}

fn counts(told: &Value) -> String {
    let many = |name: &str| told[name].as_u64().unwrap_or(0);
    let places = PLACES.iter().filter(|(name, ..)| many(name) > 0);
    places.map(|(name, one, more)| words::count(many(name), one, more)).collect::<Vec<_>>().join(", ")
}

fn row(memory: &Value) -> Vec<String> {
    let places = words::count(memory["places"].as_u64().unwrap_or(0), "place", "places");
    let new = memory["replaced_by"].as_str().map(|id| format!("-> {id}")).unwrap_or_default();
    vec![words::field(memory, "id"), places, words::brief(&words::field(memory, "title"), 80), new]
}
