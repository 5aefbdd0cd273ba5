/**
 * Yields batches of raw users, with what the password and factor files know of each. These files are read first; then the
 * users to know whose each line is, and once more to hand them out: telling most of them in one reading saved 6 % of
 * processor time on one thread and none on two, took more memory, and was a second way to the same answers.
 */
import { crc32 } from 'node:zlib';
import { InputError } from '../../errors.ts';
import { type Input, inputChanged } from '../../lib/input.ts';
import { isObject } from '../../lib/json-value.ts';
import { parseBatch, releaseElements } from '../elements.ts';
import type { Notice, RawBatch, RawElements, ScanAids } from '../source.ts';
import type { Account } from '../table/claim-users.ts';
import type { Claims } from '../table/claims.ts';
import { userOf } from './columns.ts';
import { scanUsers, type UserBatch } from './files.ts';
import { readAccount } from './identities.ts';
import { type Factor, type FactorJoin, readFactorLines } from './mfa.ts';
import { readPasswords } from './passwords.ts';
import type { Auth0Context, JoinedBatch } from './prepare.ts';

/** The files that go with the users. */
export interface JoinedFiles {
  readonly passwords: readonly Input[];
  readonly mfa: readonly Input[];
}

interface ScanTuning extends Pick<ScanAids, 'openSpillFile'> {
  /** A batch of records ends with the first that reaches this size. */
  readonly batchBytes?: number;
}

type Notify = (notice: Notice) => void;

export async function* scanJoined(
  users: readonly Input[],
  files: JoinedFiles,
  notify: Notify,
  { openSpillFile, batchBytes }: ScanTuning = {},
): AsyncGenerator<RawBatch<Auth0Context>> {
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
      const { input, elements, cells } = batch;
      const before = known?.shift();
      if (before?.mark !== (known && markOf(elements))) throw inputChanged(input);
      const hashes = before && hashesOf(passwords!.claims, slot, before.count);
      slot += before?.count ?? 0;
      const joined = factors === undefined ? hashes : { ...hashes, factors: factorsOf(factors, batch) };
      yield { input, elements, context: { cells, joined } };
    }
    if (known !== undefined && known.length > 0) throw inputChanged(users.at(-1)!.name);
    for (const notice of [passwords, factors].flatMap((lines) => lines?.notices() ?? [])) notify(notice);
  } finally {
    passwords?.claims.close();
    factors?.close();
  }
}

function refusePipes(users: readonly Input[]): void {
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

/** Returns what has to be the same in the second reading, by batch. */
async function judge(claims: Claims, batches: AsyncIterable<UserBatch>) {
  const users = claims.createUsers();
  const known: { readonly mark: number; readonly count: number }[] = [];
  for await (const batch of batches) {
    const mark = markOf(batch.elements);
    const accounts = accountsIn(batch);
    known.push({ mark, count: accounts.length });
    for (const account of accounts) users.add(account);
    releaseElements(batch.elements);
  }
  claims.judge(users);
  return known;
}

function hashesOf(claims: Claims, slot: number, count: number): JoinedBatch {
  const refusals = new Map<number, 'conflict' | 'ambiguous'>();
  const hashes = Array.from({ length: count }, (_, place) => {
    const answer = claims.answerAt(slot + place);
    if (answer === 'conflict' || answer === 'ambiguous') refusals.set(place, answer);
    return typeof answer === 'number' ? claims.text(answer) : '';
  });
  return { hashes, refusals };
}

function factorsOf(lines: FactorJoin, batch: UserBatch): Map<number, readonly Factor[]> {
  const found = accountsIn(batch).map(({ id }, place) => [place, lines.of(id)] as const);
  return new Map(found.filter(([, factors]) => factors.length > 0));
}

function accountsIn(batch: UserBatch): Account[] {
  return Array.from(parseBatch(batch), (record) =>
    readAccount(isObject(record) ? userOf(record, batch.cells) : {}),
  );
}

/** A checksum of all that a batch holds. */
function markOf(elements: RawElements): number {
  return crc32('bytes' in elements ? elements.bytes : JSON.stringify(elements));
}
