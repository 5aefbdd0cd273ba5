/** `idport undo` as it is typed: killed and gone on with, and what it refuses in one line. */
import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createTestFolder } from '../support/folder.ts';
import { startInstance, type Instance } from '../support/instance.ts';
import { runProcess } from '../support/process.ts';
import { runProgram, type Ran } from '../support/program.ts';
import { bodyOf, sampleUser } from '../support/users-run.ts';

const name = 'body.json.users.journal';
let cwd: string;
let instance: Instance;

beforeEach(async () => {
  cwd = createTestFolder();
  instance = await startInstance(createTestFolder(), 'undo');
  onTestFinished(() => instance.close());
});

const run = (...argv: string[]): Promise<Ran> => runProgram([...argv, ...instance.flags], { cwd });
const undo = (...argv: string[]): Promise<Ran> => run('undo', `--journal=${name}`, ...argv);
const journal = (): string => readFileSync(join(cwd, name), 'utf8');
const write = (file: string, text: string): void => writeFileSync(join(cwd, file), text);
const sampleUsers = (): string[] =>
  [...instance.server.state.store.users.values()]
    .filter(({ kind }) => kind === 'human')
    .map(({ userName }) => userName)
    .toSorted();

async function bringOver(names: readonly string[]): Promise<void> {
  write(
    'body.json',
    bodyOf(
      instance.server.orgId,
      names.map((name) => sampleUser(name)),
    ),
  );
  const ran = await run('import-users', 'body.json', `--org=${instance.server.orgId}`);
  expect(ran.exitCode).toBe(0);
}

describe('undo', () => {
  it('prints the first 20 of a long list, and puts all into a file', async () => {
    const names = Array.from({ length: 23 }, (_, at) => `user-${String(at).padStart(2, '0')}`);
    await bringOver(names.slice(0, 20));
    expect((await undo()).stdout.trimEnd().split('\n')).toHaveLength(20);
    expect(existsSync(join(cwd, `${name}.undo.list`))).toBe(false);
    expect((await undo('--yes=20')).exitCode).toBe(0);

    rmSync(join(cwd, name));
    await bringOver(names);
    const dry = await undo();
    const list = readFileSync(join(cwd, `${name}.undo.list`), 'utf8');
    expect(list.match(/^- old-user-\d\d user-\d\d$/gm)).toHaveLength(23);
    expect(dry.stdout).toBe(`${list.split('\n').slice(0, 20).join('\n')}\n`);
    expect(dry.events).toContainEqual(
      expect.objectContaining({
        code: 'undo:list',
        text: `3 more users; the whole list is in ${name}.undo.list`,
      }),
    );
    expect((await undo('--yes=23')).exitCode).toBe(0);
  });

  it('ends with 4 where a user was changed since, and stays', async () => {
    await bringOver(['ann', 'bob']);
    const { users } = instance.server.state.store;
    const [ann] = users.by('name', 'ann');
    users.put({ ...ann!, changed: Date.now() + 60_000, email: 'other@example.com' });
    const ran = await undo('--yes=1');
    expect(ran).toMatchObject({
      exitCode: 4,
      stdout: expect.stringContaining(`= ${ann!.id} ann: changed since`),
    });
    expect(sampleUsers()).toEqual(['ann']);
    expect(await undo('--yes=1', '--changed=delete')).toMatchObject({ exitCode: 0 });
    expect(sampleUsers()).toEqual([]);
  });

  it('reads a journal whose last line is torn', async () => {
    await bringOver(['ann', 'bob']);
    const lines = journal().trimEnd().split('\n');
    write(name, `${lines.slice(0, -1).join('\n')}\n${lines.at(-1)?.slice(0, 5)}`);
    expect(await undo('--yes=2')).toMatchObject({ exitCode: 0 });
    expect(sampleUsers()).toEqual([]);
  });

  it.each<[string, () => string, number, RegExp]>([
    ['nothing', () => '', 1, /not a journal/],
    ['a page', () => '# A page\n\nwith lines\n', 1, /not a journal/],
    ['a body', () => bodyOf('1', [sampleUser('ann')]), 1, /not a journal/],
    ['a line that was changed', () => journal().replace('"intent":1', '"intent":'), 1, /line 2/],
    [
      'one of another address',
      () => journal().replace(instance.url, 'https://other.example'),
      2,
      /is about https:\/\/other/,
    ],
    ['one of another verb', () => journal().replace('"import-users"', '"undo"'), 2, /creates no users/],
    ['one of another organization', () => journal().replaceAll(instance.server.orgId, '404'), 1, /403/],
    ['one of another version', () => journal().replace('"version":1', '"version":9'), 1, /version|journal/],
  ])('refuses %s in one line and deletes no user', async (_, text, exitCode, message) => {
    await bringOver(['ann']);
    write(name, text());
    const ran = await undo('--yes=1');
    expect(ran).toMatchObject({ exitCode, problem: { message: expect.stringMatching(message) } });
    expect(ran.problem?.code).not.toBe('unexpected');
    expect(ran.problem?.message).not.toContain('\n');
    expect(sampleUsers()).toEqual(['ann']);
  });

  it.each<[string[], number, RegExp]>([
    [['--yes=many'], 2, /--yes many: it must be a whole number/],
    [['--yes=2'], 2, /1 user would be deleted, not 2/],
    [['--yes=0'], 2, /would be deleted, not 0/],
    [['--yes=1', '--resume'], 2, /no journal to resume/],
  ])('refuses %j in one line', async (argv, exitCode, message) => {
    await bringOver(['ann']);
    const ran = await undo(...argv);
    expect(ran).toMatchObject({ exitCode, problem: { message: expect.stringMatching(message) } });
    expect(sampleUsers()).toEqual(['ann']);
  });
});

