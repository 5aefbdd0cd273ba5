import { stringify } from 'yaml';
import { describe, expect, it } from 'vitest';
import type { Inspection } from '../../src/flows/inspect/inspect.ts';
import { convertFiles, convertRealm } from '../support/conversion.ts';
import { textsOf, succeeded } from '../support/workspace.ts';
import { typicalRealm } from '../support/folder.ts';
import richRealm from '../../fixtures/keycloak/everything/realm.json' with { type: 'json' };

const inspectFiles = (files: Readonly<Record<string, string>>, ...flags: string[]) =>
  convertFiles(['inspect', ...flags], files);

async function inspectJson(text: string, name = 'realm.json', ...flags: string[]) {
  const ran = await succeeded(inspectFiles({ [name]: text }, name, '--format=json', ...flags));
  return JSON.parse(ran.stdout) as Inspection;
}

const realm = JSON.stringify(richRealm, null, 2);

describe('idport inspect', () => {
  it('counts users and tells which hashes the target accepts', async () => {
    const found = await inspectJson(realm, 'realm.json', '--target-profile=self-hosted');
    expect(found).toMatchObject({
      source: 'keycloak',
      targetProfile: 'self-hosted',
      users: { read: 5, rejected: 0 },
    });
    expect(found.passwords).toEqual([
      expect.objectContaining({
        algorithm: 'pbkdf2-sha256',
        users: 5,
        isAccepted: false,
        problem: 'the verifier `pbkdf2` is off',
      }),
    ]);
    expect((await inspectJson(realm, 'realm.json', '--target-profile=all-verifiers')).passwords).toEqual([
      { algorithm: 'pbkdf2-sha256', users: 5, isAccepted: true, problem: '', remedy: '' },
    ]);
  });

  it('counts unverifiable hashes and plain text passwords as such', async () => {
    const user = (uid: string, password: string) =>
      `dn: uid=${uid},dc=a\nobjectClass: inetOrgPerson\nuid: ${uid}\nmail: ${uid}@example.org\nsn: A\n${password}\n`;
    const users = [
      user('ada', 'userPassword: {SSHA}c2FsdHNhbHRzYWx0c2FsdHNhbHRzYWx0c2FsdA==\n'),
      user('ben', ''),
      user('eve', 'userPassword: plain-words-1A!\n'),
    ].join('');
    const { passwords } = await inspectJson(users, 'users.ldif', '--from=ldap');
    expect(passwords.map(({ algorithm, users, isAccepted }) => [algorithm, users, isAccepted])).toEqual([
      ['none', 1, true],
      ['plain text', 1, true],
      ['other', 1, false],
    ]);
  });

  it('lists only identity providers with --idps, with the flag for each', async () => {
    const { stdout } = await inspectFiles({ 'realm.json': realm }, 'realm.json', '--idps');
    expect(stdout).toMatch(/^Identity providers\n {2}Alias +Kind +Users +State\n {2}google +google +1/);
    expect(stdout).toContain('  --idp=google=configId\n');
    expect(stdout).not.toContain('Passwords');
    const other = await inspectFiles({ 'realm.json': realm }, 'realm.json', '--idps', '--format=json');
    expect(other.problem?.message).toBe('--idps prints text only; leave out --format');
  });

  it('lists organizations, roles, groups, applications and providers, without those of Keycloak itself', async () => {
    const found = await inspectJson(realm);
    const organization = (name: string, isVerified: boolean) => {
      const key = name.toLowerCase();
      return { key, name, domains: [{ name: `${key}.example`, isVerified }], isEnabled: true, members: 2 };
    };
    expect(found.organizations).toEqual([organization('Acme', true), organization('Globex', false)]);
    expect(found.roles.map(({ key, users, includes }) => [key, users, includes])).toEqual([
      ['realm:admin', 1, ['realm:auditor', 'client:shop:owner']],
      ['realm:auditor', 0, []],
      ['client:shop:owner', 0, []],
      ['client:shop:viewer', 1, []],
    ]);
    expect(found.groups).toEqual([
      { path: '/staff', roles: [], users: 0 },
      { path: '/staff/dev', roles: ['realm:auditor', 'client:shop:viewer'], users: 1 },
    ]);
    expect(found.applications.map(({ name, access, isEnabled }) => [name, access, isEnabled])).toEqual([
      ['shop', 'confidential', true],
      ['app', 'public', false],
    ]);
    expect(found.identityProviders.map(({ alias, kind, users }) => [alias, kind, users])).toEqual([
      ['google', 'google', 1],
      ['corporate', 'oidc', 0],
    ]);
  });

  it('counts filled fields, duplicate email addresses and what is lost', async () => {
    const found = await inspectJson(realm);
    const filled = Object.fromEntries(found.fields.map(({ name, filled }) => [name, filled]));
    expect(filled).toMatchObject({ username: 5, 'attributes.tenant': 1, groups: 1 });
    expect(found.duplicates).toEqual([{ what: 'The email address of an earlier user.', count: 1 }]);
    const lost = Object.fromEntries(found.lost.map(({ what, count }) => [what, count]));
    expect(lost).toMatchObject({ organizations: 2, 'memberships in organizations': 4, applications: 2 });
  });

  it.each([
    ['a list of realms', JSON.stringify([{ realm: 'empty', users: [] }, richRealm]), 'realm.json'],
    ['YAML', stringify({ kind: 'KeycloakRealmImport', spec: { realm: richRealm } }), 'realm.yaml'],
  ])('returns the same result for %s', async (_, text, name) => {
    const { inputs: _inputs, ...found } = await inspectJson(text, name);
    const { inputs: _others, ...expected } = await inspectJson(realm);
    expect(found).toEqual(expected);
  });

  it('counts organizations that span several batches', async () => {
    const users = Array.from({ length: 300 }, (_, at) => ({
      ...richRealm.users[3]!,
      id: `id-${at}`,
      username: `user-${at}`,
      email: `user-${at}@example.org`,
    }));
    const organizations = Array.from({ length: 1500 }, (_, at) => ({
      ...richRealm.organizations[0]!,
      alias: `o-${at}`,
      members: [{ username: `user-${at}` }],
    }));
    const found = await inspectJson(
      JSON.stringify({ ...richRealm, users, organizations }),
      'r.json',
      '--threads=2',
    );
    expect(found.users.read).toBe(300);
    expect(found.organizations).toHaveLength(1500);
    expect(found.organizations.reduce((sum, { members }) => sum + members, 0)).toBe(1500);
  });

  it('prints no secret and no control character in any format', async () => {
    const hostile = structuredClone(richRealm);
    hostile.organizations[0]!.name = 'Ac\u001b[31mme | <b>';
    for (const format of ['text', 'markdown', 'json']) {
      const { stdout } = await inspectFiles(
        { 'r.json': JSON.stringify(hostile) },
        'r.json',
        `--format=${format}`,
      );
      expect(stdout).toContain('Ac');
      expect(stdout).not.toMatch(/s3cret|secret-of-google|L7\+o7lY|\u001b/);
      expect(format === 'markdown' && /me \| <b>/.test(stdout)).toBe(false);
    }
  });

  it('shows advice in full on the screen', async () => {
    const { stdout } = await inspectFiles({}, typicalRealm, '--target-profile=hosted');
    expect(stdout).toMatch(/support sets ZITADEL_\S+argon2\.\n/);
  });

  it('recognises other sources and their companion files', async () => {
    const users = '{"user_id":"auth0|1","email":"ada@example.com","email_verified":true}\n';
    const passwords =
      '{"_id":{"$oid":"1"},"email":"ada@example.com","passwordHash":"$2b$10$.AmEVFyho1YgMi9nghbF2e.r1vsKaJCNfPPvHGENaScgryhh8uyT6"}\n';
    const ran = await inspectFiles(
      { 'u.ndjson': users, 'p.ndjson': passwords },
      'u.ndjson',
      '--passwords=p.ndjson',
      '--format=json',
    );
    expect(JSON.parse(ran.stdout)).toMatchObject({
      source: 'auth0',
      passwords: [{ algorithm: 'bcrypt', users: 1 }],
    });
  });
});

it('migrate reports how many organizations and memberships it leaves out', async () => {
  const ran = await convertRealm(realm);
  expect(textsOf(ran, 'input:organizations')).toEqual([
    expect.stringContaining('2 organizations with 4 memberships'),
  ]);
});
