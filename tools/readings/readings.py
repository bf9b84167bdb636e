#!/usr/bin/env python3
"""What does lokid say in real situations? For somebody to read, or counted.

usage: LOKID=target/release/lokid readings.py draw SEED N FOLDER REPOSITORY...
       LOKID=target/release/lokid readings.py count REPOSITORY...
       LOKID=target/release/lokid readings.py count --json FILE REPOSITORY...

A repository (a git directory or clone) is cloned and set back by fifty commits, everything later is removed, and a fresh
daemon reads it. The commits of people that came later and change five lines of a program or more, comments aside, are the situations: a
file is opened with a goal; a session begins, and the goal is its first prompt, both as an agent's hooks tell them; an error
at the first line that was changed; a branch.

draw   N situations a repository, each of another commit and of another kind, chosen by lot. FOLDER then holds, for each,
       the repository as it was (`NAME/`) and, in `NAME.md`, each situation, each line that was said, and what was done then.
count  every kind for every such commit: in how many something was said, in how many of these a line names a file that was
       changed (or a folder that holds one), how many lines there were, and how many of those lines do so.

It stops where a repository could not be set back, for then lokid would know what is to come.
"""
import collections, http.client, json, os, random, re, shutil, signal, socket, subprocess, sys, tempfile, time

BACK, BUDGET, LINES = 50, 2000, 5
PROGRAM = re.compile(r'\.(rs|py|pyi|ts|tsx|mts|cts|js|jsx|mjs|cjs|vue|svelte|go|c|cc|cpp|cxx|h|hpp|java|kt|rb|php|cs|swift)$')
TEST = re.compile(r'(^|/)(tests?|spec|specs|__tests__|testing|testdata|fixtures?|benches|benchmarks?|examples?|vendor|dist|docs?)(/|$)|(^|/)test_|_test\.|[._-](test|spec)s?\.|(^|/)conftest\.py$|Test\.java$|(^|/)tests?\.rs$|\.min\.js$')
DEFINES = re.compile(r'\b(?:def|fn|func|function|class|impl|sub)\s+(?:\([^)]*\)\s*)?([A-Za-z_]\w*)|^\s*(?:async\s+|public\s+|private\s+|static\s+|export\s+)*([A-Za-z_]\w*)\s*\([^;]*\)\s*\{|\b(?:const|let|var)\s+([A-Za-z_]\w*)\s*=\s*(?:async\s*)?(?:function|\()')
KINDS = ('file', 'session', 'error', 'branch')


def git(repo, *arguments):
    done = subprocess.run(['git', '-C', repo, '-c', 'core.quotePath=false', *arguments], capture_output=True, text=True, errors='replace')
    return done.stdout


