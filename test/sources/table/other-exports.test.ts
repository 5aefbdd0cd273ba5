/** Short exports of `fixtures/`, and the other ways to export from a source: the list of a console, the pages of an API. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { verifyPassword } from '../../../src/records/mcf/recognise.ts';
import { casesIn, proveNotices, proveTexts } from '../../support/cases.ts';
import { convertFiles } from '../../support/conversion.ts';
import { folderOf, readFixture } from '../../support/samples.ts';
import { rejections, runTable } from '../../support/table-run.ts';
import { succeeded } from '../../support/workspace.ts';

const titled = ['short-exports', 'short-tables'].flatMap((name) =>
  casesIn(name, 'users').map(([what, { users: text, bytes, ...one }]) => {
    const users = bytes === undefined ? text : Buffer.from(text, bytes);
    return [`${one.provider}: ${what}`, { ...one, users }] as const;
  }),
);

it.each(titled.filter(([, { problem }]) => problem))(
  '%s is refused',
  async (_, { problem: expected, exitCode, ...given }) => {
    const problem: any = await runTable(given).catch((error) => error);
    const found = { ...problem, message: problem.message, hint: problem.hint ?? '' };
    expect(found).toMatchObject({ exitCode, ...expected });
  },
);

it.each(titled.filter(([, { problem }]) => !problem))(
  '%s',
  async (_, { reasons = {}, logins = {}, metadata = {}, ...given }) => {
    const { provider, users, map, tables, files, flags, notices, omits, ...expected } = given;
    const own = { roles: 'new:app', idp: 'google=310', ...flags };
    const run = await runTable({ provider, users, map, tables, files, flags: own });
    const unnoted = Object.fromEntries(Object.keys(reasons).map((code) => [code, 0]));
    expect({
      found: run.users,
      inactive: run.users.filter(({ state }) => state).map(({ userId }) => userId),
      rejected: rejections(run),
      roles: run.orgs.flatMap(({ userGrants = [] }) => userGrants.flatMap(({ roleKeys }) => roleKeys)),
      reasons: { ...unnoted, ...run.reasons },
    }).toMatchObject({ inactive: [], rejected: [], roles: [], reasons, ...expected });
    expect(run.metadata).toEqual(metadata);
    proveNotices(run, { 'map:lost-rows': [], ...notices });
    proveTexts(JSON.stringify(run.users), [], omits);
    for (const [name, password] of Object.entries<string>(logins))
      expect(await verifyPassword(run.hashes[name] ?? '', password)).toBe(true);
  },
);

it('md5_phpass of Clerk is written with a note that it may match no password', async () => {
  const hash = '$P$B9sCyeEsOkqEkAiRlzgFjYBDRKWRlA1';
  const users = `id,primary_email_address,password_digest,password_hasher\n1,ada@example.org,${hash},md5_phpass\n`;
  const { hashes, read } = await runTable({ provider: 'clerk', users, flags: { report: 'report.json' } });
  expect(hashes).toEqual({ 'ada@example.org': hash });
  expect(read('report.json')).toContain('this hash matches no password');
});

it('Cognito: users of an external provider are not expected at idport jit', async () => {
  const users = `{"Users":[
{"Username":"google_0","UserStatus":"CONFIRMED","Enabled":true,"Attributes":[{"Name":"email","Value":"0@example.org"}]},
{"Username":"google_1","UserStatus":"EXTERNAL_PROVIDER","Enabled":true,"Attributes":[{"Name":"email","Value":"1@example.org"}]}]}`;
  const flags = ['--org=1', '--users=users', '--output=body.json', '--jit-list=list', '--jit-placeholder'];
  const { tally, users: written } = await convertFiles(['migrate', 'cognito', ...flags], { users });
  expect(tally?.signIn).toEqual(
    new Map([
      ['old-system', 1],
      ['set-password', 1],
    ]),
  );
  expect(written.map(({ user }) => user['hashedPassword'] !== undefined)).toEqual([true, false]);
});

it.each(['discourse', 'kratos', 'nextcloud', 'odoo', 'spring'])(
  '%s: a dump gives the same body as the fixture',
  async (source) => {
    const { flags = [], body } = readFixture(source);
    const users = readFileSync(join(folderOf(source), 'dump.sql'), 'utf8');
    const argv = ['migrate', source, '--org=1', '--users=dump.sql', ...flags];
    const { json } = await succeeded(convertFiles(argv, { 'dump.sql': users }));
    expect(json('importBody.json')).toEqual(body);
  },
);

it('ASP.NET Identity: role ids, claims, locks, unnamed links and factors without a key are read', async () => {
  const lock = new Date(Date.now() + 30 * 86_400_000).toISOString();
  const row = (id: string, ...cells: string[]) => [id, `${id}@example.org`, ...cells].join(',');
  const users = [
    'Id,Email,TwoFactorEnabled,LockoutEnd,LockoutEnabled',
    row('off', '0', '9999-12-31', '0'),
    row('ends', '0', lock, '1'),
    row('ever', '1', '9999-12-31', '1'),
  ];
  const claims = ['given_name,Ada', 'company,acme', 'company,globex'].map((claim) => `off,${claim}`);
  const tables = {
    roles: 'UserId,RoleId\noff,r-1\n',
    claims: ['UserId,ClaimType,ClaimValue', ...claims, 'ends,name,Eve Nds'].join('\n'),
    logins: 'UserId,LoginProvider,ProviderKey,ProviderDisplayName\nends,Google,g1,Google\n',
  };
  const files = { 'orgs.csv': 'key,id\nglobex,12\nacme,11\n' };
  const flags = { idp: 'Google=77', 'org-by': 'attribute:company', 'org-map': 'orgs.csv', report: 'r.json' };
  const run = await runTable({ provider: 'aspnet-identity', users: users.join('\n'), tables, files, flags });
  expect(run.orgs).toMatchObject([
    { orgId: '11', humanUsers: [{ userId: 'off' }] },
    { orgId: '1', humanUsers: [{ user: { idps: [{ externalUserId: 'g1' }] } }, {}] },
  ]);
  expect(JSON.stringify(run.orgs)).not.toContain('"displayName":"Google"');
  const notes = (run.json('r.json').users as any[]).flatMap(({ id, reasons }) =>
    reasons.map(({ code, detail = '' }: any) => `${id} ${code} ${detail}`),
  );
  expect(notes).toEqual(
    expect.arrayContaining([
      'off role:not-migrated r-1',
      'off org:further globex',
      'off attribute:not-migrated 2 attributes',
      `ends state:ends ${lock}`,
      'ever mfa:other SMS or email',
    ]),
  );
  expect(notes.join()).not.toMatch(/off state|ever state:ends|ends attribute/);
});

it('--org-by warns if it finds no organization for any user', async () => {
  const notices = async (rule: string) => {
    const flags = { 'org-by': rule, 'org-map': 'orgs.csv' };
    const files = { 'orgs.csv': 'key,id\nother,9\n' };
    const users = '[{"Id":"1","Email":"a@example.org","PasswordHash":""}]';
    return (await runTable({ provider: 'aspnet-identity', users, files, flags })).notices;
  };
  expect(await notices('attribute:company')).toContain('org:no-match');
  expect(await notices('domain')).not.toContain('org:no-match');
});
