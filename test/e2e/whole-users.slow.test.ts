/** A realm that a real Keycloak exported, one call a user: no user gets an email, each keeps the id and signs in. */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type BodyOrg } from '../support/conversion.ts';
import { openWorkspace, succeeded, eventOf } from '../support/workspace.ts';
import { exportPath } from '../support/samples.ts';
import { decodeBase32 } from '../../src/lib/base32.ts';

/** RFC 6238, with SHA-1, six digits and thirty seconds. */
function totpCode(secret: string) {
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const mac = createHmac('sha1', decodeBase32(secret)!).update(step).digest();
  return String((mac.readUInt32BE(mac.at(-1)! & 15) & 0x7f_ff_ff_ff) % 1_000_000).padStart(6, '0');
}

it('import-users keeps links and metadata, and every password and TOTP secret logs in', async () => {
  const workspace = await openWorkspace();
  const { server } = workspace;
  const { store } = server.state;
  const folder = exportPath('kc-26.7.3-orchard');
  const passwords = JSON.parse(readFileSync(join(folder, 'passwords.json'), 'utf8'));
  const org = `--org=${server.orgId}`;
  const source = `--realm=${join(folder, 'orchard.json')} --target-profile=all-verifiers --metadata=all`;
  await workspace.run(
    `migrate keycloak ${org} ${source} --idp=google=idp-g --idp=corp=idp-c --output=b.json`,
  );
  // CreateUser refuses the host of one address.
  workspace.write('b.json', JSON.stringify(workspace.json('b.json')).replace('bücher', 'buecher'));
  const [{ humanUsers, userMetadata }] = workspace.json('b.json').dataOrgs.orgs as [Required<BodyOrg>];
  const idp = { clientId: 'c', clientSecret: 's', issuer: 'https://i.example' };
  const oidcIdps = ['idp-g', 'idp-c'].map((idpId) => ({ idpId, idp: { ...idp, name: idpId } }));
  await server.seed({ dataOrgs: { orgs: [{ orgId: server.orgId, oidcIdps }] }, timeout: '1m' });
  const before = store.users.size;
  const imported = await workspace.run(`import-users b.json ${org}`);
  const refused = imported.events.flatMap((event) => (event.type === 'record:rejected' ? [event] : []));
  expect([imported.exitCode, refused]).toEqual([0, []]);
  const { tally } = eventOf(imported, 'run:end');
  expect(tally).toMatchObject({ read: humanUsers.length, written: humanUsers.length });
  expect(server.state.recent.notifications.total).toBe(0);
  const linked = humanUsers.filter(({ user }) => user['idps'] !== undefined);
  expect([linked.length, userMetadata.length]).toEqual([14, 909]);
  for (const { userId, user } of humanUsers) {
    const { userName, links } = store.users.get(userId)!;
    const keys = links?.map(({ idpId, externalUserId }) => `${idpId} ${externalUserId}`);
    expect(userName).toBe(user.userName);
    const sent = user.idps?.map(({ configId, externalUserId }) => `${configId} ${externalUserId}`);
    expect(keys?.toSorted()).toEqual(sent?.toSorted());
  }
  const lost = userMetadata.filter(
    ({ id, key, value }) => store.users.get(id)?.metadata?.[key]?.value !== value,
  );
  expect(lost).toEqual([]);

  const failed: string[] = [];
  const proved = { passwords: 0, totp: 0, unverified: 0 };
  for (const { userId, state = 'active', user } of humanUsers) {
    const password = passwords[user.userName]?.password ?? '';
    // The service hashes a password anew at the first login, with bcrypt.
    const isCarried =
      user['hashedPassword'] !== undefined && password !== '' && Buffer.byteLength(password) <= 72;
    if (!isCarried || state !== 'active') continue;
    const totp = user['otpCode'] === undefined ? {} : { totp: { code: totpCode(user['otpCode']) } };
    const checks = { user: { userId }, password: { password }, ...totp };
    const { status } = await workspace.call('POST /v2/sessions', { checks });
    if (status !== 201) failed.push(user.userName);
    proved.passwords += 1;
    proved.totp += user['otpCode'] === undefined ? 0 : 1;
    proved.unverified += user.email.isEmailVerified ? 0 : 1;
  }
  expect(failed).toEqual([]);
  expect(proved).toEqual({ passwords: 117, totp: 18, unverified: 26 });
  await succeeded(
    workspace.run(`undo --journal=b.json.users.journal --yes=${humanUsers.length} --changed=delete`),
  );
  expect(store.users.size).toBe(before);
}, 300_000);
