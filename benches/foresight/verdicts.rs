//! What was aimed at, what was found, and what plain methods give.

/// Each figure that has a target, in the order they were found.
#[derive(Default)]
pub(crate) struct Verdicts(Vec<(String, bool)>);

impl Verdicts {
    pub(crate) fn at_most(&mut self, what: &str, found: f64, target: f64, unit: &str, beside: &str) {
        self.tell(what, (found, "≤", target, unit), found <= target, beside);
    }

    pub(crate) fn at_least(&mut self, what: &str, found: f64, target: f64, unit: &str, beside: &str) {
        self.tell(what, (found, "≥", target, unit), found >= target, beside);
    }

    fn tell(&mut self, what: &str, (found, sign, target, unit): (f64, &str, f64, &str), holds: bool, beside: &str) {
        let verdict = if holds { "ok" } else { "MISSED" };
        // Shares are told to a thousandth, times and tokens as far as they mean anything.
        let digits = if unit.is_empty() { 3 } else { 2 };
        let line =
            format!("{what:<44} {found:>9.digits$} {unit:<6} (target {sign} {target:.digits$}) {verdict:<7} {beside}");
        println!("  {}", line.trim_end());
        self.0.push((line.trim_end().to_owned(), holds));
    }

    /// Everything once more, to be read at the end of a long run.
    pub(crate) fn print(&self) {
        if self.0.is_empty() {
            return;
        }
        let held = self.0.iter().filter(|(_, holds)| *holds).count();
        println!("\n=== {held} of {} targets hold", self.0.len());
        for (line, _) in &self.0 {
            println!("  {line}");
        }
    }
}
