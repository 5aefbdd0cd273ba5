import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTestFolder } from '../../support/folder.ts';
import { type Ran, runProgram } from '../../support/program.ts';
import { showEverything } from '../../support/shown.ts';

/** Texts that stand in every place of a record that holds a secret; base64 so that they pass as hashes and salts. */
const canaries = [
  'Y2FuYXJ5LW9uZQ',
  'Y2FuYXJ5LXR3bw',
  'Y2FuYXJ5LXRocmVl',
  'Y2FuYXJ5LWZvdXI',
  'Y2FuYXJ5LWZpdmU',
] as const;
const [hash, salt, otp, plain, code] = canaries;

const password = (algorithm: string): object => ({
  type: 'password',
  secretData: JSON.stringify({ value: hash, salt }),
  credentialData: JSON.stringify({ hashIterations: 27500, algorithm }),
});
const user = (username: string, more: object): object => ({
  id: username,
  username,
  email: `${username}@example.org`,
  firstName: 'Ca',
  lastName: 'Nary',
  enabled: true,
  ...more,
});
const sampleUsers = [
  user('written', { credentials: [password('pbkdf2-sha256')] }),
  user('algorithm', { credentials: [password(`unknown`)] }),
  user('clear', { credentials: [{ type: 'password', value: plain }] }),
  user('broken', {
    credentials: [{ type: 'password', secretData: `{"value":"${hash}`, credentialData: '{}' }],
  }),
  user('salt', {
    credentials: [{ type: 'password', secretData: { value: hash, salt: [salt] }, credentialData: {} }],
  }),
  user('legacy', { credentials: [{ type: 'password', hashedSaltedValue: hash, salt, hashIterations: 'x' }] }),
  user('otp', { credentials: [{ type: 'otp', secretData: `{"value":"${otp}"`, credentialData: '{}' }] }),
  user('hotp', {
    credentials: [{ type: 'otp', secretData: { value: otp }, credentialData: { subType: 'hotp' } }],
  }),
  user('codes', {
    credentials: [{ type: 'recovery-authn-codes', secretData: { codes: [code] }, credentialData: {} }],
  }),
  user('rejected', {
    email: 5,
    credentials: [password('pbkdf2-sha256'), { type: 'password', value: plain }],
  }),
  user('type', { credentials: { type: 'password', value: plain } }),
];

async function convert(text: string): Promise<Ran & { shown: string; report: string; cwd: string }> {
  const cwd = createTestFolder();
  writeFileSync(join(cwd, 'realm.json'), text);
  const reports: string[] = [];
  let ran: Ran | undefined;
  for (const report of ['report.json', 'report.md']) {
    ran = await runProgram(['migrate', 'keycloak', '--org=1', '--realm=realm.json', `--report=${report}`], {
      cwd,
    });
    if (ran.problem === undefined) reports.push(readFileSync(join(cwd, report), 'utf8'));
  }
  if (!ran) throw new Error('nothing ran');
  return { ...ran, cwd, shown: showEverything(ran), report: reports.join('\n') };
}

it('a secret of the input is in the body and nowhere else', async () => {
  const { shown, report, stdout, cwd, problem } = await convert(
    JSON.stringify({ realm: 'r', users: sampleUsers }),
  );
  expect(problem).toBeUndefined();
  expect(readFileSync(join(cwd, 'importBody.json'), 'utf8')).toContain(hash);
  expect(report).toContain('password:algorithm-unsupported');
  for (const canary of canaries) {
    expect(shown).not.toContain(canary);
    expect(report).not.toContain(canary);
    expect(stdout).not.toContain(canary);
  }
});

it.each([
  ['cut in the middle of a secret', (text: string) => text.slice(0, text.indexOf(hash) + 5)],
  ['broken right behind a secret', (text: string) => text.replace(`${hash}\\"`, `${hash}\\" \u0000`)],
  [
    'with a secret where a comma should be',
    (text: string) => text.replace('"users":[', `"users":["${plain}" "${plain}",`),
  ],
])('no secret is in the message about a file that is %s', async (_, harm) => {
  const { shown, problem } = await convert(harm(JSON.stringify({ realm: 'r', users: sampleUsers })));
  expect(problem).toBeDefined();
  for (const canary of canaries) expect(shown).not.toContain(canary.slice(0, 5));
});
