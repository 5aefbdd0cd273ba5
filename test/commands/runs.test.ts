/** `idport runs`: the commands that it prints go on from each run. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Shown as Run } from '../../src/commands/runs.ts';
import { lockJournal } from '../../src/journal/journal.ts';
import { type Workspace, jsonLines, noticesOf, openWorkspace, succeeded } from '../support/workspace.ts';
import { typicalRealm } from '../support/folder.ts';
import { sampleUser, called } from '../support/users-run.ts';

let workspace: Workspace;

beforeEach(async () => {
  workspace = await openWorkspace({ orgId: '100' });
  workspace.writeBody('body.json', ['ann', 'bob', 'cyd', 'dan']);
});

/** Without the service in the environment: the commands that are printed have to name it. */
const runAlone = (line: string, stdin = '') => workspace.runAlone(line, { stdin });
const run = (line: string) => runAlone(`${line} ${workspace.flags.join(' ')}`);
const importUsers = (flags: string) => run(`import-users body.json --org=100 ${flags}`);

async function list(folder = '.') {
  const { stdout } = await succeeded(runAlone(`runs ${folder} --format=json`));
  return jsonLines(stdout) as Run[];
}

/** Types what it prints, without the limit that stopped the run. */
async function type(found: Run | undefined, what: string, more = '') {
  const command = found?.next.find((next) => next.what === what)?.command ?? '';
  expect(command).toMatch(/^idport /);
  return runAlone(`${command.slice('idport '.length).replace(/ --budget \d+/, '')} ${more}`);
}

describe('idport runs: the printed commands', () => {
  it('resume looks up a user who was given up without an answer', async () => {
    await importUsers('--concurrency=1');
    const [from, to] = ['"created":[[2,2]],"existed":[],"failed":[]', '"created":[],"existed":[],"failed":'];
    const text = workspace.read('body.json.users.journal');
    expect(text).toContain(from);
    const given = `${to}[[2,"import:unconfirmed","502"]],"unconfirmed":[[2,2]]`;
    workspace.write('body.json.users.journal', text.replace(from, given));
    const [found] = await list();
    expect(found).toMatchObject({
      state: 'finished',
      progress: /^3 of 4 users are done, 1 failed; some got no answer/,
    });
    expect(found?.users).toMatchObject({ created: 3, failed: 1 });
    await succeeded(type(found, 'resume'));
    const [ended] = await list();
    expect(ended).toMatchObject({ progress: '4 of 4 users are done', users: { created: 4, failed: 0 } });
    expect(ended?.next.map(({ what }) => what)).toEqual(['verify', 'undo']);
  });

  it('are not printed while the run is at work, and verify and undo name that run', async () => {
    await importUsers('--concurrency=1');
    const lock = lockJournal(join(workspace.cwd, 'body.json.users.journal'));
    lockJournal(join(workspace.cwd, 'body.json.ids.csv'));
    expect((await importUsers('--fresh')).problem?.message).toMatch(/is writing .*\.users\.journal$/);
    expect(await list()).toMatchObject([{ state: 'running', progress: '4 of 4 users are done', next: [] }]);
    workspace.writeBody('body.json', ['eve']);
    const compared = await workspace.run('verify body.json');
    expect(noticesOf(compared, 'verify:running')).toContain('(body.json.users.journal)');
    const counted = await workspace.run('undo --journal=body.json.users.journal');
    expect(noticesOf(counted, 'undo:running')).toContain('(body.json.users.journal)');
    expect(noticesOf(counted, 'undo:quote')).toBe('The run created 4 users; 4 can be deleted.');
    const stolen = await workspace.run('undo --journal=body.json.users.journal --steal-lock');
    expect(noticesOf(stolen, 'undo:quote')).toContain('pass --yes=4');
    lock.release();
    expect(await list()).toMatchObject([{ state: 'finished' }]);
  });

  it('report users who are created but not yet locked', async () => {
    const locked = sampleUser('ann', {}, { state: 'USER_STATE_LOCKED' });
    workspace.writeBody('body.json', [locked]);
    // At the call that locks the user.
    const { problem } = await importUsers('--budget=8');
    const text = '1 user may be created, but not yet deactivated or locked: ann';
    expect(problem?.hint).toContain(text);
    const [stopped] = await list();
    expect(stopped?.progress).toBe(`1 of 1 user is done; ${text}`);
    await succeeded(type(stopped, 'resume'));
    expect((await list())[0]?.progress).toBe('1 of 1 user is done');
  });

  it('count the deleted and changed users of an incremental run, and all rollbacks of a run', async () => {
    await importUsers('--jit');
    const changed = called('ann', 'New');
    workspace.writeBody('second.json', [changed, 'bob', 'cyd', 'eve']);
    const second = 'import-users second.json --org=100 --since-journal=body.json.users.journal';
    const dry = await run(`${second} --dry-run`);
    expect(noticesOf(dry, 'delta:vanished')).toContain('old-dan dan. They stay at the target.');
    await run(second);
    const { users } = workspace.server.state.store;
    const cyd = users.by('name', 'cyd')[0]!;
    users.put({ ...cyd, changed: Date.now() + 60_000 });
    const [first, next] = await list();
    expect(next?.users).toEqual({ created: 1, changed: 1, existed: 0, failed: 0 });
    expect(first?.next[0]?.command).toContain(' --jit ');
    expect((await type(first, 'undo', '--yes=3')).exitCode).toBe(4);
    expect((await list())[0]?.progress).toBe('3 of 4 users are deleted');
    await succeeded(type(first, 'undo', '--changed=delete --yes=1'));
    expect((await list())[0]?.progress).toBe('4 of 4 users are deleted');
  });

  it('verify a body whose users went to another organization', async () => {
    workspace.write('body.json', workspace.read('body.json').replaceAll('"100"', '"77"'));
    await importUsers('--concurrency=1');
    expect((await type((await list())[0], 'verify')).exitCode).toBe(0);
  });

  it('verify and undo a body that has one organization twice', async () => {
    const orgs = ['ann', 'bob'].map((name) => ({ orgId: '100', humanUsers: [sampleUser(name)] }));
    workspace.write('body.json', { dataOrgs: { orgs } });
    await succeeded(run('import body.json'));
    const [found] = await list();
    expect(found).toMatchObject({ verb: 'import', state: 'finished', orgs: ['100'], users: { created: 2 } });
    await succeeded(type(found, 'verify'));
    await succeeded(type(found, 'undo', '--yes=2'));
  });
});

