//! The examples below each command's help: what a newcomer would type.

pub(super) const LOKID: &str = "\
Examples:
  lokid run                            watch the repository you stand in
  lokid remember 'tests need redis'    keep something
  lokid status                         see what is known

Exit codes: 0 done, 1 failed, 2 bad usage or configuration, 3 daemon needed and not reachable.";

pub(super) const RUN: &str = "\
Examples:
  lokid run                    watch the repository you stand in, and those watched before
  lokid run ~/notes --here     watch a directory that is in no git repository
  lokid run --oneshot --json   learn from the repository and exit, in CI for example
  lokid run --replace          take over from a daemon that runs already

TERM and INT stop it, HUP reads the configuration again, USR1 logs the status.";

pub(super) const STATUS: &str = "\
Examples:
  lokid status
  lokid status --project ~/code/app --json
  lokid status --watch               keep watching; ? tells the keys, q ends it
  lokid status --watch=60 >> log     a line a minute, into a file";

pub(super) const DOCTOR: &str = "\
Example:
  lokid doctor        exits with 1 when something is broken";

pub(super) const UI: &str = "\
Examples:
  lokid ui                             open the page in the browser; Ctrl-C ends it
  lokid ui --no-browser                print the address, which lets one browser in, once
  lokid ui --port 7777 --no-browser    over SSH: ssh -N -L 7777:127.0.0.1:7777 HOST on your own machine

It listens at 127.0.0.1 only, for you only, and only while the command runs.";

pub(super) const SOCKET: &str = "\
Example:
  curl --unix-socket \"$(lokid socket)\" http://lokid/v1/health";

pub(super) const STOP: &str = "\
Example:
  lokid stop        what was accepted is written first";

pub(super) const PROJECT: &str = "\
Examples:
  lokid project add ~/code/app
  lokid project list";

pub(super) const PROJECT_ADD: &str = "\
Examples:
  lokid project add ~/code/app              and wait until it is read; Ctrl-C leaves the daemon reading
  lokid project add ~/code/app --no-wait    come back at once";

pub(super) const PROJECT_REMOVE: &str = "\
Example:
  lokid project remove ~/code/app";

pub(super) const PROJECT_LIST: &str = "\
Example:
  lokid project list --json";

pub(super) const REMEMBER: &str = "\
Examples:
  lokid remember 'integration tests need redis' --tag tests --file tests/db.rs
  lokid remember --key build.tool --value just
  git log -1 --format=%B | lokid remember --kind decision";

pub(super) const RECALL: &str = "\
Examples:
  lokid recall how do we run the tests
  lokid recall 'why did we leave redis' --kind decision -k 3
  lokid recall 'what broke last week' --task debugging --explain
  lokid recall 'which port does staging use' --as-of 2026-05-01

Every word of the question is data; there is no query language.";

pub(super) const CONTEXT: &str = "\
Examples:
  lokid context                                     a look around: for whatever was opened last, in 1,000 tokens
  lokid context --file src/auth.rs --goal 'add logout' --budget 2000
  lokid context --error 'E0308: mismatched types' --explain
  lokid context --task 'fix the login test' --json  what an orchestrator injects before a task

The text never takes more tokens than its budget. Cite what you use by the id in its brackets.";

pub(super) const PREDICT: &str = "\
Examples:
  lokid predict src/auth.rs
  lokid predict --goal 'speed up the parser' -k 5
  lokid predict --error 'connection refused (os error 111)'";

pub(super) const WHY: &str = "\
Examples:
  lokid why src/auth.rs                  what explains the file, and what broke in it before
  lokid why src/auth.rs:42-60            who wrote these lines, and why
  lokid why src/auth.rs:Session.refresh  the same of something the file defines
  lokid why 3f1c9a2b                     one commit, in full

Lines are followed through renames, moves and reformatting; commits in .git-blame-ignore-revs are looked through.";

pub(super) const ECONOMICS: &str = "\
Examples:
  lokid economics
  lokid economics --session 1f7e --json
  lokid economics --explain        what each number means";

pub(super) const REPLAY: &str = "\
Examples:
  lokid replay                how often the files of a commit were foretold, beside four plain methods
  lokid replay --fit          learn this repository's own weights, and keep them
  lokid replay --json

The last fifth of the history is foretold from what came before it, commit by commit. No daemon is needed.";

pub(super) const LIST: &str = "\
Examples:
  lokid list                                   the newest fifty
  lokid list --kind decision --since 2026-01-01
  lokid list --file src/auth --derived         what the history taught about a folder
  lokid list --told --json | jq -r '.items[].id'

