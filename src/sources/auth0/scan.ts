/**
 * Yields batches of raw users with what the password and factor files know about each. These files are read first. Then
 * the users are read to decide whom each line belongs to, and read again to yield them. Deciding most of them in one
 * reading saved 6 % of processor time on one thread and none on two, took more memory, and would be a second way to the
 * same result.
 */
import { crc32 } from 'node:zlib';
import { InputError } from '../../errors.ts';
import { type Input, inputChanged } from '../../lib/input.ts';
import { firstText, isObject, readJsonId } from '../../lib/json-value.ts';
import { parseBatch, releaseElements } from '../elements.ts';
import { note, type Notice, type Notify } from '../../notice.ts';
import type { RawElements, ScanAids } from '../source.ts';
import { type ClaimingRow, Claims, type Outcome } from '../table/claims.ts';
import { userOf, scanUsers, type UserBatch, readNumbered } from './files.ts';
import { readAccount, comparable, databaseId, databasePrefix, type Factor } from './prepare.ts';
import { formatCount, formatCounted } from '../../lib/format.ts';
import { count, type Counts } from '../../records/tally.ts';
import { BrokenRecord } from '../raw-record.ts';
import { RowStore } from '../../compact/row-store.ts';
import { RowNumbers } from './row-numbers.ts';

interface ScanTuning extends Pick<ScanAids, 'openSpillFile'> {
  /** A batch ends with the first record that reaches this size. */
  readonly batchBytes?: number;
}

export async function* scanJoined(
  users: readonly Input[],
  files: Readonly<Record<'passwords' | 'mfa', readonly Input[]>>,
  notify: Notify,
  { openSpillFile, batchBytes }: ScanTuning,
) {
  if (files.passwords.length > 0) refusePipes(users);
  const passwords =
    files.passwords.length === 0 ? undefined : await readPasswords(files.passwords, openSpillFile);
  const factors = files.mfa.length === 0 ? undefined : await readFactorLines(files.mfa, openSpillFile);
  const scan = (tell: Notify): AsyncIterable<UserBatch> => scanUsers(users, tell, batchBytes);
  try {
    const known =
      passwords &&
      (await judge(
        passwords.claims,
        scan(() => undefined),
      ));
    let slot = 0;
    for await (const batch of scan(notify)) {
      const { input, elements } = batch;
      const before = known?.shift();
      if (before?.mark !== (known && markOf(elements))) throw inputChanged(input);
      const hashes = before && hashesOf(passwords!.claims, slot, before.count);
      slot += before?.count ?? 0;
      const context = { ...hashes, factors: factors && factorsOf(factors, batch) };
      yield { input, elements, context };
    }
    if (known !== undefined && known.length > 0) throw inputChanged(users.at(-1)!.name);
    if (passwords === undefined)
      notify(
        note(
          'map:no-rows',
          'No file of passwords is given. Auth0 support exports the hashes of its databases on request: --passwords=<file>.',
        ),
      );
    for (const notice of [passwords, factors].flatMap((lines) => lines?.notices() ?? [])) notify(notice);
  } finally {
    passwords?.claims.close();
    factors?.close();
  }
}

function refusePipes(users: readonly Input[]) {
  const pipe = users.find(({ repeatable }) => !repeatable);
  if (pipe === undefined) return;
  const problem = 'users are read twice when passwords are joined to them';
  throw new InputError(
    'input:not-repeatable',
    pipe.name,
    problem,
    'Give a file instead of a pipe; gzip is read as it is.',
  );
}

/** Decides whom each line belongs to. Returns what must be the same in the second reading, by batch. */
async function judge(claims: Claims, batches: AsyncIterable<UserBatch>) {
  const known: { readonly mark: number; readonly count: number }[] = [];
  for await (const batch of batches) {
    const mark = markOf(batch.elements);
    const before = claims.users.size;
    for (const account of accountsIn(batch)) claims.users.add(account);
    known.push({ mark, count: claims.users.size - before });
    releaseElements(batch.elements);
  }
  claims.judge();
  return known;
}

