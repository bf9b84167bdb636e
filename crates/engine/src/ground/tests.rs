//! Small grounds, made by hand.

use super::*;
use lokid_encode::code::Files;

fn ground(files: &[(&str, &str)]) -> CodeGround {
    let mut ground = CodeGround::default();
    ground.put_all(views(files));
    ground
}

fn views(files: &[(&str, &str)]) -> Vec<(String, FileView)> {
    let all = Files::new(files.iter().map(|(path, _)| (*path).to_owned()).collect());
    let mut reading = TextReading::new();
    files.iter().map(|(path, text)| ((*path).to_owned(), reading.view(path, text, &all))).collect()
}

fn shop() -> Vec<(&'static str, &'static str)> {
    vec![
        (
            "shop/cart.py",
            "from shop.price import total_price\n\ndef checkout(basket):\n    return total_price(basket)\n",
        ),
        ("shop/price.py", "def total_price(basket):\n    return sum(basket.discounted)\n"),
        ("shop/mail.py", "import smtplib\n\ndef send_letter(recipient):\n    smtplib.SMTP(recipient)\n"),
        ("shop/deep/er.py", "x = 1\n"),
        ("tests/test_price.py", "from shop.price import total_price\n\ndef test_total_price():\n    total_price([])\n"),
        ("docs/discounts.md", "# Prices\n\nThe `total_price` of a basket honours what is discounted.\n"),
        ("setup.cfg", "[metadata]\nname = shop\n"),
    ]
}

#[test]
fn imports_lead_both_ways_and_only_to_what_is_there() {
    let mut ground = ground(&shop());
    assert_eq!(ground.imports("shop/cart.py"), ["shop/price.py"]);
    assert_eq!(ground.importers("shop/price.py"), ["shop/cart.py", "tests/test_price.py"]);
    assert_eq!(ground.links(), 2);
    ground.remove("shop/price.py");
    assert!(ground.imports("shop/cart.py").is_empty());
    ground.remove("shop/cart.py");
    assert_eq!(ground.importers("shop/price.py"), ["tests/test_price.py"]);
    assert!(ground.imports("nowhere.py").is_empty());
}

#[test]
fn siblings_stand_in_the_same_folder_and_not_below() {
    let ground = ground(&shop());
    let check = |path: &str, expect: &[&str]| assert_eq!(ground.siblings(path), expect, "{path}");
    check("shop/cart.py", &["shop/mail.py", "shop/price.py"]);
    check("shop/new.py", &["shop/cart.py", "shop/mail.py", "shop/price.py"]);
    check("README.md", &["setup.cfg"]);
    check("shop/deep/er.py", &[]);
    check("else/where", &[]);
}

#[test]
fn files_that_speak_of_the_same_are_alike_documents_too() {
    let ground = ground(&shop());
    let near = ground.alike("shop/price.py", 3);
    let paths: Vec<&str> = near.iter().map(|(path, _)| *path).collect();
    assert!(paths.contains(&"docs/discounts.md") && paths.contains(&"tests/test_price.py"), "{near:?}");
    assert!(near.iter().all(|(path, score)| *path != "shop/price.py" && (0.0..=1.0).contains(score)), "{near:?}");
    assert!(near.is_sorted_by(|one, other| one.1 >= other.1), "{near:?}");
    assert!(ground.alike("shop/price.py", 0).is_empty());
    assert!(ground.alike("nowhere.py", 3).is_empty());
}

#[test]
fn the_same_text_is_as_alike_as_can_be() {
    let text = "fn anneal(lattice: Lattice) { lattice.cool(); }\n";
    let ground = ground(&[("a/x.rs", text), ("b/x.rs", text), ("c.rs", "fn other() { melt(); }\n")]);
    let (path, score) = ground.alike("a/x.rs", 1)[0];
    assert_eq!(path, "b/x.rs");
    assert!(score > 0.5, "only their folders differ: {score}");
}

#[test]
fn a_changed_file_is_known_as_it_is_now() {
    let mut ground = ground(&shop());
    let mail = "def total_price_of_letter(basket):\n    return basket.discounted\n";
    let (_, view) = views(&[("shop/mail.py", mail)]).remove(0);
    let before = ground.alike("shop/mail.py", 9).iter().any(|(path, _)| *path == "docs/discounts.md");
    ground.put("shop/mail.py", view);
    let after = ground.alike("shop/mail.py", 9);
    assert!(!before && after.iter().any(|(path, _)| *path == "docs/discounts.md"), "{after:?}");
    assert_eq!(ground.len(), shop().len());
}

