/** Every verb that talks to a service can be let in as a service user: by a key file, or a file with a client secret. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addSecret } from '../../../src/server/accounts.ts';
import { createTestFolder } from '../../support/folder.ts';
import { startInstance, type Instance } from '../../support/instance.ts';
import { runProgram, type Ran } from '../../support/program.ts';
import { allVerbs } from '../../support/tree.ts';

let cwd: string;
let target: Instance;
beforeEach(async () => {
  cwd = createTestFolder();
  target = await startInstance(cwd, 'target');
});
afterEach(() => target.close());

const run = (verb: string, ...flags: string[]): Promise<Ran> =>
  runProgram([...verb.split(' '), `--url=${target.url}`, ...flags], { cwd });

it('every verb with an address has all ways to be let in', () => {
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
  ['token --check', 'org-owner'],
  ['actions target list --format=json', ''],
  ['export --output=-', ''],
])('%s with a client secret', async (verb, shown) => {
  const { state, users } = target.server;
  const owner = state.store.users.get(shown === '' ? users.iamOwner : users.orgOwner)!;
  const write = (clientSecret: string): void =>
    writeFileSync(join(cwd, 'c.json'), JSON.stringify({ clientId: owner.userName, clientSecret }), {
      mode: 0o600,
    });
  write(addSecret(state, owner.id));
  const flags = [`--${verb.startsWith('actions') ? 'user-' : ''}key-file=c.json`];
  const { problem, exitCode, stdout } = await run(verb, ...flags);
  expect([problem, exitCode]).toEqual([undefined, 0]);
  expect(stdout).toContain(shown);
  write('another');
  expect((await run(verb, ...flags)).exitCode).toBe(1);
});

it.each([
  ['token --check', '--key-file'],
  ['actions target list', '--user-key-file'],
])('%s with %s', async (verb, flag) => {
  writeFileSync(join(cwd, 'key.json'), JSON.stringify(await target.server.createKey()), { mode: 0o600 });
  const { problem, exitCode } = await run(verb, `${flag}=key.json`);
  expect([problem, exitCode]).toEqual([undefined, 0]);
});
