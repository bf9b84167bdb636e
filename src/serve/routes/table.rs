//! The table itself, in the order of the contract.

use axum::http::Method;

use super::openapi::describe;
use super::{Content, Reply, Route, SchemaOf, of};
use crate::serve::call::Handler;
use crate::serve::dto::answers::{
    Accepted, Erased, Forgotten, Graph, Health, ImportAnswer, Items, Listing, Progress, Projects, Promotion,
    RecallAnswer, RecordAnswer, RedactionAnswer, ReleasedProject, RememberedAnswer, StatusAnswer, VersionsAnswer,
    WatchedProject, Written,
};
use crate::serve::dto::changes::{
    AcceptedChanges, ChangesAnswer, ChangesQuery, HistoryAnswer, NightUndoAnswer, NightUndoRequest, UndoneAnswer,
};
use crate::serve::dto::context::{
    AssembleRequest, ContextAnswer, Economics, EconomicsAnswer, PredictAnswer, PredictRequest, PromptAnswer,
    PromptRequest, RelevantAnswer, RelevantRequest, SessionAnswer, SessionRequest, TaskAnswer, TaskRequest,
    UsageRequest,
};
use crate::serve::dto::files::{FileAnswer, FolderAnswer};
use crate::serve::dto::hook::{HookAnswer, HookRequest};
use crate::serve::dto::night::{
    CheckAnswer, CheckRequest, ConfirmRequest, ConsolidateAnswer, ConsolidateRequest, Disputed, NightAnswer, Nights,
    PauseRequest, ResolveRequest,
};
use crate::serve::dto::patch::Changes;
use crate::serve::dto::queries::{
    Export, Forget, Import, Layer, List, ManagedEvents, Neighbourhood, Path, ProjectPath, Show, Status, TeamList,
    Which, Within,
};
use crate::serve::dto::record::Record;
use crate::serve::dto::requests::{
    DocumentRequest, ForgetRequest, LearningRequest, LinkRequest, ProjectRequest, RecallRequest, RedactRequest,
    SignalRequest, SkillRequest, TeamJoin, TeamPass, TeamPromotion, VersionsRequest,
};
use crate::serve::dto::said::{MuteItem, MuteRequest, MutesAnswer, Page, SaidAnswer, SaidList, SessionsAnswer};
use crate::serve::dto::trust::{TrustAnswer, TrustBody};
use crate::serve::dto::why::{WhyAnswer, WhyRequest};
use crate::serve::handlers::{
    changes, context, contradictions, daemon, documents, events, files, forget, history, hook, import, layers, links,
    listing, log, managed, metrics, mutes, night, projects, promotion, recall, redact, remember, said, sessions, show,
    skills, team, trust, versions, why,
};

const fn route(verb: Method, path: &'static str, summary: &'static str, handler: Handler) -> Route {
    Route { verb, path, summary, query: None, body: None, replies: &[], handler }
}

impl Route {
    const fn query(mut self, schema: SchemaOf) -> Route {
        self.query = Some(schema);
        self
    }

    const fn body(mut self, content: Content) -> Route {
        self.body = Some(content);
        self
    }

    const fn replies(mut self, replies: &'static [Reply]) -> Route {
        self.replies = replies;
        self
    }
}

const fn json(schema: SchemaOf) -> Content {
    Content { media: "application/json", schema: Some(schema) }
}

const fn ndjson(schema: SchemaOf) -> Content {
    Content { media: "application/x-ndjson", schema: Some(schema) }
}

const fn plain(media: &'static str) -> Content {
    Content { media, schema: None }
}

const fn says(status: u16, says: &'static str, content: &'static [Content]) -> Reply {
    Reply { status, says, content }
}

const RECORD: &[Content] = &[json(of::<RecordAnswer>)];
const REMEMBERED: &[Reply] = &[
    says(201, "remembered, on disk and visible to readers", &[json(of::<RememberedAnswer>)]),
    says(200, "a near-duplicate: merged into an earlier record", &[json(of::<RememberedAnswer>)]),
];

