//! The features of pairs as a table, to learn weights from: a pair a line comes in, its label and its row go out.

use lokid::manage::statement;

use super::*;
use pairs::Likeness;

pub(crate) fn run() {
    let likeness = Likeness::new();
    let names = statement::explain("", "", &|_, _| 0.0).into_iter().map(|(name, _)| name);
    println!("label,{}", names.collect::<Vec<_>>().join(","));
    for line in io::stdin().lines().map(|line| line.unwrap()) {
        let pair: Value = serde_json::from_str(&line).unwrap();
        let word = |name: &str| pair[name].as_str().unwrap_or_else(|| panic!("{name} in {line}"));
        let row = statement::explain(word("a"), word("b"), &|one, other| likeness.alike(one, other));
        let row: Vec<String> = row.into_iter().map(|(_, value)| format!("{value:.4}")).collect();
        println!("{},{}", word("label"), row.join(","));
    }
}
