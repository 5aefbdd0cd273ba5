/** Divides the users of a source among processes: each user belongs to exactly one shard, in every process. */
import { createHash } from 'node:crypto';
import { UsageError } from '../../errors.ts';
import type { MachineRecord, Rejected, UserRecord } from '../../records/user.ts';

/** One of `count` parts, from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** As it is typed. */
export const formatShard = ({ index, count }: Shard) => `${index}/${count}`;

/** A file is joined with those of the other shards of its run, and with nothing else. */
export const notOfRun = (file: string, what: string) =>
  new UsageError(`${file} ${what}`, 'Give the files of all shards of one run.');

/** Throws `UsageError` for the file of another shard, or of a whole run, which names none. */
export function checkShard(file: string, found: string | undefined, shard: Shard): void {
  const expected = formatShard(shard);
  if (found === expected) return;
  throw notOfRun(
    file,
    `is of ${found === undefined ? 'a whole run' : `shard ${found}`}, not of shard ${expected}`,
  );
}

/** By the first 48 bits of the SHA-256 of `key`. Without a shard everything is in. */
export function isInShard(shard: Shard | undefined, key: string): boolean {
  if (shard === undefined) return true;
  const number = createHash('sha256').update(key).digest().readUIntBE(0, 6);
  return number % shard.count === shard.index - 1;
}

interface Numbered {
  /** Over all inputs, the same in each reading. */
  readonly number: number;
  readonly record: UserRecord | MachineRecord | Rejected;
}

/** By its id in the source, else its user name; a record that has neither by its number. */
export function isUserInShard(shard: Shard | undefined, { number, record }: Numbered): boolean {
  const key = record.kind === 'rejected' ? record.origin.id : record.id || record.userName;
  return shard === undefined || isInShard(shard, key || String(number));
}
