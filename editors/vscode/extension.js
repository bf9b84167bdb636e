// Tells lokid which files are opened and saved, and shows what it remembers.
// Everything goes over the daemon's socket and never waits for it; without a daemon nothing happens.
'use strict';

const fs = require('fs');
const http = require('http');
const os = require('os');
const path = require('path');
const vscode = require('vscode');

// A file counts as opened when it is still the active one after this long.
const SETTLE_MS = 200;
const PATIENCE_MS = 5000;

function socketPath() {
  const chosen = vscode.workspace.getConfiguration('lokid').get('socket') || process.env.LOKID_SOCKET;
  if (chosen) return chosen;
  if (process.platform === 'darwin') {
    return path.join(os.homedir(), 'Library/Application Support/lokid/lokid.sock');
  }
  const absolute = (name) => (path.isAbsolute(process.env[name] || '') ? process.env[name] : undefined);
  const base = absolute('XDG_RUNTIME_DIR') || absolute('XDG_STATE_HOME') || path.join(os.homedir(), '.local/state');
  return path.join(base, 'lokid/lokid.sock');
}

/** Resolves to `{status, body}`, or to null when nobody is there. */
function post(route, body) {
  return new Promise((resolve) => {
    const text = JSON.stringify(body);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const options = { socketPath: socketPath(), path: `/v1${route}`, method: 'POST', headers, agent: false };
    const request = http.request({ ...options, timeout: PATIENCE_MS }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('error', () => resolve(null));
      response.on('end', () => {
        let answer = null;
        try {
          answer = JSON.parse(Buffer.concat(parts).toString('utf8'));
        } catch {
          // An answer without words is an answer.
        }
        resolve({ status: response.statusCode, body: answer });
      });
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(null));
    request.end(text);
  });
}

/** The real name of a file on this machine; undefined for everything that is none. */
async function fileOf(document) {
  if (!document || document.uri.scheme !== 'file') return undefined;
  return fs.promises.realpath(document.uri.fsPath).catch(() => document.uri.fsPath);
}

async function ask(route, body, words) {
  const document = vscode.window.activeTextEditor && vscode.window.activeTextEditor.document;
  const folder = (vscode.workspace.workspaceFolders || []).find((known) => known.uri.scheme === 'file');
  const file = await fileOf(document);
  const project = file || (folder && folder.uri.fsPath);
  const answer = await post(route, { ...body(file), ...(project ? { project } : {}) });
  if (answer && answer.status === 200 && answer.body) {
    const shown = await vscode.workspace.openTextDocument({ language: 'markdown', content: words(answer.body) });
    await vscode.window.showTextDocument(shown, { preview: true });
  } else {
    // Somebody asked, so somebody is told.
    const why = answer && answer.body && answer.body.detail;
    vscode.window.showWarningMessage(`lokid: ${why || 'no daemon answers; `lokid run` starts one'}`);
  }
}

function context() {
  const body = (file) => ({ budget: 4000, signals: file ? { current_file: file } : {} });
  return ask('/context/assemble', body, (answer) => answer.context || '');
}

async function recall() {
  const query = await vscode.window.showInputBox({ prompt: 'What should be remembered?' });
  if (!query) return;
  const one = (found) => `## ${found.id} · ${found.kind}\n${found.summary || found.title || ''}\n`;
  const words = (answer) => (answer.results || []).map(one).join('\n') || 'Nothing is remembered about that.';
  await ask('/recall', () => ({ query, k: 10 }), words);
}

function activate(extension) {
  const item = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Right, 0);
  item.command = 'lokid.context';
  let timer;
  let lastOpened;

  async function opened(document) {
    const file = await fileOf(document);
    if (!file || file === lastOpened) return;
    lastOpened = file;
    const told = await post('/signals', { project: file, type: 'file_opened', path: file });
    const ahead = told && (await post('/context/predict', { project: file, file_opened: file, k: 20 }));
    if (!told) lastOpened = undefined;
    if (!ahead || ahead.status !== 200 || !ahead.body) return item.hide();
    item.text = `lokid ${(ahead.body.predicted_memories || []).length}`;
    item.tooltip = 'memories this file calls for';
    item.show();
  }

  function look(editor) {
    clearTimeout(timer);
    if (editor) timer = setTimeout(() => opened(editor.document), SETTLE_MS);
  }

  async function saved(document) {
    const file = await fileOf(document);
    if (file) await post('/signals', { project: file, type: 'file_edited', path: file });
  }

  extension.subscriptions.push(
    item,
    { dispose: () => clearTimeout(timer) },
    vscode.window.onDidChangeActiveTextEditor(look),
    vscode.workspace.onDidSaveTextDocument(saved),
    vscode.commands.registerCommand('lokid.context', context),
    vscode.commands.registerCommand('lokid.recall', recall),
  );
  look(vscode.window.activeTextEditor);
}

module.exports = { activate, deactivate() {} };