#[test]
fn what_is_put_and_removed_leaves_nothing_behind() {
    let mut ground = ground(&shop());
    for _ in 0..3 {
        for (path, _) in shop() {
            ground.remove(path);
            ground.remove(path);
        }
        assert!(ground.is_empty() && ground.importers.is_empty() && ground.sketches.is_empty());
        ground.put_all(views(&shop()));
    }
    assert_eq!(ground.files.len(), shop().len(), "places are used again");
}

#[test]
fn a_file_that_is_unknown_may_be_there_only_if_not_all_are_known() {
    let mut ground = ground(&shop());
    assert!(ground.is_there("setup.cfg") && !ground.is_there("nowhere.py"));
    ground.set_part(true);
    assert!(ground.is_there("nowhere.py"));
    assert!(CodeGround::default().is_there("anything"));
}

#[test]
fn the_ground_comes_back_from_its_lines_and_a_bad_line_is_passed_over() {
    let mut ground = ground(&shop());
    ground.set_part(true);
    let mut text = String::new();
    ground.write(&mut text);
    text.push_str("[\"half\n[1]\n");
    let again = CodeGround::read(text.lines());
    let mut rewritten = String::new();
    again.write(&mut rewritten);
    assert_eq!(rewritten.lines().count(), text.lines().count() - 2);
    assert_eq!(again.importers("shop/price.py"), ground.importers("shop/price.py"));
    assert_eq!(again.stamp("setup.cfg"), ground.stamp("setup.cfg"));
    for (path, _) in shop() {
        assert_eq!(again.alike(path, 9), ground.alike(path, 9), "{path}");
    }
    assert!(CodeGround::read("nonsense".lines()).is_empty());
}

#[test]
fn of_a_long_file_the_telling_words_are_kept() {
    let mut files: Vec<(String, String)> = (0..40)
        .map(|at| (format!("f{at}.txt"), (0..60).map(|word| format!("common{word} ")).collect::<String>()))
        .collect();
    files[3].1.push_str("zymurgy");
    files[7].1.push_str("zymurgy");
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let ground = ground(&files);
    assert_eq!(ground.alike("f3.txt", 1)[0].0, "f7.txt");
    assert!(ground.alike("f5.txt", 9).is_empty(), "what everybody says likens nobody");
}

#[test]
fn a_path_tells_whether_words_may_be_expected() {
    let check = |path: &str, expect| assert_eq!(is_text(path), expect, "{path}");
    check("docs/a.rst", true);
    check("Makefile", true);
    check("a.unheard-of", true);
    check(".gitignore", true);
    check("logo.PNG", false);
    check("yarn.lock", false);
    check("package-lock.json", false);
    check("jquery.min.js", false);
    check("src/lib.rs", false);
}

proptest::proptest! {
    #[test]
    fn no_text_and_no_order_of_changes_makes_the_ground_panic(
        steps in proptest::collection::vec(("[a-c/é]{0,4}", "[a-zé_./\\n\\x00 ]{0,60}", proptest::bool::ANY), 0..30),
    ) {
        let mut ground = CodeGround::default();
        for (path, text, stays) in steps {
            if stays {
                ground.put(&path, FileView::of_text(&path, &text));
            } else {
                ground.remove(&path);
            }
            let _ = (ground.siblings(&path), ground.importers(&path), ground.imports(&path));
            proptest::prop_assert!(ground.alike(&path, 3).iter().all(|(other, _)| *other != path));
        }
    }
}

#[test]
fn files_are_found_by_what_they_say() {
    let ground = ground(&shop());
    let said = |text: &str| {
        let mut terms = Vec::new();
        analyze::terms(text, |term| terms.push(analyze::hash(term)));
        ground.saying(&terms)
    };
    let found = said("send a letter");
    assert_eq!(found[0].0, "shop/mail.py");
    assert!(found.iter().all(|(_, share)| *share > 0.0 && *share <= 1.0), "{found:?}");
    assert!(said("send a letter to giraffes")[0].1 < found[0].1, "what nobody says counts against it");
    assert_eq!(said("giraffes"), []);
}