Each line: id, date, kind, title. `lokid show ID` shows one in full.";

pub(super) const SHOW: &str = "\
Examples:
  lokid show note-5f0c2a91
  lokid show fact-01 --as-of 2026-01-01
  lokid show note-5f0c2a91 --history      what it was before, by whom and why";

pub(super) const CHANGES: &str = "\
Examples:
  lokid changes --open --since 3d         what agents, files and nights changed and nobody has looked at
  lokid changes c-65d1f0a2b3c4d           one change: what it was before, and since
  lokid changes note-5f0c2a91             what happened to this memory

Kept outside the repository for as long as there is room; `lokid undo CHANGE` takes one back.";

pub(super) const UNDO: &str = "\
Examples:
  lokid undo c-65d1f0a2b3c4d                        with all that was done together with it
  lokid undo --night 2026-11-17T02:00:04.512Z       as `lokid consolidate --last` and `lokid changes` tell it

Only where the memory is still as that change left it. No night does again what was undone; an undo can be undone, too.";

pub(super) const FORGET: &str = "\
Examples:
  lokid forget note-5f0c2a91 --reason 'no longer true'
  lokid forget --undo note-5f0c2a91
  lokid forget --query redis        list first, then ask";

pub(super) const CONSOLIDATE: &str = "\
Examples:
  lokid consolidate --dry-run       what would be learnt, merged, forgotten, and why
  lokid consolidate
  lokid consolidate --last          what the last night did, and when the next one is
  lokid consolidate --pause         no nights until --resume

It is done every night by itself; `[night]` in the configuration says when. What leaves the memory can be brought back
with `lokid forget --undo ID`.";

pub(super) const CONFIRM: &str = "\
Examples:
  lokid confirm note-5f0c2a91                  one step: reference, guardrail, mandate
  lokid confirm note-5f0c2a91 --tier mandate";

pub(super) const MANAGED: &str = "\
Examples:
  lokid managed status
  lokid managed status --json

The mirror is off unless `[managed]` in the configuration, or $LOKI_MANAGED_AGENTS and $LOKI_MANAGED_MEMORY, ask for it.
`lokid doctor` looks at the key, the store and the clock.";

pub(super) const TEAM: &str = "\
Examples:
  lokid team init postgres://admin@db.example/team --project garden --promoter ada --member bob
  lokid team join postgres://ana@db.example/team --project shop
  lokid team status                            who is in step, what waits, what went wrong
  lokid team inbox                             what members want promoted, and what would change
  lokid team audit                             who promoted, demoted, proposed or purged what
  lokid team git install                       let git merge the memory record by record

Shared memories of the project go to the database and come from there; private ones, counts and sessions never leave.
What comes from others is reference until you or a promoter of the team says more.";

pub(super) const TEAM_JOIN: &str = "\
Examples:
  lokid team join postgres://ana@db.example/team --project shop
  lokid team join 'host=/run/postgresql dbname=team' --project shop
  lokid team join service=team --project shop

The password comes from ~/.pgpass, from the service file or from $PGPASSWORD of the daemon, never from the command line.
A server on another machine must show a certificate that is valid for its name, unless the address says otherwise
(sslmode).";

pub(super) const TEAM_LEAVE: &str = "\
Example:
  lokid team leave                             what is here stays here, what is there stays there";

pub(super) const TEAM_STATUS: &str = "\
Examples:
  lokid team status
  lokid team status --json";

pub(super) const TEAM_INBOX: &str = "\
Examples:
  lokid team inbox                             then `lokid promote ID --to team` agrees, `lokid demote ID` declines
  lokid team inbox --json";

pub(super) const TEAM_AUDIT: &str = "\
Examples:
  lokid team audit
  lokid team audit --limit 20 --json";

pub(super) const DEMOTE: &str = "\
Examples:
  lokid demote note-5f0c2a91                   it binds the team no longer; for a proposal: no
  lokid demote note-5f0c2a91 --from org";

pub(super) const TEAM_GIT: &str = "\
Examples:
  lokid team git install                       shows what it will write, and asks
  lokid team git status --json
  lokid team git uninstall                     both files are what they were before

Writes a few lines of .gitattributes, for you to commit, and `merge.lokid` in this clone's own git configuration. Every
clone needs the second once; `lokid doctor` tells where it is missing. Without it git merges the files as text, and
what that damages is mended from both sides at the next start.";

pub(super) const MERGE_DRIVER: &str = "\
Example:
  lokid merge-driver %O %A %B %P               as git calls it, after `lokid team git install`