class Daemon:
    """A daemon with a home of its own, asked over its socket."""

    def __init__(self, program, repo, home):
        names = ('HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_RUNTIME_DIR')
        env = {name: os.path.join(home, name) for name in names}
        for folder in env.values():
            os.makedirs(folder, mode=0o700)
        self.path, self.repo = os.path.join(home, 's'), os.path.realpath(repo)
        env.update(PATH=os.environ['PATH'], LOKID_SOCKET=self.path, TERM='dumb')
        quiet = dict(stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.process = subprocess.Popen([program, 'run'], cwd=repo, env=env, **quiet)
        last, same, end = None, 0, time.time() + 300
        while same < 6 and time.time() < end:
            time.sleep(.5)
            try:
                told = self.ask('GET', '/v1/status')['projects']
            except OSError:
                continue
            now = json.dumps([(one.get('memories'), one.get('indexed'), one.get('past')) for one in told], sort_keys=True)
            same = same + 1 if now == last else 0
            last = now

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection('localhost', timeout=120)
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(120)
        connection.sock.connect(self.path)
        connection.request(method, path, body and json.dumps(body), {'Content-Type': 'application/json'})
        answer = connection.getresponse()
        raw = answer.read()
        connection.close()
        if answer.status // 100 != 2:
            raise SystemExit(f'{method} {path}: {answer.status} {raw[:300]}')
        return json.loads(raw) if raw else None

    def hook(self, event, session, **more):
        body = {'agent': 'claude', 'event': event, 'at': int(time.time() * 1e6), 'cwd': self.repo}
        body['input'] = {'session_id': session, 'cwd': self.repo, 'hook_event_name': event, **more}
        answer = self.ask('POST', '/v1/hook', body) or {}
        return answer.get('hookSpecificOutput', {}).get('additionalContext', '')

    def says(self, kind, commit, asked):
        """What is said in a situation, and what that takes."""
        if kind != 'session':
            answer = self.ask('POST', '/v1/context/assemble', {'budget': BUDGET, 'counted': False, 'signals': asked})
            return answer['context'], answer['token_count']
        session = commit['sha'][:12]
        told = [self.hook('SessionStart', session, source='startup'), self.hook('UserPromptSubmit', session, prompt=asked['prompt'])]
        self.hook('SessionEnd', session, reason='other')
        told = '\n'.join(one for one in told if one)
        return told, len(told) // 4

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


COMMENT = re.compile(r'\s*($|//|#(?!\[|include|define|if|endif)|/?\*|"""|--|<!--)')


def hunks(diff):
    """Of each file of a diff without context: the first old line of each place, and how many lines of code went and came."""
    found, path = collections.OrderedDict(), None
    for line in diff.split('\n'):
        if line.startswith('--- '):
            path = line[6:] if line.startswith('--- a/') else None
        elif line.startswith('@@ ') and path:
            old = re.match(r'@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))?', line)
            found.setdefault(path, []).append([max(1, int(old[1])), 0])
        elif line[:1] in '+-' and not line.startswith('+++ ') and path in found and not COMMENT.match(line[1:]):
            found[path][-1][1] += 1
    return found


def later_commits(repo):
    """What came later, oldest first: only commits of people that change enough of a program that was known."""
    known = set(git(repo, 'ls-tree', '-r', '--name-only', f'HEAD~{BACK}').split('\n')) - {''}
    log = git(repo, 'log', '--no-merges', '--reverse', '--format=%H\x1f%an %ae\x1f%s\x1f%b\x1e', f'HEAD~{BACK}..HEAD')
    for entry in log.split('\x1e'):
        parts = (entry.strip('\n').split('\x1f') + ['', '', ''])[:4]
        if not parts[0] or 'bot' in parts[1].lower() or parts[2].startswith('Merge '):
            continue
        changed = hunks(git(repo, 'show', '--format=', '-U0', parts[0]))
        programs = {path: sum(lines for _, lines in places) for path, places in changed.items()
                    if path in known and PROGRAM.search(path) and not TEST.search(path)}
        every = [line for line in git(repo, 'show', '--name-only', '--format=', parts[0]).split('\n') if line]
        if sum(programs.values()) >= LINES and len(every) <= 15:
            main = max(programs, key=lambda path: (programs[path], path))
            then = git(repo, 'show', f'{parts[0]}~:{main}').split('\n')
            line = today(then, line_of_code(then, [at for at, lines in changed[main] if lines]), git(repo, 'show', f'HEAD~{BACK}:{main}').split('\n'))
            yield dict(sha=parts[0], subject=parts[2], body=parts[3].strip(), files=every, main=main, line=line)


def today(then, at, lines):
    """Where that line stands in the file as it is set back; None where it came later."""
    alike = [here for here, line in enumerate(lines, 1) if at and line.strip() == then[at - 1].strip()]
    return min(alike, key=lambda here: abs(here - at), default=None)


def line_of_code(lines, places):
    """The first place that can fail: a call or an assignment, neither brought in nor a comment. None where nothing can."""
    is_code = lambda line: re.match(r'\s+\S', line) and re.search(r'\w\(|[^=]=[^=]|return \w|\]', line) and not re.match(r'\s*(//|#|\*|/\*|"""|import |use |from |:param)', line)
    return next((at for place in places for at in range(place, min(place + 6, len(lines)) + 1) if at and is_code(lines[at - 1])), None)


def error(repo, commit):
    """As a program of that language would die at the first line that was changed."""
    path = commit['main']
    lines = git(repo, 'show', f'HEAD:{path}').split('\n')
    at = commit['line']
    code, name = lines[at - 1].strip(), None
    for line in reversed(lines[:at]):
        found = DEFINES.search(line)
        name = found and next((one for one in found.groups() if one and one not in ('if', 'for', 'while', 'switch', 'catch', 'match')), None)
        if name:
            break
    name, ending = name or 'main', path.rsplit('.', 1)[-1]
    if ending in ('py', 'pyi'):
        return f'Traceback (most recent call last):\n  File "{path}", line {at}, in {name}\n    {code}\nTypeError: unsupported operand type(s)'
    if ending == 'rs':
        return f"thread 'main' panicked at {path}:{at}:9:\ncalled `Option::unwrap()` on a `None` value"
    if ending == 'go':
        return f'panic: runtime error: invalid memory address or nil pointer dereference\n\ngoroutine 1 [running]:\nmain.{name}(...)\n\t{path}:{at} +0x1d'
    if ending in ('c', 'cc', 'cpp', 'h', 'hpp', 'cxx'):
        said = 'heap-buffer-overflow'
        return (f'==4242==ERROR: AddressSanitizer: {said} on address 0x602000000011 at pc 0x555555555132 bp 0x7ffe sp 0x7ffd\n'
                f'READ of size 4 at 0x602000000011 thread T0\n    #0 0x555555555131 in {name} {path}:{at}\nSUMMARY: AddressSanitizer: {said} {path}:{at} in {name}')
    if ending in ('java', 'kt'):
        package = next((line.split()[1].rstrip(';') for line in lines if line.startswith('package ')), 'main')
        file = os.path.basename(path)
        return f'Exception in thread "main" java.lang.NullPointerException\n\tat {package}.{file.split(".")[0]}.{name}({file}:{at})'
    return f"TypeError: Cannot read properties of undefined\n    at {name} ({path}:{at}:9)"


def branch(subject):
    """As a person would call it: the first words that say something."""
    subject = re.sub(r'\(#\d+\)|#\d+', '', subject)
    kind = re.match(r'(\w+)(?:\(([^)]*)\))?!?:\s*(.*)', subject)
    prefix, rest = ('fix' if re.match(r'(?i)fix', subject) else 'work'), subject
    if kind:
        prefix, rest = kind[1].lower(), f'{kind[2] or ""} {kind[3]}'
    plain = [word for word in re.findall(r'[A-Za-z0-9_]+', rest) if len(word) > 2 and word.lower() not in ('the', 'and', 'for', 'with', 'from', 'into')]
    return f'{prefix}/' + '-'.join(plain[:5]).lower()


def situation(repo, kind, commit):
    if kind == 'file':
        return dict(current_file=commit['main'], goal=commit['subject'])
    if kind == 'session':
        return dict(prompt=commit['subject'])
    if kind == 'error':
        return dict(recent_errors=[error(repo, commit)])
    return dict(branch=branch(commit['subject']))


def name_of(source):
    return os.path.basename(source.rstrip('/').removesuffix('/repo').removesuffix('/.git')).split('+')[-1]


def set_back(source, repo):
    """The commits that came later, in a clone that knows nothing of them; an empty list where its history is too short."""
    subprocess.run(['git', 'clone', '-q', '--no-tags', source, repo], stderr=subprocess.DEVNULL)
    later = list(later_commits(repo))
    for commit in later:
        commit['shown'] = git(repo, 'show', '--stat', '--format=', commit['sha']).rstrip()
    before = git(repo, 'rev-parse', '-q', '--verify', f'HEAD~{BACK}').strip()
    git(repo, 'reset', '-q', '--hard', before)
    git(repo, 'remote', 'remove', 'origin')
    git(repo, 'reflog', 'expire', '--expire=now', '--all')
    git(repo, 'gc', '-q', '--prune=now')
    if not before or git(repo, 'rev-parse', 'HEAD').strip() != before or git(repo, 'status', '--porcelain', '-uno').strip():
        print(f'{name_of(source)}: left out, it could not be set back', file=sys.stderr)
        return []
    return later


def said(context):
    """The lines that say something: neither headings nor whose words they are."""
    return [line for line in context.split('\n') if line.strip() and not line.startswith(('#', '<', 'Noted earlier '))]


def leads(line, commit):
    """Does the line name a file that was changed, or the folder of one?"""
    named = [word.strip('`,.;:()\'"') for word in line.split()]
    return any(path == word or path.startswith(word.rstrip('/') + '/') and '/' in word for word in named for path in commit['files'] for word in {word, word.split(':')[0]} if word)


def draw(program, seed, most, folder, sources):
    for turn, source in enumerate(sources):
        name = name_of(source)
        repo, lot = os.path.join(folder, name), random.Random(f'{seed} {name}')
        os.makedirs(folder, exist_ok=True)
        later = set_back(source, repo)
        chosen = lot.sample(later, min(most, len(later)))
        home = tempfile.mkdtemp(prefix='readings')
        daemon = Daemon(program, repo, home)
        try:
            with open(os.path.join(folder, f'{name}.md'), 'w') as page:
                kinds = [KINDS[(number + turn) % len(KINDS)] for number in range(len(chosen))]
                kinds = ['file' if kind == 'error' and not commit['line'] else kind for kind, commit in zip(kinds, chosen)]
                # What a session is about is remembered for a while.
                for number, (kind, commit) in enumerate(sorted(zip(kinds, chosen), key=lambda one: one[0] == 'session')):
                    asked = situation(repo, kind, commit)
                    context, tokens = daemon.says(kind, commit, asked)
                    page.write(f'## {name} {number + 1}: {kind}\n\n')
                    for key, value in asked.items():
                        page.write(f'{key}: {value if isinstance(value, str) else value[0]}\n')
                    page.write(f'\nlokid says ({tokens} tokens, {len(said(context))} lines):\n\n````\n{context}\n````\n\n')
                    page.write(f'What was done then ({commit["sha"][:10]}): {commit["subject"]}\n\n{commit["body"][:1500]}\n\n```\n{commit["shown"]}\n```\n\n')
        finally:
            daemon.stop()
            shutil.rmtree(home, ignore_errors=True)
            shutil.rmtree(os.path.join(repo, '.loki'), ignore_errors=True)
        print(f'{name}: {len(chosen)} of {len(later)} commits', flush=True)


def count(program, sources, record):
    total, all_said = collections.Counter(), []
    for source in sources:
        top = tempfile.mkdtemp(prefix='readings')
        try:
            repo, mine = os.path.join(top, 'repo'), collections.Counter()
            later = set_back(source, repo)
            if not later:
                continue
            daemon = Daemon(program, repo, os.path.join(top, 'home'))
            try:
                situations = [(commit, kind) for commit in later for kind in KINDS if kind != 'error' or commit['line']]
                for commit, kind in sorted(situations, key=lambda one: one[1] == 'session'):
                    asked = situation(repo, kind, commit)
                    lines = said(daemon.says(kind, commit, asked)[0])
                    right = [leads(line, commit) for line in lines]
                    mine.update({(kind, 'asked'): 1, (kind, 'spoke'): bool(lines), (kind, 'answered'): any(right), (kind, 'lines'): len(lines), (kind, 'right'): sum(right)})
                    all_said.append(dict(repository=name_of(source), kind=kind, asked=asked, lines=lines, right=right, commit=commit['sha'], files=commit['files'], main=commit['main']))
            finally:
                daemon.stop()
            total.update(mine)
            print(f'{name_of(source):<16} ' + '   '.join(f'{kind} {mine[kind, "answered"]}/{mine[kind, "spoke"]} of {mine[kind, "asked"]}' for kind in KINDS), flush=True)
        finally:
            shutil.rmtree(top, ignore_errors=True)
    for kind in KINDS:
        print(f'{kind:<8} asked {total[kind, "asked"]}  spoke {total[kind, "spoke"]}  answered {total[kind, "answered"]}  lines {total[kind, "lines"]}  right {total[kind, "right"]}')
    if record:
        with open(record, 'w') as file:
            for one in all_said:
                file.write(json.dumps(one) + '\n')


if __name__ == '__main__':
    program, words = os.path.abspath(os.environ.get('LOKID', 'target/release/lokid')), sys.argv[1:]
    if words[:1] == ['draw'] and len(words) > 4:
        draw(program, words[1], int(words[2]), words[3], words[4:])
    elif words[:1] == ['count'] and len(words) > 1:
        record = words[2] if words[1] == '--json' else None
        count(program, words[3:] if record else words[1:], record)
    else:
        raise SystemExit(__doc__)
