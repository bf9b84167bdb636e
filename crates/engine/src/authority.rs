//! Whose word counts here. A file of the repository may say that it is a mandate and that the user said so; whoever
//! cloned or pulled it said nothing of the kind. Such a record is reference until the user of this machine confirms it,
//! or until it turns out that it was written here.
//!
//! Confirmations stand in a book in the user's own data directory, never in the repository, and each is bound to the
//! words that were confirmed: other words are another matter. [`Authority::weigh`] is the one place where a claim
//! becomes a tier; everything that enters the writer's state from files goes through it.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

use lokid_manage::plan::{Phase, Proposal};
use lokid_model::memory::Claim;
use lokid_model::{Archived, Body, Change, Key, Memory, MemoryId, Namespace, Source, Tier, Timestamp, lengths};
use lokid_store::schema::{Detail, record};
use lokid_sys::Disk;
use lokid_team::Endorsement;

const FILE: &str = "authority.ndjson";
const LARGEST: u64 = 256 << 20;

/// Tells one wording from another.
type Print = String;

pub(super) struct Authority {
    folder: PathBuf,
    read_only: bool,
    /// The project was known before there was a book: what stands in it counts as confirmed, once.
    adopts: bool,
    /// Who the user of this machine is in the team of the project.
    me: Option<String>,
    /// What each wording of a memory may be.
    granted: HashMap<Key, BTreeMap<Print, Grant>>,
}

#[derive(Clone, Copy)]
struct Grant {
    claim: Claim,
    /// As much as it ever was.
    highest: Tier,
    /// A promoter of the team said so, and nobody here.
    by_team: bool,
}

impl Authority {
    /// `folder` is the project's own in the user's data directory. A book that cannot be read confirms nothing.
    pub(super) fn open(folder: PathBuf, read_only: bool, is_known: bool) -> Authority {
        let mut authority = Authority { folder, read_only, adopts: false, me: None, granted: HashMap::new() };
        match authority.read() {
            Ok(Some(text)) => {
                text.lines().filter_map(|line| serde_json::from_str(line).ok()).for_each(|line: Value| {
                    if authority.take(&line).is_none() {
                        tracing::warn!(path = FILE, "a confirmation that is not understood counts for nothing");
                    }
                })
            }
            Ok(None) => authority.adopts = is_known && !read_only,
            Err(error) => {
                tracing::error!(path = FILE, reason = %error, "confirmations cannot be read, so nothing is confirmed");
            }
        }
        authority
    }

