#!/usr/bin/env bash
# The real Claude Code and the real Codex with the hooks that `lokid hooks install` writes, and a real daemon: what is
# remembered reaches the model, a failure brings its fix, an answer's citations count; then the daemon is killed in the
# middle of a turn, and the agent goes on as if nothing were, and what happened meanwhile is heard later.
#
#   tests/clients/agents.sh
#
# No account and no network: stub.py answers in place of the models. LOKID names the program under test, CLIENTS a folder
# where the agents from npm are, or shall be, kept [else a temporary one].
set -euo pipefail
given_home=$HOME
. "$(dirname "$0")/lab.sh"
. "$(dirname "$0")/install.sh"
command -v python3 > /dev/null || skip 'python3 is not installed'
[ -n "${EPOCHREALTIME:-}" ] || skip 'this bash cannot tell the time (5.0 or newer can)'
HOME=$given_home install_agents "${CLIENTS:-$lab/clients}" || skip "Claude Code and Codex: $why"

# --- The lab: the models, the hooks behind a clock, and what is remembered.

checks=0
ok() {
  checks=$((checks + 1))
  echo "ok      $1"
}
same() { [ "$1" = "$2" ] || fail "$3: $1 and not $2"; }

log=$lab/api.log
: > "$log"
python3 "$root/tests/clients/stub.py" "$log" > "$lab/port" &
started+=("$!")
await 'the stand-in for the models' test -s "$lab/port"
port=$(cat "$lab/port")

# What the agents call as lokid: the program itself, and its time and that of `true` in the same moment. A program built
# for tests answers slowly: while the daemon lives it is given time, and once it is dead none beyond the usual.
mkdir -p "$lab/bin"
cat > "$lab/bin/lokid" <<EOF
#!$BASH
export HOME='$HOME' XDG_RUNTIME_DIR='$XDG_RUNTIME_DIR' XDG_CONFIG_HOME='$XDG_CONFIG_HOME'
export XDG_STATE_HOME='$XDG_STATE_HOME' XDG_CACHE_HOME='$XDG_CACHE_HOME' XDG_DATA_HOME='$XDG_DATA_HOME'
alive=
if [ -e '$lab/alive' ]; then alive=alive; export LOKID_HOOK_DEADLINE_MS=20000; fi
start=\$EPOCHREALTIME
'$LOKID' "\$@"
code=\$?
middle=\$EPOCHREALTIME
true_program=\$(type -P true)
again=\$EPOCHREALTIME
"\$true_program"
end=\$EPOCHREALTIME
echo "\${alive:-away} \$code \$start \$middle \$again \$end \$*" >> '$lab/trace'
exit \$code
EOF
chmod +x "$lab/bin/lokid"

post() {
  python3 - "$XDG_RUNTIME_DIR/lokid/lokid.sock" "$@" <<'PY'
import http.client, socket, sys
connection = http.client.HTTPConnection("lokid")
connection.sock = socket.socket(socket.AF_UNIX)
connection.sock.connect(sys.argv[1])
connection.request("POST", sys.argv[2], sys.argv[3], {"content-type": "application/json"})
answer = connection.getresponse()
assert answer.status < 300, answer.read()
PY
}

# What lokid's own JSON says, by a path of names.
field() { python3 -c 'import functools, json, sys; print(functools.reduce(lambda value, name: (value or {}).get(name), sys.argv[1:], json.load(sys.stdin)))' "$@"; }
cited() { "$LOKID" --project "$app" economics --session "$1" --json | field metrics memories_cited; }
has_cited() { [ "$(cited "$1")" = "$2" ]; }
signals() {
  "$LOKID" status --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["projects"][0]["watch"]["signals"][sys.argv[1]])' "$1"
}
is_kept() { [ -n "$(find "$XDG_STATE_HOME/lokid/projects" -name sessions.json -newer "$lab/now")" ]; }
heard() { [ "$(signals "$1")" -ge "$2" ]; }
last_heard() { "$LOKID" status --json | field hooks "$1" last_event_at; }

wake_daemon() {
  # It shall not hold on to the prompts of an agent.
  start_daemon 4>&-
  # Its end is no news to this shell.
  disown "$daemon"
  touch "$lab/alive"
  # Called by the model in the middle of a turn.
  printf 'rm -f %s/alive\nkill -9 %s\n' "$lab" "$daemon" > "$lab/kill-daemon"
}

mandate='Every handler has a timeout.'
note='The websocket reconnects with an exponential backoff capped at thirty seconds.'
wake_daemon
(cd "$app" && "$LOKID" remember --tier mandate "$mandate" && "$LOKID" remember "$note") > /dev/null
finds() { "$LOKID" --project "$app" recall "$1" --json | grep -qF "$2"; }
await 'the note in the index' finds 'websocket backoff' 'thirty seconds'

