#!/usr/bin/env python3
"""Is the past session that helps found? Measured on SWE-ContextBench with the real program.

usage: LOKID=target/release/lokid measure.py CASES REPOSITORIES [dev|held|all] [bare] [night] [real] [live] [files] [-v]

CASES         the folder `cases` of the repository jiayuanz3/SWEContextBench
REPOSITORIES  a folder with git directories or clones called owner+name (django+django, sympy+sympy, …)

300 transcripts of Claude Code and 99 later tasks. Nobody published which session helps which task: a task is tied to a
session when its text, its numbers or the message of its commit name the pull request or the ticket of that session, or
the other way round. Of the commits that follow the one a session began from, only those are its fix that change a file it
changed. `dev` are the first 150 transcripts by name, `held` the others. The question is the whole statement of
the task.

  bare   an empty repository        night  the same after one night that was asked for
  real   each task's own repository at the commit it begins from (some 20 s a task)
  live   the dates are moved so that the newest session ended now
  files  is one of the files of the real fix among the first ten predicted ones? (with real)
Beside ours stands BM25 over the last messages of the agents, over the same sessions.
"""
import collections, datetime, http.client, json, math, os, re, shutil, signal, socket, subprocess, sys, tempfile, time

ARGS = sys.argv[3:]
WHICH = next((a for a in ARGS if a in ('dev', 'held', 'all')), 'dev')
PAST, LATER = 'SWEContextBench Lite Past Experience', 'SWEContextBench Lite'
STAMP = re.compile(r'"timestamp":"(\d{4}-\d\d-\d\dT[\d:.]+Z)"')


class Connection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__('localhost', timeout=120)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(120)
        self.sock.connect(self.path)


