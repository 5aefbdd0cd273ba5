/** The comparison against the reference server: each kind of planted difference is found, and nothing else. */
import { describe, expect, test } from 'vitest';
import { proveLogins } from '../../../src/flows/verify/login-sample.ts';
import { verifyPeople, type VerifyLine, type VerifyRequest } from '../../../src/flows/verify/verify.ts';
import { builtInProfiles } from '../../../src/profiles/built-in.ts';
import { createFullServer } from '../../support/full-server.ts';
import { memoryInput } from '../../support/memory-input.ts';
import { bodyOf, createTarget, peopleAt, person, type Target } from '../../support/users-run.ts';

/** With the export, which the smaller test server has not. */
const createWhole = (): Target =>
  createTarget({ server: { ...createFullServer({ rate: null }), logged: [] } });

const names = ['ann', 'bob', 'cyd', 'dan', 'eve', 'fay', 'gus', 'hal', 'ida'];

function bodyFor(org: string): string {
  return bodyOf(
    org,
    names.map((name) =>
      person(
        name,
        { phone: { phone: '+41791234567', isPhoneVerified: true } },
        name === 'ida' ? { state: 'USER_STATE_INACTIVE' } : {},
      ),
    ),
    { userMetadata: [{ id: 'old-bob', key: 'k', value: 'dg==' }] },
  );
}

async function importAll(target: Target, body: string): Promise<void> {
  await target.server.call('POST /admin/v1/import', body);
}

async function verify(target: Target, body: string, more: Partial<VerifyRequest> = {}) {
  const lines: VerifyLine[] = [];
  const counts = await verifyPeople(
    {
      source: {
        provider: 'body',
        options: {},
        inputs: [memoryInput('importBody.json', body)],
        companions: {},
        policy: {
          profile: builtInProfiles.get('all-verifiers')!,
          onRefusedHash: 'keep',
          withoutPassword: 'import',
        },
        duplicates: 'reject',
      },
      client: target.client,
      orgs: [target.org],
      newIds: [],
      withExport: true,
      all: false,
      print: (line) => {
        lines.push(line);
        return Promise.resolve();
      },
      ...more,
    },
    { emit: (event) => target.events.push(event), clock: target.clock, signal: new AbortController().signal },
  );
  const told = lines.map(({ sign, userName, detail }) => [sign, userName, detail].filter(Boolean).join(' '));
  return { counts, told };
}

describe('verify', () => {
  test('finds nothing where everybody arrived', async () => {
    const target = createWhole();
    const body = bodyFor(target.org);
    await importAll(target, body);
    const { counts, told } = await verify(target, body);
    expect(told).toEqual([]);
    expect(counts).toMatchObject({ same: names.length, missing: 0, extra: 0, differs: 0, unknown: 0 });
  });

  test('finds each kind of difference, and nothing else', async () => {
    const target = createWhole();
    const body = bodyFor(target.org);
    await importAll(target, body);
    const { users } = target.server.state.store;
    const there = peopleAt(target);
    const change = (name: string, fields: object): void => {
      users.put({ ...there.get(name)!, ...fields });
    };
    users.delete(there.get('ann')!.id);
    change('bob', { more: { ...there.get('bob')!.more, metadata: {} } });
    change('cyd', { firstName: 'Another' });
    change('dan', { email: 'other@example.com' });
    change('eve', { emailVerified: false });
    change('fay', { passwordHash: '' });
    change('gus', { more: { phone: '+41790000000', phoneVerified: true } });
    change('hal', { language: 'de' });
    change('ida', { status: 'active' });
    await target.server.call('POST /management/v1/users/human/_import', person('zoe').user);
    const { counts, told } = await verify(target, body);
    expect(told.toSorted()).toEqual([
      '* bob metadata',
      '* cyd first name, display name',
      '* dan e-mail',
      '* eve e-mail verified',
      '* fay password',
      '* gus phone',
      '* hal language',
      '* ida state',
      '+ zoe',
      '- ann',
    ]);
    expect(counts).toMatchObject({ same: 0, missing: 1, extra: 1, differs: 8 });
  });

  test('names records of the body that nobody could have imported', async () => {
    const target = createWhole();
    const body = bodyOf(target.org, [{ userId: 'x', user: { userName: 'x' } }]);
    const { counts, told } = await verify(target, body);
    expect(counts.unknown).toBe(1);
    expect(told[0]).toMatch(/^! target:field-rule/);
  });

  test('finds people by the id map where they have other names now', async () => {
    const target = createWhole();
    const body = bodyOf(target.org, [person('ann')]);
    const { body: made } = await target.server.call(
      'POST /management/v1/users/human/_import',
      person('renamed', { profile: { firstName: 'First', lastName: 'ann' } }).user,
    );
    const { told } = await verify(target, body, { newIds: [['old-ann', made.userId]] });
    expect(told).toEqual(['* ann user name, e-mail']);
  });

  test('says so where the service gives no export', async () => {
    const target = createWhole();
    const body = bodyFor(target.org);
    await importAll(target, body);
    const asOwner = createTarget({
      server: {
        ...target.server,
        tokens: { ...target.server.tokens, iamOwner: target.server.tokens.orgOwner },
      },
    });
    const { counts } = await verify(asOwner, body);
    expect(counts.same).toBe(names.length);
    expect(asOwner.events).toContainEqual(expect.objectContaining({ code: 'verify:no-export' }));
  });

  test('asks for a page of the list for every thousand people', async () => {
    const target = createWhole();
    const many = Array.from({ length: 2500 }, (_, at) => person(`user-${at}`));
    await importAll(target, bodyOf(target.org, many));
    const { counts } = await verify(target, bodyOf(target.org, many));
    expect(counts).toMatchObject({ same: 2500, differs: 0 });
    expect(target.requests.filter((line) => line.endsWith('users/_search'))).toHaveLength(3);
  });
});

test('a login sample tells who can sign in', async () => {
  const target = createWhole();
  await target.server.call('POST /management/v1/users/human/_import', {
    ...person('ann').user,
    hashedPassword: undefined,
    password: 'Secret-1234',
  });
  const lines: VerifyLine[] = [];
  const refused = await proveLogins(
    target.client,
    [target.org],
    [
      { userName: 'ann', password: 'Secret-1234' },
      { userName: 'ann', password: 'Wrong-12345' },
      { userName: 'bob', password: 'Secret-1234' },
    ],
    (line) => {
      lines.push(line);
      return Promise.resolve();
    },
  );
  expect(lines.map(({ sign, userName }) => `${sign} ${userName}`)).toEqual(['= ann', '* ann', '- bob']);
  expect(refused).toBe(2);
});
