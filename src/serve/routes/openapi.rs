//! The OpenAPI 3.1 document, made from the table of routes and the types the handlers read and write.

use std::sync::OnceLock;

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::{Content, ROUTES, Route, SchemaOf};
use crate::serve::app::App;
use crate::serve::call::{Answer, Call, with_type};
use crate::serve::problem::ProblemDocument;

pub(super) async fn describe(_app: App, _call: Call) -> Answer {
    static DOCUMENT: OnceLock<Bytes> = OnceLock::new();
    let document = DOCUMENT.get_or_init(|| Bytes::from(openapi().to_string())).clone();
    Ok(with_type(StatusCode::OK, "application/json", Body::from(document)))
}

pub fn openapi() -> Value {
    let mut generator = SchemaSettings::draft2020_12()
        .with(|settings| settings.definitions_path = "/components/schemas".into())
        .into_generator();
    let problem = generator.subschema_for::<ProblemDocument>().to_value();
    let mut paths = Map::new();
    for route in ROUTES {
        let path = paths.entry(format!("/v1{}", route.path)).or_insert_with(|| json!({}));
        path[route.verb.as_str().to_lowercase()] = operation(route, &problem, &mut generator);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "lokid",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "A living memory for the people and agents who work in a repository, over a Unix socket. \
                Every path also stands without `/v1`. Errors are RFC 9457 problem documents with a stable `code`.",
        },
        "servers": [{"url": "http://localhost", "description": "the daemon's Unix socket"}],
        "paths": paths,
        "components": {"schemas": generator.take_definitions(true)},
    })
}

fn operation(route: &Route, problem: &Value, generator: &mut SchemaGenerator) -> Value {
    let mut replies = Map::new();
    for reply in route.replies {
        let mut told = json!({"description": reply.says});
        if !reply.content.is_empty() {
            told["content"] = content(reply.content, generator);
        }
        replies.insert(reply.status.to_string(), told);
    }
    let refusal = json!({"description": "why not", "content": {"application/problem+json": {"schema": problem}}});
    replies.insert("default".to_owned(), refusal);
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": route.summary,
        "parameters": parameters(route, generator),
        "responses": replies,
    });
    if let Some(body) = route.body {
        // A DELETE may name its object in the query instead.
        let required = route.query.is_none();
        operation["requestBody"] = json!({"required": required, "content": content(&[body], generator)});
    }
    operation
}

fn operation_id(route: &Route) -> String {
    let words = route.path.split(['/', '{', '}', '.']).filter(|word| !word.is_empty());
    std::iter::once(route.verb.as_str().to_lowercase()).chain(words.map(str::to_owned)).collect::<Vec<_>>().join("_")
}

fn content(contents: &[Content], generator: &mut SchemaGenerator) -> Value {
    let mut out = Map::new();
    for content in contents {
        let schema = content.schema.map_or_else(|| json!({"type": "string"}), |schema| schema(generator).to_value());
        out.insert(content.media.to_owned(), json!({"schema": schema}));
    }
    Value::Object(out)
}

fn parameters(route: &Route, generator: &mut SchemaGenerator) -> Vec<Value> {
    let mut out = Vec::new();
    for name in route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')) {
        out.push(json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}));
    }
    for (name, mut schema) in route.query.map(|query| fields(query, generator)).unwrap_or_default() {
        let description = schema.as_object_mut().and_then(|schema| schema.shift_remove("description"));
        let mut parameter = json!({"name": name, "in": "query", "required": false, "schema": schema});
        if let Some(description) = description {
            parameter["description"] = description;
        }
        out.push(parameter);
    }
    out
}

/// The properties of a query's type. It is told field by field, so its own definition is not kept.
fn fields(query: SchemaOf, generator: &mut SchemaGenerator) -> Map<String, Value> {
    let reference = query(generator).to_value();
    let name = reference.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
    let definition = name.and_then(|name| generator.definitions().get(name)).cloned().unwrap_or(reference);
    match definition.get("properties") {
        Some(Value::Object(properties)) => properties.clone(),
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every `$ref` anywhere in the document.
    fn references(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                for (name, inner) in map {
                    match inner {
                        Value::String(target) if name == "$ref" => found.push(target.clone()),
                        inner => references(inner, found),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }

    #[test]
    fn every_route_is_described_and_every_reference_leads_somewhere() {
        let document = openapi();
        for route in ROUTES {
            let operation = &document["paths"][format!("/v1{}", route.path)][route.verb.as_str().to_lowercase()];
            assert_eq!(operation["summary"], route.summary, "{}", route.path);
            assert!(!route.replies.is_empty(), "{} tells no reply", route.path);
        }
        let mut found = Vec::new();
        references(&document, &mut found);
        assert!(!found.is_empty());
        for target in found {
            assert!(document.pointer(target.trim_start_matches('#')).is_some(), "{target}");
        }
    }

    #[test]
    fn operation_ids_are_unique() {
        let mut ids: Vec<String> = ROUTES.iter().map(operation_id).collect();
        let many = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), many);
    }

    #[test]
    fn words_ranges_and_parameters_reach_the_document() {
        let document = openapi();
        let kinds = &document["components"]["schemas"]["Kind"]["enum"];
        assert!(kinds.as_array().unwrap().contains(&json!("anti_pattern")));
        let list = document["paths"]["/v1/memories"]["get"]["parameters"].as_array().unwrap();
        let limit = list.iter().find(|parameter| parameter["name"] == "limit").unwrap();
        assert_eq!(limit["schema"]["maximum"], 500);
    }
}
