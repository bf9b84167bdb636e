//! Killed at any moment under load, and two started at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use lokid::serve::Request;

use crate::house::{Daemon, House};
use crate::lots::Lots;
use crate::writer::{Promised, Trouble, Writer};

const WRITERS: usize = 6;
/// What each writer tells in one life of the daemon; after that it corrects itself.
const EACH: usize = 30;
/// On disk and without a daemon everything is looked at after so many kills.
const LOOK: u64 = 20;
/// Two that start at once: the one that loses ends within this.
const SETTLES: Duration = Duration::from_secs(30);

pub(crate) fn run(kills: u64) {
    let house = House::new();
    let (promised, mut lots) = (Promised::default(), Lots::new(3));
    let (mut written, begun) = (0, Instant::now());
    println!("\nkills: {WRITERS} writers, killed at random {kills} times");
    for kill in 1..=kills {
        let daemon = house.start();
        let over = AtomicBool::new(false);
        let write = |number: usize| {
            let name = format!("k{kill}w{number}");
            let mut writer = Writer::new(&house, &promised, name, kill * 100 + number as u64, EACH);
            let mut acknowledged = 0;
            while !over.load(Ordering::Relaxed) {
                match writer.write() {
                    Ok(()) => acknowledged += 1,
                    // Whoever is refused while the daemon lives has found something.
                    Err(Trouble::Refused(why)) => panic!("{why}"),
                    Err(Trouble::Unheard(_)) => break,
                }
            }
            acknowledged
        };
        let write = &write;
        written += std::thread::scope(|scope| {
            let writers: Vec<_> = (0..WRITERS).map(|number| scope.spawn(move || write(number))).collect();
            std::thread::sleep(Duration::from_millis(5 + lots.draw(250)));
            daemon.kill();
            over.store(true, Ordering::Relaxed);
            writers.into_iter().map(|writer| writer.join().unwrap()).sum::<usize>()
        });
        if kill % LOOK == 0 || kill == kills {
            promised.check(&house, &format!("after {kill} kills"));
        }
    }
    let daemon = house.start();
    let status = house.client().send(&Request::get("/v1/status")).unwrap().json().unwrap();
    println!(
        "  {kills} kills in {:.0} s: {written} writes acknowledged, {} memories promised, {} there, none broken",
        begun.elapsed().as_secs_f64(),
        promised.acknowledged(),
        status["projects"][0]["memories"]
    );
    daemon.stop(&house);
}

/// Two daemons started at the same moment: one serves, the other says so and ends.
pub(crate) fn pairs(times: u64) {
    println!("\npairs: two daemons at once, {times} times");
    let house = House::new();
    for time in 0..times {
        let mut pair = [house.launch(), house.launch()];
        let loser = loser(&mut pair).unwrap_or_else(|| panic!("time {time}: both stay: {}", house.log()));
        let [one, other] = pair;
        let (lost, serves) = if loser == 0 { (one, other) } else { (other, one) };
        drop(lost);
        let client = house.client();
        let answer = loop {
            match client.send(&Request::get("/v1/status")) {
                Ok(answer) => break answer.json().unwrap(),
                Err(_) => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        assert_eq!(answer["pid"].as_u64(), Some(serves.child.id().into()), "time {time}: {answer}");
        if time % 2 == 0 { serves.kill() } else { serves.stop(&house) }
    }
    println!("  exactly one served each time, after a stop as after a kill");
}

/// Which of them ended by itself.
fn loser(pair: &mut [Daemon; 2]) -> Option<usize> {
    let end = Instant::now() + SETTLES;
    while Instant::now() < end {
        for (at, daemon) in pair.iter_mut().enumerate() {
            if let Some(status) = daemon.child.try_wait().unwrap() {
                assert_eq!(status.code(), Some(1), "the one that cannot serve says so");
                return Some(at);
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    None
}
