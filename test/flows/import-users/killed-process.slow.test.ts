/** The program as a process of its own, killed in the middle and called again. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReferenceServer, type InspectableServer } from '../../../src/server/index.ts';
import type { Listening } from '../../../src/server/options.ts';
import { createTestFolder } from '../../support/folder.ts';
import { endAt } from '../../support/kill-runs.ts';
import { runProcess } from '../../support/process.ts';
import { bodyOf, sampleUser } from '../../support/users-run.ts';

const count = 400;
let server: InspectableServer;
let listening: Listening;

beforeAll(async () => {
  server = createReferenceServer({ profile: 'all-verifiers', rate: null });
  listening = await server.listen();
});
afterAll(() => server.close());

const names = Array.from({ length: count }, (_, at) => `user-${at}`);

test('the first Ctrl-C waits for what is under way and says how to go on', async () => {
  await server.reset();
  const folder = createTestFolder();
  writeFileSync(
    join(folder, 'body.json'),
    bodyOf(
      server.orgId,
      names.map((name) => sampleUser(name)),
    ),
  );
  const argv = [
    'import-users',
    'body.json',
    `--org=${server.orgId}`,
    `--url=${listening.url}`,
    '--rate=100/s',
  ];
  const env = { IDPORT_TOKEN: server.tokens.iamOwner };
  const journal = join(folder, 'body.json.users.journal');
  const stopped = await runProcess(argv, {
    cwd: folder,
    env,
    meanwhile: endAt({ signal: 'SIGINT', file: journal, bytes: 3_000 }),
  });
  expect(stopped.exitCode).toBe(130);
  expect(stopped.stderr.replaceAll(/\s+/g, ' ')).toContain('--rate 100/s --resume');
  expect(readFileSync(journal, 'utf8')).not.toContain('$2b$');
  const again = await runProcess([...argv, '--resume'], { cwd: folder, env });
  expect(again.exitCode).toBe(0);
});
