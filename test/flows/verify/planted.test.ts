/** Differences planted at the target in: exactly these found, from an export and user by user alike. */
import { expect, test } from 'vitest';
import { fields } from '../../../src/flows/verify/fields.ts';
import type { UserRow } from '../../../src/server/store/rows.ts';
import { bodyOf, createTarget, oidcIdps, userAt, sampleUser } from '../../support/users-run.ts';
import { asOrgOwner, runVerify } from '../../support/verify-run.ts';

const names = ['ann', 'bob', 'cyd'];

function bodyFor(org: string) {
  const sampleUsers = names.map((name) =>
    sampleUser(name, {
      profile: {
        firstName: 'First',
        lastName: name,
        nickName: 'nick',
        displayName: `Shown ${name}`,
        preferredLanguage: 'en',
        gender: 'GENDER_MALE',
      },
      phone: { phone: '+41791234567', isPhoneVerified: true },
      otpCode: 'JBSWY3DPEHPK3PXP',
    }),
  );
  return bodyOf(org, sampleUsers, {
    oidcIdps,
    userMetadata: names.flatMap((name) => [
      { id: `old-${name}`, key: 'k', value: 'dg==' },
      { id: `old-${name}`, key: 'l', value: 'dw==' },
    ]),
    userLinks: names.map((name) => ({
      userId: `old-${name}`,
      idpId: 'idp',
      providedUserId: `at-idp-${name}`,
      providedUserName: name,
    })),
  });
}

const set =
  (change: Partial<UserRow>) =>
  (row: UserRow): UserRow => ({ ...row, ...change });

/** One way each field of a user can be another one. */
const changes: Readonly<Record<string, readonly ((row: UserRow) => UserRow)[]>> = {
  'user name': [
    (row) => ({ ...row, userName: `${row.userName}-x` }),
    (row) => ({ ...row, userName: row.userName.toUpperCase() }),
  ],
  'first name': [(row) => ({ ...row, firstName: 'Other' })],
  'last name': [(row) => ({ ...row, lastName: 'Other' })],
  'nick name': [set({ nickName: 'other' }), set({ nickName: '' })],
  'display name': [set({ displayName: 'Other' })],
  language: [(row) => ({ ...row, language: 'de' }), (row) => ({ ...row, language: 'und' })],
  gender: [set({ gender: 'GENDER_FEMALE' }), set({ gender: 'GENDER_UNSPECIFIED' })],
  email: [(row) => ({ ...row, email: 'other@example.com' })],
  'email verified': [(row) => ({ ...row, emailVerified: false })],
  phone: [set({ phone: '+41790000000' })],
  'phone verified': [set({ phoneVerified: false })],
  state: [(row) => ({ ...row, status: 'locked' }), (row) => ({ ...row, status: 'inactive' })],
  metadata: [
    set({ metadata: {} }),
    set({ metadata: { k: value('dg=='), l: value('eA==') } }),
    set({ metadata: { k: value('dg=='), l: value('dw=='), m: value('dg==') } }),
  ],
  links: [set({ links: [] }), set({ links: [{ idpId: 'idp', externalUserId: 'unknown', displayName: '' }] })],
  password: [(row) => ({ ...row, passwordHash: '' })],
  TOTP: [set({ otpSecret: undefined })],
};

function value(text: string) {
  return { value: text, created: 0, changed: 0 };
}

/** For service accounts only. */
const ofMachines = ['name', 'description'];

/** After an import, with the row of one user changed. */
async function planted(name: string, change: (row: UserRow) => UserRow) {
  const target = createTarget();
  const { store } = target.server.state;
  const body = bodyFor(target.org);
  await target.server.call('POST /admin/v1/import', body);
  store.users.put(change(userAt(target, name)));
  return { target, body };
}

test('the changes of this test cover every compared field', () => {
  // That one takes several organizations: test/commands/orgs.test.ts plants it.
  const all = [...Object.keys(changes), ...ofMachines, 'organization', 'grants'];
  expect(all.toSorted()).toEqual(fields.toSorted());
});

test.each(Object.entries(changes).flatMap(([field, ways]) => ways.map((_, way) => [field, way] as const)))(
  'verify finds exactly the wrong %s (%i), from an export and user by user',
  async (field, way) => {
    const { target, body } = await planted('cyd', changes[field]![way]!);
    const barrier = 'cannot sign in: locked or deactivated at the target';
    const line = field === 'state' ? `~ cyd: ${barrier}` : `* cyd: ${field}`;
    expect((await runVerify(target, body)).told).toEqual([line]);
    expect((await runVerify(asOrgOwner(target), body)).told).toEqual([line]);
  },
);
