/**
 * Auth0's export job (about 400 bytes a line and more) and the password file that goes with it, of three populations,
 * the same bytes each time; bench/data keeps them. The passwords stand in another order than the users.
 * `tsx bench/auth0/generate.ts metadata 300000` writes both files and prints their paths.
 */
import { statSync } from 'node:fs';
import { isProgram, writeOnce } from '../dataset.ts';
import { createDice, type Dice } from '../dice.ts';
import { firstName, lastName, phoneNumber } from '../texts.ts';

type Fields = Record<string, unknown>;

/** What the users of a population have beyond those of `plain`. */
const populationTable = {
  plain: (user: Fields): Fields => user,
  phones: addPhone,
  metadata: addMetadata,
} as const satisfies Record<string, (user: Fields, index: number, dice: Dice) => Fields>;

export type Auth0Population = keyof typeof populationTable;
export const auth0Populations = Object.keys(populationTable) as Auth0Population[];

export interface Auth0Dataset {
  readonly users: string;
  readonly passwords: string;
  readonly count: number;
  readonly bytes: number;
}

export function auth0Export(population: Auth0Population, count: number): Auth0Dataset {
  const users = writeOnce(`auth0-${population}-users-${count}.ndjson`, () =>
    lines(count, (index, dice) => makeAuth0User(index, dice, population)),
  );
  const stride = strideFor(count);
  const passwords = writeOnce(`auth0-passwords-${count}.ndjson`, () =>
    lines(count, (index, dice) => password((index * stride) % count, dice)),
  );
  return { users, passwords, count, bytes: statSync(users).size + statSync(passwords).size };
}

/** A user as Auth0 exports it; the same for the same index and the same state of the dice. */
export function makeAuth0User(index: number, dice: Dice, population: Auth0Population): Fields {
  const extend: (user: Fields, index: number, dice: Dice) => Fields = populationTable[population];
  return extend(plainUser(index, dice), index, dice);
}

function* lines(count: number, make: (index: number, dice: Dice) => Fields): Generator<string> {
  const dice = createDice(20_260_101);
  for (let index = 0; index < count; index++) yield `${JSON.stringify(make(index, dice))}\n`;
}

/** Every index once, and neighbours far apart: a prime that does not divide the count. */
function strideFor(count: number): number {
  for (const prime of [7_919, 104_729, 15_485_863]) if (count % prime !== 0) return prime;
  return 1;
}

const names = ['Anna', 'Björn', 'Chloé', 'Dmitri', 'José', 'Mary Ann', 'Øyvind', 'Zoë', 'Łukasz'];
const families = ['Müller', "O'Neill", 'García López', 'Smith', 'Ünal', 'Nowak', '佐藤'];
const database = 'Username-Password-Authentication';

function plainUser(index: number, dice: Dice): Fields {
  const name = dice.pick(names);
  const family = dice.pick(families);
  return {
    user_id: `auth0|${objectId(index)}`,
    email: email(index),
    email_verified: dice.below(100) < 90,
    given_name: name,
    family_name: family,
    name: `${name} ${family}`,
    nickname: `user${index}`,
    identities: [{ connection: database, provider: 'auth0', user_id: objectId(index), isSocial: false }],
    created_at: '2021-03-05T16:34:49.502Z',
    blocked: dice.below(100) < 3,
  };
}

function addPhone(user: Fields, index: number, dice: Dice): Fields {
  if (dice.below(100) >= 40) return user;
  return { ...user, phone_number: phoneNumber(index, dice), phone_verified: dice.below(2) === 0 };
}

function addMetadata(user: Fields, index: number, dice: Dice): Fields {
  const [given, family] = [firstName(dice), lastName(dice)];
  const extended: Fields = {
    ...user,
    given_name: given,
    family_name: family,
    name: `${given} ${family}`,
    last_login: new Date(1_600_000_000_000 + dice.below(1e9) * 100).toISOString(),
    logins_count: dice.below(500),
    user_metadata: {
      color: dice.pick(['blue', 'red', 'grün']),
      address: {
        street: `${lastName(dice)}straße ${dice.below(200)}`,
        zip: String(10_000 + dice.below(90_000)),
      },
      newsletter: dice.below(2) === 0,
    },
    app_metadata: { plan: dice.pick(['free', 'pro']), customer: dice.uuid(), roles: ['member'] },
  };
  if (dice.below(100) < 40) {
    const provider = dice.pick(['google-oauth2', 'github', 'facebook']);
    const profileData = {
      email: email(index),
      name: `${given} ${family}`,
      picture: `https://img.example.org/${index}`,
    };
    const linked = { connection: provider, provider, user_id: dice.uuid(), isSocial: true, profileData };
    extended['identities'] = [...(user['identities'] as Fields[]), linked];
  }
  return extended;
}

function password(index: number, dice: Dice): Fields {
  const text = dice.base64(42).replaceAll('+', '.').slice(0, 53);
  return {
    _id: { $oid: objectId(index) },
    email_verified: false,
    email: email(index),
    passwordHash: `$2b$10$${text}`,
    password_set_date: { $date: '2021-03-05T16:35:16.775Z' },
    tenant: 'bench',
    connection: database,
    _tmp_is_unique: true,
  };
}

function email(index: number): string {
  return `user${String(index).padStart(8, '0')}@bench.example.org`;
}

function objectId(index: number): string {
  return `6042${(index * 2_654_435_761).toString(16).padStart(20, '0')}`;
}

if (isProgram(import.meta.url)) {
  const [population = '', users = ''] = process.argv.slice(2);
  const known = auth0Populations.find((name) => name === population);
  if (known === undefined || !(Number(users) > 0)) {
    throw new Error(`Expected a population (${auth0Populations.join(', ')}) and a number of users.`);
  }
  const made = auth0Export(known, Number(users));
  console.log(`${made.users}\n${made.passwords}`);
}
