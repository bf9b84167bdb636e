//! The team, where the project is in one: is its database reached, and what stands in the way? Where it is in none, nothing is
//! asked and nothing is said.

use serde_json::Value;

use super::super::ask::{self, Ask};
use super::super::reach::Reach;
use super::super::settings::Settings;
use super::super::words;
use super::Check;

const NAME: &str = "team";

pub(super) fn look(reach: &Reach, settings: &Settings) -> Option<Check> {
    let answer = reach.ask(&Ask::get("/team/status").project(settings)).ok()?;
    let told = ask::json(&answer).ok().filter(|told| told["joined"] == Value::Bool(true))?;
    let team = words::field(&told, "project");
    let why = told.pointer("/last_error/detail").map(words::plain).unwrap_or_default();
    if told["connected"] != Value::Bool(true) {
        let found = format!("the database of {team} is not reached: {why}");
        let fix = match why.contains("family not supported") {
            true => "`network = true` under `[service]`, then `lokid service install` again",
            false => "what is remembered here is not affected; `psql` with the same address tells more",
        };
        return Some(Check::doubtful(NAME, found, fix));
    }
    if told["refused"].as_u64().unwrap_or(0) > 0 {
        return Some(Check::doubtful(NAME, format!("{team} refused an item: {why}"), "`lokid team status`"));
    }
    let behind = told["behind"].as_u64().unwrap_or(0);
    Some(Check::good(NAME, format!("in step with {team}, {behind} behind")))
}
