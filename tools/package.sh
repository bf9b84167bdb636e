#!/usr/bin/env bash
# Makes what is handed out: the static programs of the `dist` profile, in a .tar.gz (unpack it over /usr/local) and in a .deb.
# Each has the programs, their manual, completions for bash, zsh and fish, the systemd user units, and the papers.
#
#   tools/package.sh [FOLDER]     writes into FOLDER [target/packages]
#
# TARGET names what to build for. Without it: musl where Rust's library and a compiler for it are installed, else glibc,
# linked in. BINARY names a lokid that is already built, its lokid-hook beside it, for whoever works on this script.
# MAINTAINER (`Name <address>`) is who answers for the .deb.
set -euo pipefail
cd "$(dirname "$0")/.."

out=$(realpath -m "${1:-target/packages}")
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
machine=$(uname -m)
case $machine in x86_64) deb=amd64 ;; aarch64) deb=arm64 ;; *) echo "no package for $machine" >&2; exit 1 ;; esac
# The same commit makes the same bytes, whenever it is packed.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
maintainer=${MAINTAINER:-The lokid maintainers <maintainers@localhost>}
umask 022

choose_target() {
  local musl=$machine-unknown-linux-musl
  if [ -d "$(rustc --print sysroot)/lib/rustlib/$musl" ] && command -v musl-gcc > /dev/null; then
    echo "$musl"
  else
    echo "$machine-unknown-linux-gnu"
  fi
}

# Named, also where it is the machine's own: only then are build scripts and macros left as they are. A static program
# that may lie anywhere in memory has a long list of its own addresses; packed, that is 1.2 MB less.
build() {
  local flags="-C target-feature=+crt-static" upper
  case $1 in *gnu) flags+=" -C link-arg=-Wl,-z,pack-relative-relocs" ;; esac
  upper=$(tr 'a-z-' 'A-Z_' <<< "$1")
  env "CARGO_TARGET_${upper}_RUSTFLAGS=$flags" CARGO_PROFILE_RELEASE_INCREMENTAL=false \
    cargo build --locked --profile dist --target "$1" --bin lokid --bin lokid-hook >&2
  echo "${CARGO_TARGET_DIR:-target}/$1/dist/lokid"
}

target=${TARGET:-$(choose_target)}
binary=${BINARY:-$(build "$target")}
if readelf -d "$binary" | grep -q NEEDED; then
  echo "$binary is not static" >&2
  exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Those whose code is linked in ask that their notices go with it.
third_parties() {
  local sources crate notice
  echo 'What the program is made of besides its own code, and under which terms.'
  case $target in
    *gnu) echo 'The GNU C library is linked in, under the LGPL 2.1 or later: build from source to use another.' ;;
    *musl) echo 'musl is linked in, under the MIT license.' ;;
  esac
  sources=("${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/)
  cargo tree --locked --offline -p lokid -e normal --target "$target" --prefix none --format '{p}|{l}' |
    sed -e 's/ (proc-macro)//' -e 's/ (\*)$//' | grep -v '^lokid' | sort -u |
    while IFS='|' read -r crate licence; do
      printf '\n==== %s (%s)\n' "$crate" "$licence"
      for notice in "${sources[@]/%/${crate/ v/-}/}"; do
        # What a crate carries along, libgit2 for one, lies deeper.
        find "$notice" -maxdepth 3 -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' \) \
          -exec cat {} + 2> /dev/null || true
      done
    done
}

