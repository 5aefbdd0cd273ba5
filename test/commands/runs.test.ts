/** `idport runs`: the commands that it prints go on from each run. */
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Run } from '../../src/flows/runs/list-runs.ts';
import { createTestFolder } from '../support/folder.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { runProgram, type Ran } from '../support/program.ts';
import { bodyOf, sampleUser } from '../support/users-run.ts';

let cwd: string;
let instance: Instance;

beforeEach(async () => {
  cwd = createTestFolder();
  instance = await startInstance(createTestFolder(), 'runs');
  onTestFinished(() => instance.close());
  const users = ['ann', 'bob', 'cyd', 'dan'].map((name) => sampleUser(name));
  writeFileSync(join(cwd, 'body.json'), bodyOf(instance.server.orgId, users));
});

const run = (...argv: string[]): Promise<Ran> => runProgram([...argv, ...instance.flags], { cwd });
const importUsers = (...argv: string[]): Promise<Ran> =>
  run('import-users', 'body.json', `--org=${instance.server.orgId}`, ...argv);

async function list(folder = '.'): Promise<Run[]> {
  const { stdout, exitCode } = await runProgram(['runs', folder, '--format=json'], { cwd });
  expect(exitCode).toBe(0);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Run);
}

/** Types what it prints, with a token. */
async function type(found: Run | undefined, what: string, ...more: string[]): Promise<Ran> {
  const command = found?.next.find((next) => next.what === what)?.command ?? '';
  const [program, ...argv] = command.split(' ');
  expect(program).toBe('idport');
  return runProgram([...argv, `--token-file=${instance.tokenFile}`, ...more], { cwd });
}

describe('the commands of a run', () => {
  it('import-users that stopped: resume, verify, undo', async () => {
    await importUsers('--budget=9', '--concurrency=1', '--journal=my.journal', '--limit=4');
    const [stopped, ...others] = await list();
    expect(others).toEqual([]);
    expect(stopped).toMatchObject({ verb: 'import-users', source: 'body.json', state: 'stopped' });
    expect(stopped?.next.map(({ what }) => what)).toEqual(['resume', 'verify', 'undo']);

    expect((await type(stopped, 'resume')).exitCode).toBe(0);
    const [finished] = await list();
    expect(finished).toMatchObject({ state: 'finished', users: { created: 4, existed: 0, failed: 0 } });
    expect((await type(finished, 'verify')).exitCode).toBe(0);
    expect((await type(finished, 'undo', '--yes=4')).exitCode).toBe(0);
    expect((await list())[0]).toMatchObject({
      state: 'rolled back',
      progress: '4 of 4 users are deleted',
      next: [],
    });
  });

  it('says how many users are created and not yet locked, as the run that stopped does', async () => {
    const locked = sampleUser('ann', {}, { state: 'USER_STATE_LOCKED' });
    writeFileSync(join(cwd, 'body.json'), bodyOf(instance.server.orgId, [locked]));
    // At the call that locks the user.
    const { problem } = await importUsers('--budget=7');
    const text = '1 user may be created, but not yet deactivated or locked: ann';
    expect(problem?.hint).toContain(text);
    const [stopped] = await list();
    expect(stopped?.progress).toBe(`1 of 1 user is done; ${text}`);
    expect((await type(stopped, 'resume', '--budget=99')).exitCode).toBe(0);
    expect((await list())[0]?.progress).toBe('1 of 1 user is done');
  });

  it('import', async () => {
    expect((await run('import', 'body.json')).exitCode).toBe(0);
    const [found] = await list();
    expect(found).toMatchObject({ verb: 'import', state: 'finished', users: { created: 4 } });
    expect((await type(found, 'verify')).exitCode).toBe(0);
    expect((await type(found, 'undo', '--yes=4')).exitCode).toBe(0);
  });
});

describe('a folder', () => {
  it('without journals says so', async () => {
    mkdirSync(join(cwd, 'empty'));
    const { stdout, events } = await runProgram(['runs', 'empty'], { cwd });
    expect(stdout).toBe('');
    expect(events).toContainEqual(expect.objectContaining({ code: 'runs:none' }));
  });

  it('that does not exist is refused', async () => {
    expect((await runProgram(['runs', 'nowhere'], { cwd })).exitCode).toBe(2);
  });

  it('of another name shows its journals with it, the oldest first, and a damaged one as such', async () => {
    await importUsers('--journal=first.journal');
    await importUsers('--journal=second.journal');
    mkdirSync(join(cwd, 'runs'));
    for (const name of ['first', 'second'])
      renameSync(join(cwd, `${name}.journal`), join(cwd, `runs/${name}`));
    truncateSync(join(cwd, 'runs/second'), 800);
    appendFileSync(join(cwd, 'runs/second'), '\n{"x":1}\n{"y":2}\n');
    const found = await list('runs');
    expect(found.map(({ journal, state }) => [journal, state])).toEqual([
      ['runs/first', 'finished'],
      ['runs/second', 'unreadable'],
    ]);
  });

  it('has the flags of the first command, with the files of its credentials, and never a token', async () => {
    const realm = join(cwd, 'realm.json');
    copyFileSync(new URL('../../fixtures/keycloak/typical/realm.json', import.meta.url), realm);
    const source = ['--from=keycloak', `--realm=${realm}`, '--disabled=skip'];
    const argv = [
      'import-users',
      ...source,
      '--max-emails=unlimited',
      `--org=${instance.server.orgId}`,
      '--concurrency=1',
    ];
    await run(...argv, '--journal=files.journal', '--budget=8', '--rate=unlimited');
    const url = `--url=${instance.url}`;
    const secret = instance.server.tokens.iamOwner;
    await runProgram([...argv, url, '--token-file=-', '--journal=token.journal', '--budget=8'], {
      cwd,
      stdin: secret,
    });
    expect(readFileSync(join(cwd, 'token.journal'), 'utf8')).not.toContain(secret);
    const found = await list();
    expect(found.map(({ state }) => state)).toEqual(['stopped', 'stopped']);
    const command = (what: string): string =>
      found[0]?.next.find((next) => next.what === what)?.command ?? '';
    for (const flag of ['--realm', '--disabled', '--max-emails', '--budget', '--token-file']) {
      expect(command('resume')).toContain(`${flag} `);
    }
    expect(command('verify')).toContain(`--from=keycloak --realm ${realm} --disabled skip`);
    const lines = { resume: [], verify: [], undo: ['--yes=5'] };
    for (const [what, more] of Object.entries(lines)) {
      const [, ...words] = command(what).replace('--budget 8 ', '').split(' ');
      const ran = await runProgram([...words, ...more], { cwd });
      expect([what, ran.problem, ran.exitCode]).toEqual([what, undefined, 0]);
    }
  });

  it('has no commands for a run that --fresh has replaced: undo of the new one rolls it back as well', async () => {
    await importUsers('--budget=8', '--concurrency=1');
    await importUsers('--fresh');
    expect((await list()).map(({ state, next }) => [state, next.map(({ what }) => what)])).toEqual([
      ['begun anew', []],
      ['finished', ['verify', 'undo']],
    ]);
    const [, fresh] = await list();
    expect((await type(fresh, 'undo', '--yes=4')).exitCode).toBe(0);
    expect((await list()).map(({ state }) => state)).toEqual(['rolled back', 'rolled back']);
  });
});
