/** Every verb that talks to a service can be let in as a service user: by a key file, or a file with a client secret. */
import { expect, it } from 'vitest';
import { addSecret } from '../../../src/server/accounts.ts';
import { openDesk } from '../../support/desk.ts';
import { allVerbs } from '../../support/tree.ts';

it('every verb with --url has all credential flags', () => {
  const ways = ['--token-file'];
  const talking = allVerbs().flatMap(({ name, command }) => {
    const flags = command.options.flatMap(({ long }) => long ?? []);
    return flags.includes('--url') ? [{ name, flags }] : [];
  });
  expect(talking.length).toBeGreaterThan(6);
  for (const { name, flags } of talking) {
    const key = name.startsWith('actions ') ? '--user-key-file' : '--key-file';
    expect({ name, flags }).toEqual({ name, flags: expect.arrayContaining([...ways, key]) });
  }
});

it.each([
  ['token --check', '--key-file'],
  ['export --output=-', '--key-file'],
  ['actions target list --format=json', '--user-key-file'],
])('%s accepts a key file and a client secret', async (verb, flag) => {
  const { url, write, runAlone, server } = await openDesk();
  const { state, users, createKey } = server;
  const owner = state.store.users.get(users.iamOwner)!;
  const credentials = [
    [await createKey(), 0],
    [{ clientId: owner.userName, clientSecret: addSecret(state, owner.id) }, 0],
    [{ clientId: owner.userName, clientSecret: 'another' }, 1],
  ];
  for (const [content, expected] of credentials) {
    write('c.json', content);
    const { problem, exitCode } = await runAlone(`${verb} --url=${url} ${flag}=c.json`);
    expect([exitCode, problem === undefined]).toEqual([expected, expected === 0]);
  }
});