    fn read(&self) -> io::Result<Option<String>> {
        let disk = match Disk::open(&self.folder) {
            Ok(disk) => disk,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        if disk.stamp(FILE)?.is_none() {
            return Ok(None);
        }
        disk.read(FILE, LARGEST).map(|bytes| Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn take(&mut self, line: &Value) -> Option<()> {
        let text = |name: &str| line.get(name).and_then(Value::as_str);
        let key = Key { namespace: Namespace::new(text("namespace")?)?, id: MemoryId::foreign(text("id")?)? };
        let by_team = line.get("by").is_some();
        if line.get("revoked").and_then(Value::as_bool) == Some(true) {
            match self.granted.get_mut(&key) {
                Some(wordings) if by_team => wordings.retain(|_, grant| !grant.by_team),
                _ => drop(self.granted.remove(&key)),
            }
            return Some(());
        }
        let claim = Claim { tier: Tier::parse(text("tier")?)?, source: Source::parse(text("source")?)? };
        let wordings = self.granted.entry(key).or_default();
        let grant = wordings.entry(text("print")?.to_owned()).or_insert(Grant { claim, highest: claim.tier, by_team });
        *grant = Grant { claim, highest: grant.highest.min(claim.tier), by_team: grant.by_team && by_team };
        Some(())
    }

    /// Durable when this returns. An empty book says that there is one.
    fn write(&mut self, lines: Vec<Value>) -> io::Result<()> {
        if self.read_only {
            return Err(io::Error::new(io::ErrorKind::ReadOnlyFilesystem, "opened for reading: another lokid owns it"));
        }
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        Disk::create(&self.folder)?.append(FILE, text.as_bytes())?;
        for line in &lines {
            self.take(line);
        }
        Ok(())
    }

    /// The memory with as much authority as it has here. `floor` is what its place gives without anybody's word.
    pub(super) fn weigh(&self, memory: &Arc<Memory>, floor: Tier) -> Arc<Memory> {
        let claim = memory.claimed();
        let is_foreign = self.me.as_deref().is_some_and(|me| memory.author().is_some_and(|author| author != me));
        let asks = (asks_for_more(claim, floor) || is_foreign) && is_shared(memory);
        let granted = asks.then(|| self.granted(memory)).flatten();
        let allowed = granted.map(|granted| granted.claim).unwrap_or(Claim { tier: floor, source: Source::Import });
        let tier = if asks { claim.tier.max(allowed.tier.min(floor)) } else { claim.tier };
        // The word of others is hearsay here, whoever told it to them.
        let is_theirs = asks && (claim.source == Source::User || is_foreign) && allowed.source != claim.source;
        let source = if is_theirs { Source::Import } else { claim.source };
        let open = (claim != Claim { tier, source }).then_some(claim);
        if (memory.tier, memory.source, memory.claim) == (tier, source, open) {
            return Arc::clone(memory);
        }
        let mut weighed = memory.as_ref().clone();
        (weighed.tier, weighed.source, weighed.claim) = (tier, source, open);
        Arc::new(weighed)
    }

    /// The same for whatever was seen in files.
    pub(super) fn weigh_all(&self, seen: &mut [Change]) {
        let weigh = |memory: &mut Arc<Memory>| *memory = self.weigh(memory, Tier::Reference);
        let entry = |entry: &mut Arc<Archived>| {
            let weighed = self.weigh(&entry.memory, Tier::Reference);
            if !Arc::ptr_eq(&weighed, &entry.memory) {
                Arc::make_mut(entry).memory = weighed;
            }
        };
        for change in seen {
            match change {
                Change::Put { after, .. } => weigh(after),
                Change::Archive(archived) | Change::Restore(archived) => entry(archived),
                _ => {}
            }
        }
    }

    /// What is about to be written here is what it says it is, from now on.
    pub(super) fn witness(&mut self, changes: &[Change], now: Timestamp) -> io::Result<()> {
        self.renew(changes, now)?;
        let written = changes.iter().filter_map(Change::memory).filter(|memory| memory.claim.is_none());
        self.confirm(written, now).map(drop)
    }

    /// A night that writes shorter lengths changes nothing of what was granted for the words they are made from.
    fn renew(&mut self, changes: &[Change], now: Timestamp) -> io::Result<()> {
        let bare = |memory: &Memory| {
            let mut bare = memory.clone();
            lengths::drop_made(&mut bare);
            print(&bare)
        };
        let renewed = changes.iter().filter_map(|change| {
            let Change::Put { before: Some(before), after } = change else { return None };
            let grant = after.claim.and_then(|_| self.granted(before))?;
            let (old, new) = (print(before), print(after));
            let mut line =
                (old != new && bare(before) == bare(after)).then(|| line_of(after, grant.claim, &new, now))?;
            if grant.by_team {
                line["by"] = "team".into();
            }
            Some(line)
        });
        let renewed: Vec<Value> = renewed.collect();
        if renewed.is_empty() { Ok(()) } else { self.write(renewed) }
    }

    /// Somebody read these and wants them to be what they ask to be.
    pub(super) fn confirm<'a>(
        &mut self,
        memories: impl Iterator<Item = &'a Arc<Memory>>,
        now: Timestamp,
    ) -> io::Result<usize> {
        let news = |memory: &'a Arc<Memory>| {
            let (claim, known) = (memory.claimed(), self.granted.get(&memory.key()));
            let asks = asks_for_more(claim, Tier::Reference);
            let print = (is_shared(memory) && (asks || known.is_some())).then(|| print(memory))?;
            // Less than was granted is worth a line, too: it must not come back with a pull.
            let is_news = known.and_then(|known| known.get(&print)).map_or(asks, |known| known.claim != claim);
            is_news.then(|| line_of(memory, claim, &print, now))
        };
        let lines: Vec<Value> = memories.filter_map(news).collect();
        let many = lines.len();
        if many > 0 {
            self.write(lines)?;
        }
        Ok(many)
    }

    /// The project is in a team, where the user of this machine is called so.
    pub(super) fn is_member(&mut self, me: Option<&str>) {
        self.me = me.map(str::to_owned);
    }

    /// A promoter of the team wants these words to be what they ask to be.
    pub(super) fn endorse(&mut self, key: &Key, endorsed: &Endorsement, now: Timestamp) -> io::Result<()> {
        let known = self.granted.get(key).and_then(|wordings| wordings.get(&endorsed.print));
        let Some(tier) = Tier::parse(&endorsed.tier) else { return Ok(()) };
        if known.is_some_and(|known| known.claim.tier <= tier) {
            return Ok(());
        }
        self.write(vec![json!({
            "id": key.id.as_str(), "namespace": key.namespace.as_str(), "print": endorsed.print,
            "tier": tier.as_str(), "source": Source::Import.as_str(), "by": endorsed.by, "at": now.record_style(),
        })])
    }

    /// The team takes back what it said; what the user of this machine said stays.
    pub(super) fn demote(&mut self, key: &Key, now: Timestamp) -> io::Result<()> {
        let is_known = self.granted.get(key).is_some_and(|wordings| wordings.values().any(|grant| grant.by_team));
        let (id, namespace, at) = (key.id.as_str(), key.namespace.as_str(), now.record_style());
        let line = json!({"id": id, "namespace": namespace, "revoked": true, "by": "team", "at": at});
        if is_known { self.write(vec![line]) } else { Ok(()) }
    }

    fn granted(&self, memory: &Memory) -> Option<Grant> {
        self.granted.get(&memory.key())?.get(&print(memory)).copied()
    }

    /// A night gives back the tier that a doubt had taken, and where it reads that tier is a note in the record, which may
    /// be anybody's: only what it once was here it becomes again.
    pub(super) fn hold_back(&self, proposal: &mut Proposal) {
        for change in proposal.changes.iter_mut().filter(|_| proposal.phase == Phase::Stale) {
            let Change::Put { before: Some(before), after } = change else { continue };
            let was = || self.granted(after).is_some_and(|granted| granted.highest <= after.tier);
            if after.tier < before.tier && is_shared(after) && !was() {
                let after = Arc::make_mut(after);
                (after.tier, after.claim) = (before.tier, before.claim);
            }
        }
    }

    /// From now on these are what their place makes of them.
    pub(super) fn revoke(&mut self, keys: &[Key], now: Timestamp) -> io::Result<()> {
        let known = keys.iter().filter(|key| self.granted.contains_key(*key));
        let lines = known.map(|key| {
            json!({"id": key.id.as_str(), "namespace": key.namespace.as_str(), "revoked": true, "at": now.record_style()})
        });
        let lines: Vec<Value> = lines.collect();
        if lines.is_empty() { Ok(()) } else { self.write(lines) }
    }

    /// Opens the book of a project that has none. What it holds is the user's own where they had it before there were
    /// books; whatever comes with a project that is new is not.
    pub(super) fn begin(&mut self, seen: &[Change], now: Timestamp) {
        let adopts = std::mem::take(&mut self.adopts);
        if self.read_only || !adopts {
            return;
        }
        let begun = self.write(Vec::new()).and_then(|()| self.confirm(seen.iter().filter_map(Change::memory), now));
        match begun {
            Ok(many) => tracing::info!(
                folder = %self.folder.display(),
                records = many,
                "memories of a project that was known before are taken as confirmed, once"
            ),
            Err(error) => tracing::error!(reason = %error, "confirmations cannot be written"),
        }
    }
}

pub(super) fn asks_for_more(claim: Claim, floor: Tier) -> bool {
    claim.tier < floor || claim.source == Source::User
}

/// All else stands in the user's own directory, where nobody else writes.
fn is_shared(memory: &Memory) -> bool {
    memory.scope.is_shared()
}

fn line_of(memory: &Memory, claim: Claim, print: &str, now: Timestamp) -> Value {
    json!({
        "id": memory.id.as_str(),
        "namespace": memory.namespace.as_str(),
        "print": print,
        "tier": claim.tier.as_str(),
        "source": claim.source.as_str(),
        "at": now.record_style(),
    })
}

/// Everything of a memory that is read as its words, and nothing that changes while it is used.
pub(super) fn print(memory: &Memory) -> Print {
    let mut words = Memory::new(memory.id.clone(), memory.kind, memory.text.clone(), Timestamp::default());
    (words.namespace, words.title) = (memory.namespace.clone(), memory.title.clone());
    (words.shorter, words.body) = (memory.shorter.clone(), memory.body.clone());
    let mut words = lokid_store::as_read_back(&words).as_ref().clone();
    words.extra = None;
    if let Body::Pattern(pattern) = &mut words.body {
        pattern.source_episodes.clear();
    }
    let written = Value::Object(record::write(&words, Detail::Lean)).to_string();
    blake3::hash(written.as_bytes()).to_hex()[..32].to_owned()
}
