/** The realm around the users of an export: long (shorter for few users), and full of things that look like users. */
import type { Dice } from '../dice.ts';
import { printJackson } from './jackson.ts';

/** Up to the bracket that opens the users. */
export function openRealm(users: number, dice: Dice, minified: boolean): string {
  const realm = {
    id: 'bench',
    realm: 'bench',
    displayName: 'Bench "}, {" users',
    notBefore: 0,
    sslRequired: 'external',
    roles: { realm: Array.from({ length: Math.min(2000, users) }, (_, i) => role(i, dice)), client: {} },
    groups: Array.from({ length: Math.min(500, users) }, (_, i) => group(i, dice)),
    requiredCredentials: ['password'],
    otpPolicyType: 'totp',
    users: [],
  };
  const text = minified ? JSON.stringify(realm) : printJackson(realm, 0);
  return text.slice(0, text.lastIndexOf('[') + 1);
}

/** From the bracket that closes the users: the same bytes separate its elements that separate two users. */
export function closeRealm(users: number, dice: Dice, minified: boolean): string {
  const realm = {
    users: [],
    scopeMappings: [{ clientScope: 'offline_access', roles: ['offline_access'] }],
    clients: Array.from({ length: Math.min(2000, users) }, (_, i) => client(i, dice)),
    browserFlow: 'browser',
    keycloakVersion: '24.0.5',
  };
  const text = minified ? JSON.stringify(realm) : `${printJackson(realm, 0)}\n`;
  return text.slice(text.indexOf('[') + 1);
}

function role(i: number, dice: Dice): object {
  return {
    id: dice.uuid(),
    name: `role-${i}`,
    description: 'a decoy: "users" : [ {\n    "id" : "x" }, {\n    "id" : "y" } ]',
    composite: false,
    clientRole: false,
    containerId: 'bench',
    attributes: { users: ['not the users'] },
  };
}

function group(i: number, dice: Dice): object {
  return {
    id: dice.uuid(),
    name: `group-${i}`,
    path: `/group-${i}`,
    users: [{ id: dice.uuid(), username: 'a decoy, not a user' }],
    subGroups: [],
  };
}

function client(i: number, dice: Dice): object {
  return {
    id: dice.uuid(),
    clientId: `client-${i}`,
    username: 'a decoy, not a user',
    users: [],
    redirectUris: [`https://client-${i}.example.org/*`],
    protocol: 'openid-connect',
  };
}
