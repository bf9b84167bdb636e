#!/usr/bin/env bash
# axe-core over every screen of the page, in a real Chromium: in both schemes, wide and small.
#
#   tests/clients/page.sh
#
# Needs npm and its registry; says so and ends well where they are missing. CLIENTS names a folder, outside of the
# checkout, where axe-core is kept [else a temporary one]. It is used by the tests alone and is part of nothing (MPL-2.0).
set -euo pipefail
cd "$(dirname "$0")/../.."

AXE=4.14.0
DIR=$(mktemp -d)
TOOLS=${CLIENTS:-$DIR/clients}/axe-core-$AXE
trap 'rm -rf "$DIR" ${NEW:+"$NEW"} || true' EXIT

skip() { echo "skipped: page: $1"; exit 0; }

[ "${LOKID_NO_BROWSER:-}" != 1 ] || skip 'LOKID_NO_BROWSER is set'
if [ ! -d "$TOOLS" ]; then
  command -v npm > /dev/null || skip 'npm is not installed'
  # Under another name until it is whole: what was cut off is not taken for the thing.
  mkdir -p "$(dirname "$TOOLS")" 2> /dev/null || skip "nothing can be kept in $(dirname "$TOOLS")"
  NEW=$(mktemp -d "$TOOLS.XXXXXX")
  (cd "$NEW" && timeout 90 npm pack --silent --fetch-retries=1 "axe-core@$AXE") > "$DIR/npm.log" 2>&1 ||
    skip "npm cannot bring axe-core: $(grep -m 1 'npm error' "$DIR/npm.log" || tail -n 1 "$DIR/npm.log")"
  tar -xzf "$NEW/axe-core-$AXE.tgz" -C "$NEW" --strip-components=1 package/axe.min.js package/LICENSE
  rm "$NEW/axe-core-$AXE.tgz"
  mv "$NEW" "$TOOLS"
fi

LOKID_AXE=$TOOLS/axe.min.js cargo test --quiet --test it page::access::axe -- --nocapture
