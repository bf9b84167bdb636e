#!/usr/bin/env bash
# The plugin and what `lokid hooks install` writes, held against the real clients: Claude Code validates and installs the
# plugin, Codex installs it too, both run its hooks, and the OpenCode module runs under Node. Everything happens in a
# temporary home; no account and no model are needed. What cannot be done here is skipped with a line that says so.
#
#   tests/clients/plugin.sh [PATH/TO/lokid]
#
# CLIENTS names a folder where the npm packages are, or shall be, installed [else a temporary one].
set -euo pipefail

repo=$(cd "$(dirname "$0")/../.." && pwd)
lokid=${1:-${LOKID:-$repo/target/debug/lokid}}
plugin=$repo/editors/claude-code

lab=$(mktemp -d)
stub_pid=
finish() {
  [ -z "$stub_pid" ] || kill "$stub_pid" 2>/dev/null || true
  # A client that was just ended may still be writing there.
  rm -rf "$lab" 2>/dev/null || { sleep 1; rm -rf "$lab" || true; }
}
trap finish EXIT
. "$repo/tests/clients/install.sh"

passed() { printf 'ok      %s\n' "$1"; }
skipped() { printf 'skipped: plugin: %s\n' "$1"; }
failed() {
  printf 'FAILED  %s\n' "$1" >&2
  exit 1
}

mkdir -p "$lab/home" "$lab/bin" "$lab/project" "$lab/codex"
git -C "$lab/project" init -q

# In place of lokid: writes down how it was called, and answers as `lokid hook` does.
cat > "$lab/bin/lokid" <<EOF
#!/bin/sh
printf '%s\n' "\$*" >> "$lab/calls"
[ "\$1" = hook ] || exit 0
cat > "$lab/last-input"
for event; do :; done
printf '{"hookSpecificOutput":{"hookEventName":"%s","additionalContext":"said of %s"}}' "\$event" "\$event"
EOF
chmod +x "$lab/bin/lokid"

private() { env -i PATH="$lab/bin:$PATH" HOME="$lab/home" CODEX_HOME="$lab/codex" DISABLE_AUTOUPDATER=1 \
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 IS_SANDBOX=1 "$@"; }
heard() { grep -qxF -- "$1" "$lab/calls" || failed "$2 never called \`lokid $1\`; it called: $(tr '\n' ';' < "$lab/calls")"; }

# --- OpenCode: the module with a made-up session.
if ! command -v node > /dev/null; then
  skipped "the OpenCode module: there is no node"
else
  cp "$repo/src/cli/hooks/opencode.js" "$lab/opencode.mjs"
  cat > "$lab/session.mjs" <<'EOF'
import assert from "node:assert/strict"
import { LokidPlugin } from "./opencode.mjs"
const hooks = await LokidPlugin({ directory: process.cwd() })
const message = { message: { id: "m" }, parts: [{ type: "text", text: "hello" }] }
await hooks["chat.message"]({ sessionID: "s" }, message)
assert.equal(message.parts[1].text, "said of UserPromptSubmit")
for (let turn = 0; turn < 2; turn++) {
  const system = { system: [] }
  await hooks["experimental.chat.system.transform"]({ sessionID: "s" }, system)
  assert.deepEqual(system.system, ["said of SessionStart"])
}
await hooks["tool.execute.before"]({ tool: "bash", sessionID: "s", callID: "c" }, { args: { command: "make" } })
const bad = { title: "", output: "boom", metadata: { exit: 3 } }
await hooks["tool.execute.after"]({ tool: "bash", sessionID: "s", callID: "c", args: {} }, bad)
assert.equal(bad.output, "boom\n\nsaid of PostToolUseFailure")
const good = { title: "", output: "fine", metadata: { exit: 0 } }
await hooks["tool.execute.after"]({ tool: "bash", sessionID: "s", callID: "c", args: {} }, good)
assert.equal(good.output, "fine\n\nsaid of PostToolUse")
await hooks["experimental.session.compacting"]({ sessionID: "s" }, { context: [] })
for (const type of ["session.idle", "session.compacted", "session.deleted"]) {
  await hooks.event({ event: { type, properties: { sessionID: "s" } } })
}
await hooks.event({ event: { type: "server.connected" } })
// Without a program and with nonsense nothing is thrown.
process.env.PATH = "/nowhere"
await hooks["chat.message"]({ sessionID: "t" }, { message: { id: "m" }, parts: [] })
await hooks["tool.execute.after"]({}, undefined)
EOF
  : > "$lab/calls"
  (cd "$lab" && private node session.mjs) || failed "the OpenCode module"
  for event in SessionStart UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure PreCompact PostCompact Stop SessionEnd; do
    heard "hook --agent opencode $event" "the OpenCode module"
  done
  [ "$(grep -c SessionStart "$lab/calls")" = 2 ] || failed "a session asks for its block once, and again after compaction"
  passed "the OpenCode module tells of nine events and hands the answers on"
