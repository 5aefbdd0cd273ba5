/** The rehearsal of the README, command by command, against the reference server over a socket. */
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { ComparedPeople } from '../../src/events.ts';
import { createReferenceServer } from '../../src/server/index.ts';
import { createTestFolder } from '../support/folder.ts';
import { runProgram } from '../support/program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const readme = readFileSync(`${root}README.md`, 'utf8');
const block = /rehearsal\.test\.ts -->\n```sh\n(?<lines>.*?)\n```/s.exec(readme)?.groups?.['lines'] ?? '';
const commands = block.split('\n').filter((line) => line.startsWith('node bin/idport.js '));

it('goes through as the README says, and leaves nobody behind', async () => {
  expect(commands.map((line) => line.split(' ')[2])).toEqual([
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
  const verified: ComparedPeople[] = [];
  try {
    for (const line of commands) {
      const argv = line.replaceAll('http://127.0.0.1:8080', url).split(' ').slice(2);
      const ran = await runProgram(argv, { cwd, env: { IDPORT_URL: url, IDPORT_TOKEN: 'rehearsal' } });
      expect([line, ran.problem?.message, ran.exitCode]).toEqual([line, undefined, 0]);
      verified.push(...ran.events.flatMap((event) => (event.type === 'verify:end' ? [event.people] : [])));
    }
  } finally {
    await listening.close();
  }
  expect(verified).toEqual([{ same: 7, missing: 0, differs: 0, extra: 0, unknown: 0, accounts: 4 }]);
  expect(server.state.store.users.size).toBe(before);
});
