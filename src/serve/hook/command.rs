//! Commands, read just far enough: which programs a line runs, which files it plainly reads, whether it is our own, and
//! whether a memory speaks of it. Nothing is run and nothing is expanded.

use lokid_model::Memory;

const MOST_COMMANDS: usize = 16;
const MOST_WORDS: usize = 64;
/// A memory longer than this is not searched to its end.
const MOST_TEXT: usize = 16 << 10;

/// Programs that read the files they are given.
const READERS: [&str; 10] = ["cat", "head", "tail", "less", "more", "bat", "nl", "sed", "wc", "xxd"];
/// Words before the program proper.
const PREFIXES: [&str; 9] = ["sudo", "env", "time", "nohup", "command", "exec", "nice", "then", "do"];
/// Programs that everything is done with: their name alone names no command.
const EVERYDAY: [&str; 24] = [
    "cd", "ls", "cat", "echo", "pwd", "true", "false", "test", "grep", "rg", "find", "sed", "awk", "head", "tail",
    "sh", "bash", "zsh", "export", "source", "set", "mkdir", "cp", "git",
];

/// The simple commands of a line, each as its words.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let (mut quote, mut is_word) = (None, false);
    let end_word = |word: &mut String, is_word: &mut bool, words: &mut Vec<String>| {
        if std::mem::take(is_word) && words.len() < MOST_WORDS {
            words.push(std::mem::take(word));
        }
        word.clear();
    };
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some('"') | None, '\\') => {
                word.extend(characters.next());
                is_word = true;
            }
            (Some(_), _) => word.push(character),
            (None, '\'' | '"') => (quote, is_word) = (Some(character), true),
            (None, '|' | ';' | '&' | '\n' | '(' | ')' | '`') => {
                end_word(&mut word, &mut is_word, &mut words);
                if !words.is_empty() {
                    all.push(std::mem::take(&mut words));
                }
                if all.len() >= MOST_COMMANDS {
                    return all;
                }
            }
            (None, _) if character.is_whitespace() => end_word(&mut word, &mut is_word, &mut words),
            (None, _) => {
                word.push(character);
                is_word = true;
            }
        }
    }
    end_word(&mut word, &mut is_word, &mut words);
    if !words.is_empty() {
        all.push(words);
    }
    all
}

/// Without what stands before the program: assignments, `sudo`, `env`.
fn program_on(words: &[String]) -> &[String] {
    let is_before = |word: &String| {
        PREFIXES.contains(&word.as_str())
            || word.split_once('=').is_some_and(|(name, _)| {
                !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            })
    };
    let begin = words.iter().position(|word| !is_before(word)).unwrap_or(words.len());
    &words[begin..]
}

fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Does the line run nothing but lokid, or run it at all? Then it is our own doing.
pub(super) fn is_own(line: &str) -> bool {
    commands(line)
        .iter()
        .any(|words| program_on(words).first().is_some_and(|program| matches!(base(program), "lokid" | "lokid-hook")))
}

/// Files that the line plainly reads: agents without a tool for that use the shell.
pub(super) fn files_read(line: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for words in commands(line) {
        let words = program_on(&words);
        let Some(program) = words.first().map(|word| base(word)) else { continue };
        // Who writes in place does not read.
        if !READERS.contains(&program) || words.iter().any(|word| word == "-i" || word.starts_with('>')) {
            continue;
        }
        let is_file = |word: &&String| {
            let name = base(word);
            !word.starts_with(['-', '$', '<', '>'])
                && !word.contains(['*', '?', '{', '$', ' '])
                && name.trim_start_matches('.').contains('.')
                && name.chars().any(char::is_alphabetic)
        };
        for word in words[1..].iter().filter(is_file) {
            if !found.contains(word) {
                found.push(word.clone());
            }
        }
    }
    found
}

/// What a memory must say to speak of a command.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spoken {
    /// `cargo publish`, or a name that is used for nothing else: `deploy.sh`.
    phrase: String,
    /// Only between backticks, since it is a word of the language, too.
    quoted: bool,
    flags: Vec<String>,
}

