/** The shape of inputs, so that sources need not know where bytes come from. */
import type { BigIntStats } from 'node:fs';
import { InputError, inputName, UsageError } from '../errors.ts';

/** Converts plain bytes to UTF-8. */
export type Rewrite = (blocks: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/** An input: named bytes that storage opens and sources read. */
export interface Input {
  /** Name as the user gave it: a path, `-` for standard input, `gs://bucket/path`. Used in messages and origins. */
  readonly name: string;
  /** Bytes on disk (compressed, if it is a gzip file), if known. Used for progress. */
  readonly size: number | undefined;
  /** Device and number of a regular file. */
  readonly file?: Pick<BigIntStats, 'dev' | 'ino'> | undefined;
  /** False for standard input and pipes, whose `blocks` can be called only once. */
  readonly repeatable: boolean;
  /** Set for a running system, from which no better export can be made. */
  readonly isLive?: true;
  /** Bytes read from disk (compressed, if it is a gzip file) by the reading that took the last block. Used for progress. */
  taken(): number;
  /**
   * Returns the plain bytes from the start, with gzip unpacked and without a UTF-8 byte order mark. A block is valid until the
   * next one is requested. `rewrite` is for text in another encoding, unless a byte order mark names one. Throws `input:changed`
   * instead of yielding a block if the file has changed since it was opened.
   */
  blocks(rewrite?: Rewrite): AsyncIterable<Uint8Array>;
}

/** Returns what to do if there is nothing in the input. `hint` is the advice for an export. */
export const adviseEmpty = (input: Pick<Input, 'isLive'>, hint: string) =>
  input.isLive === true ? 'Check that this is the address of the system with the users.' : hint;

/** The bytes that were read are not one export: a part may be missing or come from another one. */
export function inputChanged(input: string) {
  return new InputError(
    'input:changed',
    input,
    'it changed while it was read',
    'Take a copy that no other program writes to.',
  );
}

/** Throws `UsageError` for standard input and pipes. `why` says what reads them several times. */
export function requireRepeatable(inputs: readonly Input[], why = '') {
  const stream = inputs.find(({ repeatable }) => !repeatable);
  if (stream === undefined) return;
  throw new UsageError(
    `${inputName(stream.name)} cannot be read more than once`,
    why === '' ? 'Put it into a file.' : `${why}: put it into a file.`,
  );
}
