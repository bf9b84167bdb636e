//! Episodes of the same work, found together in one pass from the oldest to the newest. An episode joins the group it is
//! most like, if it is also like the one that founded it: so a chain of small steps never makes one group of all.
//!
//! Only what came before decides where an episode belongs. Groups are therefore the same whether the episodes are looked
//! at night after night or all at once.

use super::case::{Case, CaseReader, Names};
use super::hooks::Hooks;
use super::likeness::Profile;
use super::words::weight;
use crate::plan::Around;

/// The first members of a group say where it is found.
const HANGING: usize = 8;
/// A member is like the founder at least this share of what it must be like the group.
const LIKE_THE_FOUNDER: f32 = 0.6;
const NEARLY: f32 = 0.85;
/// A group that an episode is this nearly like is compared with its own.
const NEARBY: f32 = 0.7;
/// So many groups may become one with that of an episode.
const MOST_UNITED: usize = 4;

pub(super) struct Group {
    /// Places in the list of cases, the oldest first.
    pub(super) members: Vec<usize>,
    profile: Profile,
    founder: Profile,
    likeness: f32,
    /// How many members it had when it was last found too unlike another to become one with it.
    refused_at: usize,
}

impl Group {
    /// How alike the members are, on average, when they join: 0 to 1.
    pub(super) fn cohesion(&self) -> f32 {
        let joined = self.members.len().saturating_sub(1);
        if joined == 0 { 1.0 } else { self.likeness / joined as f32 }
    }
}

/// The groups, by their founders. Nothing if the night ended before the last episode was looked at.
pub(super) fn group(cases: &[Case], reader: &CaseReader<'_>, alike: f32, around: &dyn Around) -> Option<Vec<Group>> {
    let mut crowd = Crowd { cases, alike, stems: &reader.stems, hooks: Hooks::default(), groups: Vec::new() };
    let folders = Folders::of(cases, reader);
    for (at, case) in cases.iter().enumerate() {
        if at.is_multiple_of(256) && around.is_over() {
            return None;
        }
        if case.says_something() {
            crowd.place(at, &folders);
        }
    }
    let mut groups: Vec<Group> = crowd.groups.into_iter().filter(|group| !group.members.is_empty()).collect();
    groups.iter_mut().for_each(|group| group.members.sort_unstable());
    groups.sort_by_key(|group| group.members.first().copied());
    Some(groups)
}

/// The folders of every case.
struct Folders(Vec<Vec<u32>>);

impl Folders {
    fn of(cases: &[Case], reader: &CaseReader<'_>) -> Folders {
        let mut names = Names::default();
        let each = cases.iter().map(|case| {
            let mut found: Vec<u32> = Vec::new();
            for file in &case.files {
                let path = reader.files.name(*file);
                let folder = names.number(path.rsplit_once('/').map_or("", |(folder, _)| folder));
                if !found.contains(&folder) {
                    found.push(folder);
                }
            }
            found
        });
        Folders(each.collect())
    }
}

struct Crowd<'a> {
    cases: &'a [Case],
    alike: f32,
    stems: &'a Names,
    hooks: Hooks,
    groups: Vec<Group>,
}

