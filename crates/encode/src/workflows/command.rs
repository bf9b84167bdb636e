//! Commands stripped of what varies (`cargo test -p x` is `cargo test`), and the short verbs that hints are made of.
//!
//! It must not understand a shell: quotes, `&&`, `;`, `|` and leading assignments are all it knows.

use crate::prose;

const LONGEST: usize = 2_000;
const MOST_PARTS: usize = 24;

/// Programs whose first plain argument says what is done.
const WITH_SUBCOMMAND: &str = "\
    cargo git npm pnpm yarn bun go docker docker-compose kubectl helm terraform uv pip pip3 poetry pdm hatch gh glab az \
    gcloud aws dotnet mix rails rake bundle composer make just task bazel nix gradle gradlew mvn mvnw flutter dart swift \
    zig deno systemctl brew apt apt-get podman pulumi ansible fly vercel netlify heroku wrangler supabase prisma alembic \
    tox nox invoke rustup conda mamba sbt lerna nx turbo changeset goreleaser hugo mkdocs sphinx vagrant packer flyctl \
    xcodebuild pre-commit buck buck2 pants earthly dagger serverless cdk ng vite next playwright cypress manage";
/// Reading, moving about and talking to oneself: no step of any work.
const NOISE: &str = "\
    cd ls cat pwd echo printf grep rg egrep fgrep head tail less more find fd tree wc which type whoami date env export \
    set unset true false sleep clear history man stat file du df ps top id hostname read source . pushd popd test [ [[ \
    if then else elif fi for do done while until case esac exit return mkdir touch view glob search open sed awk sort \
    uniq diff jq tee xargs cut tr : alias ulimit trap shift local readonly declare wait command exec let info ( ) { } \
    think todowrite webfetch websearch list rm cp mv chmod write-host mapfile continue break";
/// Subcommands of git that change nothing.
const LOOKING: &str = "status diff log show branch remote blame reflog describe rev-parse ls-files fetch config stash";
/// Programs that only carry another.
const CARRIERS: &str = "sudo time env nohup xvfb-run command nice ionice exec then do else bash sh zsh npx bunx pnpx uvx \
    cross-env dotenv -- dlx direnv doas stdbuf";

fn listed(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

/// The parts of a line that run one after another; of a pipe only its first program counts.
pub(super) fn parts(line: &str) -> Vec<String> {
    let line = prose::head(line, LONGEST);
    let mut found = Vec::new();
    let mut part = String::new();
    let (mut quote, mut piped) = (None, false);
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), c) => {
                if c == open {
                    quote = None;
                }
                if !piped {
                    part.push(c);
                }
            }
            (None, '\'' | '"' | '`') => {
                quote = Some(character);
                if !piped {
                    part.push(character);
                }
            }
            (None, '&' | '|' | ';' | '\n') => {
                let double = characters.next_if_eq(&character).is_some();
                if character == '&' && !double && (part.ends_with('>') || characters.peek() == Some(&'>')) {
                    part.push('&');
                } else if character == '|' && !double {
                    piped = true;
                } else {
                    found.push(std::mem::take(&mut part));
                    piped = false;
                }
            }
            (None, c) if !piped => part.push(c),
            _ => {}
        }
    }
    found.push(part);
    found.iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).take(MOST_PARTS).collect()
}

