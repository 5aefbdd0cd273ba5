/** What the page on the fields of Keycloak says holds, one user at a time: `fixtures/keycloak-fields.yaml`. */
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { convertRealm, keycloakUser, realmOf } from '../support/conversion.ts';
import { readProject } from '../support/folder.ts';

const page = readProject('docs/providers/keycloak-fields.md');
const claims: any[] = parse(readProject('fixtures/keycloak-fields.yaml'));
claims.push({
  says: 'an attribute too large',
  fields: { attributes: { badge: ['x'.repeat(500_001)] } },
  flags: '--metadata=attributes',
  codes: ['attribute:dropped'],
});

const bytes = Buffer.alloc(16, 7).toString('base64');
/** Everything that the page tells of, and a claim of it changes. */
const ada = {
  id: 'some-id',
  credentials: [
    {
      type: 'password',
      secretData: { value: bytes, salt: bytes },
      credentialData: { algorithm: 'pbkdf2-sha256', hashIterations: 27_500 },
    },
  ],
};

const having = (parts: object): object => expect.objectContaining(parts);

it.each(claims.map(({ says, ...claim }) => [says, claim]))(
  'docs/providers/keycloak-fields.md is right about %s',
  async (
    _,
    { fields, without = [], flags = '', absent = false, entry = {}, user = {}, profile, codes = [] },
  ) => {
    const changed: any = keycloakUser('ada', { ...ada, ...fields });
    for (const name of without) delete changed[name];
    const input = `--report=r.json --target-profile=all-verifiers ${flags}`.trim().split(' ');
    const { users, json } = await convertRealm(realmOf(changed), ...input);
    const shown = profile && { profile: having(profile) };
    const expected = having({ ...entry, user: having({ ...user, ...shown }) });
    expect(users).toEqual(absent ? [] : [expected]);
    const found = json('r.json').users.flatMap(({ reasons }: any) => reasons.map(({ code }: any) => code));
    expect(new Set(found)).toEqual(new Set(codes));
    expect(codes.filter((code: string) => !page.includes(`\`${code}\``))).toEqual([]);
  },
);
