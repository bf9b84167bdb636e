//! Python, TypeScript and JavaScript.

use super::*;

pub(super) const PYTHON: &str = r#"# -*- coding: utf-8 -*-
"""Accounts and sessions.

More here.
"""
import os, shop.mail as mail
from . import db
from ..util.text import slug, fold as f
from shop.models import (User, Order)

MAX_TRIES = 3
_cache = {}

if os.name == "nt":
    def home(): ...

class Session(db.Model):
    id: int

    def open(self): ...
    def _close(self): ...

@app.route("/login", methods=["POST"])
def login():
    from shop.late import thing
    return thing

def test_login(client): ...
"#;

#[test]
fn python_is_outlined() {
    check_definitions(
        Language::Python,
        PYTHON,
        &[
            "constant MAX_TRIES 11-11",
            "function home 15-15",
            "type Session 17-21",
            "method Session.open 20-20",
            "-method Session._close 21-21",
            "function login 23-26",
            "test test_login 28-28",
        ],
    );
    assert_eq!(outline(Language::Python, PYTHON).module_doc.as_deref(), Some("Accounts and sessions."));
}

#[test]
fn python_imports_are_found() {
    let files = [
        "src/shop/__init__.py",
        "src/shop/mail.py",
        "src/shop/late.py",
        "src/shop/models/__init__.py",
        "src/shop/util/text.py",
        "src/shop/web/__init__.py",
        "src/shop/web/auth.py",
        "src/shop/web/db.py",
    ];
    check_imports(
        Language::Python,
        "src/shop/web/auth.py",
        PYTHON,
        &files,
        &[
            ("os", &[]),
            ("shop.mail", &["src/shop/mail.py"]),
            (". [db]", &["src/shop/web/db.py"]),
            ("..util.text [slug fold]", &["src/shop/util/text.py"]),
            ("shop.models [User Order]", &["src/shop/models/__init__.py"]),
            ("shop.late [thing]", &["src/shop/late.py"]),
        ],
    );
}

pub(super) const TYPESCRIPT: &str = r#"/** Routes of the shop. */
import express, { Router as R } from "express";
import * as z from "zod";
import { save } from "./db.js";
import type { User } from "@/models/user";
import { Button } from "@acme/ui";
export { helper } from "../util";
const late = await import("./late");

export const LIMIT = 3;
const secret = 1;
export interface Options { a: string }
type Id = string;
export enum Color { Red }

@Injectable()
export class Service<T> extends Base<T> implements Thing {
  constructor(private readonly db: Db) {}
  async find(id: string) { return this.db.find(id); }
  private hide() {}
  handler = () => {};
}

export const create = async (req: Request) => {};
function inner() {}
export default function main() {}
namespace N { export function f() {} }

describe("service", () => {
  it("finds", async () => { expect(1).toBe(1); });
});
export { inner };
"#;

#[test]
fn typescript_is_outlined() {
    check_definitions(
        Language::TypeScript,
        TYPESCRIPT,
        &[
            "constant LIMIT 10-10",
            "interface Options 12-12",
            "-type Id 13-13",
            "type Color 14-14",
            "type Service 16-22",
            "method Service.constructor 18-18",
            "method Service.find 19-19",
            "-method Service.hide 20-20",
            "method Service.handler 21-21",
            "function create 24-24",
            "function inner 25-25",
            "function main 26-26",
            "-module N 27-27",
            "function N.f 27-27",
            "-test service.finds 30-30",
        ],
    );
    assert_eq!(outline(Language::TypeScript, TYPESCRIPT).module_doc.as_deref(), Some("Routes of the shop."));
}

#[test]
fn typescript_imports_are_found() {
    let files = [
        "apps/web/src/routes/shop.ts",
        "apps/web/src/routes/db.ts",
        "apps/web/src/routes/late/index.tsx",
        "apps/web/src/models/user.ts",
        "apps/web/src/util.ts",
        "packages/ui/package.json",
        "packages/ui/src/index.ts",
    ];
    check_imports(
        Language::TypeScript,
        "apps/web/src/routes/shop.ts",
        TYPESCRIPT,
        &files,
        &[
            ("express [express Router]", &[]),
            ("zod [z]", &[]),
            ("./db.js [save]", &["apps/web/src/routes/db.ts"]),
            ("@/models/user [User]", &["apps/web/src/models/user.ts"]),
            ("@acme/ui [Button]", &["packages/ui/src/index.ts"]),
            ("../util [helper]", &["apps/web/src/util.ts"]),
            ("./late [late]", &["apps/web/src/routes/late/index.tsx"]),
        ],
    );
}

#[test]
fn javascript_of_both_module_systems_is_outlined() {
    let text = "'use strict';\nvar View = require('./view');\nvar { a, b: c } = require('./tools').inner;\n\
        var app = exports = module.exports = {};\napp.init = function init() {};\n\
        View.prototype.render = function () {};\nexports.helper = () => 1;\nmodule.exports = { outer };\nfunction outer() {}\n";
    check_definitions(
        Language::JavaScript,
        text,
        &["method app.init 5-5", "method View.render 6-6", "function helper 7-7", "function outer 9-9"],
    );
    check_imports(
        Language::JavaScript,
        "lib/app.js",
        text,
        &["lib/app.js", "lib/view.js", "lib/tools/index.js"],
        &[("./view [View]", &["lib/view.js"]), ("./tools [a b]", &["lib/tools/index.js"])],
    );
}
