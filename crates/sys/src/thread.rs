//! Named threads: a thread that shows up in a profile or a panic message says what it is for.
//!
//! Whoever spawns keeps the handle and joins it; nothing here runs detached.

use std::io;
use std::sync::LazyLock;
use std::thread::{Builder, JoinHandle};

/// Linux shows the first 15 bytes of the name.
pub fn spawn<T, F>(name: impl Into<String>, work: F) -> io::Result<JoinHandle<T>>
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
{
    Builder::new().name(name.into()).spawn(work)
}

/// Two pieces of work side by side.
pub fn both<A: Send, B: Send>(one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B) -> (A, B) {
    std::thread::scope(|scope| {
        let helper = scope.spawn(one);
        let second = other();
        match helper.join() {
            Ok(first) => (first, second),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// From now on this thread, and those it starts, leave the processor to whoever wants it: work that nobody waits for must
/// not make an answer wait. Where the system knows no such thing for a single thread, nothing happens.
pub fn step_back() {
    #[cfg(target_os = "linux")]
    {
        // Refused only where it is already lower; then nothing is to be done.
        let _ = rustix::process::setpriority_process(None, 10);
    }
}

/// Waits a moment, for what gives no event to wait on.
pub fn pause(moment: std::time::Duration) {
    std::thread::sleep(moment);
}

/// Works on parts of a long input side by side, one part a core, cut only behind a border and never below `least`.
/// The answers come in the order of the parts.
pub fn in_parts<I: Sync, T: Send>(
    input: &[I],
    least: usize,
    is_border: impl Fn(&I) -> bool,
    work: impl Fn(&[I]) -> T + Sync,
) -> Vec<T> {
    // Asked once: the system reads several files for the answer.
    static CORES: LazyLock<usize> = LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from));
    let count = (input.len() / least.max(1)).clamp(1, *CORES);
    let mut parts = Vec::with_capacity(count);
    let mut rest = input;
    for left in (2..=count).rev() {
        let cut = rest.len() / left;
        let end = rest[cut..].iter().position(&is_border).map_or(rest.len(), |border| cut + border + 1);
        let (part, behind) = rest.split_at(end);
        parts.push(part);
        rest = behind;
    }
    std::thread::scope(|scope| {
        let work = &work;
        let helpers: Vec<_> = parts.iter().map(|part| scope.spawn(move || work(part))).collect();
        let last = work(rest);
        let mut answers: Vec<T> = Vec::with_capacity(helpers.len() + 1);
        for helper in helpers {
            match helper.join() {
                Ok(answer) => answers.push(answer),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        answers.push(last);
        answers
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_the_whole_input_in_order_and_end_at_borders() {
        let text: Vec<u8> = (0..500).flat_map(|n| format!("line {n}\n").into_bytes()).collect();
        for least in [1, 100, 3000, 1 << 20] {
            let parts = in_parts(&text, least, |byte| *byte == b'\n', <[u8]>::to_vec);
            assert!(parts.iter().all(|part| part.is_empty() || part.ends_with(b"\n")));
            assert_eq!(parts.concat(), text);
        }
        assert_eq!(in_parts(&[] as &[u8], 1, |_| true, <[u8]>::len), [0]);
    }

    #[test]
    fn a_thread_carries_its_name_and_hands_back_its_result() {
        let handle = spawn("engine", || std::thread::current().name().map(str::to_owned)).unwrap();
        assert_eq!(handle.join().unwrap().as_deref(), Some("engine"));
    }
}
