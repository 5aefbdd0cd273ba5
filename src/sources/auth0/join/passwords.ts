/** Joins the password files to a segment of users, in one pass. */
import type { WorkerPool } from '../../../workers/pool.ts';
import type { Input } from '../../../lib/input.ts';
import { isKey, KeyTable } from '../../../compact/key-table.ts';
import { readKeys } from './key-job.ts';
import type { JoinTally } from './tally.ts';
import type { LineFile } from './line-numbers.ts';
import { type NumberedBatch, numberAt, scanNumbered } from './numbered.ts';
import { alternateKey, lineKeyWords, objectKey, type PasswordKeys } from './password-lines.ts';
import type { Segment } from './segment.ts';
import type { Ambiguity, Match, UserIndex } from './user-index.ts';

/** The state of a join over all its passes. */
export interface PasswordJoin {
  readonly inputs: readonly Input[];
  readonly index: UserIndex;
  readonly tally: JoinTally;
  /** Filled in the first pass. */
  readonly files: LineFile[];
  readonly pool: WorkerPool;
}

/**
 * Reads all lines. Those of users in the segment are offered to it; those of no user, and those that cannot be read,
 * are reported in the first pass only. Afterwards every user of the segment has its verdict.
 */
export async function joinSegment(join: PasswordJoin, segment: Segment): Promise<void> {
  const pass = new Pass(join, segment);
  const { seeds } = join.index.maker;
  const keys = readKeys(scanFiles(join), { kind: 'passwords', seeds }, join.pool);
  for await (const { task, result } of keys) {
    pass.take(result, (place) => task.before + numberAt(task.numbers, place));
  }
  segment.settle();
}

/** All lines of all files; `before` is the number of the last line of the file before. */
async function* scanFiles({
  inputs,
  files,
}: PasswordJoin): AsyncGenerator<NumberedBatch & { readonly before: number }> {
  let before = 0;
  for (const [at, input] of inputs.entries()) {
    files[at] ??= { input: input.name, before };
    let last = 0;
    for await (const batch of scanNumbered(input, 'passwords')) {
      yield { ...batch, before };
      last = batch.numbers.last;
    }
    before += last;
  }
}

class Pass {
  readonly #index: UserIndex;
  readonly #tally: JoinTally;
  readonly #segment: Segment;
  readonly #isFirst: boolean;
  readonly #orphans = new Orphans();
  /** The batch at hand. */
  #lines: PasswordKeys = noLines;

  constructor({ index, tally, files }: PasswordJoin, segment: Segment) {
    this.#index = index;
    this.#tally = tally;
    this.#segment = segment;
    this.#isFirst = files.length === 0;
  }

  /** A batch, and the number of each of its lines. */
  take(lines: PasswordKeys, ordinalAt: (place: number) => number): void {
    this.#lines = lines;
    for (let place = 0; place < lines.count; place++) this.#takeLine(place, ordinalAt(place));
  }

  #takeLine(place: number, ordinal: number): void {
    if (this.#isFirst) this.#tally.read++;
    const problem = this.#lines.problems.size === 0 ? undefined : this.#lines.problems.get(place);
    if (problem !== undefined) {
      if (this.#isFirst) this.#tally.broken(ordinal, problem);
      return;
    }
    const owner = this.#index.ownerOf(this.#lines, place);
    if (owner !== -1) {
      if (this.#segment.holds(owner)) this.#segment.offer(owner, 2, this.#lines, place, ordinal, true);
      return;
    }
    const known = this.#index.matchIds(this.#lines, place);
    if (known === undefined) this.#takeOrphan(place, ordinal);
    else if ('ambiguous' in known) {
      this.#suspect(known, ordinal);
      this.#noteOwner([], place);
    } else {
      this.#offer(known, place, ordinal);
      this.#noteOwner(known.slots, place);
    }
  }

  /** No user has the id: the email may find one. */
  #takeOrphan(place: number, ordinal: number): void {
    const match = this.#index.matchEmail(this.#lines, place);
    if (match === undefined) {
      if (this.#isFirst) this.#tally.unmatched(ordinal);
      this.#noteOwner([], place);
      return;
    }
    let slot = unknownSlot;
    if ('ambiguous' in match) {
      this.#suspect(match, ordinal);
    } else {
      this.#offer(match, place, ordinal);
      slot = firstOf(match.slots);
    }
    const other = this.#orphans.claim(this.#lines, place, slot);
    if (other === slot) return;
    for (const disputed of [slot, other]) if (disputed !== unknownSlot) this.#dispute(disputed);
  }

  #dispute(slot: number): void {
    for (const record of this.#index.recordsOf(slot)) {
      if (this.#segment.holds(record)) this.#segment.dispute(record);
    }
  }

  #offer({ slots, rank }: Match, place: number, ordinal: number): void {
    const first = firstOf(slots);
    for (const slot of slots) {
      if (!this.#segment.holds(slot)) continue;
      this.#segment.offer(slot, rank, this.#lines, place, ordinal, slot === first);
    }
  }

  #suspect({ ambiguous }: Ambiguity, ordinal: number): void {
    if (this.#isFirst) this.#tally.ambiguous(ordinal);
    for (const slot of ambiguous) if (this.#segment.holds(slot)) this.#segment.suspect(slot);
  }

  /** A line of these users (or of no user) may have the email of another one: for whom it is not unique then. */
  #noteOwner(slots: readonly number[], place: number): void {
    if (slots.some((slot) => this.#index.hasEmail(slot, this.#lines, place))) return;
    for (const slot of this.#index.findEmail(this.#lines, place)) {
      if (this.#segment.holds(slot)) this.#segment.shareEmail(slot);
    }
  }
}

const noLines: PasswordKeys = {
  count: 0,
  words: new Uint32Array(),
  hashes: new Uint32Array(),
  connections: { values: [], ends: [] },
  otherHashes: new Map(),
  problems: new Map(),
};

/** In the place of a slot where it is not known whose. */
const unknownSlot = -1;

/** Lines whose id no user has, and whose email a user has, by that id: an id that comes twice proves nothing. */
class Orphans {
  readonly #ids = new KeyTable();
  readonly #slots: number[] = [];

  /** The slot of the first line with the same id, which is `slot` for a line that comes alone. */
  claim({ words }: PasswordKeys, place: number, slot: number): number {
    const start = place * lineKeyWords;
    const at = start + (isKey(words, start + alternateKey) ? alternateKey : objectKey);
    if (!isKey(words, at)) return slot;
    const entry = this.#ids.find(words, at);
    if (entry !== -1) return this.#slots[entry]!;
    this.#ids.add(words, at);
    this.#slots.push(slot);
    return slot;
  }
}

/** The earliest of the records of one user: the one by which a line's outcome is reported. */
function firstOf(slots: readonly number[]): number {
  return slots.length === 1 ? slots[0]! : Math.min(...slots);
}
