/** A realm that a real Keycloak exported, one call a user: no user gets an email, each keeps the id and signs in. */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createTestFolder } from '../support/folder.ts';
import { startInstance } from '../support/instance.ts';
import { runProgram } from '../support/program.ts';
import { exportPath } from '../support/samples.ts';
import { decodeBase32 } from '../../src/lib/base32.ts';

interface BodyUser {
  readonly userId: string;
  readonly state?: string;
  readonly user: {
    readonly userName: string;
    readonly email: { readonly isEmailVerified?: boolean };
    readonly hashedPassword?: object;
    readonly otpCode?: string;
  };
}

/** RFC 6238, with SHA-1, six digits and thirty seconds. */
function totpCode(secret: string): string {
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const mac = createHmac('sha1', decodeBase32(secret)!).update(step).digest();
  return String((mac.readUInt32BE(mac.at(-1)! & 15) & 0x7f_ff_ff_ff) % 1_000_000).padStart(6, '0');
}

it('every carried password and TOTP secret logs in at once, unverified addresses included', async () => {
  const cwd = createTestFolder();
  const instance = await startInstance(cwd, 'whole');
  onTestFinished(() => instance.close());
  const { server, url, flags } = instance;
  const folder = exportPath('kc-26.7.3-orchard');
  const passwords = JSON.parse(readFileSync(join(folder, 'passwords.json'), 'utf8')) as Record<
    string,
    { readonly password: string }
  >;
  const run = (...argv: string[]) => runProgram(argv, { cwd });
  const realm = `--realm=${join(folder, 'orchard.json')}`;
  const profile = '--target-profile=all-verifiers';
  await run(
    'migrate',
    'keycloak',
    `--org=${server.orgId}`,
    realm,
    '--metadata=all',
    profile,
    '--output=b.json',
  );
  const { orgs } = JSON.parse(readFileSync(join(cwd, 'b.json'), 'utf8')).dataOrgs;
  const users = orgs[0].humanUsers as BodyUser[];
  const { store } = server.state;
  const before = store.users.size;
  const imported = await run('import-users', 'b.json', `--org=${server.orgId}`, ...flags);
  expect(imported.exitCode).toBe(0);
  const end = imported.events.find((event) => event.type === 'run:end');
  expect(end).toMatchObject({ tally: { read: users.length, written: users.length } });
  expect(store.notifications.size).toBe(0);
  expect(users.filter(({ userId, user }) => store.users.get(userId)?.userName !== user.userName)).toEqual([]);

  const failed: string[] = [];
  const proved = { passwords: 0, totp: 0, unverified: 0 };
  for (const { userId, state = 'active', user } of users) {
    const password = passwords[user.userName]?.password ?? '';
    // The service hashes a password anew at the first login, with bcrypt.
    const isCarried =
      user.hashedPassword !== undefined && password !== '' && Buffer.byteLength(password) <= 72;
    if (!isCarried || state !== 'active') continue;
    const totp = user.otpCode === undefined ? {} : { totp: { code: totpCode(user.otpCode) } };
    const checks = { user: { userId }, password: { password }, ...totp };
    const headers = { authorization: `Bearer ${server.tokens.iamOwner}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ checks });
    const { status } = await fetch(`${url}/v2/sessions`, { method: 'POST', headers, body });
    if (status !== 201) failed.push(user.userName);
    proved.passwords += 1;
    proved.totp += user.otpCode === undefined ? 0 : 1;
    proved.unverified += user.email.isEmailVerified === true ? 0 : 1;
  }
  expect(failed).toEqual([]);
  expect(proved).toEqual({ passwords: 117, totp: 18, unverified: 26 });
  expect(
    (
      await run(
        'undo',
        '--journal=b.json.users.journal',
        `--yes=${users.length}`,
        '--changed=delete',
        ...flags,
      )
    ).exitCode,
  ).toBe(0);
  expect(store.users.size).toBe(before);
}, 120_000);