/// A single command without its arguments; `None` for what is no step.
pub(super) fn normalise(part: &str) -> Option<String> {
    let case_label = part.ends_with(')') && !part.contains('(');
    if part.starts_with('-') || case_label {
        return None;
    }
    let mut words = words(part).into_iter().map(clean).filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.peek() {
        let assigned = word.split_once('=').is_some_and(|(name, _)| is_name(name));
        if assigned || listed(CARRIERS, word) || (word.starts_with('-') && !word.starts_with("->")) {
            words.next();
        } else {
            break;
        }
    }
    let first = words.next()?;
    let program = program_name(&first);
    // `x = 1`, `a == b ]]` and `linux*)` are the shell's own business.
    let shell = words
        .peek()
        .is_some_and(|next| matches!(next.as_str(), "=" | "==" | "!=" | "+=" | "=~" | "-eq" | "-ne" | "]]" | "]"));
    if shell
        || !is_program(&program)
        || program.is_empty()
        || (listed(NOISE, &program) && !first.contains('/'))
        || program.starts_with('#')
        || program.starts_with("env:")
    {
        return None;
    }
    if first.starts_with("./") && apart(&program) != program {
        return Some(apart(&program));
    }
    if first.starts_with('/') && listed(NOISE, &program) {
        return None;
    }
    let arguments: Vec<String> = words.collect();
    if matches!(program.as_str(), "python" | "python3" | "node" | "ruby" | "perl" | "php" | "deno" | "tsx" | "ts-node")
    {
        return Some(interpreted(&program, &arguments));
    }
    if !listed(WITH_SUBCOMMAND, &program) {
        return Some(program);
    }
    let mut plain = arguments.iter().enumerate().filter(|(at, word)| {
        let value =
            at.checked_sub(1).and_then(|before| arguments.get(before)).is_some_and(|before| takes_value(before));
        !word.starts_with(['-', '+', '/', '.', '"', '\'', '$', '{', '<']) && !value
    });
    let Some((at, sub)) = plain.next() else { return Some(program) };
    let sub = sub.trim_end_matches([',', ':']).to_owned();
    if program == "git" && listed(LOOKING, &sub) {
        return None;
    }
    if matches!(sub.as_str(), "run" | "run-script" | "exec" | "tool" | "compose" | "x" | "action")
        && program != "docker"
    {
        let inner = arguments[at + 1..].iter().find(|word| !word.starts_with('-')).map(|word| program_name(word));
        return Some(match inner.filter(|inner| is_word(inner)) {
            // `uv run pytest` and `poetry run pytest` are about pytest; `npm run build` is about build.
            Some(inner) if matches!(program.as_str(), "uv" | "poetry" | "pdm" | "hatch") => apart(&inner),
            Some(inner) => format!("{program} {sub} {inner}"),
            None => format!("{program} {sub}"),
        });
    }
    let release =
        program == "cargo" && arguments.iter().any(|word| word == "--release" || word == "-r") && sub == "build";
    Some(if !is_word(&sub) {
        program
    } else if release {
        "cargo build --release".to_owned()
    } else {
        format!("{program} {sub}")
    })
}

/// A script named like a program of the shell stays a script: `./test.sh` is no `test`.
fn apart(name: &str) -> String {
    if listed(NOISE, name) || listed(CARRIERS, name) { format!("./{name}") } else { name.to_owned() }
}

fn interpreted(program: &str, arguments: &[String]) -> String {
    let module = arguments.iter().position(|word| word == "-m").and_then(|at| arguments.get(at + 1));
    let script = module.or_else(|| arguments.iter().find(|word| !word.starts_with('-')));
    let name = script.map(|script| program_name(script)).filter(|name| is_word(name));
    match name.as_deref() {
        Some("manage") => {
            let sub = arguments.iter().skip_while(|word| !word.ends_with("manage.py")).nth(1);
            sub.filter(|sub| is_word(sub)).map_or("manage".to_owned(), |sub| format!("manage {sub}"))
        }
        Some(name) => apart(name),
        None => program.to_owned(),
    }
}

/// Flags before a subcommand whose value is no subcommand: `git -C dir`, `make -C dir`, `kubectl -n name`.
fn takes_value(word: &str) -> bool {
    matches!(word, "-C" | "-n" | "-f" | "-c" | "--namespace" | "--manifest-path" | "--prefix" | "--directory" | "--cwd")
        || matches!(word, "--filter" | "-F" | "-w" | "--workspace" | "--context" | "--project" | "--package-path")
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn is_program(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | ':' | '@');
    text.len() <= 60 && text.chars().all(plain) && text.chars().any(char::is_alphanumeric)
}

fn is_word(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':' | b'.');
    (1..=40).contains(&text.len()) && text.bytes().all(plain) && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// `./scripts/deploy.sh` is deploy, `$(CARGO)` is cargo, `Edit:` is edit.
fn program_name(word: &str) -> String {
    let word = word.trim_matches(['"', '\'', ',', ':']);
    let variable = word.strip_prefix("$(").or_else(|| word.strip_prefix("${")).or_else(|| word.strip_prefix('$'));
    let word = variable.map_or(word, |inner| inner.trim_end_matches([')', '}']));
    let file = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let endings = [".sh", ".py", ".js", ".ts", ".mjs", ".cjs", ".rb", ".pl", ".ps1", ".bash", ".exe"];
    let bare = endings.iter().find_map(|end| file.strip_suffix(end)).unwrap_or(file);
    bare.to_lowercase()
}

fn clean(word: String) -> String {
    word.trim_start_matches(['@', '(', '{', '!']).trim_end_matches([')', '}']).to_owned() + closing(&word)
}

/// `$(CARGO)` keeps its bracket.
fn closing(word: &str) -> &'static str {
    match word.as_bytes() {
        [b'$', b'(', .., b')'] => ")",
        [b'$', b'{', .., b'}'] => "}",
        _ => "",
    }
}

