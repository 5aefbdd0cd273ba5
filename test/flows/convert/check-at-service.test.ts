/** `check --url`: what only the service can say, asked of the reference server over a socket. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createReferenceServer, type InspectableServer } from '../../../src/server/index.ts';
import type { ReferenceServerOptions, StandardRole } from '../../../src/server/options.ts';
import { type Converted, convertFiles } from '../../support/conversion.ts';

let server: InspectableServer;
let url: string;
let close: () => Promise<void>;

async function start(options: Partial<ReferenceServerOptions> = {}): Promise<void> {
  server = createReferenceServer({ profile: 'all-verifiers', rate: null, ...options });
  const listening = await server.listen({ port: 0 });
  ({ url } = listening);
  close = () => listening.close();
}

beforeEach(() => start());
afterEach(() => close());

const sampleUser = (name: string): object => ({
  userId: `id-${name}`,
  user: {
    userName: name,
    profile: { firstName: name, lastName: 'X' },
    email: { email: `${name.replace('@', '.')}@example.org`, isEmailVerified: true },
    hashedPassword: { value: '$2b$10$U4C0ZY8OG8y41F9LusfKyu3HRMBL0rCZcKBVsXhgr.n8Ou6FPhzO2' },
  },
});

/** With the token of the owner. */
async function call(method: string, path: string, orgId: string, body?: object): Promise<void> {
  const headers = { authorization: `Bearer ${server.tokens.iamOwner}`, 'x-zitadel-orgid': orgId };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const { status } = await server.app.request(path, init);
  expect(status).toBe(200);
}

const send = (...orgs: readonly object[]): Promise<void> =>
  call('POST', '/admin/v1/import', server.orgId, { dataOrgs: { orgs }, timeout: '5m' });

const checkOrgs = (
  orgs: readonly object[],
  stdin: string = server.tokens.iamOwner,
  flags = [`--url=${url}`, '--token-file=-'],
): Promise<Converted> =>
  convertFiles(['check', 'body.json', ...flags], { 'body.json': { dataOrgs: { orgs } } }, { stdin });

const check = (
  humanUsers: readonly object[],
  role: StandardRole = 'iamOwner',
  orgId = server.orgId,
): Promise<Converted> => checkOrgs([{ orgId, humanUsers }], server.tokens[role]);

/** Place and code of each record that is not written. */
const rejected = ({ events }: Converted): unknown[] =>
  events.flatMap((event) => (event.type === 'record:rejected' ? [[event.place.index, event.code]] : []));
/** `warning text`. */
const said = ({ events }: Converted): string[] =>
  events.flatMap((event) => (event.type === 'notice' ? [`${event.level} ${event.text}`] : []));

it('says by which call import-users would create users, writes nothing, and forecasts that call', async () => {
  const before = server.state.store.users.size;
  const waiting = [withUser('ada', { email: { email: 'ada@example.org' } })];
  const known = await check(waiting);
  expect(known.notices).toContain('target:create-user');
  expect(known.exitCode).toBe(0);
  await server.app.request('/_idport/faults', {
    method: 'POST',
    headers: { authorization: `Bearer ${server.controlToken}` },
    body: JSON.stringify({ path: '/v2/users/new', status: 404 }),
  });
  const older = await check(waiting);
  expect(older.notices).not.toContain('target:create-user');
  expect(older.notices).toEqual(expect.arrayContaining(['import:v1', 'emails:over']));
  expect(older.exitCode).toBe(4);
  expect(server.state.store.users.size).toBe(before);
});

it('names users who are there already, by user name in any case and by id', async () => {
  await send({ orgId: server.orgId, humanUsers: [sampleUser('ada'), sampleUser('ben')] });
  const sameId = { ...sampleUser('cyn'), userId: 'id-ben' };
  const ran = await check([sampleUser('ADA'), sameId, sampleUser('dora')]);
  expect(rejected(ran)).toEqual([0, 1].map((index) => [index, 'target:user-exists']));
  expect(ran.exitCode).toBe(4);
});

