#!/usr/bin/env bash
# Anthropic's own SDK against the server of memory stores that our tests use: what it makes of the answers is what the
# real ones must look like. No account is needed.
#
#   tests/clients/managed.sh
#
# Needs python3 and its package index; says so and ends well where they are missing. CLIENTS names a folder, outside of
# the checkout, where the SDK is kept [else a temporary one].
set -euo pipefail
cd "$(dirname "$0")/../.."

SDK=2.8.0
DIR=$(mktemp -d)
TOOLS=${CLIENTS:-$DIR/clients}/anthropic-$SDK
STORES=${CARGO_TARGET_DIR:-target}/debug/examples/stores
SERVER=
finish() {
  [ -z "$SERVER" ] || { kill "$SERVER" 2>/dev/null && wait "$SERVER" || true; }
  rm -rf "$DIR" ${NEW:+"$NEW"} || true
}
trap finish EXIT
skip() { echo "skipped: managed: $1"; exit 0; }

[ -x "$STORES" ] || { echo "there is no $STORES; build it first: cargo build --example stores"; exit 1; }
command -v python3 >/dev/null || skip "python3 is not installed"
if [ ! -d "$TOOLS" ]; then
  # Under another name until it is whole: what was cut off is not taken for the thing.
  mkdir -p "$(dirname "$TOOLS")" 2>/dev/null || skip "nothing can be kept in $(dirname "$TOOLS")"
  NEW=$(mktemp -d "$TOOLS.XXXXXX")
  python3 -m venv --without-pip "$NEW" >"$DIR/pip.log" 2>&1 || skip "python3 makes no environments: $(tail -n 1 "$DIR/pip.log")"
  timeout 120 python3 -m pip --python "$NEW/bin/python" install --quiet --retries 1 "anthropic==$SDK" >"$DIR/pip.log" 2>&1 ||
    skip "pip cannot install anthropic $SDK: $(tail -n 1 "$DIR/pip.log")"
  mv "$NEW" "$TOOLS"
fi

# with_server [REQUESTS_A_SECOND] -- arguments of managed.py after the address and the key
with_server() {
  local limit=()
  [ "$1" = -- ] || { limit=("$1"); shift; }
  shift
  : >"$DIR/address"
  timeout 200 "$STORES" "${limit[@]}" >"$DIR/address" &
  SERVER=$!
  for _ in $(seq 100); do [ -s "$DIR/address" ] && break; sleep 0.05; done
  local address key
  read -r address key <"$DIR/address"
  env -u ANTHROPIC_BASE_URL -u ANTHROPIC_AUTH_TOKEN "$TOOLS/bin/python" tests/clients/managed.py "$address" "$key" "$@"
  kill "$SERVER" && wait "$SERVER" || true
  SERVER=
}

with_server --
with_server 2 -- slow
