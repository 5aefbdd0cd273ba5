/** Joins password and factor files to the users, segment by segment. */
import type { WorkerPool } from '../../../workers/pool.ts';
import type { Input } from '../../../lib/input.ts';
import type { Notice } from '../../source.ts';
import { FactorStore } from './factor-store.ts';
import { factorNotices, joinFactors, startFactorJoin } from './factors.ts';
import { joinSegment } from './passwords.ts';
import { joinNotices, JoinTally } from './tally.ts';
import type { LineFile } from './line-numbers.ts';
import type { JoinedBatch } from '../options.ts';
import { Segment } from './segment.ts';
import type { UserIndex } from './user-index.ts';

/** The files that go with the users. */
export interface JoinedFiles {
  readonly passwords: readonly Input[];
  readonly mfa: readonly Input[];
}

/** The segment at hand, and the tallies over all of them. */
export class Join {
  /** Records of users, readable or not. */
  readonly users: number;
  readonly #companions: JoinedFiles;
  /** Let go once the last segment is joined. */
  #index: UserIndex | undefined;
  readonly #atOnce: number;
  readonly #pool: WorkerPool;
  readonly #tally = new JoinTally();
  readonly #files: LineFile[] = [];
  readonly #factorJoin: ReturnType<typeof startFactorJoin>;
  #segment: Segment | undefined;
  #factors: FactorStore | undefined;

  constructor(companions: JoinedFiles, index: UserIndex, atOnce: number, pool: WorkerPool) {
    this.#companions = companions;
    this.users = index.size;
    this.#index = index;
    this.#atOnce = atOnce;
    this.#pool = pool;
    this.#factorJoin = startFactorJoin(companions.mfa);
  }

  /** Makes sure that the users from `start` to `end` are joined. */
  async reach(start: number, end: number): Promise<void> {
    if (this.#segment !== undefined && end <= this.#segment.end) return;
    const index = this.#index;
    if (index === undefined) throw new RangeError(`there is no user ${end}`);
    const before = this.#segment?.end ?? 0;
    // The old tables go before the new ones come.
    this.#segment = undefined;
    this.#factors = undefined;
    const last = Math.min(Math.max(start + this.#atOnce, end), this.users);
    const segment = new Segment(start, last, before, this.#tally);
    const factors = new FactorStore(start, this.#companions.mfa.length === 0 ? start : last);
    if (this.#companions.passwords.length > 0) {
      await joinSegment(
        {
          inputs: this.#companions.passwords,
          index,
          tally: this.#tally,
          files: this.#files,
          pool: this.#pool,
        },
        segment,
      );
    }
    if (this.#companions.mfa.length > 0) await joinFactors(this.#factorJoin, index, factors, start, last);
    this.#segment = segment;
    this.#factors = factors;
    if (last === this.users) this.#index = undefined;
  }

  batch(start: number, end: number): JoinedBatch {
    return {
      count: end - start,
      ...(this.#companions.passwords.length === 0 ? {} : { passwords: this.#segment!.slice(start, end) }),
      ...(this.#companions.mfa.length === 0 ? {} : { factors: this.#factors!.slice(start, end) }),
    };
  }

  notices(): Notice[] {
    return [
      ...(this.#companions.passwords.length === 0 ? [] : joinNotices(this.#tally, this.#files)),
      ...(this.#companions.mfa.length === 0 ? [] : factorNotices(this.#factorJoin)),
    ];
  }
}