it('names ids that a deleted organization has left behind, and counts users that were deleted before as free', async () => {
  await send({ orgId: 'rehearsal', org: { name: 'R' }, humanUsers: [sampleUser('ada'), sampleUser('ben')] });
  await call('DELETE', '/management/v1/users/id-ben', 'rehearsal');
  await call('DELETE', '/management/v1/orgs/me', 'rehearsal');
  const ran = await check([sampleUser('ada'), { ...sampleUser('ben'), userId: 'other' }]);
  expect(rejected(ran)).toEqual([[0, 'target:id-taken']]);
  expect(ran.exitCode).toBe(4);
});

it('asks for users page by page, not one by one', async () => {
  const humanUsers = Array.from({ length: 2500 }, (_, place) => sampleUser(`p${place}`));
  await send({ orgId: server.orgId, humanUsers });
  expect(rejected(await check([sampleUser('p2499'), sampleUser('new')]))).toEqual([
    [0, 'target:user-exists'],
  ]);
});

it.each<[what: string, role: StandardRole, orgId: string, code: string, words: RegExp, exitCode: number]>([
  [
    'that it cannot know which ids are taken, where the token may not read events',
    'orgOwner',
    '',
    'target:taken-ids',
    /list as of \d{4}-\d\d-\d\dT.* may lack users who were added last: the token may not read events/,
    0,
  ],
  [
    'which role is missing, and where to set it',
    'nobody',
    '',
    'target:not-allowed',
    /iam\.write is missing; IAM_OWNER has it, in the default settings/,
    4,
  ],
  ['that an organization is not there', 'iamOwner', '404', 'target:organization', /404/, 4],
])('says %s', async (_, role, orgId, code, words, exitCode) => {
  const ran = await check([sampleUser('ada')], role, orgId || server.orgId);
  expect(ran.notices).toContain(code);
  expect(said(ran).join('\n')).toMatch(words);
  expect(ran.exitCode).toBe(exitCode);
});

it('takes an organization that the import creates as no problem, and says so', async () => {
  const orgs = [{ orgId: 'new', org: { name: 'New' }, humanUsers: [sampleUser('ada')] }];
  const owner = await checkOrgs(orgs);
  expect(said(owner)).toContain('info organization new is not there: the import creates it as New');
  expect(said(owner)).toContain('info the token may use the bulk import (iam.write)');
  expect(owner.notices).not.toContain('list:as-of');
  expect(owner.exitCode).toBe(0);
  const manager = await checkOrgs(orgs, server.tokens.orgOwner);
  expect(said(manager).join()).toContain('warning the token may not use the bulk import');
  expect(manager.exitCode).toBe(4);
});

it('ends with 5 where the list of users is behind, and names no number as certain', async () => {
  await close();
  await start({ lag: 600_000 });
  const org = { orgId: server.orgId, humanUsers: [sampleUser('ada')] };
  await send(org);
  const flags = [`--url=${url}`, '--token-file=-', '--wait=0s'];
  const ran = await checkOrgs([org], server.tokens.iamOwner, flags);
  expect(ran.events).toContainEqual(expect.objectContaining({ code: 'list:not-yet', level: 'warning' }));
  expect(ran.exitCode).toBe(5);
});

it('knows domains of other organizations', async () => {
  const domains = [{ domainName: 'other.example', isVerified: true, isPrimary: true }];
  await send({ orgId: 'other', org: { name: 'Other' }, domains });
  const ran = await check([sampleUser('ada@OTHER.example'), sampleUser('ben@elsewhere.example')]);
  expect(rejected(ran)).toEqual([[0, 'target:foreign-domain']]);
});

it('ends with one line where the token is not known', async () => {
  const ran = await checkOrgs([], 'unknown-knows');
  expect(ran.exitCode).toBe(1);
  expect(ran.problem?.message).toMatch(/401/);
  expect(JSON.stringify(ran)).not.toContain('unknown-knows');
});

