/** `check` asks the service what only the service can say: the reference server over a socket. */
import { beforeEach, expect, it } from 'vitest';
import type { StandardRole } from '../../../src/server/options.ts';
import { type Desk, openDesk, codesOf, type Ran } from '../../support/desk.ts';
import { sampleUser } from '../../support/users-run.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});

const send = async (...orgs: readonly object[]) => {
  const sent = await desk.call('POST /admin/v1/import', { dataOrgs: { orgs }, timeout: '5m' });
  expect(sent.status).toBe(200);
};
/** To the organization of the service. */
const sendUsers = (...humanUsers: readonly object[]) => send({ orgId: desk.server.orgId, humanUsers });

const checkOrgs = (orgs: readonly object[], token = desk.server.tokens.iamOwner, flags = '') => {
  desk.write('body.json', { dataOrgs: { orgs } });
  return desk.run(`check body.json${flags}`, { env: { IDPORT_TOKEN: token } });
};
const check = (humanUsers: readonly object[], role: StandardRole = 'iamOwner', orgId = desk.server.orgId) =>
  checkOrgs([{ orgId, humanUsers }], desk.server.tokens[role]);

/** Place and code of each record that is not written. */
const rejected = ({ events }: Ran) =>
  events.flatMap((event) => (event.type === 'record:rejected' ? [[event.place.index, event.code]] : []));
/** `warning text`. */
const said = ({ events }: Ran) =>
  events.flatMap((event) => (event.type === 'notice' ? [`${event.level} ${event.text}`] : []));

it('check names the call that import-users would use, forecasts it, and writes nothing', async () => {
  const { server } = desk;
  const before = server.state.store.users.size;
  const waiting = [sampleUser('ada', { email: { email: 'ada@example.org' } })];
  const known = await check(waiting);
  expect(codesOf(known)).toContain('target:create-user');
  expect(known.exitCode).toBe(0);
  await server.app.request('/_idport/faults', {
    method: 'POST',
    headers: { authorization: `Bearer ${server.controlToken}` },
    body: JSON.stringify({ path: '/v2/users/new', status: 404 }),
  });
  const older = await check(waiting);
  expect(codesOf(older)).not.toContain('target:create-user');
  expect(codesOf(older)).toEqual(expect.arrayContaining(['import:v1', 'emails:over']));
  expect(older.exitCode).toBe(4);
  expect(server.state.store.users.size).toBe(before);
});

it('check names existing users by user name in any case and by id', async () => {
  await sendUsers(sampleUser('ada'), sampleUser('ben'));
  const sameId = { ...sampleUser('cyn'), userId: 'old-ben' };
  const ran = await check([sampleUser('ADA'), sameId, sampleUser('dora')]);
  expect(rejected(ran)).toEqual([0, 1].map((index) => [index, 'target:user-exists']));
  expect(ran.exitCode).toBe(4);
});

it('check names ids that a deleted organization keeps taken, and counts ids of deleted users as free', async () => {
  await send({ orgId: 'rehearsal', org: { name: 'R' }, humanUsers: [sampleUser('ada'), sampleUser('ben')] });
  for (const path of ['users/old-ben', 'organizations/rehearsal'])
    expect((await desk.call(`DELETE /v2/${path}`)).status).toBe(200);
  const ran = await check([sampleUser('ada'), { ...sampleUser('ben'), userId: 'other' }]);
  expect(rejected(ran)).toEqual([[0, 'target:id-taken']]);
  expect(ran.exitCode).toBe(4);
});

it('check reads the user list by pages', async () => {
  await sendUsers(...Array.from({ length: 2500 }, (_, place) => sampleUser(`p${place}`)));
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
    /list as of \d{4}-\d\d-\d\dT.* which may lack those who were added last: the token may not read events/,
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
])('check reports %s', async (_, role, orgId, code, words, exitCode) => {
  const ran = await check([sampleUser('ada')], role, orgId || desk.server.orgId);
  expect(codesOf(ran)).toContain(code);
  expect(said(ran).join('\n')).toMatch(words);
  expect(ran.exitCode).toBe(exitCode);
});

it('check accepts an organization that the import creates', async () => {
  const orgs = [{ orgId: 'new', org: { name: 'New' }, humanUsers: [sampleUser('ada')] }];
  const owner = await checkOrgs(orgs);
  expect(said(owner)).toContain('info organization new is not there: the import creates it as New');
  expect(said(owner)).toContain('info the token may use the bulk import (iam.write)');
  expect(codesOf(owner)).not.toContain('list:as-of');
  expect(owner.exitCode).toBe(0);
  const manager = await checkOrgs(orgs, desk.server.tokens.orgOwner);
  expect(said(manager).join()).toContain('warning the token may not use the bulk import');
  expect(manager.exitCode).toBe(4);
});

it('check exits 5 if the user list lags behind', async () => {
  desk = await openDesk({ lag: 600_000 });
  const org = { orgId: desk.server.orgId, humanUsers: [sampleUser('ada')] };
  await send(org);
  const ran = await checkOrgs([org], undefined, ' --wait=0s');
  expect(ran.events).toContainEqual(expect.objectContaining({ code: 'list:not-yet', level: 'warning' }));
  expect(ran.exitCode).toBe(5);
});

