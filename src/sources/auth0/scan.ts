/**
 * Yields batches of raw users, with what the password and factor files know of each. These files are read first, the users
 * once; a second time, to know all of them, where a line and a user cannot be told to belong together otherwise.
 */
import { crc32 } from 'node:zlib';
import { InputError } from '../../errors.ts';
import { type Input, inputChanged } from '../../lib/input.ts';
import { isObject } from '../../lib/json-value.ts';
import { parseAhead, parseBatch, releaseElements } from '../elements.ts';
import type { Notice, RawBatch, RawElements, ScanAids } from '../source.ts';
import type { Account } from '../table/claim-users.ts';
import type { Answer } from '../table/judgement.ts';
import { userOf } from './columns.ts';
import { countOf, scanUsers, type UserBatch } from './files.ts';
import { readAccount } from './identities.ts';
import { type Factor, type FactorJoin, readFactorLines } from './mfa.ts';
import { type Passwords, readPasswords } from './passwords.ts';
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
  { passwords, mfa }: JoinedFiles,
  notify: Notify,
  { openSpillFile, batchBytes }: ScanTuning = {},
): AsyncGenerator<RawBatch<Auth0Context>> {
  if (passwords.length > 0) refusePipes(users);
  const files = {
    passwords: passwords.length === 0 ? undefined : await readPasswords(passwords, openSpillFile),
    factors: mfa.length === 0 ? undefined : await readFactorLines(mfa, openSpillFile),
  };
  const join = new Join(files, () => scanUsers(users, () => undefined, batchBytes));
  try {
    for await (const batch of scanUsers(users, notify, batchBytes)) {
      const { input, elements, cells } = batch;
      yield { input, elements, context: { cells, joined: await join.next(batch) } };
    }
    for (const notice of await join.finish(users.at(-1)?.name ?? '')) notify(notice);
  } finally {
    files.passwords?.claims.close();
    files.factors?.close();
  }
}

function refusePipes(users: readonly Input[]): void {
  const pipe = users.find(({ repeatable }) => !repeatable);
  if (pipe === undefined) return;
  const problem = 'users may have to be read twice when passwords are joined to them';
  throw new InputError('input:not-repeatable', pipe.name, problem, {
    hint: 'Give a file instead of a pipe; gzip is read as it is.',
  });
}

interface Joins {
  readonly passwords: Passwords | undefined;
  readonly factors: FactorJoin | undefined;
}

class Join {
  readonly #joins: Joins;
  readonly #scanAgain: () => AsyncIterable<UserBatch>;
  /** Checksums of the batches that were handed out, and of all where the users were read to index them. */
  readonly #marks: number[] = [];
  #expected: readonly number[] | undefined;
  /** Records that were handed out. */
  #slot = 0;

  constructor(joins: Joins, scanAgain: () => AsyncIterable<UserBatch>) {
    this.#joins = joins;
    this.#scanAgain = scanAgain;
  }

  async next(batch: UserBatch): Promise<JoinedBatch | undefined> {
    const { passwords, factors: lines } = this.#joins;
    if (passwords === undefined && lines === undefined) return undefined;
    const { input, elements } = batch;
    if (passwords !== undefined) {
      this.#marks.push(markOf(elements));
      this.#compareMark(input, this.#marks.length - 1);
    }
    const isKnown = this.#expected !== undefined && lines === undefined && 'count' in elements;
    const accounts = isKnown ? undefined : accountsIn(parseAhead(batch), batch.cells);
    const count = accounts?.length ?? countOf(batch);
    const factors = new Map<number, readonly Factor[]>();
    for (const [place, { id }] of accounts?.entries() ?? []) {
      const found = lines?.of(id) ?? [];
      if (found.length > 0) factors.set(place, found);
    }
    const hashes = passwords && (await this.#hashesOf(count, accounts, passwords));
    this.#slot += count;
    return { refusals: new Map(), ...hashes, factors };
  }

  async finish(input: string): Promise<Notice[]> {
    const { passwords, factors } = this.#joins;
    if (passwords?.claims.needsUsers === true) await this.#index(passwords);
    if (this.#expected !== undefined) this.#compareMark(input, this.#expected.length - 1);
    return [...(passwords?.notices() ?? []), ...(factors?.notices() ?? [])];
  }

  async #hashesOf(
    count: number,
    accounts: readonly Account[] | undefined,
    passwords: Passwords,
  ): Promise<Pick<JoinedBatch, 'hashes' | 'refusals'>> {
    const { claims } = passwords;
    const hashes: string[] = [];
    const refusals = new Map<number, 'conflict' | 'ambiguous'>();
    for (let place = 0; place < count; place++) {
      let answer: Answer | undefined;
      if (this.#expected === undefined) answer = claims.tell(accounts![place]!);
      if (answer === undefined) {
        if (this.#expected === undefined) await this.#index(passwords);
        answer = claims.answerAt(this.#slot + place);
      }
      hashes.push(typeof answer === 'number' ? claims.text(answer) : '');
      if (answer === 'conflict' || answer === 'ambiguous') refusals.set(place, answer);
    }
    return { hashes, refusals };
  }

  async #index({ claims }: Passwords): Promise<void> {
    const users = claims.createUsers();
    const marks: number[] = [];
    let input = '';
    for await (const batch of this.#scanAgain()) {
      input = batch.input;
      marks.push(markOf(batch.elements));
      const records = parseBatch(batch);
      for (const account of accountsIn(records, batch.cells)) users.add(account);
      releaseElements(batch.elements);
    }
    this.#expected = marks;
    claims.judge(users);
    for (const batch of this.#marks.keys()) this.#compareMark(input, batch);
  }

  /** Throws `InputError` where a batch is not the same in both readings of the users. */
  #compareMark(input: string, batch: number): void {
    if (this.#expected !== undefined && this.#marks[batch] !== this.#expected[batch])
      throw inputChanged(input);
  }
}

function accountsIn(records: Iterable<unknown>, cells: UserBatch['cells']): Account[] {
  return Array.from(records, (record) => readAccount(isObject(record) ? userOf(record, cells) : {}));
}

/** A checksum of all that a batch holds. */
function markOf(elements: RawElements): number {
  return crc32('bytes' in elements ? elements.bytes : JSON.stringify(elements));
}