# A command that fails, and what is known of its failure.
plant_failure() {
  printf 'Traceback (most recent call last):\n  File "src/app.py", line 7, in main\n    start()\n%s\n' "$1" > "$app/trace.txt"
  printf 'cat trace.txt >&2\nexit 1\n' > "$app/check.sh"
  post /v1/learnings "{\"project\":\"$app\",\"error\":\"$1\",\"cause\":\"the lab is not set up\",\"fix\":\"$2\"}"
  await 'the fix in the index' finds "$1" "$2"
}

export CODEX_HOME=$lab/codex
mkdir -p "$CODEX_HOME" "$HOME/.claude"
for agent in claude codex; do
  (cd "$app" && "$LOKID" hooks install "$agent" --yes --command "$lab/bin/lokid") > "$lab/out" 2>&1 ||
    fail "lokid hooks install $agent: $(cat "$lab/out")"
done

# --- The agents: `say PROMPT` is a turn of the session, and fails if the agent does.

say() { "say_$agent" "$1"; }
begin() { "begin_$agent"; }
end() { "end_$agent"; }

# One process for the whole session; prompts go in and results come out as lines of JSON.
begin_claude() {
  mkfifo "$lab/prompts"
  (cd "$app" && exec env -i PATH="$PATH" HOME="$HOME" ANTHROPIC_BASE_URL="http://127.0.0.1:$port" \
    ANTHROPIC_API_KEY=sk-ant-stub DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 IS_SANDBOX=1 \
    "$claude" -p --input-format stream-json --output-format stream-json --verbose --allowedTools Bash) \
    < "$lab/prompts" > "$lab/said" 2> "$lab/agent.err" &
  agent_pid=$!
  started+=("$agent_pid")
  exec 4> "$lab/prompts"
  turns=0
}
say_claude() {
  python3 -c 'import json, sys; print(json.dumps({"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": sys.argv[1]}]}}))' "$1" >&4
  turns=$((turns + 1))
  await 'an answer of Claude Code' has_answered
  kill -0 "$agent_pid" 2> /dev/null || fail "Claude Code ended: $(cat "$lab/agent.err")"
  # The first line of a session names it; an answer says whether it went well.
  session=$(sed -n 's/.*"session_id":"\([^"]*\)".*/\1/p' "$lab/said" | head -n 1)
  ! grep '"type":"result"' "$lab/said" | grep -q '"is_error":true' || fail "Claude Code failed: $(tail -n 1 "$lab/said")"
}
has_answered() { [ "$(grep -c '"type":"result"' "$lab/said")" -ge "$turns" ] || ! kill -0 "$agent_pid"; }
end_claude() {
  exec 4>&-
  wait "$agent_pid" || fail "Claude Code ended with $?: $(cat "$lab/agent.err")"
}

# A process for each turn, which takes the session up again.
begin_codex() {
  session=
  cat > "$CODEX_HOME/config.toml" <<EOF
model = "gpt-stub"
model_provider = "stub"
[model_providers.stub]
name = "stub"
base_url = "http://127.0.0.1:$port/v1"
wire_api = "responses"
env_key = "STUB_KEY"
EOF
}
say_codex() {
  local resume=()
  [ -z "$session" ] || resume=(resume "$session")
  (cd "$app" && exec env -i PATH="$PATH" HOME="$HOME" CODEX_HOME="$CODEX_HOME" STUB_KEY=x timeout 120 "$codex" exec \
    ${resume[@]+"${resume[@]}"} --json --dangerously-bypass-hook-trust --dangerously-bypass-approvals-and-sandbox "$1") \
    < /dev/null > "$lab/said" 2> "$lab/agent.err" || fail "Codex ended with $?: $(cat "$lab/said" "$lab/agent.err")"
  [ -n "$session" ] || session=$(sed -n 's/.*"thread_id":"\([^"]*\)".*/\1/p' "$lab/said" | head -n 1)
  grep -q '"type":"turn.completed"' "$lab/said" || fail "Codex did not complete its turn: $(cat "$lab/said")"
}
end_codex() { :; }

reached() { python3 "$root/tests/clients/reached.py" "$log" "$agent" "$@"; }
# reaches FROM TEXT WHAT: some request, not before FROM, holds the text.
reaches() { reached has "$1" "$2" > "$lab/at" || fail "$3 never reached the model"; }

# --- A session of each.

