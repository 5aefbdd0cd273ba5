/**
 * A segment of users and the password of each, packed: about 50 bytes a user. The order in which lines are offered
 * does not change the result.
 */
import { type JoinedPasswords, type Verdict, verdicts } from './joined-passwords.ts';
import { copyPacked, packedWords, samePacked } from './packed-bcrypt.ts';
import type { PasswordKeys } from './password-lines.ts';
import type { Rank } from './user-index.ts';

/** What became of a line. Every line is reported once; later lines may change its outcome. */
export interface LineOutcomes {
  joined(rank: Rank, lines: 1 | -1): void;
  /** The same password once more. */
  repeated(): void;
  /** Another line knew the user better. */
  outranked(ordinal: number): void;
  /** Another password for the same user, known as well. */
  conflicting(ordinal: number): void;
  ambiguous(ordinal: number): void;
}

/** Lines of the best rank contradict each other. */
const conflict = 1;
/** A line of another user has the email, too: it alone proves nothing. */
const shared = 2;
const suspected = 4;
/** Several lines have the email, and one knows the user by it alone. */
const doubled = 8;
const disputed = 16;
/** The outcome of the line that is kept is reported here. */
const keptReported = 32;

const chunkBits = 16;
const chunkUsers = 1 << chunkBits;

export class Segment {
  readonly start: number;
  readonly end: number;
  readonly #newFrom: number;
  readonly #outcomes: LineOutcomes;
  /** In chunks that go as soon as their users are handed out. */
  readonly #hashes: (Uint32Array | undefined)[] = [];
  readonly #ranks: Uint8Array;
  readonly #flags: Uint8Array;
  readonly #ordinals: Uint32Array;
  /** Hashes that are no bcrypt strings. */
  readonly #others = new Map<number, string>();

  /**
   * Slots from `start` to `end`, the latter not included. Those before `newFrom` belong to the previous segment, too, and
   * the outcomes of their lines were reported there.
   */
  constructor(start: number, end: number, newFrom: number, outcomes: LineOutcomes) {
    const users = end - start;
    this.start = start;
    this.end = end;
    this.#newFrom = newFrom;
    this.#outcomes = outcomes;
    for (let first = 0; first < users; first += chunkUsers) {
      this.#hashes.push(new Uint32Array(Math.min(chunkUsers, users - first) * packedWords));
    }
    this.#ranks = new Uint8Array(users);
    this.#flags = new Uint8Array(users);
    this.#ordinals = new Uint32Array(users);
  }

  holds(slot: number): boolean {
    return slot >= this.start && slot < this.end;
  }