function hashesOf(claims: Claims, slot: number, count: number) {
  const refusals = new Map<number, 'conflict' | 'ambiguous'>();
  const hashes = Array.from({ length: count }, (_, place) => {
    const answer = claims.answerAt(slot + place);
    if (answer === 'conflict' || answer === 'ambiguous') refusals.set(place, answer);
    return typeof answer === 'number' ? claims.text(answer) : '';
  });
  return { hashes, refusals };
}

function factorsOf(lines: FactorJoin, batch: UserBatch) {
  const found = Array.from(accountsIn(batch), ({ id }, place) => [place, lines.of(id)] as const);
  return new Map(found.filter(([, factors]) => factors.length > 0));
}

function* accountsIn(batch: UserBatch) {
  for (const record of parseBatch(batch)) yield readAccount(isObject(record) ? userOf(record) : {});
}

/** Returns a checksum of everything in a batch. */
function markOf(elements: RawElements) {
  return crc32('bytes' in elements ? elements.bytes : JSON.stringify(elements));
}

async function readPasswords(inputs: readonly Input[], openSpillFile: ScanAids['openSpillFile']) {
  const claims = new Claims(openSpillFile);
  const problems: Counts = new Map();
  const numbers = new RowNumbers();
  await readNumbered(inputs, 'passwords', (record, input, number) => {
    const line = readPasswordLine(record);
    if (typeof line === 'string') {
      count(problems, line);
      claims.addBroken();
    } else claims.add(line);
    numbers.push(input, number);
  });
  /** Returns the notices. Complete only after the last user. */
  const notices = () => describeLines(claims, numbers, problems);
  return { claims, notices };
}

/**
 * Reads all known shapes: `_id` as text or `{$oid}`, `_ID`, ids with and without `auth0|`, email in `identifiers`.
 * Returns why the line is not joined otherwise, which never shows a part of it.
 */
function readPasswordLine(value: unknown): ClaimingRow | string {
  if (value instanceof BrokenRecord) return 'it is not JSON';
  if (!isObject(value)) return 'it is not a JSON object';
  const hash = value['passwordHash'] ?? value['password_hash'];
  if (typeof hash !== 'string' || hash === '') return 'it holds no password hash';
  const ids = [value['alt_id'], value['_id'], value['_ID'], value['user_id']].map(readId);
  if (ids.includes(undefined)) return 'an id in it must be a string or a safe integer';
  const [alternateId = '', ...others] = ids;
  const id = others.find((one) => one !== '') ?? '';
  const email = comparable(value['email']) || emailOf(value['identifiers']);
  if (alternateId === '' && id === '' && email === '') return 'it holds neither an id nor an email';
  return { alternateId, id, email, connection: firstText(value, 'connection'), text: hash.trim() };
}

/** Returns undefined if the value is not an ID. Joined by such a value, a password could become another user's. */
function readId(value: unknown) {
  const id = readJsonId((isObject(value) && Object.hasOwn(value, '$oid') ? value['$oid'] : value) ?? '');
  if (id === undefined) return undefined;
  const inside = databaseId(id.trim());
  return inside === '' ? '' : databasePrefix + inside;
}

/** Newer exports list everything that a user may log in with instead of one address. */
function emailOf(identifiers: unknown) {
  if (!Array.isArray(identifiers)) return '';
  for (const identifier of identifiers) {
    if (isObject(identifier) && identifier['type'] === 'email') return comparable(identifier['value']);
  }
  return '';
}