describe('the process', () => {
  const many = Array.from({ length: 300 }, (_, at) => `user-${String(at).padStart(3, '0')}`);
  const env = () => ({ IDPORT_TOKEN: instance.server.tokens.iamOwner, IDPORT_URL: instance.url });

  /** As soon as the journal of the undo has so many bytes. */
  function killAt(bytes: number) {
    return (child: ChildProcess): void => {
      const look = (): void => {
        const size = statSync(join(cwd, `${name}.undo`), { throwIfNoEntry: false })?.size ?? 0;
        if (size >= bytes) child.kill('SIGKILL');
        else timer = setTimeout(look, 1);
      };
      let timer = setTimeout(look, 1);
      child.once('exit', () => clearTimeout(timer));
    };
  }

  it.each([1_000, 15_000])(
    'killed at %i bytes of its journal, goes on and deletes the rest',
    async (bytes) => {
      await bringOver(['keep', ...many]);
      const [keep] = instance.server.state.store.users.by('name', 'keep');
      const argv = ['undo', `--journal=${name}`, '--yes=301', '--concurrency=2'];
      const killed = await runProcess(argv, { cwd, env: env(), meanwhile: killAt(bytes) });
      expect(killed.signal).toBe('SIGKILL');
      const left = sampleUsers().length;
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThan(301);
      // Who has come in meanwhile under the name of one that is gone is none of ours.
      const { id, ...row } = keep!;
      instance.server.state.store.users.delete(id);
      instance.server.state.store.users.put({ ...row, id: 'another', order: 0, created: Date.now() });
      const again = await runProcess([...argv, '--resume'], { cwd, env: env() });
      expect(again.exitCode).toBe(0);
      expect(sampleUsers()).toEqual(['keep']);
    },
    60_000,
  );

  it('says that an undo was stopped, and how to go on', async () => {
    await bringOver(many);
    const argv = ['undo', `--journal=${name}`, '--yes=300', '--concurrency=2'];
    await runProcess(argv, { cwd, env: env(), meanwhile: killAt(1_000) });
    const again = await runProcess(argv, { cwd, env: env() });
    expect(again.exitCode).toBe(2);
    expect(again.stderr.replaceAll(/\s+/g, ' ')).toMatch(/previous run is not finished.*--resume/);
  });

  it('deletes every user also where no one reads the lines', async () => {
    await bringOver(many);
    const argv = ['undo', `--journal=${name}`, '--yes=300', '--quiet'];
    const ran = await runProcess(argv, {
      cwd,
      env: env(),
      meanwhile: (child) => void child.stdout?.destroy(),
    });
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(sampleUsers()).toEqual([]);
  });
});
