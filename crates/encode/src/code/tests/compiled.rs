//! Rust, Go, Java, C and C++.

use super::*;

pub(super) const RUST: &str = r#"//! Keeps orders. Never talks to the network.
use std::collections::BTreeMap;
use crate::model::{Order, price::{self, Money}};
use super::Clock;
use shop_core::ids::OrderId as Id;
mod journal;
#[path = "odd/place.rs"]
mod odd;

const LIMIT: usize = 3;

/// One store.
#[derive(Debug)]
pub struct Store<T> { orders: BTreeMap<u32, T> }

impl<T> Store<T> {
    pub fn open() -> Self { Store { orders: BTreeMap::new() } }
    fn flush(&mut self) {}
}

impl<T> Drop for Store<T> {
    fn drop(&mut self) {}
}

pub(crate) trait Keep { fn keep(&self); }

macro_rules! keep { () => {} }

#[cfg(test)]
mod tests {
    use super::*;
    #[tokio::test]
    async fn it_opens() {}
}
"#;

#[test]
fn rust_is_outlined() {
    check_definitions(
        Language::Rust,
        RUST,
        &[
            "-constant LIMIT 10-10",
            "type Store 14-14",
            "method Store.open 17-17",
            "-method Store.flush 18-18",
            "method Store.drop 22-22",
            "interface Keep 25-25",
            "method Keep.keep 25-25",
            "-macro keep 27-27",
            "-module tests 30-34",
            "-test tests.it_opens 33-33",
        ],
    );
    assert_eq!(outline(Language::Rust, RUST).module_doc.as_deref(), Some("Keeps orders."));
}

#[test]
fn rust_imports_are_found() {
    let files = [
        "src/lib.rs",
        "src/model/mod.rs",
        "src/model/price.rs",
        "src/store.rs",
        "src/store/orders.rs",
        "src/store/orders/journal.rs",
        "src/store/odd/place.rs",
        "crates/shop-core/src/lib.rs",
        "crates/shop-core/src/ids.rs",
    ];
    check_imports(
        Language::Rust,
        "src/store/orders.rs",
        RUST,
        &files,
        &[
            ("std::collections [BTreeMap]", &[]),
            ("crate::model::price [self Money]", &["src/model/price.rs"]),
            ("crate::model [Order]", &["src/model/mod.rs"]),
            ("super [Clock]", &["src/store.rs"]),
            ("shop_core::ids [OrderId]", &["crates/shop-core/src/ids.rs"]),
            ("mod journal [journal]", &["src/store/orders/journal.rs"]),
            ("mod \"odd/place.rs\" [odd]", &["src/store/odd/place.rs"]),
        ],
    );
}

#[test]
fn a_test_of_rust_reaches_the_library_by_its_name() {
    let files = ["src/lib.rs", "src/engine/mod.rs", "tests/it/main.rs", "tests/it/lab.rs", "tests/it/recall.rs"];
    check_imports(
        Language::Rust,
        "tests/it/recall.rs",
        "use loki::engine::Handle;\nuse crate::lab::Lab;\nuse serde::Deserialize;\nmod x { use super::super::lab::A; use super::B; }\n",
        &files,
        &[
            ("loki::engine [Handle]", &["src/engine/mod.rs"]),
            ("crate::lab [Lab]", &["tests/it/lab.rs"]),
            ("serde [Deserialize]", &[]),
            ("super::lab [A]", &["tests/it/lab.rs"]),
        ],
    );
}

pub(super) const GO: &str = r#"// Package shop sells things. It is small.
package shop

import (
	"net/http"
	ids "example.com/shop/internal/ids"
	. "example.com/shop"
)

const Limit, least = 3, 1

var ErrGone = errors.New("gone")

type Store[T any] struct{ items []T }

type Keeper interface{ Keep() error }

func New() *Store[int] { return nil }

func (s *Store[T]) Keep() error { return nil }

func (s *Store[T]) flush() {}

func TestKeep(t *testing.T) {}
"#;

#[test]
fn go_is_outlined() {
    check_definitions(
        Language::Go,
        GO,
        &[
            "constant Limit 10-10",
            "-constant least 10-10",
            "constant ErrGone 12-12",
            "type Store 14-14",
            "interface Keeper 16-16",
            "function New 18-18",
            "method Store.Keep 20-20",
            "-method Store.flush 22-22",
            "test TestKeep 24-24",
        ],
    );
    assert_eq!(outline(Language::Go, GO).module_doc.as_deref(), Some("Package shop sells things."));
}

