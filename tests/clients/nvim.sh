#!/usr/bin/env bash
# The real Neovim, headless: what it opens and saves reaches the daemon, its commands show what is remembered, and
# without a daemon it stays as it is.
set -euo pipefail
. "$(dirname "$0")/lab.sh"
command -v nvim > /dev/null || skip 'nvim is not installed (Debian: apt-get install neovim)'
nvim --headless -u NONE -c 'if !has("nvim-0.7") | cquit | endif' -c quit 2> /dev/null || skip 'nvim is older than 0.7'

listen=$lab/run/nvim.sock

start_nvim() {
  (cd "$app" && exec nvim --headless -n --listen "$listen" --cmd "set runtimepath^=$root/editors/nvim" "$@") \
    > "$lab/nvim.out" 2>&1 &
  nvim=$!
  started+=("$nvim")
  await 'nvim' expr 1
}

# Older ones answer on the standard error.
expr() { nvim --server "$listen" --remote-expr "$1" 2>&1; }
do_() { expr "execute('$1')" > /dev/null 2>&1; }
shows() { expr "join(getline(1, '$'), ' ')" | grep -q "$1"; }

is_silent() {
  local said
  said=$(expr "execute('messages') . v:errmsg" | tr -d '[:space:]')
  [ -z "$said" ] || fail "nvim said: $said"
  ! grep -qi 'error\|lokid' "$lab/nvim.out" || fail "nvim wrote: $(cat "$lab/nvim.out")"
}

quit_nvim() {
  nvim --server "$listen" --remote-send ":$1<CR>" > /dev/null 2>&1 || true
  wait "$nvim" || fail "nvim ended with $?"
}

start_daemon
plant

start_nvim src/one.rs
await_signal file_opened src/one.rs
do_ "edit $lab/alias/src/two.rs"
await_signal file_opened src/two.rs
expr 'setline(1, "// changed")' > /dev/null
do_ write
await_signal file_edited src/two.rs
expr "v:lua.require'lokid'.statusline()" > /dev/null
do_ 'edit src/one.rs' && await_signal file_opened src/one.rs 2
do_ 'edit src/two.rs' && await_signal file_opened src/two.rs 2
knows() { expr "v:lua.require'lokid'.statusline()" | grep -q '^lokid [1-9]'; }
await 'the statusline' knows
do_ 'LokiRecall what does the parser need'
await ':LokiRecall' shows 'lookahead of two'
do_ 'bwipeout'
do_ 'LokiContext'
await ':LokiContext' shows 'lookahead of two'
do_ 'bwipeout'
is_silent

# What is no file is not told; what is written as the editor is left is.
do_ 'help' && do_ 'helpclose' && do_ 'enew'
do_ 'edit src/new.rs'
expr 'setline(1, "fn new() {}")' > /dev/null
quit_nvim 'wq'
await_signal file_edited src/new.rs
grep '"kind":"signal"' "$lab/events" | grep -v '"path":"src/\(one\|two\|three\|new\).rs"' && fail 'more than files was told'
signals=$(grep -c '"kind":"signal"' "$lab/events")

# Without a daemon: no word, no error; first no socket at all, then one that nobody answers.
stop_daemon
for state in missing dead; do
  if [ "$state" = dead ]; then
    command -v python3 > /dev/null || break
    python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$lab/run/lokid/lokid.sock"
  fi
  start_nvim src/one.rs
  start=$(date +%s%N)
  expr 'execute(["edit src/two.rs", "write", "edit src/three.rs", "write", "edit src/one.rs", "write"])' > /dev/null
  took=$(( ($(date +%s%N) - start) / 1000000 ))
  expr 'wait(400, 0)' > /dev/null
  is_silent
  [ -z "$(expr "v:lua.require'lokid'.statusline()")" ] || fail 'the statusline claims a daemon'
  quit_nvim 'wq'
  passed "$state socket: silent, three files opened and saved in $took ms"
done

# A daemon that takes the connection and never answers does not hold the editor, either.
if command -v python3 > /dev/null; then
  rm -f "$lab/run/lokid/lokid.sock"
  python3 -c '
import socket, sys, signal
held = socket.socket(socket.AF_UNIX); held.bind(sys.argv[1]); held.listen(64); signal.pause()' "$lab/run/lokid/lokid.sock" &
  started+=("$!")
  await 'a mute daemon' test -S "$lab/run/lokid/lokid.sock"
  start_nvim src/one.rs
  do_ write
  start=$(date +%s%N)
  quit_nvim 'q'
  passed "mute socket: silent, left $(( ($(date +%s%N) - start) / 1000000 )) ms after the last save"
fi
passed "$signals signals, of files alone; :LokiContext, :LokiRecall and the statusline answer ($(nvim --version | head -1))"