fi

# --- The clients themselves.
if ! install_agents "${CLIENTS:-$lab/clients}"; then
  skipped "Claude Code and Codex: $why"
  exit 0
fi

private "$claude" plugin validate --strict "$plugin" > "$lab/out" 2>&1 || { cat "$lab/out"; failed "claude plugin validate --strict"; }
grep -q 'Validation passed' "$lab/out" || { cat "$lab/out"; failed "claude plugin validate --strict"; }
passed "claude plugin validate --strict"

private "$claude" plugin marketplace add "$plugin" > "$lab/out" 2>&1 &&
  private "$claude" plugin install lokid@lokid >> "$lab/out" 2>&1 || { cat "$lab/out"; failed "Claude Code installs the plugin"; }
passed "Claude Code installs the plugin"
private "$codex" plugin marketplace add "$plugin" > "$lab/out" 2>&1 &&
  private "$codex" plugin add lokid@lokid >> "$lab/out" 2>&1 || { cat "$lab/out"; failed "Codex installs the plugin"; }
passed "Codex installs the plugin"

# --- Sessions, where something answers in place of the models.
if ! command -v python3 > /dev/null; then
  skipped "sessions: they need python3"
  exit 0
fi
python3 "$repo/tests/clients/stub.py" "$lab/api.log" > "$lab/port" &
stub_pid=$!
until [ -s "$lab/port" ]; do
  kill -0 "$stub_pid" 2> /dev/null || failed "the stand-in for the models does not start"
  sleep 0.05
done
port=$(cat "$lab/port")

ask_claude() { (cd "$lab/project" && private env ANTHROPIC_BASE_URL="http://127.0.0.1:$port" ANTHROPIC_API_KEY=sk-ant-stub \
  timeout 120 "$claude" -p '[[run echo boom >&2; exit 3]]' --allowedTools Bash < /dev/null > "$lab/out" 2>&1) || { cat "$lab/out"; failed "a session of Claude Code"; }; }
: > "$lab/calls"
ask_claude
for event in SessionStart UserPromptSubmit PreToolUse PostToolUseFailure Stop SessionEnd; do
  heard "hook $event" "Claude Code's plugin"
done
heard mcp "Claude Code's plugin"
grep -q 'said of UserPromptSubmit' "$lab/api.log" || failed "what the hook says reaches the model"
passed "Claude Code's plugin: six events, the tools' server, and the answer reaches the model"

cat - "$lab/codex/config.toml" > "$lab/config.toml" <<EOF
model = "gpt-stub"
model_provider = "stub"
[model_providers.stub]
name = "stub"
base_url = "http://127.0.0.1:$port/v1"
wire_api = "responses"
env_key = "STUB_KEY"
EOF
mv "$lab/config.toml" "$lab/codex/config.toml"
ask_codex() { (cd "$lab/project" && private env STUB_KEY=x timeout 120 "$codex" exec --dangerously-bypass-hook-trust '[[run echo boom >&2; exit 3]]' \
  < /dev/null > "$lab/out" 2>&1) || { cat "$lab/out"; failed "a session of Codex"; }; }
: > "$lab/calls"
ask_codex
for event in SessionStart UserPromptSubmit PreToolUse PostToolUse Stop SessionEnd; do
  heard "hook $event" "Codex's plugin"
done
heard mcp "Codex's plugin"
passed "Codex's plugin: six events and the tools' server"

# --- The same without the plugin, from the settings that `lokid hooks install` writes.
if [ ! -x "$lokid" ]; then
  skipped "settings: there is no $lokid"
  exit 0
fi
private "$claude" plugin uninstall lokid@lokid > /dev/null 2>&1 || failed "Claude Code takes the plugin out"
private "$codex" plugin remove lokid@lokid > /dev/null 2>&1 || failed "Codex takes the plugin out"
for agent in claude codex; do
  (cd "$lab/project" && private "$lokid" hooks install "$agent" --yes --command "$lab/bin/lokid" > "$lab/out" 2>&1) ||
    { cat "$lab/out"; failed "lokid hooks install $agent"; }
done
: > "$lab/calls"
ask_claude
heard "hook SessionStart" "Claude Code"
heard "hook PostToolUseFailure" "Claude Code"
: > "$lab/calls"
ask_codex
heard "hook --agent codex SessionStart" "Codex"
heard "hook --agent codex PostToolUse" "Codex"
for agent in claude codex; do
  (cd "$lab/project" && private "$lokid" hooks uninstall "$agent" --yes > "$lab/out" 2>&1) || failed "lokid hooks uninstall $agent"
done
: > "$lab/calls"
ask_claude
[ ! -s "$lab/calls" ] || failed "nothing is called once the hooks are out"
passed "settings written by lokid hooks install are heard by both, and are gone afterwards"
