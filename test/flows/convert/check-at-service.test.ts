/** `check --url`: what only the service can say, asked of the reference server over a socket. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createReferenceServer, type InspectableServer } from '../../../src/server/index.ts';
import type { StandardRole } from '../../../src/server/options.ts';
import type { ReportFile } from '../../../src/wire/report.ts';
import { createTestFolder } from '../../support/folder.ts';
import { type Ran, runProgram } from '../../support/program.ts';

let server: InspectableServer;
let url: string;
let close: () => Promise<void>;

beforeEach(async () => {
  server = createReferenceServer({ profile: 'all-verifiers', rate: null });
  const listening = await server.listen({ port: 0 });
  ({ url } = listening);
  close = () => listening.close();
});
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

async function call(method: string, path: string, orgId: string): Promise<void> {
  const headers = { authorization: `Bearer ${server.tokens.iamOwner}`, 'x-zitadel-orgid': orgId };
  const { status } = await server.app.request(path, { method, headers });
  expect(status).toBe(200);
}

async function send(orgs: readonly object[]): Promise<void> {
  await server.app.request('/admin/v1/import', {
    method: 'POST',
    headers: { authorization: `Bearer ${server.tokens.iamOwner}` },
    body: JSON.stringify({ dataOrgs: { orgs }, timeout: '5m' }),
  });
}

async function check(
  sampleUsers: readonly object[],
  role: StandardRole = 'iamOwner',
  orgId = server.orgId,
): Promise<Ran & { report: ReportFile | undefined; notices: string[] }> {
  const cwd = createTestFolder();
  writeFileSync(
    join(cwd, 'body.json'),
    JSON.stringify({ dataOrgs: { orgs: [{ orgId, humanUsers: sampleUsers }] } }),
  );
  writeFileSync(join(cwd, 'token'), server.tokens[role], { mode: 0o600 });
  const ran = await runProgram(
    ['check', 'body.json', '--report=report.json', `--url=${url}`, '--token-file=token'],
    { cwd },
  );
  const notices = ran.events.flatMap((event) =>
    event.type === 'notice' && event.level === 'warning' ? [event.code] : [],
  );
  if (ran.problem !== undefined) return { ...ran, notices, report: undefined };
  return {
    ...ran,
    notices,
    report: JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')) as ReportFile,
  };
}

const rejected = (report: ReportFile | undefined): [number, string][] =>
  (report?.users ?? [])
    .filter(({ outcome }) => outcome !== 'written')
    .map(({ index, reasons }) => [index, reasons[0]?.code ?? '']);

it('says by which call import-users would create users, writes nothing, and forecasts that call', async () => {
  const before = server.state.store.users.size;
  const ada = { ...sampleUser('ada') } as { user: object };
  const waiting = { ...ada, user: { ...ada.user, email: { email: 'ada@example.org' } } };
  const told = async (): Promise<unknown[]> => {
    const { exitCode, events, notices } = await check([waiting]);
    const codes = events.flatMap((event) => (event.type === 'notice' ? [event.code] : []));
    return [codes.includes('target:create-user'), notices, exitCode];
  };
  expect(await told()).toEqual([true, [], 0]);
  await server.app.request('/_idport/faults', {
    method: 'POST',
    headers: { authorization: `Bearer ${server.controlToken}` },
    body: JSON.stringify({ path: '/v2/users/new', status: 404 }),
  });
  expect(await told()).toEqual([false, ['import:v1', 'emails:over'], 4]);
  expect(server.state.store.users.size).toBe(before);
});

it('names users who are there already, by user name in any case and by id', async () => {
  await send([{ orgId: server.orgId, humanUsers: [sampleUser('ada'), sampleUser('ben')] }]);
  const sameId = { ...sampleUser('cyn'), userId: 'id-ben' };
  const { exitCode, report } = await check([sampleUser('ADA'), sameId, sampleUser('dora')]);
  expect(rejected(report)).toEqual([
    [0, 'target:user-exists'],
    [1, 'target:user-exists'],
  ]);
  expect(exitCode).toBe(4);
});

it('names ids that a deleted organization has left behind, and counts users that were deleted before as free', async () => {
  await send([
    { orgId: 'rehearsal', org: { name: 'R' }, humanUsers: [sampleUser('ada'), sampleUser('ben')] },
  ]);
  await call('DELETE', '/management/v1/users/id-ben', 'rehearsal');
  await call('DELETE', '/management/v1/orgs/me', 'rehearsal');
  const { exitCode, report } = await check([sampleUser('ada'), { ...sampleUser('ben'), userId: 'other' }]);
  expect(rejected(report)).toEqual([[0, 'target:id-taken']]);
  expect(exitCode).toBe(4);
});

it('says that it cannot know which ids are taken, where the token may not read events', async () => {
  const { events, exitCode } = await check([sampleUser('ada')], 'orgOwner');
  expect(events).toContainEqual(expect.objectContaining({ type: 'notice', code: 'target:taken-ids' }));
  expect(exitCode).toBe(0);
});

it('asks for users page by page, not one by one', async () => {
  const crowd = Array.from({ length: 2500 }, (_, place) => sampleUser(`p${place}`));
  await send([{ orgId: server.orgId, humanUsers: crowd }]);
  const { report } = await check([sampleUser('p2499'), sampleUser('new')]);
  expect(rejected(report)).toEqual([[0, 'target:user-exists']]);
});

it('says which role is missing, and where to set it', async () => {
  const { exitCode, events, notices } = await check([sampleUser('ada')], 'nobody');
  expect(exitCode).toBe(4);
  expect(notices).toContain('target:not-allowed');
  const texts = events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  expect(texts.join('\n')).toMatch(/iam\.write is missing; IAM_OWNER has it, in the default settings/);
});

it('says that an organization is not there', async () => {
  const { exitCode, notices } = await check([sampleUser('ada')], 'iamOwner', '404');
  expect(notices).toContain('target:organization');
  expect(exitCode).toBe(4);
});

it('takes an organization that the import creates as no problem, and says so', async () => {
  const cwd = createTestFolder();
  const orgs = [{ orgId: 'new', org: { name: 'New' }, humanUsers: [sampleUser('ada')] }];
  writeFileSync(join(cwd, 'body.json'), JSON.stringify({ dataOrgs: { orgs } }));
  const checkAs = (role: StandardRole): Promise<Ran> =>
    runProgram(['check', 'body.json', `--url=${url}`, '--token-file=-'], { cwd, stdin: server.tokens[role] });
  const noticesOf = ({ events }: Ran): string[] =>
    events.flatMap((event) => (event.type === 'notice' ? [`${event.level} ${event.text}`] : []));
  const owner = await checkAs('iamOwner');
  expect(noticesOf(owner)).toContain('info organization new is not there: the import creates it as New');
  expect(noticesOf(owner)).toContain('info the token may use the bulk import (iam.write)');
  expect(owner.exitCode).toBe(0);
  const manager = await checkAs('orgOwner');
  expect(noticesOf(manager).join()).toContain('warning the token may not use the bulk import');
  expect(manager.exitCode).toBe(4);
});

it('ends with 5 where the list of users is behind, and names no number as certain', async () => {
  await close();
  server = createReferenceServer({ profile: 'all-verifiers', rate: null, lag: 600_000 });
  const listening = await server.listen({ port: 0 });
  ({ url } = listening);
  close = () => listening.close();
  await send([{ orgId: server.orgId, humanUsers: [sampleUser('ada')] }]);
  const cwd = createTestFolder();
  const orgs = [{ orgId: server.orgId, humanUsers: [sampleUser('ada')] }];
  writeFileSync(join(cwd, 'body.json'), JSON.stringify({ dataOrgs: { orgs } }));
  const ran = await runProgram(['check', 'body.json', `--url=${url}`, '--token-file=-', '--wait=0s'], {
    cwd,
    stdin: server.tokens.iamOwner,
  });
  expect(ran.events).toContainEqual(expect.objectContaining({ code: 'list:not-yet', level: 'warning' }));
  expect(ran.exitCode).toBe(5);
});

it('says as of when it knows the users, where neither events nor a journal tell of the last write', async () => {
  const cwd = createTestFolder();
  const orgs = [{ orgId: server.orgId, humanUsers: [sampleUser('ada')] }];
  writeFileSync(join(cwd, 'body.json'), JSON.stringify({ dataOrgs: { orgs } }));
  const asOf = async (role: StandardRole): Promise<string[]> => {
    const argv = ['check', 'body.json', `--url=${url}`, '--token-file=-'];
    const { events } = await runProgram(argv, { cwd, stdin: server.tokens[role] });
    return events.flatMap((event) =>
      event.type === 'notice' && event.code === 'list:as-of' ? [event.text] : [],
    );
  };
  expect(await asOf('iamOwner')).toEqual([]);
  expect(await asOf('orgOwner')).toEqual([
    expect.stringMatching(/list as of \d{4}-\d\d-\d\dT.* not known: the token may not read events/),
  ]);
});

it('knows domains of other organizations', async () => {
  await send([
    {
      orgId: 'other',
      org: { name: 'Other' },
      domains: [{ domainName: 'other.example', isVerified: true, isPrimary: true }],
    },
  ]);
  const { report } = await check([sampleUser('ada@OTHER.example'), sampleUser('ben@elsewhere.example')]);
  expect(rejected(report)).toEqual([[0, 'target:foreign-domain']]);
});

it('ends with one line where the token is not known', async () => {
  const cwd = createTestFolder();
  writeFileSync(join(cwd, 'body.json'), '{"dataOrgs":{"orgs":[]}}');
  const ran = await runProgram(['check', 'body.json', `--url=${url}`, '--token-file=-'], {
    cwd,
    stdin: 'unknown-knows',
  });
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
  await send([{ orgId: server.orgId, ...providers }]);
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
  const { report, exitCode } = await check(sampleUsers);
  expect(rejected(report)).toEqual([
    [1, 'target:identity-provider'],
    [2, 'target:field-rule'],
    [4, 'target:password'],
    [5, 'target:password'],
    [6, 'target:password'],
  ]);
  expect(exitCode).toBe(4);
  await send([{ orgId: server.orgId, humanUsers: sampleUsers }]);
  const there = new Set([...server.state.store.users.values()].map(({ id }) => id));
  const names = ['linked', 'strong', 'literal', 'plus'];
  expect(
    sampleUsers.map((each) => (each as { userId: string }).userId).filter((id) => there.has(id)),
  ).toEqual(names.map((name) => `id-${name}`));
});

it('finds entries of other lists that would end the service or be refused', async () => {
  const cwd = createTestFolder();
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
  writeFileSync(join(cwd, 'body.json'), JSON.stringify({ dataOrgs: { orgs: [org] } }));
  const found = async (...flags: string[]): Promise<unknown[]> => {
    const ran = await runProgram(['check', 'body.json', ...flags], { cwd, stdin: server.tokens.iamOwner });
    expect([ran.problem, ran.exitCode]).toEqual([undefined, 4]);
    return ran.events.flatMap((event) =>
      event.type === 'record:rejected' ? [[event.place.input, event.place.index, event.code]] : [],
    );
  };
  const always = [
    ['body.json userMetadata', 0, 'import:field-rule'],
    ['body.json projects', 0, 'import:field-rule'],
  ];
  expect(await found()).toEqual(expect.arrayContaining(always));
  expect(await found(`--url=${url}`, '--token-file=-')).toEqual(
    expect.arrayContaining([...always, ['body.json userLinks', 1, 'target:identity-provider']]),
  );
  expect(await found(`--url=${url}`, '--token-file=-')).toHaveLength(3);
});

it('says of how many hashes no user can know whether the password is too long', async () => {
  const { events } = await check([
    sampleUser('ada'),
    withUser('ben', { hashedPassword: undefined }),
    withUser('cyn', { hashedPassword: undefined, password: 'Password1!' }),
  ]);
  const notice = events.find((event) => event.type === 'notice' && event.code === 'passwords:length');
  expect(notice).toMatchObject({ level: 'info', text: expect.stringMatching(/^Of 1 password hash /) });
});
