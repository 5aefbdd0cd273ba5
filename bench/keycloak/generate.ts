/**
 * Realm exports as `kc.sh export` writes them, of five populations, the same bytes each time; bench/data keeps them.
 * `tsx bench/keycloak/generate.ts varied 300000 [--minified]` writes one file and prints its path.
 */
import { statSync } from 'node:fs';
import { isProgram, writeOnce } from '../dataset.ts';
import { createDice, type Dice } from '../dice.ts';
import { firstName, lastName, phoneNumber } from '../texts.ts';
import { closeRealm, openRealm } from './realm.ts';
import { printJackson } from './jackson.ts';

/** What the users of a population have beyond those of `uniform`: a percentage of them each. */
interface Population {
  readonly phones?: number;
  readonly ldap?: number;
  readonly groups?: number;
  /** Names of many scripts, JSON escapes, other algorithms and former passwords, keys in any order. */
  readonly varied?: boolean;
}

const populationTable = {
  uniform: {},
  phones: { phones: 60 },
  ldap: { ldap: 100 },
  groups: { groups: 100 },
  varied: { phones: 60, ldap: 25, groups: 70, varied: true },
} as const satisfies Record<string, Population>;

export type KeycloakPopulation = keyof typeof populationTable;
export const keycloakPopulations = Object.keys(populationTable) as KeycloakPopulation[];

export interface Dataset {
  readonly path: string;
  readonly users: number;
  readonly bytes: number;
}

export function keycloakExport(population: KeycloakPopulation, users: number, minified = false): Dataset {
  const name = `keycloak-${population}-${users}${minified ? '-minified' : ''}.json`;
  const path = writeOnce(name, () => texts(population, users, minified));
  return { path, users, bytes: statSync(path).size };
}

function* texts(population: KeycloakPopulation, users: number, minified: boolean): Generator<string> {
  const dice = createDice(20_260_101);
  const print = minified
    ? (value: unknown) => JSON.stringify(value)
    : (value: unknown) => printJackson(value, 2);
  yield openRealm(users, dice, minified);
  const [first, next] = minified ? ['', ','] : [' ', ', '];
  for (let i = 0; i < users; i++) {
    const text = print(makeKeycloakUser(i, dice, population));
    yield (i === 0 ? first : next) + (population === 'varied' ? escapeSome(text, dice) : text);
  }
  yield closeRealm(users, dice, minified);
}

/** Structure is ASCII, and so are the characters around it: what is replaced stands in strings. */
function escapeSome(text: string, dice: Dice): string {
  const draw = dice.below(100);
  if (draw < 20) return text.replaceAll(/[^\0-~]/g, toEscape);
  if (draw < 25) return text.replaceAll('/', String.raw`\/`);
  return text;
}

function toEscape(unit: string): string {
  return String.raw`\u` + unit.charCodeAt(0).toString(16).padStart(4, '0');
}

type Fields = Record<string, unknown>;

/** A user as Keycloak exports it; the same for the same index and the same state of the dice. */
export function makeKeycloakUser(index: number, dice: Dice, name: KeycloakPopulation): Fields {
  const population: Population = populationTable[name];
  const user = uniformUser(index, dice);
  const attributes = user.attributes as Fields;
  const chosen = (percent = 0): boolean => percent > 0 && dice.below(100) < percent;
  if (chosen(population.phones)) {
    attributes[population.varied ? dice.pick(['phoneNumber', 'mobile', 'phone']) : 'phoneNumber'] = [
      phoneNumber(index, dice),
    ];
  }
  if (chosen(population.ldap)) addDirectory(user, index, dice);
  if (chosen(population.groups)) addMemberships(user, dice);
  return population.varied ? vary(user, index, dice) : user;
}

const uniformFirstNames = 'Anna|Björn|Chloé|Dmitri|Eszter|美咲|فاطمة|José|Øyvind|Zoë|Łukasz'.split('|');
const uniformLastNames = `Müller|O'Neill|García "Pepe" López|佐藤|حسن|Smith|Ünal|Nowak|Grün 🎈`.split('|');

function uniformUser(index: number, dice: Dice): Fields {
  const username = `user${String(index).padStart(8, '0')}`;
  const disabled = dice.below(100) < 3;
  const otp = dice.below(100) < 7 ? [otpCredential(dice)] : [];
  return {
    id: dice.uuid(),
    createdTimestamp: created(index),
    username,
    enabled: !disabled,
    totp: otp.length > 0,
    emailVerified: dice.below(100) < 90,
    firstName: dice.pick(uniformFirstNames),
    lastName: dice.pick(uniformLastNames),
    email: `${username}@bench.example.org`,
    attributes: { locale: [dice.pick(['de', 'en', 'fr', 'ja'])] },
    credentials: [
      ...otp,
      {
        id: dice.uuid(),
        type: 'password',
        userLabel: 'My password',
        createdDate: created(index),
        secretData: secretData(dice.base64(64), dice.base64(16)),
        credentialData: credentialData('pbkdf2-sha256', 27_500),
      },
    ],
    disableableCredentialTypes: [],
    requiredActions: [],
    realmRoles: ['default-roles-bench'],
    notBefore: 0,
    groups: [],
  };
}