Writes the merged file to the second path. Fails, and writes nothing, only where neither side is a file of the memory.";

pub(super) const TEAM_INIT: &str = "\
Examples:
  lokid team init postgres://admin@db.example/team --project garden --promoter ada --member bob
  lokid team init service=team --project garden --create-role eve
  lokid team init service=team --project garden --org-promoter ada
  lokid team init service=team --project garden --remove-member bob --yes

It shows what it would do first. Nothing outside of the schema `lokid` is touched but roles to be created. Passwords come
from ~/.pgpass, a service file or $PGPASSWORD. A server on another machine must show a certificate that fits its name, unless
`sslmode` says otherwise; `sslrootcert` names the file to judge it by.";

pub(super) const TRUST: &str = "\
Examples:
  lokid trust                                  who asks for more than reference, and in which file
  lokid trust note-5f0c2a91                    it is what it asks to be, until its words change
  lokid trust --author ada
  lokid trust note-5f0c2a91 --revoke

A record that came with the repository is no mandate because it says so. What you confirm is kept in your own data
directory; the repository is not changed.";

pub(super) const MUTE: &str = "\
Examples:
  lokid mute note-5f0c2a91                     agents are told it no more, unless they ask
  lokid mute note-5f0c2a91 --file src/parser   not where these files are at hand
  lokid mute --list
  lokid mute note-5f0c2a91 --undo

What a session was told at its start stays as it was. Only you are spared: it is kept beside the repository, not in it.";

pub(super) const CONTRADICTIONS: &str = "\
Examples:
  lokid contradictions
  lokid contradictions resolve con-1a2b3c4d5e6f b_wins
  lokid contradictions resolve con-1a2b3c4d5e6f merged --note 'tabs in Go, spaces elsewhere'
  lokid contradictions check 'tests run on node 20' 'tests run on node 22'
  lokid contradictions check 'deploys are done by hand'";

pub(super) const CONTRADICTIONS_RESOLVE: &str = "\
Examples:
  lokid contradictions resolve con-1a2b3c4d5e6f b_wins                 the later one holds
  lokid contradictions resolve con-1a2b3c4d5e6f both_valid --note 'one per service'
  lokid contradictions resolve con-1a2b3c4d5e6f merged --note 'tabs in Go, spaces elsewhere'";

pub(super) const CONTRADICTIONS_CHECK: &str = "\
Examples:
  lokid contradictions check 'tests run on node 20' 'tests run on node 22'
  lokid contradictions check 'deploys are done by hand'                against what is known";

pub(super) const HOOK: &str = "\
Example:
  echo '{\"session_id\":\"s1\",\"cwd\":\"/code/app\"}' | lokid hook SessionStart

Agents run it; `lokid hooks install` has them do so. It exits with 0 whatever happens, answers within 50 ms or not at
all (LOKID_HOOK_DEADLINE_MS says otherwise), and keeps the event for later when no daemon listens. LOKID_HOOK_DEBUG=1
has it say on stderr what it does, LOKID_HOOK=off has it do nothing.";

pub(super) const IMPORT: &str = "\
Examples:
  lokid import memories.ndjson
  lokid import --claude-transcript ~/.claude/projects/-home-ada-code-app
  zcat backup.ndjson.gz | lokid import - --trust";

pub(super) const EXPORT: &str = "\
Examples:
  lokid export -o memories.ndjson
  lokid export | jq -r .title";

pub(super) const INDEX: &str = "\
Examples:
  lokid index
  lokid index auth        the best of what is known about one topic";

pub(super) const TIMELINE: &str = "\
Example:
  lokid timeline --project ~/code/app";

pub(super) const LINKS: &str = "\
Examples:
  lokid links note-5f0c2a91 --depth 2
  lokid links add note-5f0c2a91 elaborates dec-77aa01";

pub(super) const LINKS_ADD: &str = "\
Example:
  lokid links add note-5f0c2a91 elaborates dec-77aa01";

pub(super) const SKILL: &str = "\
Examples:
  lokid skill add release.md
  lokid skill show release";

pub(super) const SKILL_LIST: &str = "\
Example:
  lokid skill list";

pub(super) const SKILL_SHOW: &str = "\
Example:
  lokid skill show release";

pub(super) const SKILL_ADD: &str = "\
Example:
  lokid skill add release.md        a `# Skill: Name` heading, then `## Steps` and the rest";

pub(super) const LEDGER: &str = "\
Examples:
  lokid ledger list
  echo '{\"done\": [\"parser\"]}' | lokid ledger write builder";