#[test]
fn go_imports_are_folders_of_the_module() {
    let paths = ["shop.go", "shop_test.go", "internal/ids/ids.go", "internal/ids/more.go", "cmd/shop/main.go"];
    let files = Files::new(paths.map(str::to_owned).to_vec());
    let module = GoModule::read("go.mod", "module example.com/shop\n").unwrap();
    let expect: &[(&str, &[&str])] = &[
        ("net/http", &[]),
        ("example.com/shop/internal/ids [ids]", &["internal/ids/ids.go", "internal/ids/more.go"]),
        ("example.com/shop [*]", &["shop.go"]),
    ];
    check_imports_in(Language::Go, "cmd/shop/main.go", GO, &files.with_go_modules(vec![module]), expect);
}

pub(super) const JAVA: &str = r#"/* Copyright 2020 the authors. Licensed under something. */
package com.acme.shop.order;

import java.util.List;
import com.acme.shop.user.User;
import static com.acme.shop.Money.euros;
import com.acme.shop.util.*;

/**
 * Takes orders. Speaks HTTP.
 *
 * @author somebody
 */
@RestController
public class OrderController extends Base<Order> implements Handler {
    public static final int LIMIT = 3;
    private int count;

    public OrderController(User user) {}

    @GetMapping("/orders")
    public List<Order> all() { return List.of(); }

    private void hide() {}

    interface Listener { void placed(Order order); }

    @Test
    void takesOrders() {}
}
"#;

#[test]
fn java_is_outlined() {
    check_definitions(
        Language::Java,
        JAVA,
        &[
            "type OrderController 14-30",
            "constant OrderController.LIMIT 16-16",
            "method OrderController.OrderController 19-19",
            "method OrderController.all 21-22",
            "-method OrderController.hide 24-24",
            "-interface OrderController.Listener 26-26",
            "method Listener.placed 26-26",
            "-test OrderController.takesOrders 28-29",
        ],
    );
    assert_eq!(outline(Language::Java, JAVA).module_doc.as_deref(), Some("Takes orders."));
}

#[test]
fn java_imports_are_found() {
    let root = "src/main/java/com/acme/shop";
    let files = ["user/User", "Money", "util/A", "util/B"].map(|name| format!("{root}/{name}.java"));
    let paths: Vec<&str> = files.iter().map(String::as_str).collect();
    check_imports(
        Language::Java,
        "src/main/java/com/acme/shop/order/OrderController.java",
        JAVA,
        &paths,
        &[
            ("java.util.List [List]", &[]),
            ("com.acme.shop.user.User [User]", &[paths[0]]),
            ("com.acme.shop.Money [euros]", &[paths[1]]),
            ("com.acme.shop.util [*]", &[paths[2], paths[3]]),
        ],
    );
}

#[test]
fn c_is_outlined_and_its_includes_are_found() {
    let text = "/* Rows of the screen. */\n#include <stdio.h>\n#include \"row.h\"\n#include \"core/buffer.h\"\n\
        #define LIMIT 80\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\nstatic int width(struct row *r);\n\
        typedef struct { int x; } point;\nstruct row { int size; };\nenum mode { A, B };\n\
        char *row_text(struct row *r) { return 0; }\nstatic int width(struct row *r) { return 0; }\n\
        #ifdef X\nvoid only_x(void);\n#endif\n";
    check_definitions(
        Language::C,
        text,
        &[
            "constant LIMIT 5-5",
            "macro MAX 6-6",
            "type point 8-8",
            "type row 9-9",
            "type mode 10-10",
            "function row_text 11-11",
            "-function width 12-12",
            "function only_x 14-14",
        ],
    );
    assert_eq!(outline(Language::C, text).module_doc.as_deref(), Some("Rows of the screen."));
    let files = ["src/ui/row.c", "src/ui/row.h", "src/core/buffer.h", "tests/row.h"];
    check_imports(
        Language::C,
        "src/ui/row.c",
        text,
        &files,
        &[("<stdio.h>", &[]), ("\"row.h\"", &["src/ui/row.h"]), ("\"core/buffer.h\"", &["src/core/buffer.h"])],
    );
}

#[test]
fn cpp_is_outlined() {
    let text = "#include <shop/db.h>\nnamespace shop {\nclass Store : public Base<int> {\n public:\n  Store();\n\
          void Put(const Key& k);\n private:\n  int count() const { return 1; }\n};\nvoid Store::Put(const Key& k) {}\n\
        template <typename T> T twice(T t) { return t; }\nnamespace { int hidden() { return 0; } }\n}\n\
        TEST(StoreTest, Puts) { EXPECT_EQ(1, 1); }\n";
    check_definitions(
        Language::Cpp,
        text,
        &[
            "module shop 2-13",
            "type shop.Store 3-9",
            "method Store.Store 5-5",
            "-method Store.count 8-8",
            "method Store.Put 10-10",
            "function shop.twice 11-11",
            "-function shop.hidden 12-12",
            "-test StoreTest.Puts 14-14",
        ],
    );
    let files = ["include/shop/db.h", "src/db.cc"];
    check_imports(Language::Cpp, "src/db.cc", text, &files, &[("<shop/db.h>", &["include/shop/db.h"])]);
}
