//! One function a route: what is asked becomes words for the engine, its answer becomes JSON.

pub(super) mod changes;
pub(super) mod context;
pub(super) mod contradictions;
pub(super) mod daemon;
pub(super) mod documents;
pub(super) mod events;
pub(super) mod forget;
pub(super) mod hook;
pub(super) mod import;
pub(super) mod layers;
pub(super) mod links;
pub(super) mod listing;
pub(super) mod managed;
pub(super) mod metrics;
pub(super) mod night;
pub(super) mod projects;
pub(super) mod recall;
pub(super) mod remember;
pub(super) mod sessions;
pub(super) mod show;
pub(super) mod skills;
pub(super) mod tag;
pub(super) mod trust;
pub(super) mod view;
pub(super) mod why;
