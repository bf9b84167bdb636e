//! What a daemon endures, through the real binary and the real socket: a day of work in minutes, many clients at once
//! beside a hostile one, and being killed again and again. Whoever loses a write, an event or its memory fails here.
//!
//! `cargo bench --bench endure` does everything; `-- soak 20`, `-- load 60`, `-- kills 200`, `-- pairs 100` one of it, with
//! another number of minutes, seconds or times. `cargo test --bench endure -- soak 3` is the short form for every change.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout)]

mod house;
mod kills;
mod load;
mod lots;
mod soak;
mod writer;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let number = |ordinary: u64| words.get(1).and_then(|word| word.parse().ok()).unwrap_or(ordinary);
    println!("{} cores", std::thread::available_parallelism().unwrap());
    match words.first().map(String::as_str) {
        Some("soak") => soak::run(number(20)),
        Some("load") => load::run(number(60)),
        Some("kills") => kills::run(number(200)),
        Some("pairs") => kills::pairs(number(100)),
        // A process of its own, as the load starts it.
        Some("hostile") => load::rage(std::path::PathBuf::from(&words[1])),
        None => {
            load::run(60);
            kills::run(200);
            kills::pairs(100);
            soak::run(20);
        }
        Some(other) => panic!("{other} is none of soak, load, kills, pairs"),
    }
}
