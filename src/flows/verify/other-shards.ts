/** The users of the source that other shards compare: at the target they are neither expected nor extra. */
import { TextTable } from '../../compact/text-table.ts';
import type { MachineRecord, UserRecord } from '../../records/user.ts';
import type { UserV1 } from '../../wire/user.ts';
import { isInShard, type Shard } from '../source/shard.ts';

/** About 44 bytes a user. */
export class OtherShards {
  readonly #shard: Shard | undefined;
  readonly #ids = new TextTable();
  readonly #names = new TextTable();

  /** Without a shard there are no others. */
  constructor(shard: Shard | undefined) {
    this.#shard = shard;
  }

  add({ id, userName }: UserRecord | MachineRecord): void {
    if (id !== '') this.#ids.add(id);
    this.#names.add(fold(userName));
  }

  /** Whether another shard compares this user of the target, or counts it as extra. */
  has({ id, userName }: UserV1): boolean {
    if (this.#shard === undefined) return false;
    return (
      this.#ids.find(id) !== -1 || this.#names.find(fold(userName)) !== -1 || !isInShard(this.#shard, id)
    );
  }
}

const fold = (userName: string): string => userName.trim().toLowerCase();
