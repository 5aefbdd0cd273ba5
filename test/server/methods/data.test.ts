/** The bulk import: texts of emails, background imports, its faults. Plain calls are in `fixtures/service-calls.yaml`. */
import { beforeEach, expect, it } from 'vitest';
import type { ServerSettings } from '../../../src/server/method.ts';
import { createReadObject } from '../../../src/server/methods/data.ts';
import { createTestServer, type FullServer, importedUser, userV1 } from '../../support/full-server.ts';

let server: FullServer;
const start = (settings: Partial<ServerSettings> = {}) => {
  server = createTestServer(settings);
};
beforeEach(() => start());

const users = (...ids: string[]) => ids.map((id) => importedUser(id));
const has = (id: string) => server.state.store.users.has(id);
const send = (data: object) => server.call('POST /admin/v1/import', { ...data, timeout: '1m' });

it('puts texts of emails into the organization of the request, and ignores some kinds', async () => {
  const title = [{ language: 'en', title: 'T' }];
  const texts = { loginTexts: title, initMessages: title, verifyPhoneMessages: title };
  const org = { orgId: '5', org: { name: 'Five' }, ...texts, inviteUserMessages: title };
  await send({ dataOrgs: { orgs: [org] } });
  const textsOf = (id: string) => Object.keys(server.state.store.orgs.get(id)!.texts);
  expect(textsOf('5')).toEqual(['loginTexts']);
  expect(textsOf(server.orgId)).toEqual(['initMessages']);
  await send({ dataOrgs: { orgs: [{ ...org, passwordlessRegistrationMessages: title }] } });
  expect(textsOf(server.orgId)).toContain('inviteUserMessages');
});

const holding = (...humanUsers: unknown[]) => {
  const orgs = [{ orgId: '7', org: { name: 'Seven' }, humanUsers }];
  return { readObject: () => Promise.resolve(Buffer.from(JSON.stringify({ orgs }))) };
};
const local = { dataOrgsLocal: { path: 'x' } };

it('a background import answers {} at once and works afterwards', async () => {
  start(holding(...users('a')));
  expect((await send(local)).body).toEqual({});
  expect(has('a')).toBe(false);
  await server.settled();
  expect(has('a')).toBe(true);
  expect(server.logged).toEqual(['import: finished: 1 human users, 0 errors']);
});

it.each([
  [{ data_orgs_gcs: { bucket: 'b', path: 'p', serviceaccount_json: 'e30=' } }, 'service account: it has no'],
  [{ data_orgsv1_local: { path: '/dev/zero' } }, '/dev/zero: not a file'],
  [{ dataOrgsS3: { bucket: 'b', path: 'p', endpoint: 'e' } }, 'S3 is not supported here'],
  [{}, 'no data to import'],
])('a background import logs an unreadable source: %j', async (data, problem) => {
  start({ readObject: createReadObject(undefined) });
  await send(data);
  await server.close();
  expect(server.logged).toEqual([expect.stringContaining(`import: failed: ${problem}`)]);
});

it('a background import skips the field rules and rejects faulty entries alone', async () => {
  const nameless = { userId: 'n', user: userV1('n', { profile: { firstName: 'N' } }) };
  start(holding(nameless, { userId: 'hollow' }, ...users('a')));
  await send(local);
  await server.settled();
  expect(server.logged).toEqual([
    'import: an entry without user is left out',
    'import: human_user n: ID=PROFILE-DSUkN Message=Errors.User.Profile.LastNameEmpty',
    'import: finished: 1 human users, 1 errors',
  ]);
});

it('internal errors in an entry are logged', async () => {
  server.state.store.users.by = () => {
    throw new TypeError('out of order');
  };
  const { body } = await server.importInto({ humanUsers: users('a') });
  expect(body.errors.at(-1).message).toBe('ID=RECOVER Message=Errors.Internal');
  expect(server.logged).toContain('import: human_user a: unexpected: out of order');
});