impl Crowd<'_> {
    fn place(&mut self, at: usize, folders: &Folders) {
        let hooks = self.hooks.of(&self.cases[at]);
        let (mut like, mut near): (Vec<(usize, f32)>, Vec<usize>) = (Vec::new(), Vec::new());
        for group in self.hooks.candidates(&hooks, self.groups.len()) {
            match self.likeness(group as usize, at, folders) {
                likeness if likeness >= self.alike => like.push((group as usize, likeness)),
                likeness if likeness >= NEARBY * self.alike => near.push(group as usize),
                _ => {}
            }
        }
        like.sort_by(|(a, of_a), (b, of_b)| of_b.total_cmp(of_a).then(a.cmp(b)));
        // A group that has already formed goes before a single episode that is hardly more like this one.
        let formed = like.iter().find(|(group, _)| self.groups[*group].members.len() > 1);
        let first = like.first().map(|(_, likeness)| *likeness);
        let chosen = formed.filter(|(_, likeness)| first.is_some_and(|first| *likeness >= NEARLY * first));
        let Some((best, likeness)) = chosen.or(like.first()).copied() else {
            let mut founder = Profile::default();
            founder.add(&self.cases[at], &folders.0[at]);
            let group =
                Group { members: Vec::new(), profile: Profile::default(), founder, likeness: 0.0, refused_at: 0 };
            self.groups.push(group);
            return self.join(self.groups.len() - 1, at, 0.0, &hooks, folders);
        };
        self.join(best, at, likeness, &hooks, folders);
        // What this episode is like too may be the same work, begun in other words.
        let others = like.into_iter().map(|(other, _)| other).filter(|other| *other != best);
        for other in others.chain(near).take(MOST_UNITED).collect::<Vec<_>>() {
            self.unite(best, other, folders);
        }
    }

    /// Nothing for a group that is no more.
    fn likeness(&self, group: usize, at: usize, folders: &Folders) -> f32 {
        let (group, case) = (&self.groups[group], &self.cases[at]);
        if group.members.is_empty() {
            return 0.0;
        }
        let likeness = group.profile.likeness(case, &folders.0[at], self.stems);
        if likeness < NEARBY * self.alike || group.members.len() == 1 {
            return likeness;
        }
        let founder = group.founder.likeness(case, &folders.0[at], self.stems);
        if founder < LIKE_THE_FOUNDER * self.alike { 0.0 } else { likeness }
    }

    fn join(&mut self, group: usize, at: usize, likeness: f32, hooks: &[u64], folders: &Folders) {
        let joined = &mut self.groups[group];
        joined.members.push(at);
        joined.likeness += likeness;
        joined.profile.add(&self.cases[at], &folders.0[at]);
        if joined.members.len() <= HANGING {
            self.hooks.hang(u32::try_from(group).unwrap_or(u32::MAX), hooks);
        }
    }

    /// A single episode must be like the group as any that joins; two groups are compared as such.
    fn are_alike(&self, best: usize, other: usize, folders: &Folders) -> bool {
        let [one, two] = [best, other].map(|group| &self.groups[group]);
        match (&one.members[..], &two.members[..]) {
            (_, [alone]) => self.likeness(best, *alone, folders) >= self.alike,
            _ => {
                let weight = |stem: u32| weight(self.stems.name(stem));
                one.profile.likeness_of(&two.profile, weight) >= self.alike
                    && !one.founder.is_other_work(&two.founder, weight)
                    && !one.profile.is_turned(&two.profile, self.stems)
            }
        }
    }

    /// Makes one of two groups if the first members of each are like the other group.
    fn unite(&mut self, best: usize, other: usize, folders: &Folders) {
        let sizes = [best, other].map(|group| self.groups[group].members.len());
        // Asked again when one has doubled, so that asking stays cheap.
        let asked = |at: usize, size: usize| size < 2 * self.groups[at].refused_at;
        if sizes[1] == 0 || asked(other, sizes[1]) && asked(best, sizes[0]) {
            return;
        }
        if !self.are_alike(best, other, folders) {
            (self.groups[best].refused_at, self.groups[other].refused_at) = (sizes[0], sizes[1]);
            return;
        }
        let moved = &mut self.groups[other];
        let (members, profile) = (std::mem::take(&mut moved.members), std::mem::take(&mut moved.profile));
        let likeness = moved.likeness + self.alike;
        for member in members.iter().take(HANGING) {
            let hooks = self.hooks.of(&self.cases[*member]);
            self.hooks.hang(u32::try_from(best).unwrap_or(u32::MAX), &hooks);
        }
        let group = &mut self.groups[best];
        group.members.extend(members);
        group.profile.absorb(profile);
        group.likeness += likeness;
    }
}