it('check rejects user names with a domain of another organization', async () => {
  const domains = [{ domainName: 'other.example', isVerified: true, isPrimary: true }];
  await send({ orgId: 'other', org: { name: 'Other' }, domains });
  const names = ['ada@OTHER.example', 'ben@elsewhere.example'];
  const ran = await check(names.map((userName, at) => sampleUser(`u${at}`, { userName })));
  expect(rejected(ran)).toEqual([[0, 'target:foreign-domain']]);
});

it('check asks nothing without a token, and reports an invalid token in one line', async () => {
  const orgs = [{ orgId: '404', humanUsers: [] }];
  expect(codesOf(await checkOrgs(orgs, ''))).not.toContain('target:organization');
  const ran = await checkOrgs(orgs, 'unknown-knows');
  expect(ran.exitCode).toBe(1);
  expect(ran.problem?.message).toMatch('401');
  expect(JSON.stringify(ran)).not.toContain('unknown-knows');
});

const providers = {
  oidcIdps: [
    { idpId: 'idp-1', idp: { name: 'Idp', issuer: 'https://a.example', clientId: 'a', clientSecret: 's' } },
  ],
};
const linkTo = (configId: string) => ({
  idps: [{ configId, externalUserId: `at-${configId}`, displayName: 'x' }],
});

/** What check says of each entry, and what the service says of the same body. */
it('check rejects unknown identity providers, NUL and weak or too long passwords as the service does', async () => {
  await send({ orgId: desk.server.orgId, ...providers });
  const plain = (password: string) => ({ password, hashedPassword: undefined });
  const sampleUsers = [
    sampleUser('linked', linkTo('idp-1')),
    sampleUser('unknown', linkTo('idp-2')),
    sampleUser('nul', { profile: { firstName: 'A\0', lastName: 'B' } }),
    sampleUser('strong', plain('Password1!')),
    sampleUser('weak', plain('password1!')),
    sampleUser('short', plain('Pa1!')),
    sampleUser('long', plain(`Password1!${'ü'.repeat(32)}`)),
    sampleUser('literal', { email: { email: 'a@[127.0.0.1]', isEmailVerified: true } }),
    sampleUser('plus', { phone: { phone: '++41791234567', isPhoneVerified: true } }),
  ];
  const ran = await check(sampleUsers);
  expect(rejected(ran)).toEqual([
    [1, 'target:identity-provider'],
    [2, 'target:field-rule'],
    [4, 'target:password'],
    [5, 'target:password'],
    [6, 'target:password'],
    // By CreateUser; the bulk import takes it.
    [7, 'single:email'],
  ]);
  expect(ran.exitCode).toBe(4);
  await sendUsers(...sampleUsers);
  expect(desk.humans()).toEqual(['linked', 'literal', 'plus', 'strong']);
});

it('check rejects entries of other lists that the service would refuse or crash on', async () => {
  const org = {
    orgId: desk.server.orgId,
    humanUsers: [sampleUser('ada')],
    ...providers,
    projects: [{ projectId: 'p' }, { projectId: 'q', project: { name: 'Q' } }],
    userMetadata: [{ id: 'old-ada', key: 'a\0', value: 'QQ==' }],
    userLinks: [
      { userId: 'old-ada', idpId: 'idp-1', providedUserId: '1', providedUserName: 'a' },
      { userId: 'old-ada', idpId: 'idp-2', providedUserId: '1', providedUserName: 'a' },
    ],
  };
  const always = [
    ['body.json userMetadata', 0, 'import:field-rule'],
    ['body.json projects', 0, 'import:field-rule'],
  ];
  const link = ['body.json userLinks', 1, 'target:identity-provider'];
  for (const [ran, found] of [
    [await checkOrgs([org]), [...always, link]],
    [await desk.runAlone('check body.json --report=check.html --rejects=rejects.ndjson'), always],
  ] as const) {
    expect([ran.problem, ran.exitCode]).toEqual([undefined, 4]);
    const told = ran.events.flatMap((event) =>
      event.type === 'record:rejected' ? [[event.place.input, event.place.index, event.code]] : [],
    );
    expect(new Set(told)).toEqual(new Set(found));
  }
  const { summary, users } = desk.json('check.html.json');
  expect(summary.others).toContainEqual({ list: 'projects', read: 2, written: 1, rejected: 1, skipped: 0 });
  expect(users).toHaveLength(2);
  expect(summary.rejections).toMatchObject([
    { remedy: expect.stringContaining(' (after `check`: in the body) ') },
  ]);
  const page = desk.read('check.html');
  expect(page).toContain('<b>Check</b> rejected besides users: 1 project, 1 metadata entry.');
  expect(page).toContain('projects: 1 written, 1 rejected');
  expect(desk.read('rejects.ndjson')).toBe('');
  const piped = await desk.runAlone('check -', { stdin: desk.read('body.json') });
  expect([piped.exitCode, codesOf(piped)]).toEqual([0, expect.arrayContaining(['check:users-only'])]);
});

it('check counts hashes whose passwords may be too long', async () => {
  const { events } = await check([
    sampleUser('ada'),
    sampleUser('ben', { hashedPassword: undefined }),
    sampleUser('cyn', { hashedPassword: undefined, password: 'Password1!' }),
  ]);
  const notice = events.find((event) => event.type === 'notice' && event.code === 'passwords:length');
  expect(notice).toMatchObject({
    level: 'info',
    text: / 1 password hash does not show /,
  });
});
