/** Divides the users of a source among processes. Each user belongs to exactly one shard, in every process. */
import { createHash } from 'node:crypto';
import { UsageError } from '../../errors.ts';
import type { SourceUser } from './read-users.ts';

/** One of `count` parts, from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** Returns the shard as it is typed. */
export const formatShard = ({ index, count }: Shard) => `${index}/${count}`;

/** Returns the error for a file that is not of the same run as the files of the other shards. */
export const notOfRun = (file: string, what: string) =>
  new UsageError(`${file} ${what}`, 'Give the files of all shards of one run.');

/** Throws `UsageError` for the file of another shard, or of a whole run, which names none. */
export function checkShard(file: string, found: string | undefined, shard: Shard) {
  const expected = formatShard(shard);
  if (found === expected) return;
  throw notOfRun(
    file,
    `is of ${found === undefined ? 'a whole run' : `shard ${found}`}, not of shard ${expected}`,
  );
}

/** Decides by the first 48 bits of the SHA-256 of `key`. Without a shard, everything is in. */
export function isInShard(shard: Shard | undefined, key: string) {
  if (shard === undefined) return true;
  const number = createHash('sha256').update(key).digest().readUIntBE(0, 6);
  return number % shard.count === shard.index - 1;
}

/** Decides by the user's id in the source, else its user name. A record without either goes by its number. */
export function isUserInShard(
  shard: Shard | undefined,
  { number, record }: Pick<SourceUser, 'number' | 'record'>,
) {
  const key = record.kind === 'rejected' ? record.origin.id : record.id || record.userName;
  return shard === undefined || isInShard(shard, key || String(number));
}
