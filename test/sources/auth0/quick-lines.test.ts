import { array, assert, boolean, constantFrom, integer, oneof, property, record, string } from 'fast-check';
import { expect, it } from 'vitest';
import { Room } from '../../../src/lib/batch-memory.ts';
import { KeyMaker } from '../../../src/lib/key-table.ts';
import { valueAt } from '../../../src/lib/runs.ts';
import { PasswordLines } from '../../../src/sources/auth0/password-lines.ts';
import { readBatch, type RecordSink } from '../../../src/sources/auth0/quick-lines.ts';
import { UserKeys } from '../../../src/sources/auth0/user-keys.ts';
import type { RawElements } from '../../../src/sources/source.ts';

const bcrypt = `$2b$10$${'a'.repeat(53)}`;
const text = oneof(
  constantFrom(
    '',
    'a',
    'auth0|a',
    'auth0|',
    'db|a',
    ' a',
    'É@x',
    'A@X',
    'a@x ',
    'db',
    bcrypt,
    'auth0',
    'google',
  ),
  string({ maxLength: 4 }),
);
const value = oneof(text, text, text, constantFrom(null, 5, true, {}, []));

const identity = record(
  {
    provider: constantFrom('auth0', 'auth0', 'google-oauth2'),
    connection: constantFrom('db', 'db', 'other', ''),
    user_id: value,
  },
  { requiredKeys: [] },
);
const user = record(
  {
    user_id: constantFrom('auth0|a', 'auth0|b|c', 'google|1', 'plain', ''),
    email: value,
    identities: oneof(array(identity, { maxLength: 2 }), value),
    connection: text,
    Id: text,
  },
  { requiredKeys: [] },
);
const usual = record({
  user_id: constantFrom('auth0|a', 'auth0|b'),
  email: constantFrom('A@x.org', 'é@x.org'),
  identities: array(
    record({
      connection: constantFrom('db', 'other'),
      provider: constantFrom('auth0'),
      user_id: constantFrom('a', 'b'),
    }),
    { minLength: 1, maxLength: 1 },
  ),
});