function otpCredential(dice: Dice): Fields {
  return {
    id: dice.uuid(),
    type: 'otp',
    userLabel: 'phone',
    createdDate: created(0),
    secretData: JSON.stringify({ value: dice.base64(15) }),
    credentialData: JSON.stringify({
      subType: 'totp',
      digits: 6,
      counter: 0,
      period: 30,
      algorithm: 'HmacSHA1',
    }),
  };
}

const created = (index: number): number => 1_600_000_000_000 + index * 1000;

function secretData(value: string, salt: string): string {
  return JSON.stringify({ value, salt, additionalParameters: {} });
}

function credentialData(
  algorithm: string,
  hashIterations: number,
  additionalParameters: Fields = {},
): string {
  return JSON.stringify({ hashIterations, algorithm, additionalParameters });
}

/** What Keycloak keeps of a user of an LDAP directory: its own four attributes have other values for each. */
function addDirectory(user: Fields, index: number, dice: Dice): void {
  const stamp = (): string =>
    new Date(created(index) + dice.below(1e9)).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  user['federationLink'] = 'b1946ac9-2492-4d23-87b6-62f4ba46a001';
  Object.assign(user['attributes'] as Fields, {
    LDAP_ENTRY_DN: [`uid=${String(user['username'])},ou=users,dc=bench,dc=example,dc=org`],
    LDAP_ID: [dice.uuid()],
    createTimestamp: [stamp()],
    modifyTimestamp: [stamp()],
  });
}

function addMemberships(user: Fields, dice: Dice): void {
  const several = (count: number, name: () => string): string[] => [
    ...new Set(Array.from({ length: count }, name)),
  ];
  user['groups'] = several(1 + dice.below(3), () => `/group-${dice.below(200)}`);
  user['realmRoles'] = ['default-roles-bench', ...several(dice.below(9), () => `role-${dice.below(60)}`)];
  const clients = several(dice.below(4), () => `client-${dice.below(5)}`);
  user['clientRoles'] = Object.fromEntries(
    clients.map((client) => [
      client,
      several(1 + dice.below(2), () => dice.pick(['viewer', 'editor', 'admin'])),
    ]),
  );
}

function vary(user: Fields, index: number, dice: Dice): Fields {
  const attributes = user['attributes'] as Fields;
  const credentials = user['credentials'] as Fields[];
  if (dice.below(100) < 30) attributes['department'] = [`Abteilung ${dice.below(40)} "Süd"`];
  if (dice.below(100) < 10) attributes['note'] = [`${lastName(dice)}\n\tNo. ${index}`];
  const [password] = credentials.splice(-1);
  if (password !== undefined) credentials.push(hashed(password, 'password', dice));
  for (let former = dice.below(10); former >= 8; former--) {
    credentials.push(hashed({ id: dice.uuid(), createdDate: created(index) }, 'password-history', dice));
  }
  Object.assign(user, {
    firstName: firstName(dice),
    lastName: lastName(dice),
    attributes: shuffled(attributes, dice),
  });
  if (dice.below(100) < 5) delete user[dice.pick(['firstName', 'lastName', 'totp', 'notBefore'])];
  return user;
}

const algorithms: readonly (readonly [bytes: number, credentialData: string])[] = [
  [64, credentialData('pbkdf2-sha256', 27_500)],
  [64, credentialData('pbkdf2-sha512', 210_000)],
  [
    32,
    credentialData('argon2', 5, {
      hashLength: ['32'],
      memory: ['7168'],
      type: ['id'],
      version: ['1.3'],
      parallelism: ['1'],
    }),
  ],
];

function hashed(credential: Fields, type: string, dice: Dice): Fields {
  const [bytes, data] = dice.pick(algorithms);
  return {
    ...credential,
    type,
    secretData: secretData(dice.base64(bytes), dice.base64(16)),
    credentialData: data,
  };
}

function shuffled(fields: Fields, dice: Dice): Fields {
  const entries = Object.entries(fields).map((entry) => ({ entry, rank: dice.below(1 << 16) }));
  return Object.fromEntries(entries.toSorted((a, b) => a.rank - b.rank).map(({ entry }) => entry));
}

if (isProgram(import.meta.url)) {
  const [population = '', users = '', option] = process.argv.slice(2);
  const known = keycloakPopulations.find((name) => name === population);
  if (known === undefined || !(Number(users) > 0)) {
    throw new Error(`Expected a population (${keycloakPopulations.join(', ')}) and a number of users.`);
  }
  console.log(keycloakExport(known, Number(users), option === '--minified').path);
}
