//! A project for one process and one errand: it is opened, read and left, and nothing is watched afterwards.

use std::path::Path;
use std::sync::Arc;

use super::{Registry, unusable};
use crate::error::ProjectError;
use crate::memory_care::MemoryCare;
use crate::project::Project;

impl Registry {
    /// Opens the project a path lies in for this process only, its eyes still shut.
    pub fn add_alone(&self, path: &Path) -> Result<Arc<Project>, ProjectError> {
        let _one_at_a_time = self.door.lock();
        let located = self.locate_existing(path)?;
        let project = self.start(&located, false)?;
        self.projects.write().insert(located.root, Arc::clone(&project));
        Ok(project)
    }

    /// How close the process is to its ceiling.
    pub fn memory_care(&self) -> &MemoryCare {
        &self.shared.memory
    }

    /// Opens the eyes of such a project.
    pub fn awaken(&self, project: &Arc<Project>) {
        project.search.handle();
        project.watch();
    }

    /// Lets such a project have nights.
    pub fn grant_nights(&self, project: &Arc<Project>) -> Result<(), ProjectError> {
        project.have_nights().map_err(|error| unusable(&project.env.root, error))
    }
}