const line = record(
  {
    _id: oneof(text, record({ $oid: value }), value),
    _ID: oneof(text, record({ $oid: value })),
    alt_id: value,
    email: value,
    connection: value,
    passwordHash: oneof(constantFrom(bcrypt, bcrypt, 'other'), value),
    password_hash: text,
    identifiers: array(record({ type: constantFrom('email', 'x'), value: text }), { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const usualLine = record({
  _id: record({ $oid: constantFrom('a', 'auth0|b') }),
  email: constantFrom('A@x.org', 'b@x.org'),
  passwordHash: constantFrom(bcrypt),
  connection: constantFrom('db', 'other'),
});

/** Some lines are broken, as one character is taken away. */
function lines(records: readonly unknown[], cut: number, spaced: boolean): RawElements & { form: 'lines' } {
  const made = records.map((value) => (spaced ? ` ${JSON.stringify(value)} \r` : JSON.stringify(value)));
  const broken = made.map((json, at) => (at === cut ? json.slice(0, -1) : json));
  return {
    form: 'lines',
    bytes: Buffer.from(broken.join('\n')),
    offset: 0,
    firstLine: 1,
    count: records.length,
  };
}

/** The same batch, of which only the plain way is told. */
function plainly(input: string, elements: RawElements, sink: RecordSink): void {
  const blind: RecordSink = {
    fields: sink.fields,
    clear: () => sink.clear(),
    quick: () => false,
    plain: (found) => sink.plain(found),
  };
  readBatch(input, elements, blind);
}

const batch = integer({ min: 0, max: 12 });

it('users give the same keys whether they are parsed or not', () => {
  const maker = new KeyMaker();
  assert(
    property(
      array(oneof(user, usual), { minLength: 1, maxLength: 8 }),
      batch,
      boolean(),
      (records, cut, spaced) => {
        const [quick, plain] = [new UserKeys(maker), new UserKeys(maker)];
        const elements = lines(records, cut, spaced);
        // By the grammar first, then learning, and then by what was learned.
        for (let round = 0; round < 3; round++) readBatch('users', elements, quick);
        plainly('users', elements, plain);
        const facts = ({ count, words, connections, linked }: UserKeys): unknown => ({
          count,
          words: words.slice(0, count * 6),
          connections: records.map((_, place) => valueAt(connections, place)),
          linked,
        });
        expect(facts(quick)).toEqual(facts(plain));
        expect(quick.count).toBe(records.length);
      },
    ),
    { numRuns: 500 },
  );
});

it('password lines give the same keys and hashes whether they are parsed or not', () => {
  const maker = new KeyMaker();
  assert(
    property(
      array(oneof(line, usualLine), { minLength: 1, maxLength: 8 }),
      batch,
      boolean(),
      (records, cut, spaced) => {
        const [quick, plain] = [new PasswordLines(maker), new PasswordLines(maker)];
        const elements = lines(records, cut, spaced);
        // By the grammar first, then learning, and then by what was learned.
        for (let round = 0; round < 3; round++) readBatch('passwords', elements, quick);
        plainly('passwords', elements, plain);
        const facts = ({
          count,
          words,
          hashes,
          connections,
          otherHashes,
          problems,
        }: PasswordLines): unknown => ({
          count,
          words: words.slice(0, count * 9),
          hashes: Array.from({ length: count }, (_, at) =>
            otherHashes.has(at) || problems.has(at) ? 'none' : hashes.slice(at * 11, at * 11 + 11),
          ),
          connections,
          otherHashes,
          problems,
        });
        expect(facts(quick)).toEqual(facts(plain));
        expect(quick.count).toBe(records.length);
      },
    ),
    { numRuns: 500 },
  );
});

it('the usual records are not parsed', () => {
  const maker = new KeyMaker();
  const refuse = (): never => {
    throw new Error('this record was parsed');
  };
  const people = {
    user_id: 'auth0|a',
    email: 'a@x.org',
    name: 'É',
    identities: [{ connection: 'db', provider: 'auth0', user_id: 'a' }],
  };
  const users = new UserKeys(maker);
  users.plain = refuse;
  readBatch('users', lines([people, people], -1, true), users);
  const passwords = new PasswordLines(maker);
  passwords.plain = refuse;
  const known = {
    _id: { $oid: 'a' },
    email_verified: false,
    email: 'a@x.org',
    passwordHash: bcrypt,
    connection: 'db',
  };
  readBatch('passwords', lines([known, { ...known, alt_id: 'b' }], -1, false), passwords);
  expect([users.count, passwords.count]).toEqual([2, 2]);
});

it('a sink that has been used forgets everything', () => {
  const maker = new KeyMaker();
  const sink = new PasswordLines(maker);
  readBatch(
    'passwords',
    lines([{ _id: 'a', alt_id: 'b', email: 'c', passwordHash: 'other' }, {}], -1, false),
    sink,
  );
  readBatch('passwords', lines([{ email: 'c', passwordHash: bcrypt }], -1, false), sink);
  const fresh = new PasswordLines(maker);
  readBatch('passwords', lines([{ email: 'c', passwordHash: bcrypt }], -1, false), fresh);
  expect(sink.words.slice(0, 9)).toEqual(fresh.words.slice(0, 9));
  expect([sink.count, sink.otherHashes.size, sink.problems.size]).toEqual([1, 0, 0]);
});

it('what was taken of a batch stays as it is while the next ones are read', () => {
  const maker = new KeyMaker();
  const odd = lines([{ _id: 'a', alt_id: 'b', email: 'c', passwordHash: 'other' }, {}], -1, false);
  const sink = new PasswordLines(maker);
  readBatch('passwords', lines([{ _id: 'z', email: 'c', passwordHash: bcrypt }], -1, false), sink);
  const taken = sink.take(new Room());
  const copy = structuredClone(taken);
  readBatch('passwords', odd, sink);
  expect(taken).toEqual(copy);

  const users = new UserKeys(maker);
  const own = lines([{ user_id: 'auth0|a', email: 'a@x' }], -1, false);
  readBatch('users', own, users);
  const first = users.take(new Room(), own);
  const firstCopy = structuredClone(first);
  readBatch(
    'users',
    lines([{ user_id: 'auth0|b', email: 'b@x', identities: [{ connection: 'db' }] }], -1, false),
    users,
  );
  expect(first).toEqual(firstCopy);
});
