//! Where things stand on the page: a head, panels below each other or in two columns, and the keys at the foot. It knows
//! how large the terminal is and nothing of what is shown.

use super::super::screen::Style;
use super::line::Line;

/// From this width on there are two columns,
const WIDE: usize = 100;
/// where there are rows enough for them.
const TALL: usize = 14;
/// What a panel is called beside its one line.
const LABEL: usize = 10;
/// Lines of a panel before another one gets more than its own one.
const FIRST: usize = 3;

/// A part of the page: a rule with its name, and lines; or one line where there is no room.
#[derive(Clone, Debug)]
pub(super) struct Panel {
    pub(super) name: &'static str,
    /// Stands in the rule, at its right.
    pub(super) aside: Line,
    /// What matters of it, where there is one line only.
    pub(super) brief: Line,
    pub(super) lines: Vec<Line>,
}

pub(super) struct Sheet {
    pub(super) head: Vec<Line>,
    /// Left and right, or all below each other. In each, the first gets room first.
    pub(super) left: Vec<Panel>,
    pub(super) right: Vec<Panel>,
    pub(super) foot: Line,
}

impl Sheet {
    /// Exactly so many lines, none of them wider.
    pub(super) fn draw(self, columns: usize, rows: usize) -> Vec<Line> {
        let mut lines: Vec<Line> = self.head;
        let has_foot = rows > lines.len() + TALL;
        let room = rows.saturating_sub(lines.len() + usize::from(has_foot));
        if columns >= WIDE && room >= TALL {
            let half = (columns - 2) / 2;
            let left = stack(self.left, columns - 2 - half, room);
            let right = stack(self.right, half, room);
            let both = left.into_iter().zip(right);
            lines.extend(both.map(|(left, right)| left.fit(columns - 2 - half).and("  ").join(right)));
        } else {
            lines.extend(stack(in_turn(self.left, self.right), columns, room));
        }
        lines.truncate(rows.saturating_sub(usize::from(has_foot)));
        lines.resize(rows.saturating_sub(usize::from(has_foot)), Line::default());
        lines.extend(has_foot.then_some(self.foot));
        lines.into_iter().map(|line| line.cut(columns)).collect()
    }
}

/// One of the left, one of the right; what stood last at the left has what is left over.
fn in_turn(mut left: Vec<Panel>, right: Vec<Panel>) -> Vec<Panel> {
    let last = left.pop();
    let (mut left, mut panels) = (left.into_iter(), Vec::new());
    for right in right {
        panels.extend(left.next());
        panels.push(right);
    }
    panels.extend(left.chain(last));
    panels
}

/// Panels below each other, in so many rows.
fn stack(mut panels: Vec<Panel>, columns: usize, rows: usize) -> Vec<Line> {
    panels.truncate(rows);
    let mut left = rows - panels.len();
    let mut shown = vec![0; panels.len()];
    for most in [FIRST, usize::MAX] {
        for (shown, panel) in shown.iter_mut().zip(&panels) {
            let more = panel.lines.len().min(most).saturating_sub(*shown).min(left);
            (*shown, left) = (*shown + more, left - more);
        }
    }
    // What is left over sets them apart.
    let mut gaps = left.min(panels.len().saturating_sub(1));
    let mut lines = Vec::new();
    for (panel, shown) in panels.into_iter().zip(shown) {
        if shown == 0 {
            lines.push(Line::styled(Style::Dim, panel.name).fit(LABEL).join(panel.brief).cut(columns));
            continue;
        }
        lines.push(rule(panel.name, panel.aside, columns));
        lines.extend(panel.lines.into_iter().take(shown).map(|line| Line::plain(" ").join(line).cut(columns)));
        if gaps > 0 {
            lines.push(Line::default());
            gaps -= 1;
        }
    }
    lines.truncate(rows);
    lines.resize(rows, Line::default());
    lines
}

/// `now ─────────────── heard 3 s ago`
fn rule(name: &str, aside: Line, columns: usize) -> Line {
    let name = Line::styled(Style::Bold, name).and(" ");
    let aside = if aside.is_empty() { aside } else { Line::plain(" ").join(aside) };
    let aside = aside.cut(columns.saturating_sub(name.width()));
    let room = columns.saturating_sub(name.width() + aside.width());
    name.then(Style::Dim, "─".repeat(room)).join(aside)
}
