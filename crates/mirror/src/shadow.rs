//! One memory on its way to the store: create, update, and what to do when somebody else was there first.
//!
//! It decides by what the API answers and keeps nothing. The same call made twice ends the same way: what stands there
//! already is found, not written again. What is tried later is an error; everything else is an outcome.

use serde_json::Value;

use super::api::{ApiError, Listing, RemoteMemory, Stores};
use super::limits;
use super::mapping::{self, Projected};
use super::queue::There;
use lokid_store::three_way;

/// What became of a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sent {
    /// It stands there; `how` is `created`, `updated`, `unchanged` or `merged`.
    Stands { path: String, there: There, how: &'static str },
    /// It cannot stand there as it is.
    Refused { status: u16, detail: String },
    /// Somebody changes it all the time, or holds its place: theirs stays there, and ours here.
    GivenUp { reason: &'static str, detail: String },
}

/// Where a memory goes, and who hears of every 409.
pub struct Shadow<'a> {
    pub stores: &'a Stores,
    pub store: &'a str,
    pub on_conflict: &'a dyn Fn(&str, &ApiError),
}

impl Shadow<'_> {
    /// `known` is where it stood last; `taken` are paths of others.
    pub fn send(
        &self,
        projected: &Projected,
        known: Option<&There>,
        taken: &dyn Fn(&str) -> bool,
    ) -> Result<Sent, ApiError> {
        let Some(known) = known else { return self.create(projected, taken) };
        match self.stores.update(self.store, &known.memory, &projected.content, &known.sha256) {
            Ok(memory) => Ok(stands(memory, "updated")),
            // Wiped or deleted over there: what we have is whole.
            Err(ApiError::NotFound) => self.create(projected, taken),
            Err(conflict @ (ApiError::Precondition | ApiError::Conflict(_))) => {
                (self.on_conflict)(&projected.paths[0], &conflict);
                self.reconcile(projected, &known.memory, Some(&known.version), taken)
            }
            Err(error) => refused(error),
        }
    }

    fn create(&self, projected: &Projected, taken: &dyn Fn(&str) -> bool) -> Result<Sent, ApiError> {
        for path in projected.paths.iter().filter(|path| !taken(path)) {
            let (holder, conflict) = match self.stores.create(self.store, path, &projected.content) {
                Ok(memory) => return Ok(stands(memory, "created")),
                Err(conflict @ ApiError::PathConflict { .. }) => (self.holder(path, &conflict)?, conflict),
                Err(ApiError::Conflict(detail)) => return Ok(Sent::GivenUp { reason: "conflict", detail }),
                Err(error) => return refused(error),
            };
            let Some(holder) = holder else { continue };
            let theirs = holder.content.as_deref().unwrap_or_default();
            if theirs == projected.content {
                return Ok(stands(holder, "unchanged"));
            }
            if is_same(projected, theirs) {
                (self.on_conflict)(path, &conflict);
                return self.merge(projected, holder, None);
            }
        }
        Ok(Sent::GivenUp { reason: "path_conflict", detail: "every path for it is somebody else's".to_owned() })
    }

    /// Who holds a path, with what it says. The server may name them or not.
    fn holder(&self, path: &str, conflict: &ApiError) -> Result<Option<RemoteMemory>, ApiError> {
        let named = match conflict {
            ApiError::PathConflict { memory, .. } => memory.clone(),
            _ => None,
        };
        let id = match named {
            Some(id) => Some(id),
            None => {
                let prefix = &path[..=path.rfind('/').unwrap_or(0)];
                let all = self.stores.list_all(self.store, Listing { prefix, ..Listing::default() })?;
                all.into_iter().find(|memory| memory.path == path).map(|memory| memory.id)
            }
        };
        match id.map(|id| self.stores.retrieve(self.store, &id)) {
            Some(Ok(memory)) => Ok(Some(memory)),
            Some(Err(ApiError::NotFound)) | None => Ok(None),
            Some(Err(error)) => Err(error),
        }
    }

    /// Somebody changed it meanwhile: read again, put both together, once more.
    fn reconcile(
        &self,
        projected: &Projected,
        memory: &str,
        base: Option<&str>,
        taken: &dyn Fn(&str) -> bool,
    ) -> Result<Sent, ApiError> {
        match self.stores.retrieve(self.store, memory) {
            Ok(theirs) => self.merge(projected, theirs, base),
            Err(ApiError::NotFound) => self.create(projected, taken),
            Err(error) => Err(error),
        }
    }

    fn merge(&self, projected: &Projected, theirs: RemoteMemory, base: Option<&str>) -> Result<Sent, ApiError> {
        let said = theirs.content.as_deref().unwrap_or_default();
        if said == projected.content {
            return Ok(stands(theirs, "unchanged"));
        }
        let read = |text: &str| serde_json::from_str::<Value>(text).ok().filter(Value::is_object);
        let (Some(ours), Some(other)) = (read(&projected.content), read(said)) else {
            let detail = "what stands there is no record".to_owned();
            return Ok(Sent::GivenUp { reason: "conflict", detail });
        };
        // The store keeps what both began with. One that was redacted meanwhile is none.
        let base = match base.map(|version| self.stores.version(self.store, version)) {
            Some(Ok(version)) => version.content.as_deref().and_then(read),
            Some(Err(error)) if error.passes() => return Err(error),
            _ => None,
        };
        let content = mapping::written(&three_way::merge(base.as_ref(), &ours, &other).value);
        if content.len() > limits::MOST_CONTENT {
            return Ok(Sent::Refused { status: 413, detail: "both together are too long".to_owned() });
        }
        match self.stores.update(self.store, &theirs.id, &content, &theirs.content_sha256) {
            Ok(memory) => Ok(stands(memory, "merged")),
            Err(conflict @ (ApiError::Precondition | ApiError::Conflict(_) | ApiError::NotFound)) => {
                (self.on_conflict)(&theirs.path, &conflict);
                Ok(Sent::GivenUp { reason: conflict.reason(), detail: "changed twice while it was written".to_owned() })
            }
            Err(error) => refused(error),
        }
    }

    /// Takes it back; what it said stays in the store's history.
    pub fn remove(&self, there: &There) -> Result<(), ApiError> {
        match self.stores.delete(self.store, &there.memory, &there.sha256) {
            Ok(()) | Err(ApiError::NotFound) => Ok(()),
            // Somebody else wrote into it: it goes all the same, as what it says now.
            Err(ApiError::Precondition | ApiError::Conflict(_)) => {
                let now = self.stores.retrieve(self.store, &there.memory)?;
                self.stores.delete(self.store, &there.memory, &now.content_sha256)
            }
            Err(error) => Err(error),
        }
    }

    /// Makes all that a memory ever said there unreadable.
    pub fn erase_history(&self, memory: &str) -> Result<(), ApiError> {
        let mut page: Option<String> = None;
        loop {
            let answer = self.stores.versions(self.store, Some(memory), false, page.as_deref())?;
            for version in answer.data.iter().filter(|version| version.redacted_at.is_none()) {
                match self.stores.redact(self.store, &version.id) {
                    Err(error) if error.passes() => return Err(error),
                    _ => {}
                }
            }
            match answer.next_page {
                Some(next) if page.as_ref() != Some(&next) => page = Some(next),
                _ => return Ok(()),
            }
        }
    }
}

fn is_same(projected: &Projected, theirs: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    read(&projected.content).zip(read(theirs)).is_some_and(|(ours, theirs)| mapping::is_same_record(&ours, &theirs))
}

fn stands(memory: RemoteMemory, how: &'static str) -> Sent {
    let there = There { memory: memory.id, version: memory.memory_version_id, sha256: memory.content_sha256 };
    Sent::Stands { path: memory.path, there, how }
}

fn refused(error: ApiError) -> Result<Sent, ApiError> {
    match error {
        ApiError::Permanent { status, detail } => Ok(Sent::Refused { status, detail }),
        other => Err(other),
    }
}

#[cfg(test)]
mod tests;
