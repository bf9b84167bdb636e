//! The mirror, where it is on: the key, whether the server takes it and our beta, whether the store is there, and whose
//! clock is wrong. Where it is off, nothing is asked and nothing is said.

use super::super::settings::Settings;
use super::Check;
use lokid_mirror::{ApiError, KeyKind, Stores, limits};
use lokid_model::Timestamp;
use lokid_sys::Clock;

const NAME: &str = "managed memory";
const CLOCK: &str = "managed clock";

pub(super) fn look(settings: &Settings, checks: &mut Vec<Check>) {
    let managed = &settings.config.managed;
    if !managed.uses_network() {
        return;
    }
    let Some(store) = managed.user_store.as_ref().or(managed.org_store.as_ref()) else {
        let found = "it is on, and there is no store to read or write";
        return checks.push(Check::doubtful(NAME, found, "name one in managed.user_store or managed.org_store"));
    };
    let key = match KeyKind::User.read(managed) {
        Ok(key) => key,
        Err(error) => return checks.push(Check::broken(NAME, error.to_string(), error.fix())),
    };
    let mut stores = match Stores::new(managed, key) {
        Ok(stores) => stores,
        Err(error) => {
            let found = format!("the certificates cannot be used: {error}");
            return checks.push(Check::broken(NAME, found, "mend managed.ca_file or $SSL_CERT_FILE"));
        }
    };
    stores.patience(limits::ASK);
    let (answer, date) = stores.look_at(store);
    checks.push(match answer {
        Ok(found) if found.archived_at.is_some() => {
            Check::broken(NAME, format!("{store} is archived and takes nothing any more"), "name another store")
        }
        Ok(found) => Check::good(NAME, format!("{store} ({}) answers", found.name)),
        Err(error) => refused(&error, store),
    });
    checks.extend(date.and_then(|date| clock(date, Clock::system().now())));
}

fn refused(error: &ApiError, store: &str) -> Check {
    let found = format!("{store}: {error}");
    match error {
        ApiError::Beta(_) => {
            let fix = format!("update lokid: this version speaks {}, which the server gave up", limits::BETA);
            Check::broken(NAME, found, fix)
        }
        ApiError::Unauthorized(_) => {
            Check::broken(NAME, found, "give a key of the workspace that the store belongs to")
        }
        ApiError::NotFound => Check::broken(NAME, found, "look at managed.user_store and managed.org_store"),
        ApiError::Permanent { .. } => Check::broken(NAME, found, "look at [managed] in the configuration"),
        _ => {
            let fix = "look at the network, $HTTPS_PROXY and managed.ca_file; what is remembered here is not affected";
            Check::doubtful(NAME, found, fix)
        }
    }
}

fn clock(server: Timestamp, here: Timestamp) -> Option<Check> {
    let differs = server.as_micros().abs_diff(here.as_micros()) / 1_000_000;
    (differs > limits::CLOCK_MAY_DIFFER.as_secs()).then(|| {
        let found = format!("this machine's clock and the server's differ by {differs} seconds");
        Check::broken(CLOCK, found, "set the clock of this machine, or tell whoever runs the server")
    })
}