class Daemon:
    """A daemon with a home of its own, and the program beside it."""

    def __init__(self, program, repo, home):
        names = ('HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_RUNTIME_DIR')
        self.env = {name: os.path.join(home, name) for name in names}
        for folder in self.env.values():
            os.makedirs(folder, mode=0o700)
        self.program, self.repo, self.sock = program, repo, os.path.join(home, 's')
        self.env.update(PATH=os.environ['PATH'], LOKID_SOCKET=self.sock, TERM='dumb')
        quiet = dict(stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.process = subprocess.Popen([program, 'run'], cwd=repo, env=self.env, **quiet)
        self.settle(8)

    def ask(self, method, path, body=None):
        connection = Connection(self.sock)
        connection.request(method, path, json.dumps(body) if body is not None else None, {'Content-Type': 'application/json'})
        answer = connection.getresponse()
        raw = answer.read()
        connection.close()
        if answer.status // 100 != 2:
            raise SystemExit(f'{method} {path}: {answer.status} {raw[:200]}')
        return json.loads(raw) if raw else None

    def run(self, *words):
        done = subprocess.run([self.program, *words], cwd=self.repo, env=self.env, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f'lokid {words[0]}: {done.stderr[-500:]}')
        self.settle(3)

    def settle(self, times):
        """Waits until what it holds and has indexed stands still."""
        last, same, end = None, 0, time.time() + 300
        while same < times and time.time() < end:
            time.sleep(.5)
            try:
                projects = self.ask('GET', '/v1/status')['projects']
            except (OSError, KeyError):
                continue
            now = json.dumps([(p.get('memories'), p.get('indexed'), p.get('past')) for p in projects], sort_keys=True)
            same = same + 1 if now == last else 0
            last = now

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


def numbers(text):
    return {int(n) for n in re.findall(r'(?:#|ticket/|issues/|pull/|gh-|GH-)(\d{2,6})\b', text)}


class Log:
    """The commit messages of a repository: by parent, and by the pull request they name."""

    def __init__(self, folder):
        self.folder = folder
        self.after, self.by_request = collections.defaultdict(list), collections.defaultdict(list)
        out = ''
        if os.path.isdir(folder):
            command = ['git', '-C', folder, 'log', '--all', '--format=%H%x00%P%x00%B%x01']
            out = subprocess.run(command, capture_output=True, text=True, errors='replace').stdout
        for row in out.split('\x01'):
            parts = row.strip('\n').split('\0')
            if len(parts) < 3:
                continue
            for parent in parts[1].split():
                self.after[parent].append((parts[0], parts[2]))
            subject = parts[2].split('\n')[0]
            found = re.search(r'Merge pull request #(\d+)', subject) or re.search(r'\(#(\d+)\)\s*$', subject)
            if found:
                self.by_request[int(found.group(1))].append(parts[2])

    def fixes(self, session):
        """The messages of the commits right after the one it began from that change a file it changed."""
        for commit, message in self.after[session['base']]:
            command = ['git', '-C', self.folder, 'show', '--name-only', '--format=', commit]
            files = subprocess.run(command, capture_output=True, text=True, errors='replace').stdout.split('\n')
            if any(file and edited.endswith('/' + file) for file in files for edited in session['edited']):
                yield message


def sessions(cases):
    for at, name in enumerate(sorted(os.listdir(os.path.join(cases, PAST)))):
        whole = open(os.path.join(cases, PAST, name)).read()
        goal, last, edited = '', '', set()
        for line in filter(str.strip, whole.split('\n')):
            try:
                row = json.loads(line)
            except ValueError:
                continue
            if row.get('type') == 'user' and not goal:
                content = row['message']['content']
                goal = content if isinstance(content, str) else ' '.join(b.get('text', '') for b in content)
            if row.get('type') == 'assistant' and not row.get('isSidechain'):
                for block in row['message']['content']:
                    last = block['text'] if block['type'] == 'text' else last
                    if block.get('name') in ('Edit', 'MultiEdit', 'Write'):
                        edited.add('/' + block['input'].get('file_path', ''))
        task, base = re.search(r'instance_id: (\S+)', goal), re.search(r'base_commit: (\S+)', goal)
        yield dict(name=name, dev=at < 150, whole=whole, goal=goal, last=last, edited=edited, task=task.group(1),
                   base=base and base.group(1), id=re.search(r'"sessionId":"([^"]+)"', whole).group(1))


def ties(cases, repositories, past):
    logs, known, found = {}, {}, []
    for name in sorted(os.listdir(os.path.join(cases, LATER))):
        task = json.load(open(os.path.join(cases, LATER, name)))
        repo = task['repo']
        if repo not in logs:
            logs[repo] = Log(os.path.join(repositories, repo.replace('/', '+')))
        log = logs[repo]
        own = {int(task['pull_number']), int(task['instance_id'].rsplit('-', 1)[1]), *(int(n) for n in task['issue_numbers'])}
        messages = [m for _, m in log.after[task['base_commit']] if numbers(m) & own] + log.by_request[int(task['pull_number'])]
        named = own | numbers(' '.join([task['problem_statement'], task['hints_text'] or '', *messages]))
        helps = set()
        for session in past:
            if session['task'].rsplit('-', 1)[0].replace('__', '/') != repo:
                continue
            request = int(session['task'].rsplit('-', 1)[1])
            if repo == 'django/django':
                if session['id'] not in known:
                    known[session['id']] = list(log.fixes(session))
                after = known[session['id']]
            else:
                after = [message for _, message in log.after[session['base']] if f'#{request}' in message]
            fixed = {request}.union(*(numbers(message) for message in after + log.by_request[request]))
            if fixed & named or numbers(session['goal']) & own:
                helps.add(session['id'])
        if helps:
            found.append((task, helps))
    return found


def bm25(past, question):
    words = lambda text: [w.lower() for w in re.findall(r'[A-Za-z_][A-Za-z0-9_]+', text)]
    texts = [(s['id'], collections.Counter(words(s['last']))) for s in past]
    mean = sum(sum(t.values()) for _, t in texts) / len(texts)
    rare = collections.Counter(w for _, t in texts for w in t)
    score = lambda t: sum(math.log(1 + (len(texts) - rare[w] + .5) / (rare[w] + .5)) * t[w] * 2.2 /
                          (t[w] + 1.2 * (.25 + .75 * sum(t.values()) / mean)) for w in set(words(question)) if t[w])
    return [i for i, _ in sorted(texts, key=lambda pair: -score(pair[1]))]


def place(order, helps):
    return next((at for at, one in enumerate(order) if one in helps), 99)


def recalled(daemon, task):
    hits = daemon.ask('POST', '/v1/recall', {'query': task['problem_statement'], 'k': 10})['results']
    whole = [daemon.ask('GET', f"/v1/memories/{hit['id']}") for hit in hits]
    return [(memory.get('sources') or [''])[0].split(':')[-1] if memory['kind'] == 'episode' else '' for memory in whole]


def predicted(daemon, task):
    asked = {'goal': task['problem_statement'][:4000], 'k': 10}
    files = [file['path'] for file in daemon.ask('POST', '/v1/context/predict', asked)['predicted_files']][:10]
    return any(file in files for file in re.findall(r'^\+\+\+ b/(\S+)', task['patch'], re.M))


def main():
    cases, repositories = sys.argv[1:3]
    program = os.path.abspath(os.environ.get('LOKID', 'target/release/lokid'))
    is_chosen = lambda session: WHICH == 'all' or session['dev'] == (WHICH == 'dev')
    past = [session for session in sessions(cases) if is_chosen(session)]
    ids = {session['id'] for session in past}
    tasks = [(task, helps & ids) for task, helps in ties(cases, repositories, past) if helps & ids]
    top, places, files = tempfile.mkdtemp(prefix='sessions'), collections.defaultdict(list), []
    try:
        folder = os.path.join(top, 'transcripts')
        os.makedirs(folder)
        parse = datetime.datetime.fromisoformat
        newest = max(stamp for session in past for stamp in STAMP.findall(session['whole']))
        shift = datetime.datetime.now(datetime.timezone.utc) - parse(newest)
        moved = lambda found: '"timestamp":"%sZ"' % (parse(found.group(1)) + shift).strftime('%Y-%m-%dT%H:%M:%S.%f')[:-3]
        for session in past:
            text = STAMP.sub(moved, session['whole']) if 'live' in ARGS else session['whole']
            open(os.path.join(folder, session['name']), 'w').write(text)

        def note(label, daemon, task, helps):
            places[label].append(place(recalled(daemon, task), helps))
            if '-v' in ARGS:
                print(f"  {label} {task['instance_id']} {places[label][-1]}")

        for task, helps in tasks:
            places['BM25, last messages'].append(place(bm25(past, task['problem_statement']), helps))
        if 'bare' in ARGS or 'night' in ARGS:
            repo = os.path.join(top, 'repo')
            subprocess.run(['git', 'init', '-q', repo], check=True)
            daemon = Daemon(program, repo, os.path.join(top, 'home'))
            try:
                daemon.run('import', '--claude-transcript', folder)
                for task, helps in tasks:
                    note('bare', daemon, task, helps)
                if 'night' in ARGS:
                    daemon.run('consolidate')
                    for task, helps in tasks:
                        note('after a night', daemon, task, helps)
            finally:
                daemon.stop()
        for at, (task, helps) in enumerate(tasks if 'real' in ARGS else []):
            source, repo = os.path.join(repositories, task['repo'].replace('/', '+')), os.path.join(top, f'r{at}')
            if not os.path.isdir(source):
                continue
            git = lambda *words: subprocess.run(['git', '-C', repo, *words], capture_output=True).returncode == 0
            subprocess.run(['git', 'clone', '-q', '--shared', '--no-checkout', '--no-tags', source, repo], stderr=subprocess.DEVNULL)
            if not git('checkout', '-q', '-B', 'main', task['base_commit']):
                print(f"  {task['instance_id']}: its commit is not there")
                continue
            git('remote', 'remove', 'origin')
            daemon = Daemon(program, repo, os.path.join(top, f'h{at}'))
            try:
                daemon.run('import', '--claude-transcript', folder)
                note('real repository', daemon, task, helps)
                if 'files' in ARGS:
                    files.append(predicted(daemon, task))
            finally:
                daemon.stop()
            shutil.rmtree(repo, ignore_errors=True)
    finally:
        shutil.rmtree(top, ignore_errors=True)
    for label, found in places.items():
        share = lambda most: sum(at < most for at in found) / len(found)
        print(f'{label:22} hit@1 {share(1):.2f}  @5 {share(5):.2f}  @10 {share(10):.2f}  of {len(found)}')
    if files:
        print(f'files of the fix       any@10 {sum(files) / len(files):.2f}  of {len(files)}')


if __name__ == '__main__':
    main()
