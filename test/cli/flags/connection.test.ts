/** Every verb that talks to a service can be let in as a service account: by a key file, or a file with a client secret. */
import { expect, it } from 'vitest';
import { addSecret } from '../../../src/server/accounts.ts';
import { openWorkspace } from '../../support/workspace.ts';
import { allVerbs } from '../../support/tree.ts';

it('every verb with --url has all credential flags', () => {
  const talking = allVerbs().flatMap(({ name, command }) => {
    const flags = command.options.flatMap(({ long }) => long ?? []);
    return flags.includes('--url') ? [{ name, flags }] : [];
  });
  expect(talking.length).toBeGreaterThan(6);
  const ways = expect.arrayContaining(['--token-file', '--key-file']);
  for (const { name, flags } of talking) expect({ name, flags }).toEqual({ name, flags: ways });
});

it.each(['token --check', 'export --output=-', 'actions target list --format=json'])(
  '%s accepts a key file and a client secret',
  async (verb) => {
    const { url, write, runAlone, server } = await openWorkspace();
    const { state, users, createKey } = server;
    const owner = state.store.users.get(users.iamOwner)!;
    const credentials = [
      [await createKey(), 0],
      [{ clientId: owner.userName, clientSecret: addSecret(state, owner.id) }, 0],
      [{ clientId: owner.userName, clientSecret: 'another' }, 1],
    ];
    for (const [content, expected] of credentials) {
      write('c.json', content);
      const { problem, exitCode } = await runAlone(`${verb} --url=${url} --key-file=c.json`);
      expect([exitCode, problem === undefined]).toEqual([expected, expected === 0]);
    }
  },
);
