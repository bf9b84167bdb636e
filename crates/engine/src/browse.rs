//! The files of a project for whoever looks around: folder by folder, how much is known of each and how much goes on there;
//! and of one file everything at once. It only reads.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::error::EngineError;
use super::past::PastKnown;
use super::recall::Recall;
use super::trees;
use super::why::{WhyCommit, told};
use lokid_encode::commits::{cause, mends};
use lokid_index::places::plain_path;
use lokid_index::roster::Filter;
use lokid_model::{Body, Commit, Memory, Namespace};
use lokid_sys::kept;

/// Commits of one file that are gone through for fixes and for what changed with it.
const MOST_COMMITS: usize = 500;
const MOST_MEMORIES: usize = 200;
const MOST_PARTNERS: usize = 12;
const MOST_FIXES: usize = 20;
const MOST_ERRORS: usize = 20;
const MOST_NAMES: usize = 40;

/// A file or a folder that stands directly in another.
#[derive(Clone, Debug, PartialEq)]
pub struct FolderEntry {
    pub path: String,
    pub is_folder: bool,
    /// Those anchored to it, or to anything below it.
    pub memories: usize,
    /// Of all files below it.
    pub commits: u64,
    pub fixes: u64,
    /// From 0 to 1, the hottest file of the project; a folder is as hot as the hottest file in it.
    pub heat: f64,
}

#[derive(Clone, Debug, Default)]
pub struct AboutFile {
    pub path: String,
    pub is_there: bool,
    /// What it is called by now.
    pub today: Option<String>,
    /// Newest first, what was told before what the repository taught by itself.
    pub memories: Vec<Arc<Memory>>,
    /// All of them.
    pub memories_count: usize,
    /// Those of them that tell of an error and its fix.
    pub errors: Vec<Arc<Memory>>,
    pub partners: Vec<FilePartner>,
    /// Newest first; their reason is what went wrong.
    pub fixes: Vec<WhyCommit>,
    pub commits: u32,
    pub fixes_count: u32,
    pub heat: f64,
    pub imports: Vec<String>,
    pub imported_by: Vec<String>,
    pub defines: Vec<String>,
}

/// A file that changes with another.
#[derive(Clone, Debug)]
pub struct FilePartner {
    pub path: String,
    pub together: u32,
    pub score: f64,
    /// The subject of the newest commit that changed both.
    pub why: Option<String>,
}

impl Recall {
    /// What stands directly in a folder, folders first; the empty path is the top. Nothing when there is no such folder.
    pub fn folder(&self, path: &str, namespace: &Namespace) -> Result<Option<Vec<FolderEntry>>, EngineError> {
        let folder = self.path_named(path)?;
        let known = self.repository.known();
        let most = known.cochange.most_unrest();
        let files = trees::tracked_files(&self.env);
        if files.binary_search(&folder).is_ok() {
            return Err(invalid(format!("{folder:?} is a file")));
        }
        let mut entries: BTreeMap<&str, FolderEntry> = BTreeMap::new();
        for file in &files {
            let Some(child) = child_of(&folder, file) else { continue };
            let entry = entries.entry(child).or_insert_with(|| FolderEntry::new(child, file));
            entry.count(&known, file, most);
        }
        let snapshot = self.writer.snapshot();
        let filter = Filter::new(namespace.clone(), self.env.clock.now());
        for memory in snapshot.memories().filter(|memory| filter.admits(memory)) {
            let files = memory.anchors.files.iter().map(|file| plain_path(file));
            let mut children: Vec<(&str, &str)> =
                files.filter_map(|file| Some((child_of(&folder, file)?, file))).collect();
            children.sort_unstable();
            children.dedup_by_key(|(child, _)| *child);
            for (child, file) in children {
                // What git does not keep is shown as well, where somebody remembers something of it.
                if entries.contains_key(child) || kept::is_inside(&self.env.root, file) {
                    entries.entry(child).or_insert_with(|| FolderEntry::new(child, file)).memories += 1;
                }
            }
        }
        let mut entries: Vec<FolderEntry> = entries.into_values().collect();
        entries.retain(|entry| self.env.redaction.is_clean(&entry.path));
        entries.sort_by(|one, other| other.is_folder.cmp(&one.is_folder).then_with(|| one.path.cmp(&other.path)));
        Ok((folder.is_empty() || !entries.is_empty()).then_some(entries))
    }

    /// Everything about one file. Nothing when nobody has heard of it.
    pub fn about_file(&self, path: &str, namespace: &Namespace) -> Result<Option<AboutFile>, EngineError> {
        let path = self.path_named(path)?;
        if path.is_empty() {
            return Err(invalid("is required".to_owned()));
        }
        let is_there = kept::is_inside(&self.env.root, &path);
        if is_there && kept::standing(&self.env.root.join(&path)).is_none() {
            return Err(invalid(format!("{path:?} is no file")));
        }
        let known = self.repository.known();
        let mut about = AboutFile { is_there, ..AboutFile::default() };
        self.add_memories(&mut about, &path, namespace);
        if let Some(place) = known.cochange.find(&path) {
            (about.commits, about.fixes_count) = known.cochange.counts(place);
            about.heat = share(known.cochange.unrest(place), known.cochange.most_unrest());
        }
        if !is_there && about.memories.is_empty() && about.commits == 0 {
            return Ok(None);
        }
        about.today = known.cochange.name_today(&path).filter(|today| *today != path).map(str::to_owned);
        self.add_history(&mut about, &path, &known);
        let code = self.repository.code();
        let own = code.get(&path);
        let cut = |names: Vec<&str>| names.into_iter().take(MOST_NAMES).map(str::to_owned).collect();
        about.imports = cut(own.map(|file| file.imports.iter().map(String::as_str).collect()).unwrap_or_default());
        about.imported_by = cut(code.importers(&path));
        about.defines =
            cut(own.map(|file| file.symbols.iter().map(|one| one.name.as_str()).collect()).unwrap_or_default());
        about.path = path;
        Ok(Some(about))
    }

