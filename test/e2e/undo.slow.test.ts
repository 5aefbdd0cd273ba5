/** The command `undo`: killed and resumed, and what it refuses in one line. */
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Workspace, linesOf, noticesOf, openWorkspace, succeeded } from '../support/workspace.ts';
import { endAt } from '../support/process.ts';
import { bodyOf, sampleUser, userNames } from '../support/users-run.ts';

const name = 'body.json.users.journal';
let workspace: Workspace;
beforeEach(async () => {
  workspace = await openWorkspace({ orgId: '100' });
});

const typed = `undo --journal=${name}`;
const undo = (flags = '') => workspace.run(`${typed} ${flags}`);
const journal = () => workspace.read(name);

async function bringOver(names: readonly string[]) {
  workspace.writeBody('body.json', names);
  await succeeded(workspace.run('import-users body.json --org=100'));
}

describe('idport undo', () => {
  it('prints the first 20 users and writes a longer list to a file', async () => {
    await bringOver(userNames(20));
    expect(linesOf((await undo()).stdout)).toHaveLength(20);
    expect(workspace.has(`${name}.undo.list`)).toBe(false);
    await succeeded(undo('--yes=20'));

    workspace.remove(name);
    await bringOver(userNames(23));
    const dry = await undo();
    const list = workspace.read(`${name}.undo.list`);
    expect(list.match(/^- old-user-\d+ user-\d+$/gm)).toHaveLength(23);
    expect(dry.stdout).toBe(`${list.split('\n').slice(0, 20).join('\n')}\n`);
    const text = `3 more users; the whole list is in ${name}.undo.list`;
    expect(noticesOf(dry, 'undo:list')).toBe(text);
    await succeeded(undo('--yes=23'));
  });

  it('exits 4 if a user changed since, and keeps that user', async () => {
    await bringOver(['ann', 'bob']);
    const { users } = workspace.server.state.store;
    const [ann] = users.by('name', 'ann');
    users.put({ ...ann!, changed: Date.now() + 60_000, email: 'other@example.com' });
    expect(await undo('--yes=1')).toMatchObject({
      exitCode: 4,
      stdout: expect.stringContaining(`= ${ann!.id} ann: changed since`),
    });
    expect(workspace.humans()).toEqual(['ann']);
    await succeeded(undo('--yes=1 --changed=delete'));
    expect(workspace.humans()).toEqual([]);
  });

  it.each([
    ['nothing', () => '', 1, /is empty, or cut off/],
    ['a body', () => bodyOf('1', [sampleUser('ann')]), 1, /not a journal/],
    ['a line that was changed', () => journal().replace('"intent":1', '"intent":'), 1, /line 2/],
    [
      'one of another address',
      () => journal().replace(workspace.url, 'https://other.example'),
      2,
      /is about https:\/\/other/,
    ],
    ['one of another verb', () => journal().replace('"import-users"', '"undo"'), 2, /creates no users/],
    ['one of another organization', () => journal().replaceAll('"100"', '"404"'), 1, /403/],
  ])('refuses the journal %s in one line and deletes no user', async (_, text, exitCode, message) => {
    await bringOver(['ann']);
    workspace.write(name, text());
    const ran = await undo('--yes=1');
    expect(ran).toMatchObject({ exitCode, problem: { message, code: /^(?!unexpected)/ } });
    expect(ran.problem?.message).not.toContain('\n');
    expect(workspace.humans()).toEqual(['ann']);
  });
});

describe('the process of idport undo', () => {
  const many = userNames(300);
  /** As soon as the journal of the undo has so many bytes. */
  const killAt = (bytes: number) =>
    endAt({ signal: 'SIGKILL', file: join(workspace.cwd, `${name}.undo`), bytes });

  it.each([1_000, 15_000])(
    'killed at %i bytes of its journal tells how to resume, and --resume deletes the rest',
    async (bytes) => {
      await bringOver(['keep', ...many]);
      const [keep] = workspace.server.state.store.users.by('name', 'keep');
      const line = `${typed} --yes=301 --concurrency=2`;
      const killed = await workspace.runProcess(line, { meanwhile: killAt(bytes) });
      expect(killed.signal).toBe('SIGKILL');
      const left = workspace.humans().length;
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThan(301);
      const refused = await workspace.runProcess(line);
      expect(refused.exitCode).toBe(2);
      expect(refused.stderr.replaceAll(/\s+/g, ' ')).toMatch(/previous rollback is not finished.*--resume/);
      // Who has come in meanwhile under the name of one that is gone is none of ours.
      const { id, ...row } = keep!;
      workspace.server.state.store.users.delete(id);
      workspace.server.state.store.users.put({ ...row, id: 'another', order: 0, created: Date.now() });
      await succeeded(workspace.runProcess(`${line} --resume`));
      expect(workspace.humans()).toEqual(['keep']);
    },
    60_000,
  );

  it('deletes every user although no one reads stdout', async () => {
    await bringOver(many);
    const ran = await workspace.runProcess(`${typed} --yes=300 --quiet`, {
      meanwhile: (child) => void child.stdout?.destroy(),
    });
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(workspace.humans()).toEqual([]);
  });
});
