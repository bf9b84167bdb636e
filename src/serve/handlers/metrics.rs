//! The daemon's numbers in the text format Prometheus reads.

use std::fmt::Write;
use std::sync::atomic::Ordering::Relaxed;

use axum::body::Body;
use axum::http::StatusCode;

use crate::serve::app::App;
use crate::serve::call::{Answer, Call, with_type};
use lokid_engine::Project;
use lokid_manage::plan::Act;
use lokid_model::{Kind, SignalKind};
use lokid_sys::process;

pub(in crate::serve) async fn metrics(app: App, _call: Call) -> Answer {
    let mut page = Page::default();
    about_daemon(&app, &mut page);
    about_requests(&app, &mut page);
    let projects = app.registry().projects();
    for family in FAMILIES {
        page.family(family.name, family.kind, family.help);
        for project in &projects {
            (family.samples)(project, &mut |labels, value| {
                let mut all = vec![("project", project.env.id.as_str())];
                all.extend_from_slice(labels);
                page.sample(family.name, &all, value);
            });
        }
    }
    Ok(with_type(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", Body::from(page.text)))
}

fn team(project: &Project, name: &str, sample: Sample<'_>) {
    let told = project.team.status();
    let value = told.get(name).and_then(|value| value.as_f64().or(value.as_bool().map(f64::from)));
    value.into_iter().for_each(|value| sample(&[], value));
}

type Sample<'a> = &'a mut dyn FnMut(&[(&str, &str)], f64);

/// One number, or several told apart by a label, of every project.
struct Family {
    name: &'static str,
    kind: &'static str,
    help: &'static str,
    samples: fn(&Project, Sample<'_>),
}

const FAMILIES: &[Family] = &[
    Family { name: "lokid_memories", kind: "gauge", help: "Memories by kind.", samples: memories },
    Family { name: "lokid_signals_total", kind: "counter", help: "Signals seen, by type.", samples: signals },
    Family {
        name: "lokid_prefetch_total",
        kind: "counter",
        help: "Contexts made ready in advance, asked for and ready, not ready, never asked for.",
        samples: prefetches,
    },
    Family {
        name: "lokid_writes_total",
        kind: "counter",
        help: "Changes made durable.",
        samples: |project, sample| sample(&[], project.writer.counters().writes.load(Relaxed) as f64),
    },
    Family {
        name: "lokid_write_failures_total",
        kind: "counter",
        help: "Changes the disk refused.",
        samples: |project, sample| sample(&[], project.writer.counters().write_failures.load(Relaxed) as f64),
    },
    Family {
        name: "lokid_kept_outside",
        kind: "gauge",
        help: "Changes that wait in the state directory for the repository to become writable.",
        samples: |project, sample| sample(&[], project.writer.counters().kept_outside.load(Relaxed) as f64),
    },
    Family {
        name: "lokid_search_waiting",
        kind: "gauge",
        help: "Memories that cannot be found yet.",
        samples: |project, sample| {
            let waiting = project.search.if_started().map_or(0, |search| search.waiting());
            sample(&[], waiting as f64);
        },
    },
    Family {
        name: "lokid_prefetch_ready",
        kind: "gauge",
        help: "Contexts that stand ready.",
        samples: |project, sample| sample(&[], project.contexts.cached().1 as f64),
    },
    Family {
        name: "lokid_backlog",
        kind: "gauge",
        help: "Events waiting for the writer.",
        samples: |project, sample| sample(&[], project.writer.backlog() as f64),
    },
    Family {
        name: "lokid_problems",
        kind: "gauge",
        help: "Files that could not be read.",
        samples: |project, sample| sample(&[], project.writer.snapshot().problems().len() as f64),
    },
    Family {
        name: "lokid_open_contradictions",
        kind: "gauge",
        help: "Pairs of memories that cannot both hold and that nobody settled.",
        samples: |project, sample| sample(&[], project.writer.snapshot().open_contradictions() as f64),
    },
    Family {
        name: "lokid_team_connected",
        kind: "gauge",
        help: "Whether the team's database is reached; only in a team.",
        samples: |project, sample| team(project, "connected", sample),
    },
    Family {
        name: "lokid_team_behind",
        kind: "gauge",
        help: "Operations of the team that are not read yet; only in a team.",
        samples: |project, sample| team(project, "behind", sample),
    },
    Family {
        name: "lokid_team_waiting",
        kind: "gauge",
        help: "Items that are to be compared with the team's database; only in a team.",
        samples: |project, sample| team(project, "waiting", sample),
    },
    Family { name: "lokid_nights_total", kind: "counter", help: "Nights by how they ended.", samples: nights },
    Family {
        name: "lokid_last_night_timestamp_seconds",
        kind: "gauge",
        help: "When the last night began.",
        samples: |project, sample| {
            let began = project.night.known().last().map(|last| last.started_at.as_micros());
            began.into_iter().for_each(|micros| sample(&[], micros as f64 / 1e6));
        },
    },
    Family {
        name: "lokid_last_night_seconds",
        kind: "gauge",
        help: "How long the last night took.",
        samples: |project, sample| {
            let took = project.night.known().last().map(|last| last.took);
            took.into_iter().for_each(|took| sample(&[], took.as_secs_f64()));
        },
    },
    Family {
        name: "lokid_last_night_changes",
        kind: "gauge",
        help: "What the last night did, by what it was.",
        samples: night_changes,
    },
];

fn nights(project: &Project, sample: Sample<'_>) {
    for (outcome, count) in project.night.tallied() {
        sample(&[("outcome", outcome)], count as f64);
    }
}

fn night_changes(project: &Project, sample: Sample<'_>) {
    let known = project.night.known();
    let Some(last) = known.last() else { return };
    for act in Act::ALL {
        sample(&[("act", act.as_str())], last.count(*act) as f64);
    }
}

/// How often looking ahead paid.
fn prefetches(project: &Project, sample: Sample<'_>) {
    let (_, _, tally) = project.contexts.cached();
    for (outcome, count) in
        [("prepared", tally.prepared), ("hit", tally.hits), ("miss", tally.misses), ("wasted", tally.wasted)]
    {
        sample(&[("outcome", outcome)], count as f64);
    }
}

fn memories(project: &Project, sample: Sample<'_>) {
    let snapshot = project.writer.snapshot();
    for kind in Kind::ALL {
        sample(&[("kind", kind.as_str())], snapshot.count(*kind) as f64);
    }
}

fn signals(project: &Project, sample: Sample<'_>) {
    for kind in SignalKind::ALL {
        sample(&[("type", kind.as_str())], project.signals.seen(*kind) as f64);
    }
}

fn about_daemon(app: &App, page: &mut Page) {
    let tally = app.tally();
    page.single("lokid_uptime_seconds", "gauge", "Since the daemon started.", app.uptime().as_secs_f64());
    if let Some(bytes) = process::rss_bytes() {
        page.single("lokid_rss_bytes", "gauge", "Memory the daemon holds in RAM.", bytes as f64);
    }
    if let Some(open) = process::open_files() {
        page.single("lokid_open_files", "gauge", "Files and connections the daemon has open.", open as f64);
    }
    let care = app.registry().memory_care();
    page.single("lokid_memory_limit_bytes", "gauge", "Memory the daemon may hold.", care.limit() as f64);
    let pressure = care.look() as u8;
    page.single("lokid_memory_pressure", "gauge", "0 calm, 1 tight, 2 scarce.", f64::from(pressure));
    page.single("lokid_sheds_total", "counter", "How often memory was let go of.", care.sheds() as f64);
    let connections = tally.connections.load(Relaxed) as f64;
    page.single("lokid_connections", "gauge", "Clients connected now.", connections);
    let accepted = tally.accepted.load(Relaxed) as f64;
    page.single("lokid_connections_total", "counter", "Clients ever connected.", accepted);
    let refused = tally.refused.load(Relaxed) as f64;
    page.single("lokid_connections_refused_total", "counter", "Clients turned away.", refused);
}

fn about_requests(app: &App, page: &mut Page) {
    let counts = app.tally().counts();
    let name = "lokid_requests_total";
    page.family(name, "counter", "Requests by route and class of the answer's status.");
    for ((method, route), count) in &counts {
        for (class, number) in count.by_class.iter().enumerate().filter(|(_, number)| **number > 0) {
            let class = format!("{}xx", class + 1);
            let labels = [("method", *method), ("route", *route), ("status", class.as_str())];
            page.sample(name, &labels, *number as f64);
        }
    }
    page.family("lokid_request_duration_seconds", "summary", "Time to answer, by route.");
    for ((method, route), count) in &counts {
        let labels = [("method", *method), ("route", *route)];
        page.sample("lokid_request_duration_seconds_sum", &labels, count.took.as_secs_f64());
        page.sample("lokid_request_duration_seconds_count", &labels, count.by_class.iter().sum::<u64>() as f64);
    }
}

#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn single(&mut self, name: &str, kind: &str, help: &str, value: f64) {
        self.family(name, kind, help);
        self.sample(name, &[], value);
    }

    fn family(&mut self, name: &str, kind: &str, help: &str) {
        self.line(format_args!("# HELP {name} {help}\n# TYPE {name} {kind}\n"));
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        let escape = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let labels: Vec<String> =
            labels.iter().map(|(label, value)| format!("{label}=\"{}\"", escape(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        self.line(format_args!("{name}{labels} {value}\n"));
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        self.text.write_fmt(line).expect("a string takes every text");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_cannot_break_out_of_its_quotes() {
        let mut page = Page::default();
        page.sample("x", &[("project", "a\"b\\c\nd")], 3.0);
        assert_eq!(page.text, "x{project=\"a\\\"b\\\\c\\nd\"} 3\n");
    }
}
