//! Patterns over small repositories in several languages, each with files that follow a way of doing things and one
//! that does not.

use super::*;

fn study(files: &[(String, String)]) -> Vec<(String, Language, Vec<Shape>)> {
    let mut parser = Parser::new();
    let read = files.iter().map(|(path, text)| {
        let language = Language::of_file(path, text).unwrap();
        (path.clone(), language, shapes(&mut parser, language, path, text))
    });
    read.collect()
}

fn patterns(files: &[(String, String)]) -> Vec<CodePattern> {
    let studied = study(files);
    let shapes: Vec<FileShapes<'_>> =
        studied.iter().map(|(path, language, shapes)| FileShapes { path, language: *language, shapes }).collect();
    find(&shapes)
}

/// The fixture with its placeholder filled in, one file a name.
fn files(path: &str, text: &str, names: &[&str]) -> Vec<(String, String)> {
    names.iter().map(|name| (path.replace("NAME", &name.to_lowercase()), text.replace("NAME", name))).collect()
}

fn check(files: &[(String, String)], expect: &[(&str, usize)]) -> Vec<CodePattern> {
    let patterns = patterns(files);
    let hints: Vec<(&str, usize)> = patterns.iter().map(|one| (one.hint.as_str(), one.support)).collect();
    assert_eq!(hints, expect);
    patterns
}

const AXUM: &str = r#"
use axum::{Json, extract::{Path, State}};

pub async fn create_NAME(
    State(app): State<App>,
    Json(body): Json<CreateNAME>,
) -> Result<Json<NAME>, ApiError> {
    body.validate()?;
    let row = sqlx::query_as!(NAME, "insert into NAME values ($1)", body.name).fetch_one(&app.db).await?;
    tracing::info!("created NAME {}", row.id);
    Ok(Json(row))
}

#[derive(Debug, thiserror::Error)]
pub enum NAMEError {
    #[error("no such NAME")]
    Missing,
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}
"#;

#[test]
fn handlers_and_errors_of_rust_recur() {
    let mut repository = files("src/http/NAME.rs", AXUM, &["User", "Post", "Tag"]);
    repository.push((
        "src/main.rs".into(),
        "fn main() { serve().unwrap(); }\nfn serve() -> Result<(), E> { bind()?; Ok(()) }\n".into(),
    ));
    let found = check(
        &repository,
        &[
            ("endpoint: takes Json, State: body.validate→query_as!→fetch_one→info!→Json", 3),
            ("error type: enum + derive(Debug, Error) + #[error] + #[from]", 3),
        ],
    );
    assert_eq!(found[0].files, ["src/http/post.rs", "src/http/tag.rs", "src/http/user.rs"]);
    assert_eq!(
        found[0].template,
        "fn …(Json, State, …) {\n    body.validate(…)\n    query_as!(…)\n    fetch_one(…)\n    info!(…)\n    Json(…)\n}"
    );
    assert_eq!(found[1].template, "#[derive(Debug, Error, …)]\nenum … {\n    #[error] …\n    #[from] …\n}");
}

const EXPRESS: &str = r#"
import { Router } from "express";
import { z } from "zod";
import { createNAME } from "../services/NAME";

const CreateNAME = z.object({ name: z.string().min(1) });
const router = Router();

router.post("/NAME", async (req, res) => {
  const parsed = CreateNAME.safeParse(req.body);
  if (!parsed.success) {
    return res.status(400).json({ error: parsed.error.flatten() });
  }
  const result = await createNAME(parsed.data);
  return res.status(201).json(result);
});

export default router;
"#;

#[test]
fn endpoints_of_express_with_zod_recur() {
    let mut repository = files("src/routes/NAME.ts", EXPRESS, &["User", "Post", "Tag", "Team"]);
    let other =
        "import { Router } from 'express';\nconst r = Router();\nr.get('/up', (req, res) => { res.send('ok'); });\n";
    repository.push(("src/routes/health.ts".into(), other.into()));
    check(
        &repository,
        &[("endpoint: post→safeParse→res.status→flatten→json", 4), ("schema: z.string→min→z.object", 4)],
    );
}

const FLASK: &str = r#"
from flask import Blueprint, jsonify, request
from .db import get_db

bp = Blueprint("NAME", __name__)

@bp.route("/NAME", methods=["POST"])
def create():
    data = NAMESchema().load(request.json)
    db = get_db()
    db.session.add(NAME(**data))
    db.session.commit()
    return jsonify(data), 201
"#;

const PYTEST: &str = r#"
def test_create_NAME(app, client):
    response = client.post("/NAME", json={"name": "x"})
    assert response.status_code == 201

def test_get_NAME(app, client):
    response = client.get("/NAME/1")
    assert response.status_code == 200
    assert response.json["name"] == "x"
