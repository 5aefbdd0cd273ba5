/**
 * A number of users in, Auth0's export job and the password file that goes with it out (about 400 and 330 bytes a
 * line), byte for byte the same each time: bench/data keeps them. The lines stand in another order than the users.
 */
import { closeSync, existsSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createDice, type Dice } from '../dice.ts';

const folder = fileURLToPath(new URL('../data/', import.meta.url));

export interface Auth0Dataset {
  readonly users: string;
  readonly passwords: string;
  readonly count: number;
  readonly bytes: number;
}

export function auth0Export(count: number): Auth0Dataset {
  mkdirSync(folder, { recursive: true });
  const users = make(`auth0-users-${count}.ndjson`, count, (place, dice) => user(place, dice));
  const stride = strideFor(count);
  const passwords = make(`auth0-passwords-${count}.ndjson`, count, (place, dice) =>
    password((place * stride) % count, dice),
  );
  return { users, passwords, count, bytes: statSync(users).size + statSync(passwords).size };
}

function make(name: string, count: number, line: (place: number, dice: Dice) => string): string {
  const path = `${folder}${name}`;
  if (existsSync(path)) return path;
  const file = openSync(`${path}.part`, 'w');
  const dice = createDice(20_260_101);
  let block = '';
  for (let place = 0; place < count; place++) {
    block += `${line(place, dice)}\n`;
    if (block.length > 1 << 20) {
      writeSync(file, block);
      block = '';
    }
  }
  writeSync(file, block);
  closeSync(file);
  renameSync(`${path}.part`, path);
  return path;
}

/** Every place once, and neighbours far apart: a prime that does not divide the count. */
function strideFor(count: number): number {
  for (const prime of [7_919, 104_729, 15_485]) if (count % prime !== 0) return prime;
  return 1;
}

const names = ['Anna', 'Björn', 'Chloé', 'Dmitri', 'José', 'Mary Ann', 'Øyvind', 'Zoë', 'Łukasz'];
const families = ['Müller', "O'Neill", 'García López', 'Smith', 'Ünal', 'Nowak', '佐藤'];
const database = 'Username-Password-Authentication';

function user(place: number, dice: Dice): string {
  const name = dice.pick(names);
  const family = dice.pick(families);
  return JSON.stringify({
    user_id: `auth0|${objectId(place)}`,
    email: email(place),
    email_verified: dice.below(100) < 90,
    given_name: name,
    family_name: family,
    name: `${name} ${family}`,
    nickname: `user${place}`,
    identities: [{ connection: database, provider: 'auth0', user_id: objectId(place), isSocial: false }],
    created_at: '2021-03-05T16:34:49.502Z',
    blocked: dice.below(100) < 3,
  });
}

function password(place: number, dice: Dice): string {
  const text = dice.base64(42).replaceAll('+', '.').slice(0, 53);
  return JSON.stringify({
    _id: { $oid: objectId(place) },
    email_verified: false,
    email: email(place),
    passwordHash: `$2b$10$${text}`,
    password_set_date: { $date: '2021-03-05T16:35:16.775Z' },
    tenant: 'bench',
    connection: database,
    _tmp_is_unique: true,
  });
}

function email(place: number): string {
  return `user${String(place).padStart(8, '0')}@bench.example.org`;
}

function objectId(place: number): string {
  return `6042${(place * 2_654_435_761).toString(16).padStart(20, '0')}`;
}