pub(super) const HANDOFF: &str = "\
Examples:
  lokid handoff list
  lokid handoff show 2026-01-06-review";

pub(super) const DOCUMENT_LIST: &str = "\
Example:
  lokid ledger list";

pub(super) const DOCUMENT_SHOW: &str = "\
Example:
  lokid ledger show builder --json";

pub(super) const DOCUMENT_WRITE: &str = "\
Example:
  lokid handoff write review < review.json";

pub(super) const DOCUMENT_ERASE: &str = "\
Example:
  lokid handoff erase review";

pub(super) const MCP: &str = "\
Examples:
  claude mcp add loki -- lokid mcp           for Claude Code, in the repository
  codex mcp add loki -- lokid mcp --start    for Codex; starts the daemon when none runs

Answers go to the standard output, everything else to the standard error. Without a daemon it can read, not write.";

pub(super) const PROMOTE: &str = "\
Examples:
  lokid promote skill-cut-a-release --to org
  LOKI_MANAGED_ORG_API_KEY=... lokid promote sem-1f2e3d --to org --yes

It needs managed memory to be on, `managed.org_store`, and the organisation's own key in $LOKI_MANAGED_ORG_API_KEY or
`managed.org_key_file`. Without them it prints the call to make. Private, restricted and unredacted memories stay here.";

pub(super) const REDACT: &str = "\
Examples:
  lokid redact --pattern 'AKIA[0-9A-Z]{16}'          tell what matches; nothing is changed
  lokid redact --pattern '(?i)project nightjar' --yes
  lokid redact --pattern 'ghp_\\w{36}' --scope all --yes

A clean copy takes the place of each memory that matches, under a new id, and every trace of the old one is erased: in
its files, the archive, earlier wordings, indexes, ledgers and handoffs. The syntax is RE2's: no look-around, no
back-references. What was committed to git stays in its history.";

pub(super) const EVENTS: &str = "\
Examples:
  lokid events
  lokid events --json | jq -r .kind";

pub(super) const HOOKS: &str = "\
Examples:
  lokid hooks install claude
  lokid hooks status

Agents: claude, codex, gemini, cursor, copilot, opencode.";

pub(super) const HOOKS_INSTALL: &str = "\
Examples:
  lokid hooks install claude                    in your own settings, after showing the change
  lokid hooks install codex --scope project --yes
  lokid hooks install claude --scope project --command lokid    for a file that others share
  lokid hooks install gemini --print            paste it yourself

Everything else in the file stays as it is, comments and order too. A copy of it is kept in lokid's state directory.";

pub(super) const HOOKS_UNINSTALL: &str = "\
Examples:
  lokid hooks uninstall claude
  lokid hooks uninstall cursor --scope project --yes

A file that was not changed since is restored byte for byte; of one that was, only lokid's hooks are taken out.";

pub(super) const HOOKS_STATUS: &str = "\
Examples:
  lokid hooks status
  lokid hooks status claude --json";

pub(super) const SERVICE: &str = "\
Examples:
  lokid service install        show the files, ask, and start it: at login and at the first request
  lokid service status";

pub(super) const SERVICE_INSTALL: &str = "\
Examples:
  lokid service install --linger       and keep it running while you are logged out
  lokid service install --print        only show what would be written
  lokid service install --timer        without a daemon: tidy this project's memory every night

systemd on Linux, launchd on macOS. What stood in the files before is kept, and `uninstall` brings it back.";

pub(super) const SERVICE_UNINSTALL: &str = "\
Examples:
  lokid service uninstall --yes
  lokid service uninstall --timer      the nights of this project";

pub(super) const SERVICE_STATUS: &str = "\
Example:
  lokid service status --json";

pub(super) const MAN: &str = "\
Examples:
  lokid man | man -l -
  lokid man ~/.local/share/man/man1";

pub(super) const COMPLETIONS: &str = "\
Examples:
  lokid completions bash > ~/.local/share/bash-completion/completions/lokid
  lokid completions fish > ~/.config/fish/completions/lokid.fish";

pub(super) const CONFIG: &str = "\
Examples:
  lokid config > ~/.config/lokid/config.toml
  lokid config --check";

pub(super) const PURGE: &str = "\
Examples:
  lokid purge --project ~/code/app --dry-run    show what is kept about a project
  lokid purge --project ~/code/app              remove it, after asking
  lokid purge --everything                      and everything else

What Loki Mode wrote stays, and so does what was committed to git.";
