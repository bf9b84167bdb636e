//! What a definition is for, told by its attributes, bases, parameters, name and place. Told wrongly it only stands in
//! the wrong group; what has no role is compared with what is named alike.

use super::super::outline::{Form, Found};
use super::super::{DefinitionKind, Language};
use super::role_words::{
    BASES, EXTRACTORS, GO_CONTEXTS, GO_MIDDLEWARE, ON_FUNCTIONS, ON_TYPES, PLAIN_INTERFACES, ROUTES, SCHEMA_LIBRARIES,
    TYPE_SUFFIXES,
};
use super::signature::Parameter;

pub(super) struct Facts<'a, 't> {
    pub(super) language: Language,
    pub(super) path: &'a str,
    pub(super) found: &'a Found<'t>,
    /// The type or implementation a method stands in.
    pub(super) holder: Option<&'a Found<'t>>,
    pub(super) attributes: &'a [String],
    pub(super) parameters: &'a [Parameter],
    pub(super) result: String,
    pub(super) body: &'a [String],
    pub(super) has_jsx: bool,
    /// What a value is built with, if that is imported.
    pub(super) maker: Option<&'a str>,
}

/// The role and the family within it.
pub(super) fn of(facts: &Facts<'_, '_>) -> Option<(String, String)> {
    let plain = |role: &str| Some((role.to_owned(), String::new()));
    let definition = &facts.found.definition;
    let name = definition.name.as_str();
    if definition.kind == DefinitionKind::Test {
        return plain(if name.starts_with("Benchmark") { "benchmark" } else { "test" });
    }
    match facts.found.form {
        Form::Registration => registration(facts).and_then(plain),
        Form::Type => of_type(facts),
        Form::Implementation => {
            let interface = facts.found.bases.first().filter(|base| !PLAIN_INTERFACES.contains(&base.as_str()))?;
            Some(("implementation".to_owned(), interface.clone()))
        }
        Form::Callable => of_function(facts),
        // A value is interesting if a library builds it: a schema, a store, a table.
        Form::Value => {
            let maker = facts.maker?;
            let is_verb = matches!(name, "GET" | "POST" | "PUT" | "PATCH" | "DELETE");
            if is_verb && definition.is_public {
                return plain("endpoint");
            }
            if SCHEMA_LIBRARIES.contains(&maker) {
                return plain("schema");
            }
            Some(("definition".to_owned(), maker.to_owned()))
        }
    }
}

pub(super) fn is_route(attribute: &str) -> bool {
    ROUTES.contains(&attribute.to_ascii_lowercase().as_str())
}

