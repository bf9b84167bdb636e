# Short words for what CONTRIBUTING.md says; nothing needs them.

default:
    @just --list

# does it compile, with its tests?
check *ARGS:
    cargo check --all-targets {{ARGS}}

# all tests, or those of `just test -p lokid-store`
test *ARGS:
    cargo test {{ARGS}}

# format, lints, documentation
lint:
    cargo fmt --check
    cargo clippy --all-targets -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --document-private-items

# one benchmark: `just bench spine`
bench NAME *ARGS:
    cargo bench --bench {{NAME}} -- {{ARGS}}

# the static .tar.gz and .deb, installed and tried
package:
    tools/package.sh
    tests/packages.sh

# the daemon on a repository
run *ARGS:
    cargo run --release -- run {{ARGS}}

# everything a change must pass
ci:
    .ci/run
