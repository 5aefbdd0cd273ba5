/** Imports that are stopped by hand; test/chaos kills them. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadJournal } from '../../src/journal/load.ts';
import { openDesk } from '../support/desk.ts';
import { endAt } from '../support/kill-runs.ts';
import { userNames } from '../support/users-run.ts';

it.each([
  ['import', '--chunk-users 3', 'body.json.journal'],
  ['import-users', '--org body --rate 100/s', 'body.json.users.journal'],
])('%s by Ctrl-C ends after the requests under way, and says how to go on', async (verb, flags, name) => {
  const desk = await openDesk();
  desk.writeBody('body.json', userNames(150));
  const [file, line] = [join(desk.cwd, name), `${verb} body.json ${flags}`];
  const { exitCode, stderr } = await desk.runProcess(line, {
    meanwhile: endAt({ signal: 'SIGINT', file, bytes: 3000 }),
  });
  expect(exitCode).toBe(130);
  const last = flags.split(' ').slice(-2).join(' ');
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`${last} --resume`);
  expect(await loadJournal(file)).toMatchObject({ open: [], finished: false });
  expect((await desk.runProcess(`${line} --resume`)).exitCode).toBe(0);
});