pub(super) fn spoken(line: &str) -> Vec<Spoken> {
    let mut all: Vec<Spoken> = Vec::new();
    for words in commands(line) {
        let words = program_on(&words);
        let Some(program) = words.first() else { continue };
        let name = base(program).to_ascii_lowercase();
        let flags: Vec<String> = words.iter().filter(|word| word.starts_with('-')).cloned().collect();
        let is_plain =
            |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'));
        let sub = words[1..].iter().find(|word| !word.starts_with('-'));
        let sub = sub.filter(|word| is_plain(word) && word.starts_with(|c: char| c.is_ascii_alphabetic()));
        if name.len() > 4 && name.contains(['.', '_', '-']) && is_plain(&name) {
            all.push(Spoken { phrase: name.clone(), quoted: false, flags: flags.clone() });
        }
        match sub {
            Some(sub) if name.len() > 1 => {
                let phrase = format!("{name} {}", sub.to_ascii_lowercase());
                all.push(Spoken { phrase, quoted: false, flags });
            }
            _ if name.len() > 2 && !EVERYDAY.contains(&name.as_str()) => {
                all.push(Spoken { phrase: name, quoted: true, flags });
            }
            _ => {}
        }
        // `npm run deploy`, `python manage.py migrate`: what is run is the second word.
        if let [_, via, what, ..] = words
            && (via == "run" || via.contains('.'))
            && is_plain(what)
            && !what.starts_with('-')
        {
            let via = base(via);
            let phrase = if via == "run" { format!("{} run {what}", base(program)) } else { format!("{via} {what}") };
            all.push(Spoken { phrase: phrase.to_ascii_lowercase(), quoted: false, flags: Vec::new() });
        }
    }
    // `npm run` alone says nothing once `npm run deploy` is known.
    let has_longer = |phrase: &str| all.iter().any(|one| one.phrase.starts_with(&format!("{phrase} ")));
    let empty: Vec<String> =
        all.iter().map(|one| one.phrase.clone()).filter(|one| one.ends_with(" run") && has_longer(one)).collect();
    all.retain(|one| !empty.contains(&one.phrase));
    all
}

/// Does this memory name one of these commands?
pub(super) fn names(memory: &Memory, spoken: &[Spoken]) -> bool {
    if spoken.is_empty() {
        return false;
    }
    let text = &memory.text[..memory.text.floor_char_boundary(MOST_TEXT)];
    let text = format!("{}\n{text}", memory.title).to_lowercase();
    spoken.iter().any(|one| said_in(&text, one))
}

fn said_in(text: &str, spoken: &Spoken) -> bool {
    let in_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-' | '/');
    text.match_indices(&spoken.phrase).any(|(at, phrase)| {
        let (before, after) = (&text[..at], &text[at + phrase.len()..]);
        let alone = !before.ends_with(in_word) && !after.starts_with(in_word);
        let marked = before.ends_with('`') && after.starts_with('`');
        // A flag right behind belongs to what is named: `git push --force` is not every push.
        let flag = after.strip_prefix(' ').filter(|after| after.starts_with('-'));
        let flag = flag.and_then(|after| after.split(|c: char| c.is_whitespace() || "`,.;)\"'".contains(c)).next());
        alone && (!spoken.quoted || marked) && flag.is_none_or(|flag| flag == "-" || has_flag(&spoken.flags, flag))
    })
}

/// `-f` and `--force` of the same command are not told apart by us; `-rf` holds `-f`.
fn has_flag(flags: &[String], wanted: &str) -> bool {
    flags.iter().any(|flag| {
        let flag = flag.to_lowercase();
        let short = !wanted.starts_with("--") && !flag.starts_with("--");
        flag == wanted
            || flag.split('=').next() == Some(wanted)
            || (short && wanted[1..].chars().all(|letter| flag.contains(letter)))
            || (wanted.starts_with("--") && !flag.starts_with("--") && wanted[2..].get(..1) == flag.get(1..2))
    })
}