    fn add_memories(&self, about: &mut AboutFile, path: &str, namespace: &Namespace) {
        let snapshot = self.writer.snapshot();
        let filter = Filter::new(namespace.clone(), self.env.clock.now());
        let mut memories: Vec<Arc<Memory>> =
            snapshot.anchored_to(path).filter(|memory| filter.admits(memory)).cloned().collect();
        // They come newest first.
        memories.sort_by_key(|memory| snapshot.is_derived(&memory.key()));
        let has_fix = |memory: &Memory| matches!(&memory.body, Body::Learning(learning) if !learning.fix.is_empty());
        about.errors = memories.iter().filter(|memory| has_fix(memory)).take(MOST_ERRORS).cloned().collect();
        about.memories_count = memories.len();
        memories.truncate(MOST_MEMORIES);
        about.memories = memories;
    }

    fn add_history(&self, about: &mut AboutFile, path: &str, known: &PastKnown) {
        let names = known.cochange.all_names(path);
        let commits = known.commits.as_deref().filter(|_| !names.is_empty());
        let commits = commits.map(|commits| commits.touching(&names, MOST_COMMITS)).unwrap_or_default();
        let fixes = commits.iter().filter(|commit| mends(commit, path));
        about.fixes = fixes.filter_map(|commit| told(commit, "", cause)).take(MOST_FIXES).collect();
        let changed =
            |commit: &&Commit, names: &[&str]| commit.files.iter().any(|file| names.contains(&file.path.as_str()));
        for partner in known.cochange.partners(path, self.env.clock.now(), MOST_PARTNERS) {
            let names = known.cochange.all_names(partner.path);
            let both = commits.iter().find(|commit| changed(commit, &names));
            about.partners.push(FilePartner {
                path: partner.path.to_owned(),
                together: partner.times,
                score: share(partner.score, 1.0),
                why: both.map(|commit| commit.subject.clone()),
            });
        }
    }

    /// A path as memories name it. One that leads out of the working tree is refused.
    fn path_named(&self, path: &str) -> Result<String, EngineError> {
        let inside = self.repository.inside(path);
        let inside = inside.trim_end_matches('/');
        let is_plain = |name: &str| !matches!(name, "" | "." | "..") && !name.contains('\0');
        if inside.is_empty() || inside == "." {
            return Ok(String::new());
        }
        if inside.split('/').all(is_plain) {
            return Ok(inside.to_owned());
        }
        Err(invalid(format!("{path:?} does not lie in the working tree")))
    }
}

impl FolderEntry {
    /// `child` is the beginning of `file`, or all of it.
    fn new(child: &str, file: &str) -> FolderEntry {
        FolderEntry {
            path: child.to_owned(),
            is_folder: child.len() < file.len(),
            memories: 0,
            commits: 0,
            fixes: 0,
            heat: 0.0,
        }
    }

    fn count(&mut self, known: &PastKnown, file: &str, most_unrest: f64) {
        let Some(place) = known.cochange.find(file) else { return };
        let (commits, fixes) = known.cochange.counts(place);
        self.commits += u64::from(commits);
        self.fixes += u64::from(fixes);
        self.heat = self.heat.max(share(known.cochange.unrest(place), most_unrest));
    }

    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }
}

/// The path of what stands directly in a folder and is the file, or holds it.
fn child_of<'f>(folder: &str, file: &'f str) -> Option<&'f str> {
    let start = if folder.is_empty() { 0 } else { folder.len() + 1 };
    let rest = file.strip_prefix(folder)?;
    let rest = if folder.is_empty() { rest } else { rest.strip_prefix('/')? };
    let end = start + rest.find('/').unwrap_or(rest.len());
    (end > start).then(|| &file[..end])
}

/// To the thousandth.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole * 1000.0).round() / 1000.0 } else { 0.0 }
}

fn invalid(reason: String) -> EngineError {
    EngineError::Invalid { field: "path", reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_stands_directly_in_its_folder() {
        for (folder, file, child) in [
            ("", "README.md", Some("README.md")),
            ("", "src/serve/app.rs", Some("src")),
            ("src", "src/serve/app.rs", Some("src/serve")),
            ("src/serve", "src/serve/app.rs", Some("src/serve/app.rs")),
            ("src", "srcs/a.rs", None),
            ("src", "src", None),
            ("src", "src/", None),
            ("", "", None),
            ("", "/etc/passwd", None),
        ] {
            assert_eq!(child_of(folder, file), child, "{folder:?} {file:?}");
        }
    }
}
