//! A project for one process and one errand: it is opened, read and left, and nothing is watched afterwards.

use std::path::Path;
use std::sync::Arc;

use super::{Registry, unusable};
use crate::care::Care;
use crate::error::ProjectError;
use crate::night::Night;
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
    pub fn care(&self) -> &Care {
        &self.care
    }

    /// Opens the eyes of such a project.
    pub fn awaken(&self, project: &Arc<Project>) {
        project.search();
        self.watch(project);
    }

    /// Lets such a project have nights.
    pub fn grant_nights(&self, project: &Arc<Project>) -> Result<(), ProjectError> {
        Night::start(project).map_err(|error| unusable(&project.root, error))
    }
}