/** Returns one notice about all lines, and one about each kind of line that was not joined. */
function describeLines(claims: Claims, numbers: RowNumbers, problems: Counts): Notice[] {
  const counts = new Map<Outcome, number>();
  for (let row = 0; row < claims.size; row++) count(counts, claims.outcomeOf(row));
  const sumOf = (...all: readonly Outcome[]) =>
    all.reduce((sum, outcome) => sum + (counts.get(outcome) ?? 0), 0);
  const ways = [
    [sumOf(1, 2), 'by user id'],
    [sumOf(3), 'by the id of a linked account'],
    [sumOf(4), 'by email and connection'],
    [sumOf(5), 'by email alone'],
    [sumOf('repeated'), 'a repetition'],
  ] as const;
  const told = ways.filter(([lines]) => lines > 0).map(([lines, words]) => `${formatCount(lines)} ${words}`);
  const found = [...problems].map(([problem, lines]) => `${lines}: ${problem}`);
  const read = `${formatCounted(claims.size, 'password line')} read`;
  const joined = `${formatCount(sumOf(1, 2, 3, 4, 5))} joined`;
  return [
    note('password:join', `${read}, ${[joined, told.join(', ')].filter(Boolean).join(': ')}`),
    ...kinds.flatMap(([outcome, code, text]) => {
      const words = outcome === 'broken' ? `cannot be read (${found.join('; ')})` : text;
      return numbers.warn(code, 'password line', words, (row) => claims.outcomeOf(row) === outcome);
    }),
  ];
}

const kinds: readonly (readonly [Outcome, Notice['code'], text: string])[] = [
  ['unmatched', 'password:unmatched-line', 'without a user among those given'],
  [
    'ambiguous',
    'password:ambiguous-line',
    'may belong to several users, who are imported without a password',
  ],
  [
    'conflicting',
    'password:conflicting-line',
    'contradict each other: those users are imported without a password',
  ],
  [
    'outranked',
    'password:outranked-line',
    'left out: users with the same email have a line of their own that matches better',
  ],
  ['broken', 'password:unreadable-line', ''],
];

type FactorJoin = Awaited<ReturnType<typeof readFactorLines>>;

const isJoined = 1;
const isUnreadable = 2;

async function readFactorLines(inputs: readonly Input[], openSpillFile: ScanAids['openSpillFile']) {
  const rows = new RowStore(openSpillFile);
  const numbers = new RowNumbers();
  const unreadable: number[] = [];
  await readNumbered(inputs, 'mfa', (record, input, line) => {
    const { userId, factor } = readFactor(record) ?? { userId: '' };
    if (userId === '') unreadable.push(numbers.length);
    rows.add(JSON.stringify(factor ?? ''), userId);
    numbers.push(input, line);
  });
  const marks = new Uint8Array(numbers.length);
  for (const row of unreadable) marks[row] = isUnreadable;
  return {
    /** Returns the factors of a user in the order of their lines. */
    of: (userId: string) =>
      rows.rowsOf(userId).map((row) => {
        marks[row] = isJoined;
        return JSON.parse(rows.text(row)) as Factor;
      }),
    /** Returns the notices. Complete only after the last user. */
    notices: () => describeFactors(marks, numbers),
    close: () => rows.close(),
  };
}

function describeFactors(marks: Uint8Array, numbers: RowNumbers): Notice[] {
  const noun = 'multi-factor line';
  const joined = marks.reduce((sum, mark) => sum + Number(mark === isJoined), 0);
  const text = `${formatCounted(marks.length, noun)} read, ${formatCount(joined)} joined`;
  const warn = (code: Notice['code'], mark: number, what: string) =>
    numbers.warn(code, noun, what, (row) => marks[row] === mark);
  return [
    note('mfa:join', text),
    ...warn('mfa:unmatched-line', 0, 'without a user among those given'),
    ...warn('mfa:unreadable-line', isUnreadable, 'cannot be read'),
  ];
}

/** Returns undefined if the value is not a line of this export. */
function readFactor(value: unknown): { readonly userId: string; readonly factor: Factor } | undefined {
  if (!isObject(value)) return undefined;
  const { user_id: userId, type } = value;
  if (typeof userId !== 'string' || userId === '' || typeof type !== 'string' || type === '')
    return undefined;
  const kind = fields.get(type.toLowerCase()) ?? 'other';
  return { userId, factor: { kind, value: kind === 'other' ? type : firstText(value, kind) } };
}

const fields = new Map<string, Factor['kind']>([
  ['otp', 'otp_secret'],
  ['totp', 'otp_secret'],
  ['recovery-code', 'recovery_code'],
]);