fn look_up(table: &[(&str, &'static str)], word: &str) -> Option<&'static str> {
    let lower = word.to_ascii_lowercase();
    table.iter().find(|(known, _)| *known == lower).map(|(_, role)| *role)
}

/// `@pytest.fixture` → `fixture`, `#[tauri::command]` → `command`, `derive(Error)` → `Error`.
fn bare(attribute: &str) -> &str {
    let inner = attribute.strip_prefix("derive(").unwrap_or(attribute);
    let inner = inner.trim_matches(|c| matches!(c, '@' | '#' | '[' | ']' | ')'));
    inner.rsplit(['.', ':']).next().unwrap_or(inner)
}

fn registration(facts: &Facts<'_, '_>) -> Option<&'static str> {
    let verb = facts.found.definition.name.split(' ').next().unwrap_or_default();
    Some(match verb {
        "get" | "post" | "put" | "patch" | "delete" | "del" | "all" | "options" | "head" | "route" => "endpoint",
        "use" | "param" => "middleware",
        "on" | "once" | "addEventListener" | "subscribe" | "handle" => "handler",
        "command" => "command",
        _ => "registration",
    })
}

fn of_type(facts: &Facts<'_, '_>) -> Option<(String, String)> {
    let definition = &facts.found.definition;
    let plain = |role: &str| Some((role.to_owned(), String::new()));
    if facts.path.contains("migrations/") {
        return plain("migration");
    }
    if let Some(role) = facts.attributes.iter().find_map(|attribute| look_up(ON_TYPES, bare(attribute))) {
        return plain(role);
    }
    if let Some(role) = facts.found.bases.iter().find_map(|base| look_up(BASES, base)) {
        return plain(role);
    }
    let name = definition.name.as_str();
    let suffix = TYPE_SUFFIXES.iter().find(|(suffix, _)| name.ends_with(suffix));
    if let Some((_, role)) = suffix {
        return plain(role);
    }
    let error_base = facts.found.bases.iter().any(|base| base.ends_with("Error") || base.ends_with("Exception"));
    if error_base {
        return plain("error type");
    }
    if let Some(base) = facts.found.bases.iter().find(|base| !PLAIN_INTERFACES.contains(&base.as_str())) {
        return Some(("subclass".to_owned(), base.clone()));
    }
    (!facts.attributes.is_empty()).then(|| ("type".to_owned(), String::new()))
}

fn of_function(facts: &Facts<'_, '_>) -> Option<(String, String)> {
    let plain = |role: &str| Some((role.to_owned(), String::new()));
    let definition = &facts.found.definition;
    let name = definition.name.as_str();
    let names: Vec<&str> = facts.attributes.iter().map(|attribute| bare(attribute)).collect();
    if names.iter().any(|attribute| is_route(attribute)) {
        return plain("endpoint");
    }
    if let Some(role) = names.iter().find_map(|attribute| look_up(ON_FUNCTIONS, attribute)) {
        return plain(role);
    }
    if let Some(role) = by_signature(facts).or_else(|| by_body(facts)).or_else(|| by_name(facts)) {
        return plain(role);
    }
    if matches!(name, "constructor" | "__init__" | "new" | "default" | "main") || name.starts_with("__") {
        return None;
    }
    // Methods that override are alike because of what they override.
    if facts.holder.is_some_and(|holder| holder.form == Form::Implementation) {
        // Compared as a whole, with the other methods of the interface.
        return None;
    }
    let base = facts.holder.and_then(|holder| holder.bases.first());
    let base = base.filter(|base| !PLAIN_INTERFACES.contains(&base.as_str()));
    if let Some(base) = base.filter(|_| definition.kind == DefinitionKind::Method) {
        return Some(("method".to_owned(), format!("{base}.{name}")));
    }
    let role = if definition.kind == DefinitionKind::Method { "method" } else { "function" };
    Some((role.to_owned(), verb(name)))
}

fn by_signature(facts: &Facts<'_, '_>) -> Option<&'static str> {
    let kinds = || facts.parameters.iter().map(|parameter| parameter.kind.as_str());
    let named = |name: &str| facts.parameters.iter().any(|parameter| parameter.name.trim_start_matches('_') == name);
    let calls = |name: &str| facts.body.iter().any(|step| step.rsplit('.').next() == Some(name));
    match facts.language {
        Language::Rust => {
            let last = |kind: &str| kind.split('<').next().and_then(|path| path.rsplit("::").next().map(str::to_owned));
            let extracts = kinds().any(|kind| {
                last(kind).is_some_and(|name| EXTRACTORS.contains(&name.as_str())) && kind.contains(['<', ':'])
            });
            let responds = ["IntoResponse", "HttpResponse", "Json<"].iter().any(|kind| facts.result.contains(kind));
            let takes_next = kinds().any(|kind| last(kind).as_deref() == Some("Next"));
            if takes_next { Some("middleware") } else { (extracts || responds).then_some("endpoint") }
        }
        Language::Go => {
            let is_method = facts.found.definition.kind == DefinitionKind::Method;
            let writes =
                kinds().any(|kind| kind == "http.ResponseWriter") && kinds().any(|kind| kind == "*http.Request");
            let handles = writes || kinds().any(|kind| GO_CONTEXTS.contains(&kind)) && facts.parameters.len() <= 2;
            if GO_MIDDLEWARE.contains(&facts.result.as_str()) {
                Some("middleware")
            } else {
                // `*Context` alone is a framework's own type: its methods are no endpoints.
                (handles && !(is_method && kinds().any(|kind| kind == "*Context"))).then_some("endpoint")
            }
        }
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            let exported_verb = matches!(
                facts.found.definition.name.as_str(),
                "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "loader" | "action"
            );
            if named("res") && (named("req") || facts.parameters.len() > 1) {
                let answers =
                    ["json", "send", "render", "end", "redirect", "sendStatus"].iter().any(|name| calls(name));
                Some(if named("err") || named("error") {
                    "error handler"
                } else if named("next") && calls("next") && !answers {
                    "middleware"
                } else {
                    "endpoint"
                })
            } else {
                (exported_verb && facts.found.definition.is_public).then_some("endpoint")
            }
        }
        _ => None,
    }
}

fn by_body(facts: &Facts<'_, '_>) -> Option<&'static str> {
    let registers = |step: &&String| {
        let last = step.rsplit(['.', ':']).next().unwrap_or(step);
        matches!(last, "route" | "add_url_rule" | "HandleFunc" | "GET" | "POST" | "PUT" | "DELETE" | "PATCH" | "nest")
            || step.as_str() == "Router::new"
    };
    if facts.body.iter().filter(registers).count() >= 2 {
        return Some("route registration");
    }
    let is_command = facts.body.iter().any(|step| step.as_str() == "cobra.Command{}");
    is_command.then_some("command")
}

fn by_name(facts: &Facts<'_, '_>) -> Option<&'static str> {
    let name = facts.found.definition.name.as_str();
    if facts.language.is_ecma() {
        let hook = name.strip_prefix("use").is_some_and(|rest| rest.starts_with(char::is_uppercase));
        if hook {
            return Some("hook");
        }
        if facts.has_jsx && name.starts_with(char::is_uppercase) {
            return Some("component");
        }
    }
    if facts.path.contains("migrations/") && matches!(name, "up" | "down" | "upgrade" | "downgrade" | "change") {
        return Some("migration");
    }
    let lower = name.to_ascii_lowercase();
    if lower.ends_with("middleware") {
        return Some("middleware");
    }
    if lower.starts_with("handle") && name.len() > 7 || lower.ends_with("handler") {
        return Some("handler");
    }
    if facts.language == Language::Go
        && name.strip_prefix("New").is_some_and(|rest| rest.starts_with(char::is_uppercase))
    {
        return Some("constructor");
    }
    None
}

/// The first word of a name of several, or the whole name.
fn verb(name: &str) -> String {
    let snake = name.trim_start_matches('_').split('_').next().unwrap_or(name);
    let mut seen_lower = false;
    let hump = snake.char_indices().find(|(_, c)| {
        let begins = c.is_uppercase() && seen_lower;
        seen_lower |= c.is_lowercase();
        begins
    });
    let word = hump.map_or(snake, |(at, _)| &snake[..at]);
    let lower = word.to_ascii_lowercase();
    if word.len() == name.len() { lower } else { format!("{lower}*") }
}
