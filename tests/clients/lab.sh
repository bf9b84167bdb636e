# A home, a repository and a daemon for the tests of real clients; sourced, not run.
# The daemon does not watch files here: every signal that arrives was sent by the client.
# LOKID names the program under test.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
LOKID=${LOKID:-$root/target/debug/lokid}
name=$(basename "$0" .sh)

skip() {
  echo "skipped: $name: $1"
  exit 0
}

fail() {
  echo "failed: $name: $1" >&2
  echo "--- events" >&2
  cat "$lab/events" >&2 || true
  exit 1
}

[ -x "$LOKID" ] || skip "there is no program at $LOKID (cargo build, or set LOKID)"

lab=$(mktemp -d)
lab=$(cd "$lab" && pwd -P)
app=$lab/app
started=()

leave() {
  for pid in ${started[@]+"${started[@]}"}; do
    kill "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  # A client that was just ended may still be writing there.
  rm -rf "$lab" 2>/dev/null || { sleep 1; rm -rf "$lab" || true; }
}
trap leave EXIT

mkdir -p "$lab"/{home,run,config/lokid,state,cache,data} "$app/src"
export HOME=$lab/home XDG_RUNTIME_DIR=$lab/run XDG_CONFIG_HOME=$lab/config XDG_STATE_HOME=$lab/state
export XDG_CACHE_HOME=$lab/cache XDG_DATA_HOME=$lab/data GIT_CONFIG_NOSYSTEM=1
unset LOKID_SOCKET
printf '[watch]\nenabled = false\n' > "$lab/config/lokid/config.toml"
for file in one two three; do echo "fn $file() {}" > "$app/src/$file.rs"; done
git -C "$app" init -q
git -C "$app" -c user.name=Ada -c user.email=ada@example.org commit -q --allow-empty -m 'Begin'
ln -s "$app" "$lab/alias"
: > "$lab/events"

# await WHAT COMMAND...: asks again until the command succeeds.
await() {
  local what=$1 tries=600
  shift
  until "$@" > /dev/null 2>&1; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || fail "$what never came"
    sleep 0.05
  done
}

start_daemon() {
  (cd "$app" && exec "$LOKID" run) > "$lab/daemon.log" 2>&1 &
  daemon=$!
  started+=("$daemon")
  await 'the daemon' grep -q '^watching ' "$lab/daemon.log"
  "$LOKID" --json events >> "$lab/events" 2> /dev/null &
  started+=("$!")
  # What happens before somebody listens is not heard: speak until one word arrives.
  await 'the first event' speak
}

speak() {
  "$LOKID" --project "$app" remember --key test.beat --value "$SECONDS $RANDOM" && grep -q '"kind":"memory"' "$lab/events"
}

# What the daemon is asked for afterwards.
plant() {
  (cd "$app" && "$LOKID" remember 'the parser needs a lookahead of two' --file src/two.rs > /dev/null)
}

stop_daemon() {
  kill "$daemon"
  wait "$daemon" 2>/dev/null || true
}

# how_often TYPE PATH: signals of the type about the path so far.
how_often() {
  grep '"kind":"signal"' "$lab/events" | grep "\"type\":\"$1\"" | grep -c "\"path\":\"$2\"" || true
}

was_told() {
  [ "$(how_often "$1" "$2")" -ge "${3:-1}" ]
}

# await_signal TYPE PATH [TIMES]
await_signal() {
  await "$1 of $2" was_told "$@"
}

passed() {
  echo "ok: $name: $1"
}