describe('idport runs of a folder', () => {
  it('reports an unreadable journal instead of no journals', async () => {
    symlinkSync('body.json.users.journal', join(workspace.cwd, 'body.json.users.journal'));
    const { exitCode, problem } = await runAlone('runs');
    expect([exitCode, problem?.message]).toEqual([1, /journal: its links lead in a circle$/]);
  });

  it('shows the journals of another folder by path, oldest first, damaged ones as unreadable', async () => {
    for (const name of ['first', 'second']) {
      await importUsers('--fresh');
      workspace.write(`runs/${name}`, workspace.read('body.json.users.journal'));
    }
    workspace.write('runs/newer', workspace.read('runs/first').replace('"version":1', '"version":2'));
    workspace.write('runs/second', `${workspace.read('runs/second').slice(0, 800)}\n{"x":1}\n{"y":2}\n`);
    expect((await list('runs')).map(({ journal, verb, state }) => [journal, verb, state])).toEqual([
      ['runs/first', 'import-users', 'finished'],
      ['runs/newer', undefined, 'unreadable'],
      ['runs/second', 'import-users', 'unreadable'],
    ]);
    const { stdout } = await succeeded(runAlone('runs runs'));
    const newer = `${join(workspace.cwd, 'runs/newer')} is a journal of version 2, and this idport reads version 1`;
    expect(stdout).toContain(
      `runs/newer\n  state  unreadable: ${newer}. Continue with the version of idport that wrote it.\n`,
    );
  });

  it('offers to resume a run whose journal lacks the outcome of a request', async () => {
    await importUsers('--concurrency=1 --journal=my.journal');
    const lines = workspace.read('my.journal').split('\n');
    const cut = lines.findIndex((line) => line.startsWith('{"outcome"'));
    workspace.write('my.journal', lines.toSpliced(cut, 1).join('\n'));
    const [run] = await list();
    expect(run).toMatchObject({ state: 'stopped', progress: '3 of 4 users are done' });
    await succeeded(type(run, 'resume'));
    expect((await list())[0]).toMatchObject({ state: 'finished', users: { created: 4 } });
  });

  it.each([
    ['of another version', '"version":1', '"version":2', 'is a journal of version 2'],
    ['that is damaged', '"intent":1', '"intent":9', 'line 2 is not a line of a journal'],
  ])('verify and check report a journal %s, and still compare', async (_, from, to, text) => {
    await importUsers('--journal=body.json.users.journal');
    workspace.write('body.json.users.journal', workspace.read('body.json.users.journal').replace(from, to));
    // The users are there, so that check has findings.
    for (const [verb, exitCode] of Object.entries({ verify: 0, check: 4 })) {
      const ran = await run(`${verb} body.json`);
      expect(ran.exitCode).toBe(exitCode);
      expect(noticesOf(ran, 'journal:unreadable')).toContain(text);
    }
  });

  it('prints the flags of the first command and its credential files, but never a token', async () => {
    const source = `--from=keycloak --realm=${typicalRealm} --disabled=skip --max-emails=unlimited`;
    const line = `import-users ${source} --org=100 --concurrency=1 --budget=8`;
    await run(`${line} --journal=files.journal --rate=unlimited`);
    const secret = workspace.server.tokens.iamOwner;
    await runAlone(`${line} --url=${workspace.url} --token-file=- --journal=token.journal`, secret);
    expect(workspace.read('token.journal')).not.toContain(secret);
    const found = await list();
    expect(found.map(({ state }) => state)).toEqual(['stopped', 'stopped']);
    const command = (what: string) => found[0]?.next.find((next) => next.what === what)?.command ?? '';
    for (const flag of ['--realm', '--disabled', '--max-emails', '--budget', '--token-file']) {
      expect(command('resume')).toContain(`${flag}=`);
    }
    expect(command('verify')).toContain(`--from=keycloak --realm=${typicalRealm} --disabled=skip`);
    for (const [what, more] of Object.entries({ resume: '', verify: '', undo: ' --yes=5' })) {
      const [, words = ''] = command(what).replace('--budget=8 ', '').split(/ (.*)/s);
      await succeeded(runAlone(words + more));
    }
  });

  it('prints a verify command with the organization rule of the run', async () => {
    workspace.write('users.csv', 'id,username,email,team\n1,ann,ann@a.example,\n2,bob,bob@b.example,red\n');
    const rule = '--org-by=column:team --create-orgs';
    await succeeded(run(`import-users --from=csv --users=users.csv --org=100 ${rule} --max-emails=9`));
    expect((await type((await list())[0], 'verify')).exitCode).toBe(0);
  });

  it('prints a verify command with the same database and rule for refused hashes', async () => {
    await importUsers('--jit');
    const [header = '', ...lines] = workspace.read('body.json.users.journal').split('\n');
    const read = JSON.parse(header);
    const listedWith = async (typed: string, input: object, settings: object) => {
      const first = { ...read, typed, input: { ...read.input, ...input }, settings };
      workspace.write('live.journal', [JSON.stringify(first), ...lines].join('\n'));
      return (await list()).at(-1);
    };
    const from = '--from=sql --database=mysql://ro@127.0.0.1/shop --database-rate=9/s --map=own.yaml';
    const typed = `idport import-users ${from} --jit --jit-list=jit.ndjson --create-idps --org=1`;
    const live = { live: 'database' };
    const found = await listedWith(typed, live, {
      source: 'sql',
      'jit-list': 'yes',
      idps: '{"b":"7"}',
    });
    expect(found?.next[0]?.command).toMatch(
      /^idport verify --from=sql --database=.* --map=own.yaml --jit --on-refused-hash=drop --idp=b=7 --org=/,
    );
    // From IDPORT_DATABASE, and from a configuration file.
    for (const [provider, input, source, variable] of [
      ['sql', { names: ['users@127.0.0.1'], ...live }, '', 'IDPORT_DATABASE'],
      [
        'keycloak',
        { names: ['users@host', 'a, b.json'] },
        " --realm=users@host --realm='a, b.json'",
        undefined,
      ],
    ] as const) {
      const run = await listedWith('idport import-users --create-idps --config=own.json', input, {
        source: provider,
        idps: 'damaged',
      });
      expect(run?.variable).toBe(variable);
      expect(run?.next[0]?.command).toBe(
        `idport verify --from=${provider}${source} --org=100 --url=${workspace.url} --config=own.json`,
      );
    }
  });

  it('prints no commands for a run that --fresh replaced, and undo of the last run covers all before it', async () => {
    await importUsers('--budget=8 --concurrency=1');
    await importUsers('--fresh');
    // Creates none.
    await importUsers('--concurrency=1');
    const [replaced, , last] = await list();
    expect(replaced).toMatchObject({ state: 'begun anew', next: [] });
    expect(last?.next.map(({ what }) => what)).toEqual(['verify', 'undo']);
    await succeeded(type(last, 'undo', '--yes=4'));
    expect((await list()).map(({ state }) => state)).toEqual(Array(3).fill('rolled back'));
  });
});
