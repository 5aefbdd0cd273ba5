/** Exports of hosted vendors as they may also be: local accounts, broken CSV, missing columns and pages. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { textsOf } from '../../support/desk.ts';
import { createTestFolder } from '../../support/folder.ts';
import { rejections, runTable } from '../../support/table-run.ts';

const lines = (...values: readonly unknown[]) => values.map((one) => JSON.stringify(one)).join('\n');

it('local accounts of Azure AD B2C keep their login address or name, and get no link', async () => {
  const users = `{"Id":"1","DisplayName":"unknown","GivenName":"Ada","Surname":"Lovelace","UserPrincipalName":"1@contoso.onmicrosoft.com","Identities":[{"SignInType":"emailAddress","Issuer":"contoso.onmicrosoft.com","IssuerAssignedId":"ada@example.org"}]}
{"Id":"2","DisplayName":"unknown","GivenName":"Ada","Surname":"Lovelace","UserPrincipalName":"2@contoso.onmicrosoft.com","Identities":[{"SignInType":"userName","Issuer":"contoso.onmicrosoft.com","IssuerAssignedId":"bob"},{"SignInType":"emailAddress","Issuer":"contoso.onmicrosoft.com","IssuerAssignedId":"bob@example.org"}]}
{"Id":"3","DisplayName":"unknown","GivenName":"Ada","Surname":"Lovelace","UserPrincipalName":"3@contoso.onmicrosoft.com","Identities":[{"SignInType":"userName","Issuer":"contoso.onmicrosoft.com","IssuerAssignedId":"carol"}]}
`;
  const run = await runTable({ provider: 'entra', users, flags: { idp: ['entra=9'] } });
  expect(run.users.map(({ user }) => user)).toMatchObject([
    { userName: 'ada@example.org', email: { email: 'ada@example.org' } },
    { userName: 'bob', email: { email: 'bob@example.org' } },
  ]);
  expect(run.users.some(({ user }) => 'idps' in user)).toBe(false);
  expect(rejections(run)).toEqual(['user-skipped:no-email: ']);
});

const firebase = (cells: Readonly<Record<number, string>>, count: number) =>
  `${Array.from({ length: count }, (_, at) => cells[at] ?? '').join(',')},`;

test.each([28, 52])('a broken row of Firebase with %s columns is rejected', async (count) => {
  const broken = firebase({ 0: 'b', 1: 'bob@example.org', 27: '{"role":"admin","x":1}' }, count);
  const whole = firebase({ 0: 'a', 1: 'ada@example.org', 27: '"{""x"":1}"' }, count);
  const run = await runTable({ provider: 'firebase', users: `${broken}\n${whole}\n` });
  expect(run.users.map(({ userId }) => userId)).toEqual(['a']);
  expect(rejections(run)).toEqual([
    `record:not-json: line 1: ${count + 2} cells where there are ${count} titles`,
  ]);
  const all = runTable({ provider: 'firebase', users: `${broken}\n${broken}\n` });
  await expect(all).rejects.toThrow(`its rows have ${count + 2} cells, and not 28, 52`);
});

it.each([
  ['entra', 'id,userPrincipalName\na,a@example.org\n', 'no record has accountEnabled or AccountEnabled,'],
  ['entra', 'id,userPrincipalName,accountEnabled\na,a@example.org,\n', ''],
  ['entra', lines({ id: 'a', userPrincipalName: 'a@example.org' }), 'from which the mapping of entra reads'],
  ['entra', lines({ id: 'a', userPrincipalName: 'a' }, { id: 'b', accountEnabled: true }), ''],
  ['openldap', 'dn: uid=a\nuid: a\nsn: x\n\ndn: uid=b\nuid: b\nsn: x\npwdAccountLockedTime: 1\n', ''],
  ['laravel', 'id,name,email,password\n1,a,a@example.org,\n', ''],
  [
    'nextcloud',
    "INSERT INTO oc_preferences (userid, appid, configkey, configvalue) VALUES ('a', 'core', 'enabled', 'false');\nINSERT INTO oc_users (uid, uid_lower, password) VALUES ('a', 'a', '');\n",
    '',
  ],
])('%s: a missing state column is reported once: %s', async (provider, users, text) => {
  const told = textsOf(await runTable({ provider, users }), 'map:no-state');
  expect(told).toHaveLength(text === '' ? 0 : 1);
  expect(told.join()).toContain(text);
});

it.each([
  ['laravel', 'id,name,email,password,is_active,bannedAt\n1,a,a@example.org,,0,\n', 'is_active, bannedAt:'],
  ['devise', 'id,email,encrypted_password,locked_at\n1,a,a@example.org,,0,\n', ''],
  [
    'django',
    lines({ model: 'staff.member', pk: 1, fields: { password: '', is_active: true, is_deleted: true } }),
    'fields.is_deleted:',
  ],
  ['kratos', lines({ id: 'a', traits: { email: 'a@example.org' }, metadata_public: { status: 1 } }), ''],
  [
    'json',
    lines({ u: { email: 'a@example.org', active: { at: 1 } } }),
    '',
    `idport: 1\nuser: { email: u.email, state: { active: { column: 'u["active"].at' } } }`,
  ],
])(
  '%s: unread columns about disabled users cause a warning unless the mapping lists them as unused',
  async (provider, users, text, map?: string) => {
    const told = textsOf(await runTable({ provider, users, ...(map && { map }) }), 'map:unread-state');
    expect(told).toHaveLength(text === '' ? 0 : 1);
    expect(told.join()).toContain(text);
  },
);

it('md5_phpass of Clerk is written with a note that it may match no password', async () => {
  const hash = '$P$B9sCyeEsOkqEkAiRlzgFjYBDRKWRlA1';
  const users = `id,primary_email_address,password_digest,password_hasher\n1,ada@example.org,${hash},md5_phpass\n`;
  const folder = createTestFolder();
  const report = join(folder, 'report.json');
  const { hashes } = await runTable({ provider: 'clerk', users, flags: { report } });
  expect(hashes).toEqual({ 'ada@example.org': hash });
  expect(readFileSync(report, 'utf8')).toContain('this hash matches no password');
});

describe('pages of an API', () => {
  const page = (id: string, next = '') =>
    JSON.stringify({
      ...(next === '' ? {} : { '@odata.nextLink': next }),
      value: [{ id, userPrincipalName: `${id}@example.org`, accountEnabled: true }],
    });
  const scim = (totalResults: number) =>
    JSON.stringify({ totalResults, Resources: [{ userName: 'a', emails: [{ value: 'a@example.org' }] }] });

  it.each([
    ['entra', page('a', 'https://x'), 'the last page names a next one'],
    ['entra', `[${page('a', 'https://x')},${page('b', 'https://y')}]`, 'the last page names a next one'],
    ['entra', `${page('a', 'https://x')}\n${page('b')}`, ''],
    ['entra', `[${page('a', 'https://x')},${page('b')}]`, ''],
    ['scim', scim(3), 'the pages name 3 users in all and hold 1'],
    ['scim', `${scim(3)}\n`, 'the pages name 3 users in all and hold 1'],
    ['scim', `[${scim(3)},${scim(3)}]`, 'the pages name 3 users in all and hold 2'],
    ['scim', scim(1), ''],
    [
      'propelauth',
      '{"users":[{"user_id":"1","email":"a@x.example"}],"has_more_results":true}',
      'names a next',
    ],
    ['forgerock', '{"result":[{"_id":"1","userName":"ada"}],"pagedResultsCookie":"x"}', 'names a next'],
    [
      'forgerock',
      '{"_links":{"next":{"href":"https://x"}},"_embedded":{"users":[{"id":"1","email":"a@x.example"}]}}',
      'names a next',
    ],
  ])('%s: missing pages are reported: %s', async (provider, users, text) => {
    const told = textsOf(await runTable({ provider, users }), 'input:missing-pages');
    expect(told.join()).toMatch(text === '' ? /^$/ : text);
  });

  const empty = JSON.stringify({ schemas: [], totalResults: 2, startIndex: 3 });
  const [first, last] = ['a', 'b'].map((userName) =>
    JSON.stringify({ schemas: [], totalResults: 2, Resources: [{ schemas: [], id: userName, userName }] }),
  );
  it.each([
    [`${empty}\n${first}\n${last}\n`, 2],
    [`${first}\n${empty}\n${last}\n`, 2],
    [`[${empty},${first},${last}]`, 2],
    [`[${first},${last},${empty}]`, 2],
    [empty, 0],
  ])('of SCIM without users may lack the list: %s', async (users, read) => {
    expect((await runTable({ provider: 'scim', users })).tally.read).toBe(read);
  });

  it('of SCIM with an error are refused', async () => {
    const run = runTable({ provider: 'scim', users: `${first}\n${empty}\n{"status":"429"}\n` });
    await expect(run).rejects.toThrow('a page holds no list of users in Resources');
  });

  it('may be in files of any order', async () => {
    const files = { first: page('a', 'https://x') };
    const flags = { users: ['users', 'first'] };
    const { notices, users } = await runTable({ provider: 'entra', users: page('b'), files, flags });
    expect(users).toHaveLength(2);
    expect(notices).not.toContain('input:missing-pages');
  });
});
