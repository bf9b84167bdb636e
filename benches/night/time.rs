//! How long a night takes as a whole and by phase, what it costs those who ask meanwhile, and that a second one right
//! after has nothing to do.

use super::*;
use life::Life;
use store::{Night, Store};

/// Seconds, at this many episodes.
const NIGHT: f64 = 20.0;
const PROMISED: usize = 10_000;
/// Times as long as when nobody consolidates.
const MEANWHILE: f64 = 3.0;
/// From here on one store is all there is time for.
const LARGE: usize = 50_000;
/// The same episodes, night after night.
const NIGHTS: usize = 30;
const LATER: i64 = 100 * 86_400;

pub(crate) fn run(size: usize, pace: Pace, verdicts: &mut Verdicts) {
    let life = Life::of(size);
    println!("\n=== {size} episodes, {} notes, decisions and facts", life.records - size);
    if size < LARGE {
        alone(&life, size, pace, verdicts);
    }
    with_questions(&life, size, pace, verdicts);
}

fn alone(life: &Life, size: usize, pace: Pace, verdicts: &mut Verdicts) {
    // A night cannot be had twice in one store.
    let (store, before, first) = best_of(pace, || {
        let store = Store::open(life, pace);
        let before = store.resident().0;
        progress(format_args!("a night"));
        let (first, others) = with_others(&store.daemon, || store.night(&json!({})));
        ((store, before, first), others)
    });
    println!("\nthe first night, nobody else there");
    print(&first, before);
    if size == PROMISED {
        verdicts.at_most(&format!("{size}: the first night"), first.took, NIGHT, "s", &cpu(&first));
    }
    progress(format_args!("the night after"));
    let (mut second, mut nights) = (store.night(&json!({})), 1);
    verdicts.at_most(&format!("{size}: done by a second night"), second.done() as f64, 0.0, "", &second.told());
    // What there was no time to read is read by the next.
    while second.done() > 0 && nights < NIGHTS {
        (second, nights) = (store.night(&json!({})), nights + 1);
    }
    println!("\nanother right after, the {nights}. of them");
    print(&second, first.after);
    verdicts.at_most(
        &format!("{size}: done by the last of {nights} more"),
        second.done() as f64,
        0.0,
        "",
        &second.told(),
    );
    if size < PROMISED {
        progress(format_args!("{NIGHTS} more"));
        let done: usize = (0..NIGHTS).map(|_| store.night(&json!({})).done()).sum();
        let beside = "so the patterns are those of one night";
        verdicts.at_most(&format!("{size}: done by {NIGHTS} more nights"), done as f64, 0.0, "", beside);
    }
    let later = Timestamp::from_micros(store_now() + LATER * 1_000_000).record_style();
    progress(format_args!("a night {later}"));
    let third = store.night(&json!({"now": later}));
    println!("\na hundred days later, when much was never asked for");
    print(&third, second.after);
    store.close();
}

fn store_now() -> i64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_micros() as i64
}

fn cpu(night: &Night) -> String {
    format!("{:.1} s of processor time", night.cpu)
}

/// The least disturbed of a few, each in a store of its own.
fn best_of<T>(pace: Pace, mut once: impl FnMut() -> (T, f64)) -> T {
    if pace.quick {
        return once().0;
    }
    least_disturbed(|| {
        wait_for_a_quiet_machine();
        once()
    })
}

fn with_questions(life: &Life, size: usize, pace: Pace, verdicts: &mut Verdicts) {
    let (store, before, idle, night, meanwhile, others) = best_of(pace, || {
        let store = Store::open(life, pace);
        let socket = &store.home.socket;
        let idle = pace.measure(&store.daemon, || asked_one_by_one(socket, &life.questions).latency);
        let before = store.resident().0;
        progress(format_args!("a night while somebody asks"));
        let ask_through = || {
            std::thread::scope(|scope| {
                let night = scope.spawn(|| store.night(&json!({})));
                let end = Instant::now() + PATIENCE;
                let asked = ask_until(socket, &life.questions, || night.is_finished(), end);
                (night.join().unwrap(), asked)
            })
        };
        let ((night, asked), others) = with_others(&store.daemon, ask_through);
        ((store, before, idle, night, asked, others), others)
    });
    println!("\nthe first night, while one client asks without a pause");
    print(&night, before);
    pace.rest(&store.daemon);
    let after = pace.measure(&store.daemon, || asked_one_by_one(&store.home.socket, &life.questions).latency);
    println!("\nquestions (recall, {WANTED} results)");
    println!("  {:<28} {idle}", "idle before");
    println!("  {:<28} {after}", "idle after");
    meanwhile.print(&idle, others);
    let all = Latency::of(meanwhile.0);
    let ratio = all.at(0.99) / idle.at(0.99);
    let beside = format!("idle {:.2} ms, meanwhile {:.2} ms", idle.at(0.99) / 1e3, all.at(0.99) / 1e3);
    verdicts.at_most(&format!("{size}: questions meanwhile, p99"), ratio, MEANWHILE, "x", &beside);
    store.close();
}

fn print(night: &Night, before: f64) {
    println!("  took                 {:>10.2} s, {}", night.took, cpu(night));
    println!("  done                 {}", night.told());
    println!(
        "  resident             {before:>10.1} MB before, {:.1} MB at most, {:.1} MB after",
        night.peak, night.after
    );
    let mut rounds: Vec<Vec<(&str, f64)>> = Vec::new();
    for (name, took) in &night.phases {
        match rounds.last_mut() {
            Some(round) if round.iter().all(|(known, _)| known != name) => round.push((name, *took)),
            _ => rounds.push(vec![(name, *took)]),
        }
    }
    let head: Vec<String> = (1..=rounds.len()).map(|round| format!("{:>9}", format!("round {round}"))).collect();
    println!("  {:<12} {}", "seconds", head.join(""));
    for (at, (name, _)) in rounds.first().into_iter().flatten().enumerate() {
        let took = rounds.iter().map(|round| round.get(at).map_or(f64::NAN, |(_, took)| *took));
        println!("  {name:<12} {}", took.map(|took| format!("{took:>9.2}")).collect::<String>());
    }
}
