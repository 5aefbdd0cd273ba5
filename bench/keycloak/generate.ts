/** A number of users in, a realm export of that size out, byte for byte the same each time: bench/data keeps it. */
import { closeSync, existsSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createDice, type Dice } from '../dice.ts';

const folder = fileURLToPath(new URL('../data/', import.meta.url));

export interface Dataset {
  readonly path: string;
  readonly users: number;
  readonly bytes: number;
}

/** As `kc.sh export` writes it (Jackson's pretty printer): the users stand in the middle of the realm. */
export function keycloakExport(users: number): Dataset {
  const path = `${folder}keycloak-${users}.json`;
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    write(`${path}.part`, users);
    renameSync(`${path}.part`, path);
  }
  return { path, users, bytes: statSync(path).size };
}

function write(path: string, users: number): void {
  const file = openSync(path, 'w');
  const dice = createDice(20_260_101);
  writeSync(file, head(dice));
  let block = '';
  for (let i = 0; i < users; i++) {
    block += (i === 0 ? ' ' : ', ') + user(i, dice);
    if (block.length > 1 << 20) {
      writeSync(file, block);
      block = '';
    }
  }
  writeSync(file, block + tail(dice));
  closeSync(file);
}

/** Keys before the users: many, and full of things that look like users. */
function head(dice: Dice): string {
  const roles = Array.from(
    { length: 2000 },
    (_, i) => `{
      "id" : "${dice.uuid()}",
      "name" : "role-${i}",
      "description" : "a decoy: \\"users\\" : [ {\\n    \\"id\\" : \\"x\\" }, {\\n    \\"id\\" : \\"y\\" } ]",
      "composite" : false,
      "clientRole" : false,
      "containerId" : "bench",
      "attributes" : {
        "users" : [ "not the users" ]
      }
    }`,
  );
  const groups = Array.from(
    { length: 500 },
    (_, i) => `{
    "id" : "${dice.uuid()}",
    "name" : "group-${i}",
    "path" : "/group-${i}",
    "users" : [ {
      "id" : "${dice.uuid()}",
      "username" : "a decoy, not a person"
    } ],
    "subGroups" : [ ]
  }`,
  );
  return `{
  "id" : "bench",
  "realm" : "bench",
  "displayName" : "Bench \\"}, {\\" users",
  "notBefore" : 0,
  "sslRequired" : "external",
  "roles" : {
    "realm" : [ ${roles.join(', ')} ],
    "client" : { }
  },
  "groups" : [ ${groups.join(', ')} ],
  "requiredCredentials" : [ "password" ],
  "otpPolicyType" : "totp",
  "users" : [`;
}

/** Keys after the users: the same bytes part them that part two users. */
function tail(dice: Dice): string {
  const clients = Array.from(
    { length: 2000 },
    (_, i) => `{
    "id" : "${dice.uuid()}",
    "clientId" : "client-${i}",
    "username" : "a decoy, not a person",
    "users" : [ ],
    "redirectUris" : [ "https://client-${i}.example.org/*" ],
    "protocol" : "openid-connect"
  }`,
  );
  return ` ],
  "scopeMappings" : [ {
    "clientScope" : "offline_access",
    "roles" : [ "offline_access" ]
  } ],
  "clients" : [ ${clients.join(', ')} ],
  "browserFlow" : "browser",
  "keycloakVersion" : "24.0.5"
}
`;
}

const firstNames = [
  'Anna',
  'Björn',
  'Chloé',
  'Dmitri',
  'Eszter',
  '美咲',
  'فاطمة',
  'José',
  'Øyvind',
  'Zoë',
  'Łukasz',
];
const lastNames = [
  'Müller',
  "O'Neill",
  'García \\"Pepe\\" López',
  '佐藤',
  'حسن',
  'Smith',
  'Ünal',
  'Nowak',
  'Grün 🎈',
];

function user(index: number, dice: Dice): string {
  const name = `user${String(index).padStart(8, '0')}`;
  const disabled = dice.below(100) < 3;
  const otp = dice.below(100) < 7 ? `${otpCredential(dice)}, ` : '';
  return `{
    "id" : "${dice.uuid()}",
    "createdTimestamp" : ${1_600_000_000_000 + index * 1000},
    "username" : "${name}",
    "enabled" : ${disabled ? 'false' : 'true'},
    "totp" : ${otp === '' ? 'false' : 'true'},
    "emailVerified" : ${dice.below(100) < 90 ? 'true' : 'false'},
    "firstName" : "${dice.pick(firstNames)}",
    "lastName" : "${dice.pick(lastNames)}",
    "email" : "${name}@bench.example.org",
    "attributes" : {
      "locale" : [ "${dice.pick(['de', 'en', 'fr', 'ja'])}" ]
    },
    "credentials" : [ ${otp}{
      "id" : "${dice.uuid()}",
      "type" : "password",
      "userLabel" : "My password",
      "createdDate" : ${1_600_000_000_000 + index * 1000},
      "secretData" : "{\\"value\\":\\"${dice.base64(64)}\\",\\"salt\\":\\"${dice.base64(16)}\\",\\"additionalParameters\\":{}}",
      "credentialData" : "{\\"hashIterations\\":27500,\\"algorithm\\":\\"pbkdf2-sha256\\",\\"additionalParameters\\":{}}"
    } ],
    "disableableCredentialTypes" : [ ],
    "requiredActions" : [ ],
    "realmRoles" : [ "default-roles-bench" ],
    "notBefore" : 0,
    "groups" : [ ]
  }`;
}

function otpCredential(dice: Dice): string {
  return `{
      "id" : "${dice.uuid()}",
      "type" : "otp",
      "userLabel" : "phone",
      "createdDate" : 1600000000000,
      "secretData" : "{\\"value\\":\\"${dice.base64(15)}\\"}",
      "credentialData" : "{\\"subType\\":\\"totp\\",\\"digits\\":6,\\"counter\\":0,\\"period\\":30,\\"algorithm\\":\\"HmacSHA1\\"}"
    }`;
}
