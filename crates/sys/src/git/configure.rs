//! The repository's own configuration, changed when the user asks for it.

use std::io;
use std::path::Path;

use git2::Repository;

/// Writes a value into the repository's own configuration, which all of its working trees share.
pub fn set_setting(worktree: &Path, key: &str, value: &str) -> io::Result<()> {
    let own = || own_config(worktree)?.set_str(key, value);
    own().map_err(io::Error::other)
}

/// Takes values out of the repository's own configuration again, and the heading of their section if nothing else stands
/// under it.
pub fn drop_section(worktree: &Path, section: &str, names: &[&str]) -> io::Result<()> {
    let mut own = own_config(worktree).map_err(io::Error::other)?;
    for name in names {
        match own.remove(&format!("{section}.{name}")) {
            Err(error) if error.code() != git2::ErrorCode::NotFound => return Err(io::Error::other(error)),
            _ => {}
        }
    }
    let Some((group, name)) = section.split_once('.') else { return Ok(()) };
    let heading = format!("[{group} \"{name}\"]");
    let path = super::head::common_dir(worktree).ok_or_else(|| io::Error::other("no repository"))?.join("config");
    let Some(text) = crate::plain::read_text(&path, 1 << 20)? else { return Ok(()) };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_empty = |at: usize| lines.get(at + 1).is_none_or(|next| next.trim_start().starts_with('['));
    let kept = lines.iter().enumerate().filter(|(at, line)| line.trim() != heading || !is_empty(*at));
    let kept: String = kept.map(|(_, line)| *line).collect();
    if kept == text { Ok(()) } else { crate::plain::replace(&path, kept.as_bytes()) }
}

fn own_config(worktree: &Path) -> Result<git2::Config, git2::Error> {
    Repository::open(worktree)?.config()?.open_level(git2::ConfigLevel::Local)
}
