import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTestFolder } from '../../support/folder.ts';
import { runProcess } from '../../support/process.ts';

const secretData = JSON.stringify({ value: Buffer.alloc(64, 7).toString('base64'), salt: 'c2FsdHNhbHQ=' });
const credentialData = JSON.stringify({ hashIterations: 27500, algorithm: 'pbkdf2-sha256' });

/** Many batches of them: among the usual users some who are rejected, told of, there twice or written the long way. */
const sampleUsers = Array.from({ length: 4000 }, (_, number) => ({
  id: `id-${number}`,
  username: number % 97 === 5 ? `user-${number - 1}` : `user-${number}`,
  email: number % 101 === 0 ? '' : `user-${number}@example.org`,
  emailVerified: true,
  enabled: true,
  firstName: number % 89 === 0 ? 'B\u00f6\t"' : 'Ada',
  lastName: number % 83 === 0 ? 'l'.repeat(300) : 'Lovelace',
  attributes: number % 71 === 0 ? { shoe: ['42'], note: ['x'.repeat(5000)] } : {},
  credentials: number % 61 === 0 ? [] : [{ type: 'password', secretData, credentialData }],
  padding: '[{'.repeat(500),
}));
const auth0Users = sampleUsers.map(({ id, firstName, lastName, email, attributes, padding }, number) => ({
  user_id: `auth0|${number}`,
  identities: [{ provider: 'auth0', connection: 'db', user_id: `${number}` }],
  email: number % 97 === 5 ? `user-${number - 1}@example.org` : email,
  email_verified: true,
  nickname: id,
  given_name: firstName,
  family_name: lastName,
  user_metadata: attributes,
  padding,
}));
const passwords = sampleUsers.map(({ email }, number) => ({
  _id: { $oid: `${number}` },
  email,
  passwordHash: `$2b$10$${'ab./'.repeat(13)}${number % 10}`,
  connection: 'db',
}));
const lines = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

const inputs = {
  'realm.json': JSON.stringify({ realm: 'x', groups: [], users: sampleUsers, clients: [] }, null, 2),
  'users.ndjson': lines(auth0Users),
  'passwords.ndjson': lines(passwords.toReversed()),
};
const commands = {
  keycloak: ['keycloak', '--realm=realm.json', '--metadata=attributes'],
  auth0: ['auth0', '--users=users.ndjson', '--passwords=passwords.ndjson'],
};

async function migrate(command: keyof typeof commands, threads: number) {
  const cwd = createTestFolder();
  for (const [name, text] of Object.entries(inputs)) writeFileSync(join(cwd, name), text);
  const outputs = ['--output=body.json', '--report=report.json', '--rejects=rejects.ndjson'];
  const argv = ['migrate', ...commands[command], '--org=1', ...outputs, `--threads=${threads}`];
  const { stderr } = await runProcess(argv, { cwd });
  expect(stderr).toContain('4,000 users read');
  return ['body.json', 'report.json', 'rejects.ndjson'].map((name) =>
    readFileSync(join(cwd, name), 'utf8')
      .replace(/"run":\{.*"timeline":\[[^\]]*\]\},/, '')
      .replaceAll(/"(startedAt|seconds)":[^,]*/g, ''),
  );
}

it.each(['keycloak', 'auth0'] as const)(
  'migrate --threads writes the same files with 1 or 3: %s',
  { timeout: 180_000 },
  async (provider) => {
    const [alone, together] = await Promise.all([migrate(provider, 1), migrate(provider, 3)]);
    const [body = '', report = '', rejects = ''] = alone;
    expect(body.length).toBeGreaterThan(1_000_000);
    expect(report).toContain('duplicate');
    expect(rejects.split('\n').length).toBeGreaterThan(50);
    expect(together).toEqual(alone);
  },
);
