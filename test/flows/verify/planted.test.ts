/** Any differences planted at the target in: exactly these found, from an export and user by user alike. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { fields } from '../../../src/flows/verify/fields.ts';
import type { UserMore, UserRow } from '../../../src/server/store/rows.ts';
import { bodyOf, usersAt, sampleUser, type Target } from '../../support/users-run.ts';
import { asOrgOwner, createWhole, runVerify } from '../../support/verify-run.ts';

const names = ['ann', 'bob', 'cyd', 'dan', 'eve', 'fay'];

function bodyFor(org: string): string {
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
    userMetadata: names.flatMap((name) => [
      { id: `old-${name}`, key: 'k', value: 'dg==' },
      { id: `old-${name}`, key: 'l', value: 'dw==' },
    ]),
    userLinks: names.map((name) => ({
      userId: `old-${name}`,
      idpId: 'idp-1',
      providedUserId: `at-idp-${name}`,
      providedUserName: name,
    })),
  });
}

const more =
  (change: UserMore) =>
  (row: UserRow): UserRow => ({ ...row, more: { ...row.more, ...change } });

/** One way each field of a user can be another one. */
const changes: Readonly<Record<string, readonly ((row: UserRow) => UserRow)[]>> = {
  'user name': [
    (row) => ({ ...row, userName: `${row.userName}-x` }),
    (row) => ({ ...row, userName: row.userName.toUpperCase() }),
  ],
  'first name': [(row) => ({ ...row, firstName: 'Other' })],
  'last name': [(row) => ({ ...row, lastName: 'Other' })],
  'nick name': [more({ nickName: 'other' }), more({ nickName: '' })],
  'display name': [more({ displayName: 'Other' })],
  language: [(row) => ({ ...row, language: 'de' }), (row) => ({ ...row, language: 'und' })],
  gender: [more({ gender: 'GENDER_FEMALE' }), more({ gender: 'GENDER_UNSPECIFIED' })],
  email: [(row) => ({ ...row, email: 'other@example.com' })],
  'email verified': [(row) => ({ ...row, emailVerified: false })],
  phone: [more({ phone: '+41790000000' })],
  'phone verified': [more({ phoneVerified: false })],
  state: [(row) => ({ ...row, status: 'locked' }), (row) => ({ ...row, status: 'inactive' })],
  metadata: [
    more({ metadata: {} }),
    more({ metadata: { k: value('dg=='), l: value('eA==') } }),
    more({ metadata: { k: value('dg=='), l: value('dw=='), m: value('dg==') } }),
  ],
  links: [
    more({ links: [] }),
    more({ links: [{ idpId: 'idp-1', externalUserId: 'unknown', displayName: '' }] }),
  ],
  password: [(row) => ({ ...row, passwordHash: '' })],
  TOTP: [
    (row) => ({
      ...row,
      more: Object.fromEntries(Object.entries(row.more ?? {}).filter(([name]) => name !== 'otpSecret')),
    }),
  ],
};

function value(text: string) {
  return { value: text, created: 0, changed: 0 };
}

/** For service accounts only. */
const ofMachines = ['name', 'description'];

type Plant = Readonly<Record<string, 'missing' | ReadonlyMap<string, number>>>;

const plant: fc.Arbitrary<Plant> = fc.record(
  Object.fromEntries(
    names.map((name) => [
      name,
      fc.oneof(
        { weight: 1, arbitrary: fc.constant('missing' as const) },
        {
          weight: 5,
          arbitrary: fc
            .array(fc.tuple(fc.constantFrom(...Object.keys(changes)), fc.nat(2)), { maxLength: 4 })
            .map((pairs) => new Map(pairs)),
        },
      ),
    ]),
  ),
);

async function planted(plants: Plant, extra: readonly string[]): Promise<{ target: Target; body: string }> {
  const target = createWhole();
  const { store } = target.server.state;
  store.idps.put({
    id: 'idp-1',
    orgId: '',
    name: 'i',
    created: 0,
    allowsCreation: true,
    oidc: undefined,
    jwt: undefined,
  });
  const body = bodyFor(target.org);
  await target.server.call('POST /admin/v1/import', body);
  const there = usersAt(target);
  for (const [name, wrong] of Object.entries(plants)) {
    const row = there.get(name)!;
    if (wrong === 'missing') store.users.delete(row.id);
    else {
      const ways = Array.from(wrong, ([field, way]) => changes[field]![way % changes[field]!.length]!);
      store.users.put(ways.reduce((changed, change) => change(changed), row));
    }
  }
  for (const name of extra) {
    await target.server.call('POST /management/v1/users/human/_import', sampleUser(name).user);
  }
  return { target, body };
}

const barrier = 'cannot sign in: locked or deactivated at the target';

function lineOf(name: string, wrong: readonly string[]): string {
  if (wrong.join('') === 'state') return `~ ${name}: ${barrier}`;
  return `* ${name}: ${wrong.join(', ')}${wrong.includes('state') ? `; ${barrier}` : ''}`;
}

function expected(plants: Plant, extra: readonly string[]): string[] {
  const lines = Object.entries(plants).flatMap(([name, wrong]) => {
    if (wrong === 'missing') return [`- ${name}`];
    const wrongFields = fields.filter((field) => wrong.has(field));
    return wrongFields.length === 0 ? [] : [lineOf(name, wrongFields)];
  });
  return [...lines, ...extra.map((name) => `+ ${name}`)].toSorted();
}

test('every field can be planted', () => {
  // That one takes several organizations: test/commands/orgs.test.ts plants it.
  const planted = [...Object.keys(changes), ...ofMachines, 'organization', 'grants'];
  expect(planted.toSorted()).toEqual(fields.toSorted());
});

test.each(Object.entries(changes).flatMap(([field, ways]) => ways.map((_, way) => [field, way] as const)))(
  'one wrong %s (%i) is found, and nothing else',
  async (field, way) => {
    const plants: Plant = { cyd: new Map([[field, way]]) };
    const { target, body } = await planted(plants, []);
    expect((await runVerify(target, body)).told).toEqual([lineOf('cyd', [field])]);
    expect((await runVerify(asOrgOwner(target), body)).told).toEqual([lineOf('cyd', [field])]);
  },
);

test('of any that are planted, exactly these are found', async () => {
  await fc.assert(
    fc.asyncProperty(plant, fc.subarray(['yan', 'zoe']), async (plants, extra) => {
      const { target, body } = await planted(plants, extra);
      const wanted = expected(plants, extra);
      expect((await runVerify(target, body)).told.toSorted()).toEqual(wanted);
      expect((await runVerify(asOrgOwner(target), body)).told.toSorted()).toEqual(wanted);
    }),
    { numRuns: 25 },
  );
}, 120_000);
