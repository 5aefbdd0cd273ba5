/**
 * What the flags of a conversion make of a user is the same in `import-users` and in `verify`, and without the flag
 * `verify` finds the difference: neither passes over a flag.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTestFolder } from '../support/folder.ts';
import { startInstance } from '../support/instance.ts';
import { runProgram, type Ran } from '../support/program.ts';

const email = { email: 'ann@example.org', emailVerified: true };
const ann = { id: 'a', username: 'ann', firstName: 'Ann', lastName: 'Lee', enabled: true, ...email };
const password = { type: 'password', value: 'in-plain-text' };
const keycloak = (more: object): readonly [string, string, string] => [
  '--from=keycloak',
  '--realm=export.json',
  JSON.stringify({ realm: 'r', users: [{ ...ann, ...more }] }),
];
const auth0 = (more: object): readonly [string, string, string] => [
  '--from=auth0',
  '--users=export.json --passwords=passwords.json',
  JSON.stringify([
    { user_id: 'auth0|a', username: 'ann', given_name: 'Ann', family_name: 'Lee', ...email, ...more },
  ]),
];

/** Without a password the service drops that an email is verified. */
const passwordHash = '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';
const passwords = JSON.stringify({ _id: { $oid: 'a' }, email: email.email, passwordHash });

it.each([
  ['--name-fallback=dash', keycloak({ lastName: '' })],
  ['--email-fallback=placeholder --email-domain=none.example', keycloak({ email: undefined })],
  ['--email-verified', keycloak({ emailVerified: false, credentials: [password] })],
  ['--default-region=CH', keycloak({ attributes: { phoneNumber: ['044 668 18 00'] } })],
  ['--disabled=active', keycloak({ enabled: false })],
  ['--metadata=attributes', keycloak({ attributes: { team: ['blue'] } })],
  ['--plain-passwords=skip', keycloak({ credentials: [password] })],
  ['--email-verified', auth0({ email_verified: false })],
  ['--name-fallback=username', auth0({ given_name: undefined, family_name: undefined, name: 'Ann Lee' })],
])('%s', async (typed, [from, input, text]) => {
  const cwd = createTestFolder();
  const target = await startInstance(cwd, 'target');
  const run = (verb: string, ...flags: string[]): Promise<Ran> =>
    runProgram([verb, from, ...input.split(' '), `--org=${target.server.orgId}`, ...target.flags, ...flags], {
      cwd,
    });
  writeFileSync(join(cwd, 'export.json'), text);
  writeFileSync(join(cwd, 'passwords.json'), passwords);
  const flags = typed.split(' ');

  const imported = await run('import-users', '--max-emails=unlimited', '--max-sms=unlimited', ...flags);
  expect([imported.problem, imported.exitCode]).toEqual([undefined, 0]);
  const verified = await run('verify', '--all', ...flags);
  expect([verified.problem, verified.stdout]).toEqual([undefined, expect.stringMatching(/^= [^\n]+\n$/)]);
  const without = await run('verify');
  expect(without.stdout).toMatch(/^[*+-] /);
  await target.close();
});
