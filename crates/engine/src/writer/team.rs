//! What comes from the team, carried out: weighed before it is written, so that the word of others does not count as ours.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::turn::{Turn, applied};
use super::{TELL_EACH, Writer};
use crate::bundle::Bundle;
use crate::event::Reply;
use crate::incoming;
use lokid_model::{By, Key, Memory, Timestamp};
use lokid_team::sync::{Incoming, Us};
use lokid_team::{ItemKey, projection};

impl Writer {
    pub(super) fn take_from_team(
        &mut self,
        now: Timestamp,
        heads: &[Incoming],
        sign: &[Key],
        (us, reply): (&Us, Reply<BTreeSet<ItemKey>>),
    ) {
        self.authority.is_member(Some(&us.me));
        let mut draft = self.state.clone();
        let (mut taken, left_out) = incoming::take(&draft, now, (heads, us), &self.env.redaction);
        taken.push(incoming::signed(&draft, sign, &us.me));
        let promoted = self.hear_promoters(now, heads);
        taken.iter_mut().for_each(|changes| self.authority.weigh_all(changes));
        let many = taken.iter().map(Vec::len).sum::<usize>();
        let bundles = taken.into_iter().map(|changes| Bundle::by(By::Team, "", changes)).collect();
        let turn = applied(&mut draft, bundles, left_out, reply);
        self.finish(now, vec![Turn { told: (1..=TELL_EACH).contains(&many), ..turn }], draft);
        let again: Vec<Arc<Memory>> = promoted.iter().filter_map(|key| self.state.get(key).cloned()).collect();
        self.weigh_again(&again, now);
    }

    /// A promoter of the team made these words binding, or takes that back.
    fn hear_promoters(&mut self, now: Timestamp, incoming: &[Incoming]) -> Vec<Key> {
        let mut heard = Vec::new();
        for one in incoming {
            let Some(key) = projection::memory_key(&one.head.item) else { continue };
            let noted = match &one.head.endorsed {
                Some(endorsed) => self.authority.endorse(&key, endorsed, now),
                None if one.is_demoted => self.authority.demote(&key, now),
                None => continue,
            };
            match noted {
                Ok(()) => heard.push(key),
                Err(error) => {
                    tracing::error!(project = %self.env.name, reason = %error, "what the team promoted cannot be noted");
                }
            }
        }
        heard
    }
}
