#!/usr/bin/env bash
# The extension for Visual Studio Code, run by Node in the place of the editor: a stand-in for its `vscode` module opens
# and saves files, and the real daemon hears of them.
set -euo pipefail
. "$(dirname "$0")/lab.sh"
command -v node > /dev/null || skip 'node is not installed'
(cd "$root/editors/vscode" && node --check extension.js) || fail 'extension.js does not parse'
node -e 'const p = require(process.argv[1]); require("fs").accessSync(require("path").join(process.argv[1], "..", p.main))' \
  "$root/editors/vscode/package.json" || fail 'package.json names no main file'

cat > "$lab/editor.js" <<'JS'
// Reads orders, one a line: open PATH, save PATH, run COMMAND [ANSWER], bar.
const Module = require('module');
const listeners = {};
const shown = [];
const commands = {};
const document = (path, scheme = 'file') => ({ uri: { scheme, fsPath: path } });
const item = { visible: false, text: '', show() { this.visible = true; }, hide() { this.visible = false; }, dispose() {} };
const on = (name) => (listener) => { listeners[name] = listener; return { dispose() {} }; };
let typed;
const vscode = {
  StatusBarAlignment: { Left: 1, Right: 2 },
  workspace: {
    getConfiguration: () => ({ get: () => '' }),
    workspaceFolders: [],
    onDidSaveTextDocument: on('save'),
    openTextDocument: async (given) => given,
  },
  window: {
    activeTextEditor: undefined,
    createStatusBarItem: () => item,
    onDidChangeActiveTextEditor: on('active'),
    showInputBox: async () => typed,
    showTextDocument: async (given) => shown.push(given.content),
    showWarningMessage: (text) => shown.push(`warning: ${text}`),
  },
  commands: { registerCommand: (name, command) => { commands[name] = command; return { dispose() {} }; } },
};
const load = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? vscode : load(name, ...rest));
const subscriptions = [];
process.on('unhandledRejection', (error) => { console.log(`error: ${error}`); process.exit(1); });
require(process.argv[2]).activate({ subscriptions });

require('readline').createInterface({ input: process.stdin }).on('line', async (line) => {
  const [order, path, ...words] = line.split(' ');
  if (order === 'open') {
    vscode.window.activeTextEditor = { document: document(path) };
    listeners.active(vscode.window.activeTextEditor);
  } else if (order === 'other') {
    listeners.active({ document: document(path, 'untitled') });
    listeners.save(document(path, 'untitled'));
  } else if (order === 'save') {
    await listeners.save(document(path));
    console.log('saved');
  } else if (order === 'run') {
    typed = words.join(' ');
    await commands[path]();
    console.log(`shown: ${JSON.stringify(shown.pop())}`);
  } else if (order === 'bar') {
    console.log(`bar: ${item.visible ? item.text : ''}.`);
  }
}).on('close', () => { subscriptions.forEach((one) => one.dispose()); });
JS

start_code() {
  mkfifo "$lab/orders.$1"
  node "$lab/editor.js" "$root/editors/vscode/extension.js" < "$lab/orders.$1" > "$lab/said.$1" 2>&1 &
  code=$!
  started+=("$code")
  exec 3> "$lab/orders.$1"
  said=$lab/said.$1
}
order() { echo "$*" >&3; }
heard() { grep -q "$1" "$said"; }
bar() { order bar; grep -q "$1" "$said"; }

start_daemon
plant
start_code with
order open "$app/src/one.rs"
await_signal file_opened src/one.rs
order open "$lab/alias/src/two.rs"
await_signal file_opened src/two.rs
order save "$lab/alias/src/two.rs"
await_signal file_edited src/two.rs
await 'the status bar' bar 'bar: lokid [1-9]'
order run lokid.recall what does the parser need
await 'lokid.recall' heard 'shown: ".*lookahead of two'
: > "$said"
order run lokid.context
await 'lokid.context' heard 'shown: ".*lookahead of two'
order other Untitled-1
order save "$app/src/three.rs"
await_signal file_edited src/three.rs
exec 3>&-
wait "$code" || fail "the extension failed: $(cat "$said")"
grep '"kind":"signal"' "$lab/events" | grep -v '"path":"src/\(one\|two\|three\).rs"' && fail 'more than files was told'

stop_daemon
start_code without
order open "$app/src/one.rs"
order save "$app/src/one.rs"
await 'a save without a daemon' heard saved
await 'an empty status bar' bar 'bar: \.'
exec 3>&-
wait "$code" || fail "the extension failed without a daemon: $(cat "$said")"
! grep -qi 'error\|warning' "$said" || fail "the extension said: $(cat "$said")"
passed "$(grep -c '"kind":"signal"' "$lab/events") signals, of files alone; both commands and the status bar answer (node $(node --version))"
