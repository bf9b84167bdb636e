//! The files of a project: what stands in a folder, and what is known of one file.

use super::why::memory;
use crate::serve::app::{App, aside};
use crate::serve::call::{Answer, Call, ok};
use crate::serve::dto::files::{FileAnswer, FolderAnswer, FolderItem, KnownError, MendedBy, PartnerFile};
use crate::serve::dto::queries::{Path, namespace};
use crate::serve::problem::Problem;
use lokid_engine::browse::{AboutFile, FilePartner, FolderEntry};
use lokid_engine::why::WhyCommit;
use lokid_model::{Body, Memory};

pub(in crate::serve) async fn folder(app: App, call: Call) -> Answer {
    let Path { project, namespace: named, path } = call.query()?;
    let (project, place) = (app.project(project.as_deref()).await?, namespace(named));
    let asked = path.clone();
    let found = aside(move || project.recall.folder(&asked, &place)).await??;
    let entries = found.ok_or_else(|| Problem::not_found(format!("path: there is no folder {path:?}")))?;
    let path = path.trim_start_matches("./").trim_end_matches('/').to_owned();
    ok(&FolderAnswer { path, entries: entries.into_iter().map(item).collect() })
}

pub(in crate::serve) async fn file(app: App, call: Call) -> Answer {
    let Path { project, namespace: named, path } = call.query()?;
    let (project, place) = (app.project(project.as_deref()).await?, namespace(named));
    let asked = path.clone();
    let found = aside(move || project.recall.about_file(&asked, &place)).await??;
    let found = found.ok_or_else(|| Problem::not_found(format!("path: nothing is known of {path:?}")))?;
    ok(&answer(found))
}

fn item(entry: FolderEntry) -> FolderItem {
    FolderItem {
        name: entry.name().to_owned(),
        dir: entry.is_folder,
        memories: entry.memories,
        fixes: entry.fixes,
        commits: entry.commits,
        heat: entry.heat,
        path: entry.path,
    }
}

fn answer(about: AboutFile) -> FileAnswer {
    FileAnswer {
        path: about.path,
        there: about.is_there,
        today: about.today,
        memories: about.memories.iter().map(|known| memory(known)).collect(),
        memories_count: about.memories_count,
        partners: about.partners.into_iter().map(partner).collect(),
        fixes: about.fixes.into_iter().map(mended_by).collect(),
        errors: about.errors.iter().map(|known| error(known)).collect(),
        commits: about.commits,
        fixes_count: about.fixes_count,
        heat: about.heat,
        imports: about.imports,
        imported_by: about.imported_by,
        defines: about.defines,
    }
}

fn partner(partner: FilePartner) -> PartnerFile {
    PartnerFile { path: partner.path, together: partner.together, score: partner.score, why: partner.why }
}

fn mended_by(commit: WhyCommit) -> MendedBy {
    MendedBy {
        commit: commit.id.to_string(),
        subject: commit.subject,
        reason: commit.reason,
        author: commit.author,
        at: commit.at.record_style(),
    }
}

fn error(known: &Memory) -> KnownError {
    let fix = match &known.body {
        Body::Learning(learning) => learning.fix.clone(),
        _ => String::new(),
    };
    KnownError { id: known.id.to_string(), title: known.headline().to_owned(), fix }
}
