#!/usr/bin/env bash
# The MCP inspector against `lokid mcp`: each era of the protocol, strict schemas, and calls that go the whole way.
#
#   tests/clients/mcp-inspector.sh [path of lokid]
#
# Needs npm and its registry; says so and ends well where they are missing. CLIENTS names a folder, outside of the
# checkout, where what was installed is kept [else a temporary one].
set -euo pipefail
cd "$(dirname "$0")/../.."

LOKID=$(realpath "${1:-${LOKID:-${CARGO_TARGET_DIR:-target}/debug/lokid}}")
INSPECTOR=2.12.0
NODE=22
DIR=$(mktemp -d)
TOOLS=${CLIENTS:-$DIR/clients}/inspector-$INSPECTOR
DAEMON=
trap '[ -z "$DAEMON" ] || { kill "$DAEMON" && wait "$DAEMON" || true; }; rm -rf "$DIR" ${NEW:+"$NEW"} || true' EXIT

# The first of npm's complaints says why.
why() { grep -m 1 'npm error' "$DIR/npm.log" || tail -n 1 "$DIR/npm.log"; }
skip() { echo "skipped: mcp-inspector: $1"; exit 0; }

[ -x "$LOKID" ] || { echo "there is no $LOKID; build it first"; exit 1; }
command -v npm >/dev/null || skip "npm is not installed"
command -v git >/dev/null || skip "git is not installed"
if [ ! -d "$TOOLS" ]; then
  # Under another name until it is whole: what was cut off is not taken for the thing.
  mkdir -p "$(dirname "$TOOLS")" 2>/dev/null || skip "nothing can be kept in $(dirname "$TOOLS")"
  NEW=$(mktemp -d "$TOOLS.XXXXXX")
  # The inspector wants a newer node than some systems have; npm brings one.
  install() {
    timeout 90 npm install --no-audit --no-fund --loglevel=error --fetch-retries=1 --prefix "$NEW" "$@" >"$DIR/npm.log" 2>&1
  }
  install "node@$NODE" || skip "npm cannot install node@$NODE: $(why)"
  PATH="$NEW/node_modules/node/bin:$PATH" install "@modelcontextprotocol/inspector@$INSPECTOR" ||
    skip "npm cannot install the inspector: $(why)"
  mv "$NEW" "$TOOLS"
fi
export PATH="$TOOLS/node_modules/node/bin:$TOOLS/node_modules/.bin:$PATH"

# A home of its own: nothing of the user's is seen or touched.
for dir in home config state cache data run app; do mkdir -p "$DIR/$dir"; done
export HOME=$DIR/home XDG_CONFIG_HOME=$DIR/config XDG_STATE_HOME=$DIR/state XDG_CACHE_HOME=$DIR/cache
export XDG_DATA_HOME=$DIR/data XDG_RUNTIME_DIR=$DIR/run
unset LOKID_SOCKET
cd "$DIR/app"
git init -q .
echo "the gate" >README.md
git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m first
"$LOKID" run >"$DIR/daemon.out" 2>"$DIR/daemon.err" &
DAEMON=$!
for _ in $(seq 200); do grep -q ' memor' "$DIR/daemon.out" && break; sleep 0.05; done
grep -q ' memor' "$DIR/daemon.out" || { echo "the daemon did not come up"; cat "$DIR/daemon.err"; exit 1; }

FAILED=0 PASSED=0
# The environment of a server that the inspector starts is its own choice: what matters is handed on by name.
ENV=()
for name in HOME XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_RUNTIME_DIR; do
  ENV+=(-e "$name=${!name}")
done

# check NAME EXPECTED inspector arguments…: it ends well, and what it prints holds EXPECTED.
check() {
  local name=$1 expected=$2
  shift 2
  if mcp-inspector --cli --protocol-era "$ERA" "${ENV[@]}" --format json "$@" -- "$LOKID" mcp --loki-names \
      >"$DIR/out" 2>"$DIR/err" && grep -qF -- "$expected" "$DIR/out"; then
    PASSED=$((PASSED + 1))
    echo "ok    $ERA  $name"
  else
    FAILED=$((FAILED + 1))
    echo "FAIL  $ERA  $name: $expected is missing"
    sed 's/^/      /' "$DIR/out" "$DIR/err" | head -n 20
  fi
}

