/** The rehearsal of the README, command by command, against the reference server over a socket. */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createReferenceServer } from '../../src/server/index.ts';
import { createTestFolder } from '../support/folder.ts';
import { notShown, screenOf, stepsOf } from '../support/page.ts';
import { runProgram } from '../support/program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const readme = readFileSync(`${root}README.md`, 'utf8');
const rehearsal = /rehearsal\.test\.ts -->\n([^]*?)^## /m.exec(readme)?.[1] ?? '';

it('goes through as the README says, shows what it shows, and leaves nobody behind', async () => {
  const steps = stepsOf(rehearsal);
  expect(steps.flatMap(({ commands }) => commands.map(([verb]) => verb))).toEqual([
    'migrate',
    'check',
    'import-users',
    'verify',
    'undo',
  ]);
  const server = createReferenceServer({ orgId: '1', tokens: { iamOwner: 'rehearsal' } });
  const before = server.state.store.users.size;
  const listening = await server.listen({ port: 0 });
  const { url } = listening;
  const cwd = createTestFolder();
  cpSync(`${root}fixtures/keycloak/typical`, join(cwd, 'fixtures/keycloak/typical'), { recursive: true });
  try {
    for (const step of steps) {
      const screens: string[] = [];
      for (const words of step.commands) {
        const argv = words.map((word) => word.replace('http://127.0.0.1:8080', url));
        const ran = await runProgram(argv, { cwd, env: { IDPORT_URL: url, IDPORT_TOKEN: 'rehearsal' } });
        expect([argv[0], ran.problem?.message, ran.exitCode]).toEqual([argv[0], undefined, 0]);
        screens.push(screenOf(ran));
      }
      expect(notShown(step, screens.join(' '))).toEqual([]);
    }
  } finally {
    await listening.close();
  }
  expect(server.state.store.users.size).toBe(before);
});
