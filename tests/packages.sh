#!/usr/bin/env bash
# Installs each package into a clean root in which there is nothing else, not even a shell, and lives with it there:
# a daemon on a repository, something remembered and asked for, the manual, and out again.
#
#   tests/packages.sh [FOLDER]     the packages that tools/package.sh wrote [target/packages]
set -euo pipefail
cd "$(dirname "$0")/.."
packages=$(realpath "${1:-target/packages}")
lab=$(mktemp -d)
daemon=

leave() {
  [ -z "$daemon" ] || kill "$daemon" 2> /dev/null || true
  rm -rf "$lab"
}
trap leave EXIT

fail() {
  echo "failed: packages: $1" >&2
  tail -n 20 "$lab/log" >&2 2> /dev/null || true
  exit 1
}

# inside ROOT COMMAND…: with that root and an empty environment; whoever is not root becomes it in a namespace.
inside() {
  local root=$1 become=()
  shift
  [ "$(id -u)" = 0 ] || become=(unshare --map-root-user)
  ${become[@]+"${become[@]}"} env -i HOME=/home "$(command -v chroot)" "$root" "$@"
}

repository() {
  mkdir -p "$1/home" "$1/tmp" "$1/app"
  printf 'fn main() {}\n' > "$1/app/main.rs"
  git -C "$1/app" init -q
  git -C "$1/app" add main.rs
  git -C "$1/app" -c user.name=Ada -c user.email=ada@example.org commit -q -m 'Begin'
}

# live ROOT PROGRAM: a day with the program.
live() {
  local root=$1 program=$2 tries=600
  repository "$root"
  inside "$root" "$program" --version
  inside "$root" "$program" run /app > "$lab/log" 2>&1 &
  daemon=$!
  until inside "$root" "$program" --project /app remember 'integration tests need redis on port 6380' > "$lab/out" 2>&1; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || fail "the daemon never answered: $(cat "$lab/out")"
    sleep 0.1
  done
  inside "$root" "$program" --project /app recall what do the tests need -k 1 | tee "$lab/out"
  grep -q 'redis on port 6380' "$lab/out" || fail 'it does not know what it was told'
  inside "$root" "$program-hook" SessionStart <<< '{"session_id":"s","cwd":"/app"}' || fail 'its hook fails'
  inside "$root" "$program" stop
  wait "$daemon" || fail "the daemon ended with $?"
  daemon=
  grep -rq 'redis on port 6380' "$root/app/.loki/memory" || fail 'nothing stands in the repository'
}

# papers PREFIX: what lies beside the program.
papers() {
  local page=$1/share/man/man1/lokid.1.gz file
  if command -v man > /dev/null; then
    MANPAGER=cat man -l "$page" > "$lab/page" 2> /dev/null
  else
    zcat "$page" > "$lab/page"
  fi
  grep -q 'lokid' "$lab/page" || fail 'the manual cannot be read'
  for file in share/man/man1/lokid-hooks-install.1.gz share/bash-completion/completions/lokid \
    share/fish/vendor_completions.d/lokid.fish lib/systemd/user/lokid.service lib/systemd/user/lokid.socket \
    share/doc/lokid/README.md share/doc/lokid/config.example.toml; do
    [ -s "$1/$file" ] || fail "there is no $file"
  done
  grep -q "^ExecStart=$2/bin/lokid " "$1/lib/systemd/user/lokid.service" || fail 'the unit starts another program'
}

(cd "$packages" && sha256sum --quiet --check SHA256SUMS) || fail 'a package is not what was packed'

tarball=$(ls "$packages"/lokid-*.tar.gz)
mkdir -p "$lab/tar/usr/local"
tar --extract --gzip --strip-components=1 --directory "$lab/tar/usr/local" --file "$tarball"
papers "$lab/tar/usr/local" /usr/local
live "$lab/tar" /usr/local/bin/lokid
echo "ok: packages: $(basename "$tarball")"

if ! command -v dpkg > /dev/null; then
  echo "skipped: packages: the .deb, for dpkg is not installed"
  exit 0
fi
deb=$(ls "$packages"/lokid_*.deb)
mkdir -p "$lab/deb/var/lib/dpkg/info" "$lab/deb/var/lib/dpkg/updates"
: > "$lab/deb/var/lib/dpkg/status"
as_dpkg() { dpkg --root="$lab/deb" --log=/dev/null --force-not-root "$@"; }
as_dpkg --install "$deb" > "$lab/log" 2>&1 || fail 'dpkg does not install it'
as_dpkg --status lokid | grep -q '^Status: install ok installed' || fail 'dpkg does not know it'
[ -z "$(as_dpkg --verify lokid)" ] || fail 'files are not what the package says'
papers "$lab/deb/usr" /usr
live "$lab/deb" /usr/bin/lokid
as_dpkg --remove lokid > "$lab/log" 2>&1 || fail 'dpkg does not remove it'
[ ! -e "$lab/deb/usr/bin/lokid" ] || fail 'it is still there'
# Who answers for a package is known when it is handed out, not when it is tried.
if command -v lintian > /dev/null; then
  lintian --allow-root --fail-on error --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog "$deb"
fi
echo "ok: packages: $(basename "$deb")"