# refuse NAME EXPECTED TOOL ARGUMENTS: the tool says no, and says EXPECTED.
refuse() {
  mcp-inspector --cli --protocol-era "$ERA" "${ENV[@]}" --format json --method tools/call --tool-name "$3" \
    --tool-args-json "$4" -- "$LOKID" mcp >"$DIR/out" 2>"$DIR/err" || true
  if grep -qF -- "$2" "$DIR/out" "$DIR/err" && grep -q '"isError": *true' "$DIR/out" "$DIR/err"; then
    PASSED=$((PASSED + 1))
    echo "ok    $ERA  $1"
  else
    FAILED=$((FAILED + 1))
    echo "FAIL  $ERA  $1: $2 is missing"
    sed 's/^/      /' "$DIR/out" "$DIR/err" | head -n 20
  fi
}

call() { check "$1" "$2" --method tools/call --tool-name "$1" --tool-args-json "$3"; }

for ERA in legacy auto modern; do
  check "tools/list --strict" '"mem_search"' --method tools/list --strict
  if grep -qiE '[1-9][0-9]* (error|warning)' "$DIR/err"; then
    FAILED=$((FAILED + 1))
    echo "FAIL  $ERA  the schemas are not portable:"
    sed 's/^/      /' "$DIR/err" | head -n 20
  fi
  call mem_save '\"created\":true' "{\"text\":\"the $ERA gate opens at nine\",\"tags\":[\"gate\"]}"
  call mem_save '\"contradictions\":' "{\"fact\":{\"key\":\"gate.$ERA\",\"value\":\"nine\"}}"
  call mem_search "lokid-memory" "{\"query\":\"when does the $ERA gate open\",\"k\":3}"
  call mem_timeline "$ERA gate" '{"limit":5}'
  ID=$("$LOKID" recall "$ERA gate opens" -k 1 --json | sed -n 's/.*"results":\[{"id":"\([^"]*\)".*/\1/p')
  call mem_get "$ERA gate opens" "{\"ids\":[\"$ID\"]}"
  call mem_context 'token_count' '{"goal":"open the gate","budget":500}'
  call mem_why '\"blame\":' '{"file":"README.md"}'
  call mem_cite '\"accepted\":true' "{\"cited\":[\"$ID\"],\"outcome\":\"success\"}"
  call mem_contradictions '\"items\":' '{}'
  call loki_memory_retrieve 'lokid-memory' '{"query":"gate","task_type":"debugging","top_k":2}'
  call loki_memory_store_pattern '\"id\":' "{\"pattern\":\"knock $ERA\",\"category\":\"api\",\"correct_approach\":\"twice\"}"
  call loki_consolidate_memory '\"dry_run\":true' '{"dry_run":true}'
  call loki_memory_redact '\"dry_run\":true' '{"pattern":"gate"}'
  call mem_forget '\"dry_run\":true' '{"query":"gate"}'
  call memory 'File created successfully at: /memories' "{\"command\":\"create\",\"path\":\"/memories/$ERA.md\",\"file_text\":\"one\\n\"}"
  call memory 'with line numbers' "{\"command\":\"view\",\"path\":\"/memories/$ERA.md\"}"
  call memory 'Successfully deleted' "{\"command\":\"delete\",\"path\":\"/memories/$ERA.md\"}"
  call mem_redact '\"purge\":true' "{\"id\":\"$ID\"}"
  refuse "an empty question" "query: must not be empty" mem_search '{"query":""}'
  refuse "a word nobody knows" "kind: " mem_save '{"text":"x","kind":"poem"}'
  refuse "a way out" "path: may not leave" memory '{"command":"view","path":"/memories/%2e%2e/x"}'
  refuse "no such contradiction" "con-none" mem_resolve '{"id":"con-none","resolution":"a_wins"}'
  check "prompts/list" '"recall"' --method prompts/list
  check "prompts/get" 'lokid-memory' --method prompts/get --prompt-name recall --prompt-args topic=gate
  check "resources/list" 'loki://memory/index' --method resources/list
  check "resources/read" 'lokid-memory' --method resources/read --uri loki://memory/index
done

echo "mcp-inspector $INSPECTOR:"
echo "$PASSED passed, $FAILED failed"
[ "$FAILED" -eq 0 ]
