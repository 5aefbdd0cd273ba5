import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  integer,
  nat,
  option,
  record,
  tuple,
  uniqueArray,
} from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auth0 } from '../../../src/sources/auth0/provider.ts';
import { scanJoined } from '../../../src/sources/auth0/scan.ts';
import { parseBatch } from '../../../src/sources/elements.ts';
import type { Notice } from '../../../src/notice.ts';
import type { Input } from '../../../src/lib/input.ts';
import { jsonLines, memoryInput } from '../../support/memory-input.ts';
import { auth0Options } from '../../support/usual-job.ts';
import { type Ending, joinPlainly, type ReferenceLine, type ReferenceUser } from './join/reference.ts';

/** Hashes of passwords that no user has, in two forms. */
const hashes = [
  ...'abcdefghijkl'.split('').map((letter) => `$2b$10$${letter.repeat(53)}`),
  ...'AQ'
    .split('')
    .map((letter) => `$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzb21lc2FsdA$${letter.repeat(43)}`),
];

interface Sizes {
  readonly batchBytes: number;
  readonly blockBytes: number;
}

const smallSizes: Sizes = { batchBytes: 1, blockBytes: 100 };
const options = await auth0Options({ emailFallback: 'placeholder', placeholderDomain: 'x.example' });

async function join(users: string, passwords: string, { blockBytes, batchBytes }: Sizes = smallSizes) {
  const endings: Ending[] = [];
  const notices: Notice[] = [];
  const batches = scanJoined(
    [memoryInput('users', users, { blockBytes })],
    { passwords: [memoryInput('passwords', passwords, { blockBytes })], mfa: [] },
    (notice) => notices.push(notice),
    { batchBytes },
  );
  const read = auth0.reader(options);
  for await (const batch of batches) {
    for (const [place, value] of [...parseBatch(batch)].entries()) {
      const record = read(value, { input: batch.input, index: place, id: '' }, batch.context, place);
      if (record.kind !== 'human') throw new Error(`a user was lost: ${JSON.stringify(record)}`);
      const { passwordHash, notes } = record;
      const code = notes.find(({ code }) => code.startsWith('password:'))?.code;
      if (passwordHash !== '') endings.push({ hash: passwordHash });
      else if (code === 'password:conflicting-lines') endings.push('conflict');
      else endings.push(code === 'password:ambiguous-join' ? 'ambiguous' : 'none');
    }
  }
  return { endings, notices };
}

const ids = ['1', '2', '3', '4', '5', '6'];
const emails = ['', 'a@x', 'b@x', 'c@x'];
const connections = ['', 'db', 'other'];

const user = record({
  id: constantFrom(...ids),
  email: constantFrom(...emails),
  social: constantFrom(true, false, false),
  linked: option(constantFrom(...ids), { freq: 6, nil: undefined }),
  connection: constantFrom(...connections),
  listed: constantFrom(true, true, false),
});
type User = Parameters<Parameters<typeof user.map>[0]>[0];

/** Pages that overlap have the same record more than once. */
const users = tuple(
  uniqueArray(user, { minLength: 1, maxLength: 8, selector: ({ id, social }) => `${id} ${String(social)}` }),
  array(nat(7), { maxLength: 2 }),
).map(([sampleUsers, again]) => [...sampleUsers, ...again.flatMap((place) => sampleUsers[place] ?? [])]);

const lines = array(
  record({
    alternateId: constantFrom('', '', '', ...ids, '8'),
    objectId: constantFrom('', ...ids, '8', '9'),
    email: constantFrom(...emails),
    connection: constantFrom(...connections),
    hash: constantFrom(...hashes),
  }),
  { maxLength: 10 },
);

function exported({ id, email, social, linked, connection, listed }: User): object {
  const own = social
    ? { provider: 'google-oauth2', connection: 'google-oauth2', user_id: id }
    : { provider: 'auth0', connection, user_id: id };
  const more = linked === undefined ? [] : [{ provider: 'auth0', connection, user_id: linked }];
  return {
    user_id: social ? `google-oauth2|${id}` : `auth0|${id}`,
    ...(email !== '' && { email: email.toUpperCase() }),
    ...(listed && { identities: [own, ...more] }),
  };
}

function reference({ id, email, social, linked, connection, listed }: User): ReferenceUser {
  const user = { id: social ? `google-oauth2|${id}` : `auth0|${id}`, email };
  if (!listed) return { ...user, accounts: [], connections: undefined };
  const accounts = [...(social ? [] : [id]), ...(linked === undefined ? [] : [linked])];
  const known = accounts.length === 0 || connection !== '';
  return { ...user, accounts, connections: known ? accounts.map(() => connection) : undefined };
}

function exportedLine({ alternateId, objectId, email, connection, hash }: ReferenceLine): object {
  return {
    ...(objectId !== '' && { _id: { $oid: objectId } }),
    ...(alternateId !== '' && { alt_id: alternateId }),
    ...(email !== '' && { email }),
    passwordHash: hash,
    ...(connection !== '' && { connection }),
  };
}

