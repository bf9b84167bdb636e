//! Words for structured bodies: what a person would read if an episode, a pattern or a skill were told in text.

use super::memory::{AntiPattern, Body, Episode, Fact, Learning, Memory, Pattern, Skill};

/// The full text of a structured body. Empty for [`Body::None`].
pub fn text_of(body: &Body) -> String {
    match body {
        Body::None => String::new(),
        Body::Fact(fact) => fact_text(fact),
        Body::Episode(episode) => episode_text(episode),
        Body::Pattern(pattern) => pattern_text(pattern),
        Body::AntiPattern(anti) => anti_pattern_text(anti),
        Body::Skill(skill) => skill_text(skill),
        Body::Learning(learning) => learning_text(learning),
    }
}

/// The first line that says something.
pub fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("")
}

/// The title a structured body suggests.
pub fn title_of(body: &Body) -> String {
    match body {
        Body::Skill(skill) => skill.name.clone(),
        Body::Episode(episode) => first_line(&episode.goal).to_owned(),
        Body::Pattern(pattern) => first_line(&pattern.pattern).to_owned(),
        Body::AntiPattern(anti) => first_line(&anti.what_fails).to_owned(),
        _ => String::new(),
    }
}

fn fact_text(fact: &Fact) -> String {
    if fact.scope.is_empty() {
        format!("{}: {}", fact.key, fact.value)
    } else {
        format!("{} ({}): {}", fact.key, fact.scope, fact.value)
    }
}

/// What of a memory is worth handing out: of an episode that tells what came of it, everything but the rest of the
/// question, which only the search needs.
pub fn told(memory: &Memory) -> &str {
    let Body::Episode(episode) = &memory.body else { return &memory.text };
    let rest = asked(episode).1;
    memory.text.strip_suffix(rest).filter(|_| !rest.is_empty()).map_or(&memory.text, str::trim_end)
}

fn is_told(episode: &Episode) -> bool {
    !episode.conclusion.is_empty() || !episode.changes.is_empty()
}

/// The question, and what of it stands behind the answer where there is one.
fn asked(episode: &Episode) -> (&str, &str) {
    let goal = episode.goal.trim();
    if is_told(episode) { goal.split_once('\n').unwrap_or((goal, "")) } else { (goal, "") }
}

fn episode_text(episode: &Episode) -> String {
    let (asked, rest) = asked(episode);
    let mut lines = vec![asked.to_owned(), episode.conclusion.clone()];
    // Who tells what came of it need not tell every step.
    for action in episode.action_log.iter().filter(|_| !is_told(episode)) {
        let mut line = format!("- {}", action.action);
        for (word, part) in [(" ", &action.target), (" → ", &action.result), (" ✗ ", &action.error)] {
            if !part.is_empty() {
                line.push_str(word);
                line.push_str(part);
            }
        }
        lines.push(line);
    }
    for error in &episode.errors {
        let mut line = format!("error {}: {}", error.kind, error.message);
        if !error.resolution.is_empty() {
            line.push_str(" → ");
            line.push_str(&error.resolution);
        }
        lines.push(line);
    }
    lines.extend(episode.changes.iter().map(|change| format!("changed {change}")));
    lines.push(rest.to_owned());
    join(lines)
}

fn pattern_text(pattern: &Pattern) -> String {
    let mut lines = vec![pattern.pattern.clone()];
    if !pattern.conditions.is_empty() {
        lines.push(format!("when {}", pattern.conditions.join("; ")));
    }
    lines.push(labelled("do", &pattern.correct_approach));
    lines.push(labelled("not", &pattern.incorrect_approach));
    join(lines)
}

fn anti_pattern_text(anti: &AntiPattern) -> String {
    join(vec![anti.what_fails.clone(), labelled("why", &anti.why), labelled("instead", &anti.prevention)])
}

fn skill_text(skill: &Skill) -> String {
    let mut lines = vec![skill.name.clone(), skill.description.clone()];
    lines.extend(skill.prerequisites.iter().map(|item| labelled("needs", item)));
    lines.extend(skill.steps.iter().enumerate().map(|(index, step)| format!("{}. {step}", index + 1)));
    lines.extend(skill.common_errors.iter().map(|error| format!("{} → {}", error.error, error.fix)));
    lines.extend(skill.exit_criteria.iter().map(|item| labelled("done when", item)));
    join(lines)
}

fn learning_text(learning: &Learning) -> String {
    join(vec![learning.error.clone(), labelled("cause", &learning.cause), labelled("fix", &learning.fix)])
}

fn labelled(label: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{label}: {text}") }
}

fn join(lines: Vec<String>) -> String {
    lines.into_iter().filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_episode_reads_as_goal_actions_and_errors() {
        let episode = Episode {
            goal: "Add login".into(),
            action_log: vec![super::super::Action {
                action: "write_file".into(),
                target: "auth.rs".into(),
                result: "ok".into(),
                ..Default::default()
            }],
            errors: vec![super::super::EpisodeError {
                kind: "E0308".into(),
                message: "mismatched types".into(),
                resolution: "cast".into(),
            }],
            ..Episode::default()
        };
        let text = text_of(&Body::Episode(Box::new(episode)));
        assert_eq!(text, "Add login\n- write_file auth.rs → ok\nerror E0308: mismatched types → cast");
    }

    #[test]
    fn an_episode_that_tells_what_came_of_it_is_handed_out_without_the_rest_of_the_question() {
        let body = Body::Episode(Box::new(Episode {
            goal: "Ports above 9999 are refused\n\nSteps to reproduce: …\n".into(),
            conclusion: "Cause: four digits".into(),
            changes: vec!["port.rs: `4` → `5`".into()],
            ..Episode::default()
        }));
        let id = crate::MemoryId::new("ep-1").unwrap();
        let mut memory = Memory::new(id, crate::Kind::Episode, text_of(&body), crate::Timestamp::default());
        memory.body = body;
        let told_of = "Ports above 9999 are refused\nCause: four digits\nchanged port.rs: `4` → `5`";
        assert!(memory.text.ends_with("Steps to reproduce: …") && memory.text.starts_with(told_of));
        assert_eq!(told(&memory), told_of);
        memory.text = "somebody's own words".into();
        assert_eq!(told(&memory), "somebody's own words");
    }

    #[test]
    fn empty_parts_leave_no_empty_lines() {
        let pattern = Pattern { pattern: "retry".into(), ..Pattern::default() };
        assert_eq!(text_of(&Body::Pattern(Box::new(pattern))), "retry");
    }
}
