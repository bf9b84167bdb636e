//! A repository as it was a while ago: what is known of it, what came later, and which of its words are rare.

use super::*;

/// What every release and every robot touches says nothing about a change.
const IDLE_FILES: &str = "cargo.lock package-lock.json yarn.lock pnpm-lock.yaml poetry.lock uv.lock changelog changes \
    history release authors contributors";
const TEXTS: &str = "rs py ts tsx js jsx vue go c h cpp java sh md rst toml yml yaml";
/// Files whose words are counted, spread over all of them, and how much of each is read.
const MOST_COUNTED: usize = 1_200;
const MOST_READ: usize = 80_000;
const MOST_FILES: usize = 12;
/// A body that explains something has so many characters.
const EXPLAINS: usize = 200;
/// Between the parts of a commit as git tells it, and between commits.
const PART: char = '\u{1f}';
const END: char = '\u{1e}';

pub(crate) struct Message {
    pub(crate) sha: String,
    pub(crate) is_robot: bool,
    pub(crate) subject: String,
    /// Without templates, checklists and who signed it.
    pub(crate) body: String,
    pub(crate) files: Vec<String>,
}

/// A commit that came later: a situation.
pub(crate) struct Later {
    pub(crate) subject: String,
    /// Known before, without those that say nothing; never empty.
    pub(crate) files: Vec<String>,
    /// Rare words of its diff and body that its subject does not have.
    pub(crate) marks: BTreeSet<String>,
    line: usize,
}

pub(crate) struct Past {
    pub(crate) known: Vec<String>,
    /// Newest first, without merges.
    pub(crate) messages: Vec<Message>,
    pub(crate) later: Vec<Later>,
    counted: usize,
    holders: BTreeMap<String, usize>,
}

impl Past {
    /// Clones into `folder/repo` and takes the last commits away; `None` when the history is too short for that.
    pub(crate) fn of(source: &Path, folder: &Path, most: usize) -> Option<Past> {
        let repo = folder.join("repo");
        let (from, to) = (source.to_string_lossy(), repo.to_string_lossy());
        git(folder, &["clone", "-q", "--shared", "--no-tags", &from, &to]);
        let before = format!("HEAD~{BACK}");
        let before = git(&repo, &["rev-parse", "-q", "--verify", &before]).trim().to_owned();
        if before.is_empty() {
            return None;
        }
        let came = messages(&repo, &format!("{before}..HEAD"));
        let changes: Vec<(String, usize)> = came.iter().map(|commit| change(&repo, &commit.sha)).collect();
        git(&repo, &["reset", "-q", "--hard", &before]);
        git(&repo, &["remote", "remove", "origin"]);
        git(&repo, &["reflog", "expire", "--expire=now", "--all"]);
        let known: Vec<String> = git(&repo, &["ls-files", "-z"]).split('\0').map(str::to_owned).collect();
        let known: Vec<String> = known.into_iter().filter(|path| !path.is_empty()).collect();
        let mut past =
            Past { messages: messages(&repo, "HEAD"), later: Vec::new(), counted: 0, holders: BTreeMap::new(), known };
        past.count_words(&repo);
        let is_known: BTreeSet<&String> = past.known.iter().collect();
        let mut later = Vec::new();
        for (commit, (diff, line)) in came.into_iter().zip(changes).rev() {
            let mut files = commit.files;
            files.retain(|path| is_known.contains(path) && !is_idle(path));
            if commit.is_robot || files.is_empty() || files.len() > MOST_FILES {
                continue;
            }
            let own = words(&commit.subject);
            let said = words(&diff).into_iter().chain(words(&commit.body));
            let marks = said.filter(|word| past.is_rare(word) && !own.contains(word)).collect();
            later.push(Later { subject: commit.subject, files, marks, line });
        }
        later.truncate(most);
        past.later = later;
        (!past.later.is_empty()).then_some(past)
    }

    fn count_words(&mut self, repo: &Path) {
        let ending = |path: &String| path.rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
        let is_text = |path: &&String| ending(path).is_some_and(|ending| TEXTS.split(' ').any(|text| text == ending));
        let texts: Vec<&String> = self.known.iter().filter(is_text).filter(|path| !is_idle(path)).collect();
        for path in texts.iter().step_by(texts.len().div_ceil(MOST_COUNTED).max(1)) {
            let bytes = std::fs::read(repo.join(path)).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MOST_READ)]).into_owned();
            self.counted += 1;
            for word in words(&text) {
                *self.holders.entry(word).or_default() += 1;
            }
        }
    }

    /// Known in the repository, and to few of its files.
    fn is_rare(&self, word: &str) -> bool {
        self.holders.get(word).is_some_and(|files| *files <= 3.max(self.counted / 50))
    }

    /// Commits that explain something, spread over the history, each with a question of its rarest words.
    pub(crate) fn reasons(&self, most: usize) -> Vec<(usize, String)> {
        let explains = |message: &&(usize, &Message)| !message.1.is_robot && message.1.body.len() >= EXPLAINS;
        let told: Vec<(usize, &Message)> = self.messages.iter().enumerate().filter(|one| explains(&one)).collect();
        let question = |(at, message): &(usize, &Message)| {
            let own = words(&message.subject);
            let mut rare: Vec<String> = words(&message.body).into_iter().collect();
            rare.retain(|word| self.is_rare(word) && !own.contains(word));
            rare.sort_by_key(|word| (self.holders.get(word).copied(), word.clone()));
            rare.truncate(4);
            (rare.len() >= 3).then(|| (*at, format!("why {}", rare.join(" "))))
        };
        told.iter().step_by(told.len().div_ceil(most).max(1)).filter_map(question).collect()
    }
}

