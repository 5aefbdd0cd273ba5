import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { jsonLines } from '../../support/memory-input.ts';
import { type Ran, runProgram } from '../../support/program.ts';
import { createTestFolder } from '../../support/folder.ts';
import { showEverything } from '../../support/shown.ts';

/** Texts that stand in every place of the files that holds a secret. */
const canaries = ['canaryOne', 'canaryTwo', 'CANARYTHREEX', 'canaryFour', 'canaryFive', 'canarySix'] as const;
const [joined, own, otp, custom, salt, unmatched] = canaries;
const bcrypt = (canary: string): string => `$2b$10$${canary.padEnd(53, 'a')}`;

const user = (id: string, more: object = {}): object => ({
  user_id: `auth0|${id}`,
  email: `${id}@example.org`,
  email_verified: true,
  given_name: 'Ca',
  family_name: 'Nary',
  ...more,
});
const sampleUsers = [
  user('joined'),
  user('own', { password_hash: bcrypt(own) }),
  user('refused', { password_hash: `$2b$99$${own}` }),
  user('custom', {
    custom_password_hash: { algorithm: 'sha256', hash: { value: custom }, salt: { value: salt } },
  }),
  user('scrypt', {
    custom_password_hash: { algorithm: 'scrypt', hash: { value: `${custom}!` }, salt: { value: salt } },
  }),
  user('conflict'),
  user('odd'),
  user('factors', { mfa_factors: [{ totp: { secret: `${otp}!` } }, { [otp]: {} }].slice(0, 1) }),
  user('rejected', { email: 5, password_hash: bcrypt(own), mfa_factors: [{ totp: { secret: otp } }] }),
];
const passwords = [
  { _id: 'joined', passwordHash: bcrypt(joined) },
  { _id: 'conflict', passwordHash: bcrypt(joined) },
  { _id: 'conflict', passwordHash: bcrypt(own) },
  { _id: 'odd', passwordHash: `${custom} is no hash` },
  { _id: 'unknown', email: 'unknown@example.org', passwordHash: bcrypt(unmatched) },
  { passwordHash: bcrypt(unmatched) },
  { passwordHash: { value: unmatched } },
];
const factors = [
  { user_id: 'auth0|joined', type: 'otp', otp_secret: otp },
  { user_id: 'auth0|odd', type: 'otp', otp_secret: `${otp}!` },
  { user_id: 'auth0|odd', type: 'recovery-code', recovery_code: unmatched },
  { user_id: 'auth0|unknown', type: 'recovery-code', recovery_code: bcrypt(unmatched) },
];

async function convert(
  files: Readonly<Record<string, string>>,
): Promise<Ran & { shown: string; report: string; cwd: string }> {
  const cwd = createTestFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const argv = ['migrate', 'auth0', '--org=1', '--users=users', '--passwords=passwords', '--mfa=factors'];
  const reports: string[] = [];
  let ran: Ran | undefined;
  for (const report of ['report.json', 'report.md']) {
    ran = await runProgram([...argv, `--report=${report}`], { cwd });
    if (ran.problem === undefined) reports.push(readFileSync(join(cwd, report), 'utf8'));
  }
  if (!ran) throw new Error('nothing ran');
  return { ...ran, cwd, shown: showEverything(ran), report: reports.join('\n') };
}

const files = {
  users: jsonLines(...sampleUsers),
  passwords: jsonLines(...passwords),
  factors: jsonLines(...factors),
};

it('a secret of the files is in the body and nowhere else', async () => {
  const { shown, report, stdout, cwd, problem } = await convert(files);
  expect(problem).toBeUndefined();
  const body = readFileSync(join(cwd, 'importBody.json'), 'utf8');
  for (const carried of [joined, own, otp]) expect(body).toContain(carried);
  expect(report).toContain('password:unmatched-line');
  for (const canary of canaries) {
    expect(shown).not.toContain(canary);
    expect(report).not.toContain(canary);
    expect(stdout).not.toContain(canary);
  }
});

it.each([
  ['users', (text: string) => `[${text.trim().split('\n').join(',').slice(0, 400)}`],
  ['users', (text: string) => text.replace('"password_hash":', '"password_hash"')],
  ['users', () => `user_id,password_hash\nauth0|1,"${own}\n`],
  ['passwords', (text: string) => `[${text.trim().split('\n').join(',')} ${joined}]`],
  ['passwords', (text: string) => text.replaceAll(joined, `${joined}" "`)],
  ['passwords', () => `${joined}\n`],
  ['factors', (text: string) => `${text}${otp}`],
])('no secret is told about broken %s (%#)', async (name, harm) => {
  const { shown, report } = await convert({ ...files, [name]: harm(files[name as keyof typeof files]) });
  for (const canary of canaries) expect(shown + report).not.toContain(canary);
});