const withUser = (name: string, changes: object): object => {
  const { user, ...rest } = sampleUser(name) as { user: object };
  return { ...rest, user: { ...user, ...changes } };
};
const providers = {
  oidcIdps: [
    { idpId: 'idp-1', idp: { name: 'Idp', issuer: 'https://a.example', clientId: 'a', clientSecret: 's' } },
  ],
};
const linkTo = (configId: string): object => ({
  idps: [{ configId, externalUserId: `at-${configId}`, displayName: 'x' }],
});

/** What check says of each entry, and what the service says of the same body. */
it('finds unknown identity providers, NUL, and weak or too long passwords, as the service refuses them', async () => {
  await send({ orgId: server.orgId, ...providers });
  const plain = (password: string): object => ({ password, hashedPassword: undefined });
  const sampleUsers = [
    withUser('linked', linkTo('idp-1')),
    withUser('unknown', linkTo('idp-2')),
    withUser('nul', { profile: { firstName: 'A\0', lastName: 'B' } }),
    withUser('strong', plain('Password1!')),
    withUser('weak', plain('password1!')),
    withUser('short', plain('Pa1!')),
    withUser('long', plain(`Password1!${'ü'.repeat(32)}`)),
    withUser('literal', { email: { email: 'a@[127.0.0.1]', isEmailVerified: true } }),
    withUser('plus', { phone: { phone: '++41791234567', isPhoneVerified: true } }),
  ];
  const ran = await check(sampleUsers);
  expect(rejected(ran)).toEqual([
    [1, 'target:identity-provider'],
    [2, 'target:field-rule'],
    [4, 'target:password'],
    [5, 'target:password'],
    [6, 'target:password'],
  ]);
  expect(ran.exitCode).toBe(4);
  await send({ orgId: server.orgId, humanUsers: sampleUsers });
  const there = [...server.state.store.users.values()].map(({ id }) => id);
  expect(there.filter((id) => id.startsWith('id-'))).toEqual(
    ['linked', 'strong', 'literal', 'plus'].map((name) => `id-${name}`),
  );
});

it('finds entries of other lists that would end the service or be refused', async () => {
  const org = {
    orgId: server.orgId,
    humanUsers: [sampleUser('ada')],
    ...providers,
    projects: [{ projectId: 'p' }, { projectId: 'q', project: { name: 'Q' } }],
    userMetadata: [{ id: 'id-ada', key: 'a\0', value: 'QQ==' }],
    userLinks: [
      { userId: 'id-ada', idpId: 'idp-1', providedUserId: '1', providedUserName: 'a' },
      { userId: 'id-ada', idpId: 'idp-2', providedUserId: '1', providedUserName: 'a' },
    ],
  };
  const always = [
    ['body.json userMetadata', 0, 'import:field-rule'],
    ['body.json projects', 0, 'import:field-rule'],
  ];
  for (const [flags, more] of [
    [[], []],
    [[`--url=${url}`, '--token-file=-'], [['body.json userLinks', 1, 'target:identity-provider']]],
  ] as const) {
    const { events, problem, exitCode } = await checkOrgs([org], server.tokens.iamOwner, [...flags]);
    expect([problem, exitCode]).toEqual([undefined, 4]);
    const found = events.flatMap((event) =>
      event.type === 'record:rejected' ? [[event.place.input, event.place.index, event.code]] : [],
    );
    expect(new Set(found)).toEqual(new Set([...always, ...more]));
  }
});

it('says of how many hashes no user can know whether the password is too long', async () => {
  const { events } = await check([
    sampleUser('ada'),
    withUser('ben', { hashedPassword: undefined }),
    withUser('cyn', { hashedPassword: undefined, password: 'Password1!' }),
  ]);
  const notice = events.find((event) => event.type === 'notice' && event.code === 'passwords:length');
  expect(notice).toMatchObject({
    level: 'info',
    text: expect.stringMatching(/ 1 password hash does not show /),
  });
});