impl Later {
    /// As a program of that language would die in the first of its files.
    pub(crate) fn error(&self) -> String {
        let (file, line) = (&self.files[0], self.line);
        match file.rsplit_once('.').map_or("", |(_, ending)| ending) {
            "py" => format!(
                "Traceback (most recent call last):\n  File \"{file}\", line {line}, in run\n    result = handle(value)\n\
                 ValueError: unexpected value"
            ),
            "rs" => format!("thread 'main' panicked at {file}:{line}:9:\ncalled `Option::unwrap()` on a `None` value"),
            "go" => {
                format!("panic: runtime error: invalid memory address\n\ngoroutine 1 [running]:\n\t{file}:{line} +0x1d")
            }
            _ => format!(
                "TypeError: undefined is not a function\n    at handle ({file}:{line}:9)\n    at run (main:1:1)"
            ),
        }
    }

    /// As a person would call it: the first words of the subject.
    pub(crate) fn branch(&self) -> String {
        let parts = self.subject.split(|letter: char| !letter.is_alphanumeric()).filter(|part| part.len() > 2);
        let name: Vec<String> = parts.take(5).map(str::to_lowercase).collect();
        format!("work/{}", name.join("-"))
    }
}

/// Names of at least three letters and the parts they are made of, in small letters.
pub(crate) fn words(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for name in text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')) {
        let name = name.trim_start_matches(|letter: char| letter.is_ascii_digit());
        if name.len() < 3 {
            continue;
        }
        found.insert(name.to_lowercase());
        let mut part = String::new();
        for letter in name.chars().chain(['_']) {
            let ends = !letter.is_alphabetic() || (letter.is_uppercase() && part.ends_with(char::is_lowercase));
            if ends && part.len() >= 3 {
                found.insert(part.to_lowercase());
            }
            if ends {
                part.clear();
            }
            part.extend(Some(letter).filter(|letter| letter.is_alphabetic()));
        }
    }
    found
}

fn is_idle(path: &str) -> bool {
    let path = path.to_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    IDLE_FILES.split(' ').any(|idle| name.starts_with(idle)) || path.split('/').any(|folder| folder == "dist")
}

fn messages(repo: &Path, range: &str) -> Vec<Message> {
    let format = format!("--format={END}%H{PART}%ae{PART}%s{PART}%b{PART}");
    let told = git(repo, &["log", "--no-merges", "--name-only", &format, range]);
    let read = |commit: &str| {
        let mut parts = commit.split(PART);
        let (sha, by, subject) = (parts.next()?.trim(), parts.next()?, parts.next()?);
        let body: Vec<&str> = parts.next()?.lines().filter(|line| !is_template(line)).collect();
        let files = parts.next().unwrap_or_default().lines().filter(|line| !line.is_empty());
        Some(Message {
            sha: sha.to_owned(),
            is_robot: by.to_lowercase().contains("bot"),
            subject: subject.to_owned(),
            body: body.join("\n").trim().to_owned(),
            files: files.map(str::to_owned).collect(),
        })
    };
    told.split(END).filter_map(read).collect()
}

fn is_template(line: &str) -> bool {
    let line = line.trim_start();
    let is_box = ["- [ ]", "- [x]", "- [X]", "* [ ]", "* [x]"].iter().any(|start| line.starts_with(start));
    let signs = line.split_once(':').is_some_and(|(name, _)| name.ends_with("-by") || name.ends_with("-By"));
    is_box || signs || line.starts_with("<!--") || line.starts_with('#')
}

/// What was added and taken away, and the first line of it that was there before.
fn change(repo: &Path, sha: &str) -> (String, usize) {
    let diff = git(repo, &["show", "--format=", "-U0", sha]);
    let is_changed = |line: &&str| line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---");
    let changed: String = diff.lines().filter(is_changed).take(4_000).map(|line| format!("{}\n", &line[1..])).collect();
    let place = diff.lines().find_map(|line| line.strip_prefix("@@ -")?.split([',', ' ']).next()?.parse().ok());
    (changed, place.unwrap_or(1).max(1))
}

/// What git says; a blob that is missing somewhere is no reason to stop.
fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "core.quotePath=false"]).args(arguments).current_dir(folder).stdin(Stdio::null());
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    String::from_utf8_lossy(&command.output().unwrap().stdout).into_owned()
}