pub(in crate::serve) static ROUTES: &[Route] = &[
    route(Method::GET, "/health", "Tell that the daemon lives", |app, call| Box::pin(daemon::health(app, call)))
        .replies(&[says(200, "it does", &[json(of::<Health>)])]),
    route(Method::GET, "/status", "Tell how each project is", |app, call| Box::pin(daemon::status(app, call)))
        .query(of::<Status>)
        .replies(&[says(200, "the state of the daemon and its projects", &[json(of::<StatusAnswer>)])]),
    route(Method::GET, "/projects", "List the watched projects", |app, call| Box::pin(projects::list(app, call)))
        .replies(&[says(200, "in the order of their paths", &[json(of::<Projects>)])]),
    route(Method::POST, "/projects", "Watch a project", |app, call| Box::pin(projects::add(app, call)))
        .body(json(of::<ProjectRequest>))
        .replies(&[
            says(201, "watched from now on", &[json(of::<WatchedProject>)]),
            says(200, "watched already", &[json(of::<WatchedProject>)]),
        ]),
    route(Method::DELETE, "/projects", "Stop watching a project; erases nothing", |app, call| {
        Box::pin(projects::remove(app, call))
    })
    .query(of::<ProjectPath>)
    .body(json(of::<ProjectRequest>))
    .replies(&[says(200, "no longer watched", &[json(of::<ReleasedProject>)])]),
    route(Method::POST, "/signals", "Tell that something happened", |app, call| Box::pin(projects::signal(app, call)))
        .body(json(of::<SignalRequest>))
        .replies(&[says(202, "taken", &[json(of::<Accepted>)])]),
    route(Method::POST, "/hook", "Tell what an agent's hook was told", |app, call| Box::pin(hook::hook(app, call)))
        .body(json(of::<HookRequest>))
        .replies(&[
            says(200, "what the agent should read, in the agent's own shape", &[json(of::<HookAnswer>)]),
            says(204, "heard, and there is nothing to say", &[]),
        ]),
    route(Method::POST, "/memories", "Remember", |app, call| Box::pin(remember::remember(app, call)))
        .body(json(of::<Record>))
        .replies(REMEMBERED),
    route(Method::GET, "/memories", "List memories, newest first", |app, call| Box::pin(listing::list(app, call)))
        .query(of::<List>)
        .replies(&[says(200, "a page of them", &[json(of::<Listing>)])]),
    route(Method::GET, "/files", "List what stands in a folder", |app, call| Box::pin(files::folder(app, call)))
        .query(of::<Path>)
        .replies(&[says(
            200,
            "with how much is known of each, and how much goes on there",
            &[json(of::<FolderAnswer>)],
        )]),
    route(Method::GET, "/file", "Tell what is known of a file", |app, call| Box::pin(files::file(app, call)))
        .query(of::<Path>)
        .replies(&[says(200, "memories, fixes, errors, and the files around it", &[json(of::<FileAnswer>)])]),
    route(Method::GET, "/memories/export", "Export every record", |app, call| Box::pin(listing::export(app, call)))
        .query(of::<Export>)
        .replies(&[says(200, "a record a line", &[ndjson(of::<RecordAnswer>)])]),
    route(Method::POST, "/memories/import", "Import records", |app, call| Box::pin(import::import(app, call)))
        .query(of::<Import>)
        .body(ndjson(of::<Record>))
        .replies(&[says(
            200,
            "what became of the lines; as lines of progress when those are accepted",
            &[json(of::<ImportAnswer>), ndjson(of::<Progress>)],
        )]),
    route(Method::POST, "/memories/forget", "Forget by words or by the key of a fact", |app, call| {
        Box::pin(forget::forget(app, call))
    })
    .body(json(of::<ForgetRequest>))
    .replies(&[says(200, "what was, or would be, forgotten", &[json(of::<Forgotten>)])]),
    route(Method::POST, "/memories/redact", "Make words unreadable that match a pattern", |app, call| {
        Box::pin(redact::redact(app, call))
    })
    .body(json(of::<RedactRequest>))
    .replies(&[says(200, "what was, or would be, made unreadable", &[json(of::<RedactionAnswer>)])]),
    route(Method::GET, "/memories/{id}/promotion", "Show what the organisation would be told", |app, call| {
        Box::pin(promotion::promotion(app, call))
    })
    .query(of::<Within>)
    .replies(&[says(200, "the exact bytes, and the call that writes them", &[json(of::<Promotion>)])]),
    route(Method::POST, "/managed/redact", "Make words of a memory store unreadable, a page at a time", |app, call| {
        Box::pin(versions::redact(app, call))
    })
    .body(json(of::<VersionsRequest>))
    .replies(&[says(200, "what became of the page", &[json(of::<VersionsAnswer>)])]),
    route(Method::GET, "/memories/{id}", "Show a memory", |app, call| Box::pin(show::show(app, call)))
        .query(of::<Show>)
        .replies(&[says(200, "the record", RECORD), says(304, "as the `If-None-Match` has it", &[])]),
    route(Method::GET, "/memories/{id}/history", "Show what a memory was before", |app, call| {
        Box::pin(history::history(app, call))
    })
    .query(of::<Within>)
    .replies(&[says(200, "the newest version first", &[json(of::<HistoryAnswer>)])]),
    route(Method::PATCH, "/memories/{id}", "Change a memory", |app, call| Box::pin(changes::patch(app, call)))
        .query(of::<Within>)
        .body(json(of::<Changes>))
        .replies(&[says(200, "the record as it is now", RECORD)]),
    route(Method::DELETE, "/memories/{id}", "Forget a memory", |app, call| Box::pin(changes::forget(app, call)))
        .query(of::<Forget>)
        .replies(&[says(200, "archived, or erased", &[json(of::<Forgotten>)])]),
    route(Method::POST, "/memories/{id}/restore", "Bring an archived memory back", |app, call| {
        Box::pin(changes::restore(app, call))
    })
    .query(of::<Within>)
    .replies(&[says(200, "the record", RECORD)]),
    route(Method::POST, "/memories/{id}/confirm", "Vouch for a memory, as a person", |app, call| {
        Box::pin(contradictions::confirm(app, call))
    })
    .query(of::<Within>)
    .body(json(of::<ConfirmRequest>))
    .replies(&[says(200, "the record as it is now", RECORD)]),
    route(
        Method::GET,
        "/trust",
        "List memories whose files ask for more authority than anybody here confirmed",
        |app, call| Box::pin(trust::list(app, call)),
    )
    .query(of::<Which>)
    .replies(&[says(200, "what they ask to be, and what they are", &[json(of::<TrustAnswer>)])]),
    route(Method::POST, "/trust", "Let memories be what their files ask to be, as a person", |app, call| {
        Box::pin(trust::trust(app, call))
    })
    .body(json(of::<TrustBody>))
    .replies(&[says(200, "those it was about, as they are now", &[json(of::<TrustAnswer>)])]),
    route(Method::POST, "/consolidate", "Tidy the memory now", |app, call| Box::pin(night::consolidate(app, call)))
        .body(json(of::<ConsolidateRequest>))
        .replies(&[says(200, "what was, or would be, done", &[json(of::<ConsolidateAnswer>)])]),
    route(Method::GET, "/consolidate", "Tell of the last nights and the next", |app, call| {
        Box::pin(night::tell(app, call))
    })
    .query(of::<Nights>)
    .replies(&[says(200, "how nights go here", &[json(of::<NightAnswer>)])]),
    route(Method::POST, "/consolidate/pause", "Hold nights off, or let them come again", |app, call| {
        Box::pin(night::pause(app, call))
    })
    .body(json(of::<PauseRequest>))
    .replies(&[says(200, "how nights go here now", &[json(of::<NightAnswer>)])]),
    route(Method::POST, "/consolidate/undo", "Take back what is left of a night", |app, call| {
        Box::pin(log::undo_night(app, call))
    })
    .body(json(of::<NightUndoRequest>))
    .replies(&[says(200, "how much of it, and what stays", &[json(of::<NightUndoAnswer>)])]),
    route(Method::GET, "/changes", "List what changed in the memory, newest first", |app, call| {
        Box::pin(log::list(app, call))
    })
    .query(of::<ChangesQuery>)
    .replies(&[says(200, "a page of it", &[json(of::<ChangesAnswer>)])]),
    route(Method::POST, "/changes/{id}/undo", "Take a change back, and what was done with it", |app, call| {
        Box::pin(log::undo(app, call))
    })
    .query(of::<Which>)
    .replies(&[says(200, "all of it is as before", &[json(of::<UndoneAnswer>)])]),
    route(Method::POST, "/changes/{id}/accept", "Say that a change is right", |app, call| {
        Box::pin(log::accept(app, call))
    })
    .query(of::<Which>)
    .replies(&[says(200, "what was done together", &[json(of::<AcceptedChanges>)])]),
    route(Method::DELETE, "/changes/{id}/accept", "Look at a change again", |app, call| {
        Box::pin(log::reopen(app, call))
    })
    .query(of::<Which>)
    .replies(&[says(200, "what was done together", &[json(of::<AcceptedChanges>)])]),
    route(Method::GET, "/contradictions", "List memories that cannot both hold", |app, call| {
        Box::pin(contradictions::list(app, call))
    })
    .query(of::<Disputed>)
    .replies(&[says(200, "newest first", &[json(of::<Items>)])]),
    route(Method::POST, "/contradictions/check", "Hold statements against each other", |app, call| {
        Box::pin(contradictions::check(app, call))
    })
    .body(json(of::<CheckRequest>))
    .replies(&[says(200, "how they stand to each other, and why", &[json(of::<CheckAnswer>)])]),
    route(Method::POST, "/contradictions/{id}/resolve", "Settle a contradiction", |app, call| {
        Box::pin(contradictions::resolve(app, call))
    })
    .query(of::<Within>)
    .body(json(of::<ResolveRequest>))
    .replies(&[says(200, "the matter as it stands now", &[json(of::<RecordAnswer>)])]),
    route(Method::POST, "/recall", "Ask for memories", |app, call| Box::pin(recall::recall(app, call)))
        .body(json(of::<RecallRequest>))
        .replies(&[says(200, "the best first", &[json(of::<RecallAnswer>)])]),
    route(Method::POST, "/why", "Ask why something is as it is", |app, call| Box::pin(why::why(app, call)))
        .body(json(of::<WhyRequest>))
        .replies(&[says(200, "who wrote it, what explains it, what broke there before", &[json(of::<WhyAnswer>)])]),
    route(Method::POST, "/context/assemble", "Put a context together, within a budget of tokens", |app, call| {
        Box::pin(context::assemble(app, call))
    })
    .body(json(of::<AssembleRequest>))
    .replies(&[says(200, "four tiers of what is known", &[json(of::<ContextAnswer>)])]),
    route(Method::POST, "/context/predict", "Foretell what will be needed", |app, call| {
        Box::pin(context::predict(app, call))
    })
    .body(json(of::<PredictRequest>))
    .replies(&[says(200, "memories and files, surest first, each with the reason", &[json(of::<PredictAnswer>)])]),
    route(Method::POST, "/context/task", "Ask for what helps with a task", |app, call| {
        Box::pin(context::task(app, call))
    })
    .body(json(of::<TaskRequest>))
    .replies(&[says(200, "patterns, mistakes to avoid, skills", &[json(of::<TaskAnswer>)])]),
    route(Method::POST, "/context/session", "Ask for the block at the start of a session", |app, call| {
        Box::pin(sessions::session(app, call))
    })
    .body(json(of::<SessionRequest>))
    .replies(&[says(200, "the same bytes on every call of the session", &[json(of::<SessionAnswer>)])]),
    route(Method::POST, "/context/prompt", "Ask for what a prompt calls for and was not given yet", |app, call| {
        Box::pin(sessions::prompt(app, call))
    })
    .body(json(of::<PromptRequest>))
    .replies(&[says(200, "to stand behind the prompt; mostly nothing", &[json(of::<PromptAnswer>)])]),
    route(
        Method::POST,
        "/context/relevant",
        "Ask for index, timeline and topics, until that is enough",
        |app, call| Box::pin(context::relevant(app, call)),
    )
    .body(json(of::<RelevantRequest>))
    .replies(&[says(200, "layer by layer", &[json(of::<RelevantAnswer>)])]),
    route(Method::POST, "/usage", "Tell what became of memories that were handed out", |app, call| {
        Box::pin(sessions::usage(app, call))
    })
    .body(json(of::<UsageRequest>))
    .replies(&[says(202, "counted", &[json(of::<Accepted>)])]),
    route(Method::GET, "/economics", "Show the token ledger", |app, call| Box::pin(sessions::economics(app, call)))
        .query(of::<Economics>)
        .replies(&[says(200, "of a session, or of all", &[json(of::<EconomicsAnswer>)])]),
    route(Method::GET, "/said", "List what agents were told unasked, and why", |app, call| {
        Box::pin(said::list(app, call))
    })
    .query(of::<SaidList>)
    .replies(&[says(200, "newest first", &[json(of::<SaidAnswer>)])]),
    route(Method::GET, "/sessions", "List the sessions", |app, call| Box::pin(said::sessions(app, call)))
        .query(of::<Page>)
        .replies(&[says(200, "the one heard of last first", &[json(of::<SessionsAnswer>)])]),
    route(Method::GET, "/mutes", "List what is not to be told unasked", |app, call| Box::pin(mutes::list(app, call)))
        .query(of::<Page>)
        .replies(&[says(200, "newest first", &[json(of::<MutesAnswer>)])]),
    route(Method::POST, "/mutes", "Have a memory told unasked no more", |app, call| Box::pin(mutes::mute(app, call)))
        .body(json(of::<MuteRequest>))
        .replies(&[says(201, "muted", &[json(of::<MuteItem>)]), says(200, "it was already", &[json(of::<MuteItem>)])]),
    route(Method::DELETE, "/mutes", "Let it be told again", |app, call| Box::pin(mutes::unmute(app, call)))
        .body(json(of::<MuteRequest>))
        .replies(&[says(200, "what was muted", &[json(of::<MuteItem>)])]),
    route(Method::GET, "/index", "Show layer 1: the topics", |app, call| Box::pin(layers::index(app, call)))
        .query(of::<Layer>)
        .replies(&[says(200, "the index", &[json(of::<RecordAnswer>), plain("text/plain")])]),
    route(Method::GET, "/timeline", "Show layer 2: what happened lately", |app, call| {
        Box::pin(layers::timeline(app, call))
    })
    .query(of::<Layer>)
    .replies(&[says(200, "the timeline", &[json(of::<RecordAnswer>), plain("text/plain")])]),
    route(Method::GET, "/links/{id}", "Show what stands around a memory", |app, call| {
        Box::pin(links::around(app, call))
    })
    .query(of::<Neighbourhood>)
    .replies(&[says(200, "nodes and edges", &[json(of::<Graph>)])]),
    route(Method::POST, "/links", "Tie two memories", |app, call| Box::pin(links::tie(app, call)))
        .body(json(of::<LinkRequest>))
        .replies(&[says(201, "tied", RECORD)]),
    route(Method::GET, "/managed/status", "Tell how the mirror of a project fares", |app, call| {
        Box::pin(managed::status(app, call))
    })
    .query(of::<Which>)
    .replies(&[says(200, "its flags, stores and counts", &[json(of::<RecordAnswer>)])]),
    route(Method::GET, "/managed/events", "List what the mirror did", |app, call| Box::pin(managed::events(app, call)))
        .query(of::<ManagedEvents>)
        .replies(&[says(200, "the newest so many, the oldest of them first", &[json(of::<Items>)])]),
    route(Method::GET, "/managed/memory_versions/{id}", "Ask the store for the history of a memory", |app, call| {
        Box::pin(managed::versions(app, call))
    })
    .query(of::<Which>)
    .replies(&[says(200, "newest first, without contents", &[json(of::<Items>)])]),
    route(Method::GET, "/team/status", "Tell how the team of a project fares", |app, call| {
        Box::pin(team::status(app, call))
    })
    .query(of::<Which>)
    .replies(&[says(200, "who is in it, what waits, and what went wrong", &[json(of::<RecordAnswer>)])]),
    route(Method::POST, "/team/join", "Share the memory of a project over a database", |app, call| {
        Box::pin(team::join(app, call))
    })
    .body(json(of::<TeamJoin>))
    .replies(&[says(200, "who this machine is there", &[json(of::<RecordAnswer>)])]),
    route(Method::POST, "/team/leave", "Share it no longer; what is here stays", |app, call| {
        Box::pin(team::leave(app, call))
    })
    .body(json(of::<Which>))
    .replies(&[says(200, "the team that was left", &[json(of::<RecordAnswer>)])]),
    route(Method::POST, "/team/pass", "Have machine and database agree now, and wait for it", |app, call| {
        Box::pin(team::pass(app, call))
    })
    .body(json(of::<TeamPass>))
    .replies(&[says(200, "the status, with `passed`", &[json(of::<RecordAnswer>)])]),
    route(Method::GET, "/team/inbox", "List what members want promoted", |app, call| Box::pin(team::inbox(app, call)))
        .query(of::<Which>)
        .replies(&[says(200, "each with what changes", &[json(of::<Items>)])]),
    route(Method::GET, "/team/audit", "List who did what in the team", |app, call| Box::pin(team::audit(app, call)))
        .query(of::<TeamList>)
        .replies(&[says(200, "newest first", &[json(of::<Items>)])]),
    route(Method::POST, "/team/promote", "Make a memory binding for the team, or give it to all", |app, call| {
        Box::pin(team::promote(app, call))
    })
    .body(json(of::<TeamPromotion>))
    .replies(&[says(200, "`promoted`, or `proposed` where a promoter has to agree", &[json(of::<RecordAnswer>)])]),
    route(Method::POST, "/team/demote", "Take that back", |app, call| Box::pin(team::demote(app, call)))
        .body(json(of::<TeamPromotion>))
        .replies(&[says(200, "what became of it", &[json(of::<RecordAnswer>)])]),
    route(Method::GET, "/events", "Follow what happens", |app, call| Box::pin(events::follow(app, call)))
        .query(of::<Which>)
        .replies(&[says(
            200,
            "until either side ends it",
            &[plain("text/event-stream"), plain("application/x-ndjson")],
        )]),
    route(Method::GET, "/ledgers", "List the ledgers", |app, call| Box::pin(documents::ledgers(app, call)))
        .query(of::<Which>)
        .replies(&[says(200, "the documents", &[json(of::<Items>)])]),
    route(Method::POST, "/ledgers", "Write a ledger", |app, call| Box::pin(documents::write_ledger(app, call)))
        .body(json(of::<DocumentRequest>))
        .replies(&[says(201, "written", &[json(of::<Written>)])]),
    route(Method::DELETE, "/ledgers/{id}", "Erase a ledger", |app, call| Box::pin(documents::erase_ledger(app, call)))
        .query(of::<Which>)
        .replies(&[says(200, "erased for good", &[json(of::<Erased>)])]),
    route(Method::GET, "/handoffs", "List the handoffs", |app, call| Box::pin(documents::handoffs(app, call)))
        .query(of::<Which>)
        .replies(&[says(200, "the documents", &[json(of::<Items>)])]),
    route(Method::POST, "/handoffs", "Write a handoff", |app, call| Box::pin(documents::write_handoff(app, call)))
        .body(json(of::<DocumentRequest>))
        .replies(&[says(201, "written", &[json(of::<Written>)])]),
    route(Method::DELETE, "/handoffs/{id}", "Erase a handoff", |app, call| {
        Box::pin(documents::erase_handoff(app, call))
    })
    .query(of::<Which>)
    .replies(&[says(200, "erased for good", &[json(of::<Erased>)])]),
    route(Method::GET, "/learnings", "List what was learnt from errors", |app, call| {
        Box::pin(listing::learnings(app, call))
    })
    .query(of::<Within>)
    .replies(&[says(200, "newest first", &[json(of::<Items>)])]),
    route(Method::POST, "/learnings", "Write down what was learnt", |app, call| Box::pin(remember::learn(app, call)))
        .body(json(of::<LearningRequest>))
        .replies(REMEMBERED),
    route(Method::GET, "/skills", "List the skills", |app, call| Box::pin(skills::list(app, call)))
        .query(of::<Within>)
        .replies(&[says(200, "with the documents people read", &[json(of::<Items>)])]),
    route(Method::POST, "/skills", "Write a skill", |app, call| Box::pin(skills::write(app, call)))
        .body(json(of::<SkillRequest>))
        .replies(&[
            says(201, "a new skill", &[json(of::<RememberedAnswer>)]),
            says(200, "a skill that was there is changed", &[json(of::<Written>)]),
        ]),
    route(Method::GET, "/openapi.json", "Describe all of this", |app, call| Box::pin(describe(app, call)))
        .replies(&[says(200, "this document", &[json(of::<RecordAnswer>)])]),
    route(Method::GET, "/metrics", "Tell the daemon's numbers", |app, call| Box::pin(metrics::metrics(app, call)))
        .replies(&[says(200, "in the format of Prometheus", &[plain("text/plain")])]),
];