/** How many lines the notices account for: those joined or repeated, and those named by their numbers. */
function countLineOutcomes(notices: readonly Notice[]) {
  const [, joined, repeated = 0] =
    /(\d+) joined(?:.* (\d+) a repetition)?/.exec(notices[0]?.text ?? '') ?? [];
  const named = notices.flatMap(({ places = [] }) => places.flatMap(({ ranges }) => ranges));
  return named.reduce((sum, [first, last]) => sum + last - first + 1, Number(joined) + Number(repeated));
}

it('scanJoined joins as a plain reference does, for any batch and block size', async () => {
  await assert(
    asyncProperty(
      users,
      lines,
      record({
        batchBytes: integer({ min: 1, max: 600 }),
        blockBytes: integer({ min: 1, max: 300 }),
      }),
      async (sampleUsers, all, sizes) => {
        const { endings, notices } = await join(
          jsonLines(...sampleUsers.map(exported)),
          jsonLines(...all.map(exportedLine), {}),
          sizes,
        );
        // Lines without a user are reported as unreadable, and join no user.
        const readable = all.filter((line) => line.alternateId + line.objectId + line.email !== '');
        const expected = joinPlainly(sampleUsers.map(reference), readable);
        expect(endings).toEqual(
          expected.map((ending) => (typeof ending === 'string' ? ending : { hash: ending.hash })),
        );
        expect(countLineOutcomes(notices)).toBe(all.length + 1);
      },
    ),
    { numRuns: 150 },
  );
});

const sampleUser = (id: string): object => ({ user_id: `auth0|${id}`, email: `${id}@x` });
const lineOf = (id: string): object => ({ _id: id, passwordHash: hashes[0] });
const sampleUsers = jsonLines(...['1', '2', '3', '4', '5'].map(sampleUser));
const known = jsonLines(...['1', '2', '3', '4', '5'].map(lineOf));

/** How many users get a hash, and what is told. */
async function readFiles(users: Input, passwords: readonly Input[], mfa: readonly Input[] = []) {
  const notices: Notice[] = [];
  const tell = (notice: Notice) => notices.push(notice);
  let joined = 0;
  for await (const { context } of scanJoined([users], { passwords, mfa }, tell, { batchBytes: 1 }))
    joined += context.hashes?.filter((hash) => hash !== '').length ?? 0;
  return { joined, notices };
}

describe('the files of scanJoined', () => {
  const factor = jsonLines({ user_id: 'auth0|1', type: 'otp', otp_secret: 'A' });
  const pipe = (text: string) => memoryInput('-', text, { pipe: true });

  it('are read from pipes, except users that are read twice', async () => {
    const joinedOf = async (...files: Parameters<typeof readFiles>) => (await readFiles(...files)).joined;
    expect(await joinedOf(memoryInput('users', sampleUsers), [pipe(known)], [pipe(factor)])).toBe(5);
    expect(await joinedOf(pipe(sampleUsers), [], [memoryInput('mfa', factor)])).toBe(0);
    await expect(readFiles(pipe(sampleUsers), [memoryInput('passwords', known)])).rejects.toMatchObject({
      code: 'input:not-repeatable',
      input: '-',
    });
  });

  it.each([
    ['one record more', sampleUsers + jsonLines(sampleUser('6'))],
    ['one record less', jsonLines(...['1', '2', '3', '4'].map(sampleUser))],
    ['two in another order', jsonLines(...['1', '2', '4', '3', '5'].map(sampleUser))],
  ])('are refused if they change between two passes: %s', async (_, later) => {
    const [first, second] = [memoryInput('users', sampleUsers), memoryInput('users', later)];
    let passes = 0;
    const changing: Input = { ...first, blocks: () => (passes++ === 0 ? first : second).blocks() };
    await expect(readFiles(changing, [memoryInput('passwords', known)])).rejects.toMatchObject({
      code: 'input:changed',
    });
  });

  it('are reported even if there are no users', async () => {
    const { notices } = await readFiles(memoryInput('users', '[]'), [memoryInput('passwords', known)]);
    expect(notices.map(({ code }) => code)).toEqual([
      'input:no-users',
      'password:join',
      'password:unmatched-line',
    ]);
  });

  it('number their lines separately', async () => {
    const unmatched = jsonLines(lineOf('8'), lineOf('9'));
    const { notices } = await readFiles(memoryInput('users', sampleUsers), [
      memoryInput('one', `\n${unmatched}`),
      memoryInput('two', known + unmatched),
    ]);
    expect(notices.find(({ code }) => code === 'password:unmatched-line')?.places).toEqual([
      { input: 'one', ranges: [[2, 3]] },
      { input: 'two', ranges: [[6, 7]] },
    ]);
  });
});
