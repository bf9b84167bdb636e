#!/usr/bin/env bash
# The real Emacs, without a window: what it visits and saves reaches the daemon, its commands show what is remembered,
# and without a daemon it stays as it is.
set -euo pipefail
. "$(dirname "$0")/lab.sh"
command -v emacs > /dev/null || skip 'emacs is not installed (Debian: apt-get install emacs-nox)'
command -v emacsclient > /dev/null || skip 'emacsclient is not installed'

listen=$lab/run/emacs.sock

start_emacs() {
  (cd "$app" && exec emacs -Q "--fg-daemon=$listen" -L "$root/editors/emacs" --eval "(progn (require 'lokid) (lokid-mode 1))") \
    > "$lab/emacs.out" 2>&1 &
  emacs=$!
  started+=("$emacs")
  await 'emacs' eval_ t
  eval_ '(with-current-buffer (messages-buffer) (let ((inhibit-read-only t)) (erase-buffer)))' > /dev/null
}

eval_() { emacsclient -s "$listen" --eval "$1"; }
visit() { eval_ "(progn (switch-to-buffer (find-file-noselect \"$1\")) nil)" > /dev/null; }
edit() { eval_ '(with-current-buffer (window-buffer) (insert "// changed\n") (let ((save-silently t)) (save-buffer)) nil)' > /dev/null; }
shows() { eval_ '(with-current-buffer "*lokid*" (buffer-string))' | grep -q "$1"; }

is_silent() {
  local said
  said=$(eval_ '(with-current-buffer (messages-buffer) (buffer-string))' | grep -i 'lokid\|error' || true)
  [ -z "$said" ] || fail "emacs said: $said"
}

quit_emacs() {
  eval_ '(kill-emacs)' > /dev/null 2>&1 || true
  wait "$emacs" 2> /dev/null || true
}

cp "$root/editors/emacs/lokid.el" "$lab/lokid.el"
warned=$(emacs -Q --batch --eval '(setq byte-compile-error-on-warn t)' -f batch-byte-compile "$lab/lokid.el" 2>&1) \
  || fail "lokid.el does not compile cleanly: $warned"

start_daemon
plant

start_emacs
visit "$app/src/one.rs"
await_signal file_opened src/one.rs
visit "$lab/alias/src/two.rs"
await_signal file_opened src/two.rs
edit
await_signal file_edited src/two.rs
knows() { eval_ 'lokid--lighter' | grep -q 'lokid:[1-9]'; }
await 'the mode line' knows
eval_ '(with-current-buffer "two.rs" (lokid-recall "what does the parser need") nil)' > /dev/null
await 'lokid-recall' shows 'lookahead of two'
eval_ '(with-current-buffer "*lokid*" (let ((inhibit-read-only t)) (erase-buffer)))' > /dev/null
eval_ '(with-current-buffer "two.rs" (lokid-context) nil)' > /dev/null
await 'lokid-context' shows 'lookahead of two'
is_silent

# What is no file is not told; what is written as the editor is left is.
eval_ '(progn (switch-to-buffer "*scratch*") (dired "/tmp") nil)' > /dev/null
eval_ "(progn (find-file \"$app/src/new.rs\") (insert \"fn new() {}\") (let ((save-silently t)) (save-buffer)) (kill-emacs))" \
  > /dev/null 2>&1 || true
wait "$emacs" 2> /dev/null || true
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
  start_emacs
  start=$(date +%s%N)
  for file in two three one; do visit "$app/src/$file.rs" && edit; done
  took=$(( ($(date +%s%N) - start) / 1000000 ))
  eval_ '(sit-for 0.4)' > /dev/null
  is_silent
  [ "$(eval_ 'lokid--lighter')" = '""' ] || fail 'the mode line claims a daemon'
  quit_emacs
  passed "$state socket: silent, three files visited and saved in $took ms"
done
passed "$signals signals, of files alone; lokid-context, lokid-recall and the mode line answer ($(emacs --version | head -1))"
