//! Which file each memory lives in, and which files of a store hold memories at all.

use std::path::{Path, PathBuf};

use super::schema::{Shape, skill_text};
use lokid_model::{Body, Kind, Memory, Namespace, Scope, Source, Timestamp};
use lokid_sys::Disk;

/// The trees a project's memory stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Area {
    /// `.loki/memory/` of the repository.
    Shared,
    /// The user's own data directory, which never reaches the repository.
    Private,
    /// Beside it, one for all projects of the user: other projects, and other processes, write there too.
    System,
}

impl Area {
    pub(super) const ALL: [Area; 3] = [Area::Shared, Area::Private, Area::System];

    pub(super) fn of(memory: &Memory) -> Area {
        Area::of_scope(memory.scope)
    }

    pub(super) fn of_scope(scope: Scope) -> Area {
        match scope {
            Scope::ProjectShared => Area::Shared,
            Scope::UserPrivate => Area::Private,
            Scope::System => Area::System,
        }
    }

    pub(super) fn scope(self) -> Scope {
        match self {
            Area::Shared => Scope::ProjectShared,
            Area::Private => Scope::UserPrivate,
            Area::System => Scope::System,
        }
    }
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Role {
    Memories(Shape),
    Links,
    Contradictions,
    Tombstones,
    Archive,
    Sidecar,
}

/// One file of the store.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct FileId {
    pub(super) area: Area,
    pub(super) path: PathBuf,
    pub(super) namespace: Namespace,
    pub(super) role: Role,
}

impl FileId {
    pub(super) fn new(area: Area, namespace: &Namespace, role: Role, path: impl AsRef<Path>) -> FileId {
        let base = if namespace.is_default() { PathBuf::new() } else { PathBuf::from(namespace.as_str()) };
        FileId { area, namespace: namespace.clone(), role, path: base.join(path) }
    }

    /// How the file is named to a person.
    pub(super) fn label(&self) -> String {
        match self.area {
            Area::Shared => self.path.display().to_string(),
            Area::Private => format!("private/{}", self.path.display()),
            Area::System => format!("system/{}", self.path.display()),
        }
    }
}

/// The list a document of this role keeps its entries under.
pub(super) fn list_field(role: Role) -> &'static str {
    match role {
        Role::Memories(Shape::Patterns) => "patterns",
        Role::Memories(Shape::AntiPatterns) => "anti_patterns",
        Role::Memories(Shape::Facts) => "facts",
        Role::Memories(Shape::Learnings) => "learnings",
        Role::Links => "links",
        Role::Contradictions => "contradictions",
        Role::Tombstones => "tombstones",
        Role::Sidecar => "patterns",
        Role::Memories(Shape::Episode | Shape::Skill | Shape::Notes) | Role::Archive => "",
    }
}

/// Documents only lokid writes are sorted by id, so that two branches seldom touch the same lines.
pub(super) fn is_sorted(role: Role) -> bool {
    !matches!(role, Role::Memories(Shape::Patterns | Shape::AntiPatterns))
}

/// Where a new memory is put.
///
/// Loki Mode's own kinds go where it looks for them. Everything else, what is the user's own, and bulk text brought in from
/// elsewhere becomes lines of `notes/`: a hundred thousand memories must not mean a hundred thousand files.
pub(super) fn home(memory: &Memory, writer: &str) -> FileId {
    let area = Area::of(memory);
    let file = |shape, path: String| FileId::new(area, &memory.namespace, Role::Memories(shape), path);
    if area != Area::Shared {
        return notes(memory, writer);
    }
    match memory.kind {
        Kind::Episode if memory.source == Source::Import && memory.body == Body::None => notes(memory, writer),
        Kind::Episode => {
            let day = memory.times.created_at.day();
            file(Shape::Episode, format!("episodic/{day}/task-{}.json", file_stem(memory)))
        }
        Kind::Pattern => file(Shape::Patterns, "semantic/patterns.json".to_owned()),
        Kind::AntiPattern => file(Shape::AntiPatterns, "semantic/anti-patterns.json".to_owned()),
        Kind::Fact => file(Shape::Facts, "semantic/facts.json".to_owned()),
        Kind::Skill => file(Shape::Skill, format!("skills/{}.json", skill_slug(memory))),
        Kind::Learning if matches!(memory.body, Body::Learning(_)) => {
            file(Shape::Learnings, format!("learnings/{}.json", memory.times.created_at.day()))
        }
        Kind::Learning | Kind::Decision | Kind::Workflow | Kind::CodePattern | Kind::Note => notes(memory, writer),
    }
}

/// The place beside a home that is taken.
pub(super) fn spare(home: &FileId, memory: &Memory) -> FileId {
    let hash = blake3::hash(memory.id.as_str().as_bytes()).to_hex();
    let stem = home.path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("memory");
    let path = home.path.with_file_name(format!("{stem}-{}.json", &hash[..8]));
    FileId { path, ..home.clone() }
}

/// The lines any kind can live in. Each machine writes its own file, so git never has two sides to merge.
pub(super) fn notes(memory: &Memory, writer: &str) -> FileId {
    notes_of(Area::of(memory), &memory.namespace, memory.times.updated_at, writer)
}

pub(super) fn notes_of(area: Area, namespace: &Namespace, at: Timestamp, writer: &str) -> FileId {
    FileId::new(area, namespace, Role::Memories(Shape::Notes), format!("notes/{}.{writer}.ndjson", at.month()))
}

/// As Loki Mode spells an id in a file name, so that it finds the episode by it.
fn file_stem(memory: &Memory) -> String {
    memory.id.as_str().replace(['.', ':'], "_")
}

