/** `idport demo`: it runs, it cleans up, and the commands that it shows do the same by hand. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { createReferenceServer } from '../../src/server/index.ts';
import { eventOf, openFolder, runProgram, succeeded } from '../support/workspace.ts';
import { createTestFolder, root } from '../support/folder.ts';
import { runProcess } from '../support/process.ts';
import { idportCommandsIn } from '../support/shell.ts';

it.each([
  [
    'migrates, proves and rolls back',
    [],
    [
      '7/7  Roll back',
      '7 of 7 users deleted',
      'To keep the page of this migration: idport demo --page cutover.html',
    ],
  ],
  ['lets the old password in at the first login', ['--jit'], ['9/9  End it', 'chiyo-3-森: logged in (201)']],
])('idport demo %s, ignores the environment, and leaves no file', async (_, flags, shown) => {
  const folder = createTestFolder();
  const { exitCode, stdout, stderr } = await runProcess(['demo', ...flags], {
    cwd: createTestFolder(),
    env: {
      TMPDIR: folder,
      HTTP_PROXY: 'http://127.0.0.1:1',
      IDPORT_URL: 'http://127.0.0.1:1',
      IDPORT_SHARED_STATE: 'redis://127.0.0.1:1',
    },
  });
  for (const text of shown) expect(stderr).toContain(text);
  expect([exitCode, stdout]).toEqual([0, '']);
  expect(readdirSync(folder).filter((name) => name.startsWith('idport-'))).toEqual([]);
});

it('idport demo prints commands that do the same by hand', async () => {
  const demo = await succeeded(runProgram(['demo'], { cwd: root }));
  const [serve, ...steps] = demo.events.flatMap((event) => (event.type === 'demo:step' ? [event] : []));
  expect(steps.map(({ number, of }) => `${number}/${of}`).join(' ')).toBe('2/7 3/7 4/7 5/7 6/7 7/7');
  const [start = '', variables = ''] = serve?.commands ?? [];
  const [shownUrl = ''] = /http:\S+/.exec(variables) ?? [];
  expect(start).toContain(`--port=${new URL(shownUrl).port}`);

  const [, owner = ''] = /IDPORT_SERVE_TOKEN=(\S+)/.exec(start) ?? [];
  const server = createReferenceServer({ orgId: '1', tokens: { iamOwner: owner } });
  onTestFinished(() => server.close());
  const { url } = await server.listen({ port: 0 });
  const before = server.state.store.users.size;
  const cwd = createTestFolder();
  const env = { IDPORT_URL: url, IDPORT_TOKEN: /IDPORT_TOKEN=(\S+)/.exec(variables)?.[1] ?? '' };
  const ended: number[] = [];
  for (const command of steps.flatMap(({ commands }) => commands)) {
    const [argv] = idportCommandsIn(command.replace(shownUrl, url).replace('fixtures/', `${root}fixtures/`));
    if (argv === undefined) execFileSync('sh', ['-c', command], { cwd });
    else ended.push((await runProgram(argv, { cwd, env })).exitCode);
  }
  expect(ended).toEqual([0, 0, 0, 0, 0, 0]);
  expect(server.state.store.users.size).toBe(before);
});

it('idport demo --page keeps the page of the migration', async () => {
  const { run, read, list } = openFolder();
  const demo = await run('demo --page=page.html');
  expect(eventOf(demo, 'demo:end').page).toBe('page.html');
  expect(read('page.html')).toContain('Rehearsal report');
  for (const flags of ['--page=page.txt', '--page=jit.html --jit'])
    expect((await run(`demo ${flags}`)).exitCode).toBe(2);
  expect(list()).toEqual(['page.html']);
});