  /** The line at `place`. `isFirstRecord` is false for a further record of the same user: an outcome is reported once only. */
  offer(
    slot: number,
    rank: Rank,
    lines: PasswordKeys,
    place: number,
    ordinal: number,
    isFirstRecord: boolean,
  ): void {
    const at = slot - this.start;
    const best = this.#ranks[at]!;
    const isReported = isFirstRecord && slot >= this.#newFrom;
    const outcomes = isReported ? this.#outcomes : notReported;
    if (best !== 0 && rank > best) {
      outcomes.outranked(ordinal);
      return;
    }
    if (rank === best) {
      this.#meet(at, lines, place, ordinal, outcomes);
      return;
    }
    if (best !== 0 && (this.#flags[at]! & conflict) === 0) this.#withdraw(at, 'outranked');
    this.#flags[at]! &= ~(conflict | keptReported);
    if (isReported) this.#flags[at]! |= keptReported;
    this.#ranks[at] = rank;
    this.#ordinals[at] = ordinal;
    this.#keep(at, lines, place);
    outcomes.joined(rank, 1);
  }

  /** A line that knows this user by the email has an id that stands on a line of another user, too. */
  dispute(slot: number): void {
    this.#flags[slot - this.start]! |= disputed;
  }

  /** A line that belongs to another user has this user's email. */
  shareEmail(slot: number): void {
    this.#flags[slot - this.start]! |= shared;
  }

  /** A line may be this user's, or another user's. */
  suspect(slot: number): void {
    this.#flags[slot - this.start]! |= suspected;
  }

  /** After the last line: takes away what an email has joined that proves nothing, as it turned out. */
  settle(): void {
    for (let at = 0; at < this.#ranks.length; at++) {
      const rank = this.#ranks[at]!;
      const flags = this.#flags[at]!;
      if (rank < 4 || (flags & conflict) !== 0) continue;
      if ((flags & disputed) !== 0) {
        this.#flags[at]! |= conflict;
        this.#withdraw(at, 'conflicting');
      } else if (rank === 5 && (flags & shared) !== 0) {
        this.#flags[at]! |= conflict | doubled;
        this.#withdraw(at, 'ambiguous');
      }
    }
  }

  /** What the users from `start` to `end` end with. Those before `end` are not asked for again. */
  slice(start: number, end: number): JoinedPasswords {
    const [from, to] = [start - this.start, end - this.start];
    const joined = {
      verdicts: new Uint8Array(to - from),
      hashes: new Uint32Array((to - from) * packedWords),
      others: new Map<number, string>(),
    };
    this.#copyHashes(from, to, joined.hashes);
    for (let at = from; at < to; at++) {
      const verdict = this.#verdict(at);
      const place = at - from;
      joined.verdicts[place] = verdicts.indexOf(verdict);
      if (verdict !== 'joined') joined.hashes.fill(0, place * packedWords, (place + 1) * packedWords);
      const other = verdict === 'joined' && this.#others.size > 0 ? this.#others.get(at) : undefined;
      if (other !== undefined) joined.others.set(place, other);
    }
    this.#hashes.fill(undefined, 0, to >>> chunkBits);
    return joined;
  }

  #copyHashes(from: number, to: number, into: Uint32Array): void {
    for (let at = from; at < to;) {
      const end = Math.min(to, (at | (chunkUsers - 1)) + 1);
      const [start, words] = [placeInChunk(at), (end - at) * packedWords];
      into.set(this.#chunkOf(at).subarray(start, start + words), (at - from) * packedWords);
      at = end;
    }
  }

  #chunkOf(at: number): Uint32Array {
    return this.#hashes[at >>> chunkBits]!;
  }

  #verdict(at: number): Verdict {
    const rank = this.#ranks[at]!;
    const flags = this.#flags[at]!;
    if (rank === 0) return (flags & suspected) === 0 ? 'none' : 'ambiguous';
    if ((flags & conflict) === 0) return 'joined';
    return rank === 5 && (flags & doubled) !== 0 && (flags & disputed) === 0 ? 'ambiguous' : 'conflict';
  }

  /** The line that was kept is not joined after all. */
  #withdraw(at: number, outcome: 'outranked' | 'conflicting' | 'ambiguous'): void {
    if ((this.#flags[at]! & keptReported) === 0) return;
    this.#outcomes.joined(this.#ranks[at] as Rank, -1);
    this.#outcomes[outcome](this.#ordinals[at]!);
  }

  /** Two lines of the same strength for one user. */
  #meet(at: number, lines: PasswordKeys, place: number, ordinal: number, outcomes: LineOutcomes): void {
    const rank = this.#ranks[at] as Rank;
    if ((this.#flags[at]! & conflict) === 0) {
      if (this.#isSame(at, lines, place)) {
        outcomes.repeated();
        return;
      }
      this.#flags[at]! |= conflict;
      this.#withdraw(at, rank === 5 ? 'ambiguous' : 'conflicting');
    }
    if (rank === 5) {
      this.#flags[at]! |= doubled;
      outcomes.ambiguous(ordinal);
    } else {
      outcomes.conflicting(ordinal);
    }
  }

  #keep(at: number, { hashes, otherHashes }: PasswordKeys, place: number): void {
    const other = otherHashes.get(place);
    if (other !== undefined) {
      this.#others.set(at, other);
      return;
    }
    if (this.#others.size > 0) this.#others.delete(at);
    copyPacked(hashes, place * packedWords, this.#chunkOf(at), placeInChunk(at));
  }

  #isSame(at: number, { hashes, otherHashes }: PasswordKeys, place: number): boolean {
    const [mine, other] = [this.#others.get(at), otherHashes.get(place)];
    if (mine !== undefined || other !== undefined) return mine === other;
    return samePacked(this.#chunkOf(at), placeInChunk(at), hashes, place * packedWords);
  }
}

function placeInChunk(at: number): number {
  return (at & (chunkUsers - 1)) * packedWords;
}

const nothing = (): void => undefined;
const notReported: LineOutcomes = {
  joined: nothing,
  repeated: nothing,
  outranked: nothing,
  conflicting: nothing,
  ambiguous: nothing,
};