for agent in claude codex; do
  : > "$lab/trace"
  begin
  say "How does the websocket reconnect, and with which backoff? [[say I see.]] [[cite has a timeout]]"
  reaches 0 "$mandate" 'the session block'
  same "$(cat "$lab/at")" 0 'the request that first holds the session block'
  reaches 0 "$note" 'the planted memory'
  same "$(cat "$lab/at")" 0 'the request that first holds the planted memory'
  ok "$agent: the session block and the planted memory are in the first request"

  await "the citation of $agent" has_cited "$session" 1
  [ "$(last_heard "$agent")" != None ] || fail "the status does not tell when $agent was heard"
  ok "$agent: Stop counted its citation"
  touch "$lab/now"

  # Learnt by others while the session runs.
  case $agent in
    claude) fix='export LAB_ENV=dev' && plant_failure 'TypeError: cannot unpack non-iterable NoneType object' "$fix" ;;
    codex) fix='make broker' && plant_failure 'ConnectionRefusedError: [Errno 111] Connection refused' "$fix" ;;
  esac
  turn=$(reached count)
  say "Next, please. [[run sh check.sh]] [[say Oh.]]"
  reaches 0 "$fix" 'the known fix'
  same "$(cat "$lab/at")" "$((turn + 1))" 'the request that first holds the known fix'
  ok "$agent: a failing command brought its known fix into the next request"

  # What was counted is written down within seconds; being killed costs no more than what was not.
  await 'the book of sessions' is_kept

  # The daemon dies by the agent's own hand; what follows in this turn and the next finds nobody.
  say "Go on. [[run sh $lab/kill-daemon]] [[run cat src/one.rs]] [[run sh check.sh]] [[say Done.]] [[cite exponential backoff]]"
  ! kill -0 "$daemon" 2> /dev/null || fail 'the daemon is still there'
  say "And on. [[run cat src/two.rs]] [[say Done again.]]"
  spool=$XDG_STATE_HOME/lokid/hooks.spool
  [ -s "$spool" ] || fail 'nothing was written down while the daemon was away'
  waiting=$(wc -l < "$spool")
  ok "$agent: went on without its daemon, two turns, $waiting events wait"

  wake_daemon
  await "the citation of $agent while nobody listened" has_cited "$session" 2
  await 'an empty spool' test ! -e "$spool"
  await 'the files that were opened meanwhile' heard file_opened 2
  await 'the error that came meanwhile' heard error 1
  await 'the ends of both turns' heard task_complete 2
  same "$(signals file_opened) $(signals error) $(signals task_complete)" '2 1 2' 'what was heard later'
  ok "$agent: all of it was heard once the daemon was back: 2 files, 1 error, 2 completed tasks, 1 citation"

  say "Still there? [[say Yes.]]"
  end
  python3 - "$lab/trace" "$agent" > "$lab/out" <<'PY' || fail "$(cat "$lab/out")"
import sys
calls = [line.split() for line in open(sys.argv[1])]
took = lambda state: sorted((float(call[3]) - float(call[2])) * 1e3 for call in calls if call[0] == state)
floor = sorted((float(call[5]) - float(call[4])) * 1e3 for call in calls)
alive, away = took("alive"), took("away")
if any(call[1] != "0" for call in calls):
    sys.exit(print("a hook did not end with 0") or 1)
middle = lambda times: times[len(times) // 2]
print(f"{sys.argv[2]}: {len(away)} hooks without a daemon took {middle(away):.1f} ms, at most {away[-1]:.1f} ms; "
      f"{len(alive)} with it {middle(alive):.1f} ms, at most {alive[-1]:.1f} ms; `true` beside them {middle(floor):.1f} ms, "
      f"at most {floor[-1]:.1f} ms")
if len(away) < 8:
    sys.exit(1)
if away[-1] > 60 + floor[-1]:
    print("        more than 60 ms over `true`")
    sys.exit(1)
PY
  ok "$(cat "$lab/out")"
  reached prefix > "$lab/out" 2>&1 || fail "the prefix: $(cat "$lab/out")"
  ok "$(cat "$lab/out")"

  # Another session meets an error and ends it; the one after that asks about the same error.
  case $agent in claude) place=relay ;; codex) place=beacon ;; esac
  printf '4\n' > "$app/$place.width"
  printf '[ "$(cat %s.width)" = 5 ] || { echo "ValueError: 10000 is no port of the %s" >&2; exit 1; }\n' $place $place > "$app/test_$place.sh"
  printf 'echo 5 > %s.width\n' $place > "$app/widen_$place.sh"
  rm -f "$lab/prompts"
  begin
  say "The $place refuses large ports, make its test pass. [[run sh test_$place.sh]] [[run sh widen_$place.sh]] [[run sh test_$place.sh]] [[say The $place read four digits; it reads five now.]]"
  end
  tells() { "$LOKID" --project "$app" list --kind "$1" --json | grep -qF "$2"; }
  await "the episode of $agent" tells episode "The $place refuses large ports"
  await 'the error it fixed' tells learning "is no port of the $place"
  ok "$agent: a session left its episode and the error it fixed"
  await 'both in the index' finds "10000 is no port of the $place" "widen_$place.sh"
  rm -f "$lab/prompts"
  turn=$(reached count)
  begin
  say "What does this mean: ValueError: 10000 is no port of the $place? [[say Hm.]]"
  end
  reaches "$turn" "widen_$place.sh" "the fix of the session before"
  same "$(cat "$lab/at")" "$turn" 'the request that first holds the fix of the session before'
  ok "$agent: the next session was given that fix with its first prompt"
done

requests=$(wc -l < "$log")
passed "$checks checks with Claude Code $claude_version and Codex $codex_version, $requests requests to their models"