# tree FOLDER PREFIX: everything, below $work/FOLDER, for a program that will lie in PREFIX/bin.
tree() {
  local root=$work/$1 prefix=$2 page unit
  local share=$root/share doc=$root/share/doc/lokid
  mkdir -p "$root/bin" "$share/man/man1" "$share/bash-completion/completions" "$share/zsh/site-functions" \
    "$share/fish/vendor_completions.d" "$root/lib/systemd/user" "$doc"
  install -m 755 "$binary" "$(dirname "$binary")/lokid-hook" "$root/bin"
  "$binary" man "$share/man/man1" > /dev/null
  for page in "$share"/man/man1/*.1; do gzip -9n "$page"; done
  "$binary" completions bash > "$share/bash-completion/completions/lokid"
  "$binary" completions zsh > "$share/zsh/site-functions/_lokid"
  "$binary" completions fish > "$share/fish/vendor_completions.d/lokid.fish"
  for unit in systemd/*; do
    sed -e '1s/.*/# From the package. `lokid service install` writes one for yourself, which then holds instead./' \
      -e "s|/usr/local/bin/lokid|$prefix/bin/lokid|" "$unit" > "$root/lib/systemd/user/$(basename "$unit")"
  done
  install -m 644 README.md LICENSE CHANGELOG.md SECURITY.md config.example.toml "$doc"
  install -m 644 assets/model/NOTICE "$doc/NOTICE.model"
  install -m 644 assets/pairs/NOTICE "$doc/NOTICE.pairs"
  install -m 644 assets/subjects/NOTICE "$doc/NOTICE.subjects"
  third_parties > "$doc/THIRD-PARTY"
}

# pack FOLDER: a tar on the standard output that is the same each time.
pack() {
  tar --create --directory "$1" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
    --format=gnu "${@:2}"
}

tarball() {
  local name=lokid-$version-$machine-linux
  tree "$name" /usr/local
  pack "$work" "$name" | gzip -9n > "$out/$name.tar.gz"
  echo "$out/$name.tar.gz"
}

debian() {
  local root=$work/deb control=$work/control doc=$work/deb/usr/share/doc/lokid
  tree deb/usr /usr
  mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
  # Debian has the longer of the two licences on every machine.
  {
    sed '/Apache License$/,$d' LICENSE
    echo 'The Apache License, Version 2.0, stands in /usr/share/common-licenses/Apache-2.0.'
  } > "$doc/copyright"
  rm "$doc/LICENSE"
  gzip -9n < "$doc/CHANGELOG.md" > "$doc/changelog.gz"
  rm "$doc/CHANGELOG.md"
  gzip -9n "$doc/THIRD-PARTY"
  {
    printf 'lokid (%s-1) unstable; urgency=medium\n\n  * Version %s; /usr/share/doc/lokid/changelog.gz says what is new.\n\n' "$version" "$version"
    printf ' -- %s  %s\n' "$maintainer" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")"
  } | gzip -9n > "$doc/changelog.Debian.gz"
  mkdir "$control"
  (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) > "$control/md5sums"
  cat > "$control/control" << END
Package: lokid
Version: $version-1
Architecture: $deb
Maintainer: $maintainer
Installed-Size: $(du -k --apparent-size -s "$root/usr" | cut -f 1)
Recommends: git
Section: devel
Priority: optional
Description: living memory for those who work in a repository
 A daemon that watches a repository, remembers what people and coding agents
 learn about it, and hands it out when it is of use: over a Unix socket, on
 the command line, through hooks and through the Model Context Protocol.
 .
 Nothing leaves the machine. The program is static and needs no other package.
END
  echo 2.0 > "$work/debian-binary"
  pack "$control" . | xz -6 > "$work/control.tar.xz"
  pack "$root" ./usr | xz -6 > "$work/data.tar.xz"
  local file=$out/lokid_$version-1_$deb.deb
  rm -f "$file"
  (cd "$work" && touch -d "@$SOURCE_DATE_EPOCH" debian-binary ./*.tar.xz && ar rcD "$file" debian-binary control.tar.xz data.tar.xz)
  echo "$file"
}

mkdir -p "$out"
tarball
debian
if cargo cyclonedx --version > /dev/null 2>&1; then
  cargo cyclonedx --format json --override-filename lokid.sbom > /dev/null
  mv lokid.sbom.json "$out/lokid-$version.sbom.json"
  rm -f crates/*/lokid.sbom.json
  echo "$out/lokid-$version.sbom.json"
else
  echo "no list of parts (SBOM) was made: cargo-cyclonedx is not installed" >&2
fi
(cd "$out" && sha256sum "lokid-$version-$machine-linux.tar.gz" "lokid_$version-1_$deb.deb" > SHA256SUMS)
ls -l "$binary" "$out" >&2
