/** `idport demo --jit`: the old password works at the first login, and it leaves no file. */
import { readdirSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { createTestFolder } from '../support/folder.ts';
import { runProcess } from '../support/process.ts';
import { runProgram } from '../support/program.ts';
import { idportCommandsIn } from '../support/shell.ts';
import { parseCommand } from '../support/argv.ts';

vi.mock(import('../../src/workers/worker.ts'), async (original) => {
  const { startInlineWorker } = await import('../support/inline-worker.ts');
  return { ...(await original()), startWorker: startInlineWorker };
});

it('tells the whole story, and each step is a command that can be typed', async () => {
  const { events, exitCode, problem } = await runProgram(['demo', '--jit'], { cwd: createTestFolder() });
  expect([exitCode, problem]).toEqual([0, undefined]);
  const results = events.flatMap((event) => (event.type === 'demo:result' ? event.lines : []));
  expect(results).toEqual(
    expect.arrayContaining([
      '8 users read: 7 written',
      '2 argon2id hashes are listed in jit.ndjson',
      '7 users created',
      'wrong: refused (400)',
      '1 user of 2 migrated',
      '1 user of 2 without a password of their own',
      'Target idport-jit is deleted, and no execution calls it. Other targets are as they were.',
    ]),
  );
  // The first time through the receiver, the second time without it.
  expect(results.filter((line) => line === 'chiyo-3-森: logged in (201)')).toHaveLength(2);
  expect(results.filter((line) => line.endsWith(': calls the receiver'))).toHaveLength(4);

  const steps = events.filter((event) => event.type === 'demo:step');
  expect(steps.map(({ number, of }) => `${number}/${of}`)).toEqual(
    Array.from({ length: 9 }, (_, at) => `${at + 1}/9`),
  );
  const commands = steps.flatMap((step) => step.commands);
  for (const [argv] of commands.map(idportCommandsIn)) if (argv !== undefined) await parseCommand(argv);
  const others = commands.filter((command) => idportCommandsIn(command).length === 0);
  expect(others.map((command) => command.split(' ')[0])).toEqual(['export', 'curl', 'curl', 'curl']);
});

it('runs as the built program, whatever the variables say, and leaves no file', async () => {
  const folder = createTestFolder();
  const { exitCode, stdout, stderr } = await runProcess(['demo', '--jit'], {
    cwd: createTestFolder(),
    env: {
      TMPDIR: folder,
      HTTP_PROXY: 'http://127.0.0.1:1',
      IDPORT_URL: 'http://127.0.0.1:1',
      IDPORT_SHARED_STATE: 'redis://127.0.0.1:1',
    },
  });
  expect(stderr).toContain('9/9  End it');
  expect(stderr).toContain('chiyo-3-森: logged in (201)');
  expect([exitCode, stdout]).toEqual([0, '']);
  expect(readdirSync(folder).filter((name) => name.startsWith('idport-'))).toEqual([]);
});