"#;

#[test]
fn routes_of_flask_and_their_tests_recur() {
    let mut repository = files("shop/NAME.py", FLASK, &["User", "Post", "Tag"]);
    repository.extend(files("tests/test_NAME.py", PYTEST, &["User", "Post", "Tag"]));
    check(
        &repository,
        &[
            ("endpoint: @route: load→get_db→db.add→db.commit→jsonify", 3),
            ("test: arrange app→client.get→assert status_code→assert json", 3),
            ("test: arrange app→client.post→assert status_code", 3),
        ],
    );
}

const GO: &str = r#"
package api

import (
	"encoding/json"
	"net/http"
)

func (s *Server) CreateNAME(w http.ResponseWriter, r *http.Request) {
	var body NAMERequest
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	row, err := s.store.InsertNAME(r.Context(), body)
	if err != nil {
		http.Error(w, err.Error(), 500)
		return
	}
	writeJSON(w, http.StatusCreated, row)
}
"#;

#[test]
fn handlers_of_go_recur() {
    let repository = files("api/NAME.go", GO, &["User", "Post", "Tag"]);
    check(&repository, &[("endpoint: json.NewDecoder→Decode→http.Error→r.Context→writeJSON", 3)]);
}

const JAVA: &str = r#"
package shop;

import org.springframework.web.bind.annotation.PostMapping;

@RestController
class NAMEController {
    private final NAMERepository rows;

    @PostMapping("/NAME")
    public NAME create(@Valid NAME body, BindingResult result) {
        if (result.hasErrors()) {
            throw new BadRequestException("NAME");
        }
        return this.rows.save(body);
    }
}
"#;

#[test]
fn controllers_of_java_recur() {
    let repository = files("src/main/java/shop/NAME.java", JAVA, &["User", "Post", "Tag"]);
    check(
        &repository,
        &[
            ("endpoint: @PostMapping: result.hasErrors→throw BadRequestException→rows.save", 3),
            ("controller: @RestController + create()", 3),
        ],
    );
}

#[test]
fn what_stands_in_one_file_or_twice_is_no_pattern() {
    check(&files("src/http/NAME.rs", AXUM, &["User", "Post"]), &[]);
    let one_file: String = ["A", "B", "C"].map(|name| AXUM.replace("NAME", name)).concat();
    check(&[("src/http.rs".into(), one_file)], &[]);
}

#[test]
fn tests_may_recur_within_one_file() {
    let text = "import { app } from './app';\nimport request from 'supertest';\ndescribe('x', () => {\n".to_owned()
        + &"  it('answers', async () => { await request(app).get('/x').expect(200); });\n".repeat(3)
        + "});\n";
    check(&[("test/x.test.js".into(), text)], &[("test: request→get→expect", 3)]);
}

#[test]
fn the_order_of_the_files_does_not_matter_and_keys_stay() {
    let mut repository = files("src/http/NAME.rs", AXUM, &["User", "Post", "Tag"]);
    repository.extend(files("shop/NAME.py", FLASK, &["User", "Post", "Tag"]));
    let first = patterns(&repository);
    repository.reverse();
    assert_eq!(patterns(&repository), first);
    repository.extend(files("src/http/NAME.rs", AXUM, &["Team"]));
    let keys = |patterns: &[CodePattern]| {
        patterns.iter().map(|one| one.key.clone()).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(keys(&patterns(&repository)), keys(&first));
}

#[test]
fn a_large_repository_gives_few_patterns() {
    let steps = ["open", "lock", "read_row", "check_row", "write_row", "commit", "notify", "close_all"];
    let shapes: Vec<Vec<Shape>> = (0..500)
        .map(|file| {
            let of_file = (0..20).map(|at| {
                let kept = steps.iter().enumerate().filter(|(step, _)| (file * 31 + at * 7 + step * 13) % 5 != 0);
                let steps: Vec<String> = kept.map(|(_, step)| format!("{step}{}", at % 6)).collect();
                Shape {
                    role: "test".into(),
                    family: String::new(),
                    name: format!("t{at}"),
                    line: 1,
                    template: String::new(),
                    steps,
                }
            });
            of_file.collect()
        })
        .collect();
    let paths: Vec<String> = (0..500).map(|file| format!("tests/{file}.rs")).collect();
    let files: Vec<FileShapes<'_>> =
        paths.iter().zip(&shapes).map(|(path, shapes)| FileShapes { path, language: Language::Rust, shapes }).collect();
    let found = find(&files);
    assert!(!found.is_empty() && found.len() <= 40, "{}", found.len());
    assert!(found.iter().all(|one| one.files.len() <= 8 && one.files.is_sorted()));
}
