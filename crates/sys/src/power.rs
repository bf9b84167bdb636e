//! Whether the machine runs on battery and how busy it is. What cannot be found out is not known, and nobody waits for it.

use std::path::Path;

/// True while no mains adapter is connected and a battery drains.
pub fn on_battery() -> Option<bool> {
    if cfg!(target_os = "linux") { supplies(Path::new("/sys/class/power_supply")) } else { None }
}

/// How many threads want to run for each core, over the last minute.
pub fn load_a_core() -> Option<f64> {
    let text = if cfg!(target_os = "linux") { read(Path::new("/proc/loadavg"))? } else { return None };
    let load: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(load / std::thread::available_parallelism().map_or(1, usize::from) as f64)
}

fn supplies(folder: &Path) -> Option<bool> {
    let entries = std::fs::read_dir(folder).ok()?;
    let mut drains = false;
    for entry in entries.flatten() {
        let field = |name: &str| read(&entry.path().join(name)).unwrap_or_default();
        match field("type").trim() {
            "Mains" | "USB" if field("online").trim() == "1" => return Some(false),
            // Batteries of mice and keyboards say so.
            "Battery" if field("scope").trim() != "Device" => drains |= field("status").trim() == "Discharging",
            _ => {}
        }
    }
    Some(drains)
}

fn read(path: &Path) -> Option<String> {
    super::plain::read_text(path, 4096).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn supply(folder: &Path, name: &str, fields: &[(&str, &str)]) {
        let place = folder.join(name);
        super::super::plain::make_folder(&place).unwrap();
        for (field, value) in fields {
            super::super::plain::replace(&place.join(field), format!("{value}\n").as_bytes()).unwrap();
        }
    }

    #[test]
    fn a_draining_battery_counts_only_while_no_mains_is_connected() {
        let lab = tempfile::tempdir().unwrap();
        assert_eq!(supplies(lab.path()), Some(false), "a machine without a battery");
        supply(lab.path(), "hidpp_battery_0", &[("type", "Battery"), ("scope", "Device"), ("status", "Discharging")]);
        assert_eq!(supplies(lab.path()), Some(false), "a mouse is no machine");
        supply(lab.path(), "BAT0", &[("type", "Battery"), ("status", "Discharging")]);
        assert_eq!(supplies(lab.path()), Some(true));
        supply(lab.path(), "AC", &[("type", "Mains"), ("online", "1")]);
        assert_eq!(supplies(lab.path()), Some(false));
    }

    #[test]
    fn this_machine_has_a_load() {
        assert!(load_a_core().is_none_or(|load| (0.0..10_000.0).contains(&load)));
    }
}