/// Words of a command, quotes respected.
fn words(part: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    for character in part.chars() {
        match quote {
            Some(open) if character == open => quote = None,
            None if matches!(character, '\'' | '"') => quote = Some(character),
            None if character.is_whitespace() => {
                if !word.is_empty() {
                    found.push(std::mem::take(&mut word));
                }
                continue;
            }
            _ => {}
        }
        word.push(character);
    }
    found.push(word);
    found.truncate(64);
    found
}

/// Every step of several lines, in order, without repetitions in a row.
pub(super) fn normalise_all<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    for step in lines.flat_map(parts).filter_map(|part| normalise(&part)) {
        if steps.last() != Some(&step) {
            steps.push(step);
        }
    }
    steps
}

/// Words that need no program before them to be understood.
const SELF_EXPLAINING: &str = "\
    test build lint fmt format check clippy deploy release publish push commit tag migrate install clean docs doc start \
    bench pytest upload package compile typecheck coverage rollback restart";

/// The word of a normalised command that says what is done, where one word does: `test` of `cargo test`, but all of
/// `rustup show`.
pub(super) fn verb(step: &str) -> &str {
    let mut words = step.rsplit(' ').filter(|word| !word.starts_with('-'));
    let last = words.next().unwrap_or(step);
    let script = words.next().is_some_and(|before| matches!(before, "run" | "run-script"));
    if script || listed(SELF_EXPLAINING, last) { last } else { step }
}

/// A one-line hint: `deploy: test→build→prod`. Where two verbs in a row are the same the whole command is said.
pub(super) fn hint(name: &str, steps: &[String], most: usize) -> String {
    let mut said: Vec<&str> = Vec::new();
    for step in steps {
        let short = verb(step);
        said.push(if said.contains(&short) { step } else { short });
    }
    let left = said.len().saturating_sub(most);
    said.truncate(most);
    let more = if left > 0 { format!("→…{left} more") } else { String::new() };
    format!("{name}: {}{more}", said.join("→"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_varies_is_dropped() {
        let check = |line: &str, expect: &[&str]| {
            assert_eq!(normalise_all(std::iter::once(line)), expect, "{line}");
        };
        check("cargo test -p x --lib", &["cargo test"]);
        check("git commit -m \"a && b\"", &["git commit"]);
        check("cd web && npm run build && npm run deploy:prod", &["npm run build", "npm run deploy:prod"]);
        check("RUST_LOG=debug cargo +nightly test | tee log", &["cargo test"]);
        check("cargo build --release", &["cargo build --release"]);
        check("git -C sub push origin main", &["git push"]);
        check("python -m pytest tests/x.py -k a", &["pytest"]);
        check("uv run pytest -x; ruff check .", &["pytest", "ruff"]);
        check("./scripts/deploy.sh staging", &["deploy"]);
        check("$(CARGO) test", &["cargo test"]);
        check("python manage.py migrate --fake", &["manage migrate"]);
        check("kubectl -n prod apply -f x.yml", &["kubectl apply"]);
        check("make 2>&1 | tail", &["make"]);
        check("sudo systemctl restart nginx", &["systemctl restart"]);
        check("git status", &[]);
        check("ls -la; cat x; echo 'hi; there'", &[]);
        check("Edit src/main.rs", &["edit"]);
        check("", &[]);
        check("   && | ;;; '", &[]);
        check("$env:RUST_MIN_STACK = 5", &[]);
        check("{{python}} ../scripts/format.py --check", &["format"]);
    }

    #[test]
    fn what_is_normalised_stays_as_it_is() {
        let lines = "./test.sh; python manage.py migrate; npm run build; uv run pytest; cargo build -r --release; python ./find.py; \
            ./scripts/deploy.sh; git push; docker compose up; /bin/ls; gradle test; $(CARGO) doc; yarn lint; ./sh";
        let once = normalise_all(std::iter::once(lines));
        assert_eq!(once[..2], ["./test", "manage migrate"]);
        assert!(!once.iter().any(|step| step.contains("ls")), "{once:?}");
        assert_eq!(normalise_all(once.iter().map(String::as_str)), once);
    }

    #[test]
    fn a_hint_is_one_line_of_verbs() {
        let steps = ["cargo test", "cargo build", "docker build", "git push"].map(str::to_owned);
        assert_eq!(hint("deploy", &steps, 8), "deploy: test→build→docker build→push");
        assert_eq!(hint("deploy", &steps, 2), "deploy: test→build→…2 more");
    }

    proptest::proptest! {
        #[test]
        fn no_line_makes_it_panic(line in "(?s)[a-z$(){}'\"|&;=\\-+. \n@!é/]{0,120}") {
            let _ = normalise_all(std::iter::once(line.as_str()));
        }
    }
}
