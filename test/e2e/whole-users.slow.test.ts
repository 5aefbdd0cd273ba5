/** A realm that a real Keycloak exported, one call a user: no user gets an email, each keeps the id and signs in. */
import { createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createTestFolder } from '../support/folder.ts';
import { startInstance } from '../support/instance.ts';
import { runProgram } from '../support/program.ts';
import { exportPath } from '../support/samples.ts';
import { decodeBase32 } from '../../src/lib/base32.ts';

/** IDPORT_COPIES=41 makes 20,295 users of it. */
const copies = Number(process.env['IDPORT_COPIES'] ?? 1);

interface BodyUser {
  readonly userId: string;
  readonly state?: string;
  readonly user: {
    readonly userName: string;
    readonly email: { readonly email: string; readonly isEmailVerified?: boolean };
    readonly idps?: readonly { readonly configId: string; readonly externalUserId: string }[];
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

interface BodyOrg {
  readonly humanUsers: readonly BodyUser[];
  readonly userMetadata: readonly { readonly id: string; readonly key: string; readonly value: string }[];
}

/** Each user again under another id, name, address and link. */
function copyOf({ humanUsers, userMetadata }: BodyOrg, at: number): BodyOrg {
  const prefix = at === 0 ? '' : `c${at}-`;
  // Some are as long as they may be.
  const other = (text: string): string => prefix + (text.length > 40 ? text.slice(prefix.length) : text);
  const users = humanUsers.map(({ userId, user: { idps, ...user }, ...entry }, number) => {
    const email = { ...user.email, ...(at > 0 && { email: `${prefix}${number}@orchard.example` }) };
    const links = idps?.map((one) => ({ ...one, externalUserId: other(one.externalUserId) }));
    const copied = { ...user, userName: other(user.userName), email, ...(links && { idps: links }) };
    return { ...entry, userId: other(userId), user: copied };
  });
  return { humanUsers: users, userMetadata: userMetadata.map((one) => ({ ...one, id: other(one.id) })) };
}

it(
  'users arrive whole: links, metadata, and every password and TOTP secret logs in at once, unverified or not',
  async () => {
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
    const to = [`--org=${server.orgId}`, '--metadata=all', '--idp=google=idp-g', '--idp=corp=idp-c'];
    await run('migrate', 'keycloak', ...to, realm, profile, '--output=b.json');
    const body = JSON.parse(readFileSync(join(cwd, 'b.json'), 'utf8'));
    const [org] = body.dataOrgs.orgs as [BodyOrg & { readonly orgId: string }];
    const all = Array.from({ length: copies }, (_, at) => copyOf(org, at));
    const users = all.flatMap(({ humanUsers }) => humanUsers);
    const userMetadata = all.flatMap((one) => one.userMetadata);
    body.dataOrgs.orgs = [{ ...org, humanUsers: users, userMetadata }];
    writeFileSync(join(cwd, 'b.json'), JSON.stringify(body));
    const idp = { clientId: 'c', clientSecret: 's', issuer: 'https://i.example' };
    const oidcIdps = ['idp-g', 'idp-c'].map((idpId) => ({ idpId, idp: { ...idp, name: idpId } }));
    await server.seed({ dataOrgs: { orgs: [{ orgId: server.orgId, oidcIdps }] }, timeout: '1m' });
    const { store } = server.state;
    const before = store.users.size;
    const imported = await run('import-users', 'b.json', `--org=${server.orgId}`, ...flags);
    const refused = imported.events.flatMap((event) => (event.type === 'record:rejected' ? [event] : []));
    expect([imported.exitCode, refused]).toEqual([0, []]);
    const end = imported.events.find((event) => event.type === 'run:end');
    expect(end).toMatchObject({ tally: { read: users.length, written: users.length } });
    expect(store.notifications.size).toBe(0);
    expect(users.filter(({ userId, user }) => store.users.get(userId)?.userName !== user.userName)).toEqual(
      [],
    );
    const linked = users.filter(({ user }) => user.idps !== undefined);
    expect(linked).toHaveLength(14 * copies);
    for (const { userId, user } of linked) {
      const keys = store.users
        .get(userId)
        ?.more?.links?.map(({ idpId, externalUserId }) => [idpId, externalUserId]);
      expect(keys?.toSorted()).toEqual(
        user.idps?.map((one) => [one.configId, one.externalUserId]).toSorted(),
      );
    }
    expect(userMetadata).toHaveLength(909 * copies);
    const lost = userMetadata.filter(
      ({ id, key, value }) => store.users.get(id)?.more?.metadata?.[key]?.value !== value,
    );
    expect(lost).toEqual([]);

    const failed: string[] = [];
    const proved = { passwords: 0, totp: 0, unverified: 0 };
    for (const { userId, state = 'active', user } of users.slice(0, org.humanUsers.length)) {
      const password = passwords[user.userName]?.password ?? '';
      // The service hashes a password anew at the first login, with bcrypt.
      const isCarried =
        user.hashedPassword !== undefined && password !== '' && Buffer.byteLength(password) <= 72;
      if (!isCarried || state !== 'active') continue;
      const totp = user.otpCode === undefined ? {} : { totp: { code: totpCode(user.otpCode) } };
      const checks = { user: { userId }, password: { password }, ...totp };
      const headers = {
        authorization: `Bearer ${server.tokens.iamOwner}`,
        'content-type': 'application/json',
      };
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
  },
  120_000 * Math.ceil(copies / 10),
);
