import { expect, it } from 'vitest';
import { kindOfRole } from '../../../src/sources/keycloak/memberships.ts';
import { readRealmApps, readRealmRoles } from '../../../src/sources/keycloak/realm-parts.ts';
import { memoryInput } from '../../support/memory-input.ts';

const realmOf = (realm: string, clientId: string, role: string) =>
  memoryInput(
    'realm.json',
    JSON.stringify({
      realm,
      clients: [{ clientId, publicClient: true }],
      roles: { client: { [clientId]: [{ name: role }] } },
    }),
  );

it.each([
  ['acme', 'acme-realm', 'viewer', 'own'],
  ['master', 'acme-realm', 'manage-users', 'built in'],
  ['acme', 'realm-management', 'manage-users', 'built in'],
  ['acme', 'account', 'view-profile', 'default'],
  ['acme', 'account:eu', 'viewer', 'own'],
  ['acme', 'https://shop.example/saml', 'viewer', 'own'],
])('the role of the realm %s and client %s, %s, is %s', async (realm, clientId, name, kind) => {
  const input = realmOf(realm, clientId, name);
  const key = `client:${clientId}:${name}`;
  const isOwn = kind === 'own';
  const [found] = await readRealmRoles([input], { realmName: undefined });
  expect(found?.roles).toEqual(isOwn ? [{ key, name, group: clientId }] : []);
  expect(await readRealmApps([input], { realmName: undefined })).toMatchObject({ builtIn: isOwn ? 0 : 1 });
  expect(kindOfRole(key, realm)).toBe(kind);
});