/// The id carries the slug where it can, so that two skills never share a file.
fn skill_slug(memory: &Memory) -> String {
    let id = memory.id.as_str();
    skill_text::slug(id.strip_prefix("skill-").unwrap_or(id))
}

/// A list of ours goes on in a second document once the first is full, and so on.
pub(super) fn volume(area: Area, namespace: &Namespace, role: Role, number: usize) -> FileId {
    let list = list_field(role);
    let name = if number == 1 { format!("semantic/{list}.json") } else { format!("semantic/{list}-{number}.json") };
    FileId::new(area, namespace, role, name)
}

fn volume_role(name: &str) -> Option<Role> {
    let stem = name.strip_suffix(".json")?;
    let list = stem.trim_end_matches(|digit: char| digit.is_ascii_digit());
    let list = if list.len() < stem.len() { list.strip_suffix('-')? } else { list };
    [Role::Links, Role::Contradictions].into_iter().find(|role| list_field(*role) == list)
}

pub(super) fn tombstones(area: Area, namespace: &Namespace) -> FileId {
    FileId::new(area, namespace, Role::Tombstones, "archive/tombstones.json")
}

pub(super) fn archive(area: Area, namespace: &Namespace, at: Timestamp, writer: &str) -> FileId {
    FileId::new(area, namespace, Role::Archive, format!("archive/{}.{writer}.ndjson", at.month()))
}

/// Where what lokid adds to Loki Mode's patterns is kept a second time. A folder with a dot is looked into by no
/// reader of Loki Mode's.
pub(super) fn sidecar(namespace: &Namespace) -> FileId {
    FileId::new(Area::Shared, namespace, Role::Sidecar, ".lokid/patterns.json")
}

/// The file beside a document that Loki Mode's protocol locks.
pub(super) fn lock_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    PathBuf::from(name)
}

/// The Markdown of a skill stands beside its JSON, by the same name or, where Loki Mode spelled the name its own way, by
/// the slug of it.
pub(super) fn skill_markdown(disk: &Disk, json: &Path) -> PathBuf {
    let same = json.with_extension("md");
    let Some(slug) = skill_name(json) else { return same };
    if matches!(disk.stamp(&same), Ok(None)) { json.with_file_name(format!("{slug}.md")) } else { same }
}

/// What makes two files of skills the same skill. Names that have no slug of their own are only like themselves.
pub(super) fn skill_name(path: &Path) -> Option<String> {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).filter(|stem| stem.is_ascii())?;
    Some(skill_text::slug(stem))
}

/// What a name in one of the store's folders is, if it is anything of ours.
pub(super) fn role_in(folder: &str, name: &str) -> Option<Role> {
    if name.starts_with('.') || name.ends_with(".lock") {
        return None;
    }
    let json = name.ends_with(".json");
    let lines = name.ends_with(".ndjson");
    Some(match folder {
        "semantic" => match name {
            "patterns.json" => Role::Memories(Shape::Patterns),
            "anti-patterns.json" => Role::Memories(Shape::AntiPatterns),
            "facts.json" => Role::Memories(Shape::Facts),
            _ => return volume_role(name),
        },
        "episodic" if json => Role::Memories(Shape::Episode),
        "skills" if json || name.ends_with(".md") => Role::Memories(Shape::Skill),
        "learnings" if json => Role::Memories(Shape::Learnings),
        "notes" if lines => Role::Memories(Shape::Notes),
        "archive" if name == "tombstones.json" => Role::Tombstones,
        "archive" if lines => Role::Archive,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lokid_model::MemoryId;

    fn place(change: impl FnOnce(&mut Memory)) -> String {
        let at = Timestamp::parse("2026-11-13T04:59:53Z").unwrap();
        let mut memory = Memory::new(MemoryId::new("x-1").unwrap(), Kind::Note, "t", at);
        change(&mut memory);
        home(&memory, "0a1b2c3d").label()
    }

    #[test]
    fn each_kind_has_the_home_loki_mode_expects() {
        assert_eq!(place(|_| {}), "notes/2026-11.0a1b2c3d.ndjson");
        assert_eq!(place(|m| m.kind = Kind::Episode), "episodic/2026-11-13/task-x-1.json");
        assert_eq!(place(|m| m.kind = Kind::Pattern), "semantic/patterns.json");
        assert_eq!(place(|m| m.kind = Kind::Fact), "semantic/facts.json");
        assert_eq!(place(|m| m.kind = Kind::Skill), "skills/x-1.json");
    }

    #[test]
    fn bulk_text_from_elsewhere_does_not_become_a_file_each() {
        let imported = |m: &mut Memory| {
            m.kind = Kind::Episode;
            m.source = Source::Import;
        };
        assert_eq!(place(imported), "notes/2026-11.0a1b2c3d.ndjson");
    }

    #[test]
    fn what_is_private_never_stands_below_the_repository() {
        let private = |m: &mut Memory| {
            m.kind = Kind::Fact;
            m.scope = Scope::UserPrivate;
        };
        assert_eq!(place(private), "private/notes/2026-11.0a1b2c3d.ndjson");
    }

    #[test]
    fn a_namespace_is_a_folder() {
        let named = |m: &mut Memory| m.namespace = Namespace::new("web-app").unwrap();
        assert_eq!(place(named), "web-app/notes/2026-11.0a1b2c3d.ndjson");
    }

    #[test]
    fn locks_and_temporary_files_are_nothing() {
        for name in ["patterns.json.lock", ".tmp_ab.json", "knowledge.json"] {
            assert_eq!(role_in("semantic", name), None, "{name}");
        }
        assert_eq!(role_in("episodic", "task-a.json"), Some(Role::Memories(Shape::Episode)));
        assert_eq!(role_in("vectors", "episodic_index.json"), None);
    }
}
