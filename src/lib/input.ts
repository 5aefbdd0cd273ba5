/** The shape of inputs, so that sources need not know where bytes come from; their first bytes, and the line of a byte. */
import type { BigIntStats } from 'node:fs';
import { InputError, inputName, UsageError, type Position } from '../errors.ts';

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
  input.isLive ? 'Check that this is the address of the system with the users.' : hint;

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

/** Enough to recognise a file: whole lines, the first keys of a document, some users. */
export const headBytes = 64 * 1024;

/** Returns all bytes, or undefined if there are more than `most`. */
export async function readAll(blocks: AsyncIterable<string | Uint8Array>, most = Infinity) {
  const kept: Buffer[] = [];
  let size = 0;
  for await (const block of blocks) {
    // Copied, because a reader may use its block again.
    const bytes = Buffer.from(block);
    size += bytes.length;
    if (size > most) return undefined;
    kept.push(bytes);
  }
  return Buffer.concat(kept);
}

/**
 * Returns the head and all blocks from the start. The head has at least `minimum` bytes, unless the input is shorter. Read the
 * blocks or call `return()`: the input stays open until then.
 */
export async function withHead(blocks: AsyncIterable<Uint8Array>, minimum = headBytes) {
  const iterator = blocks[Symbol.asyncIterator]();
  const parts: Uint8Array[] = [];
  let length = 0;
  let ended = false;
  while (length < minimum && !ended) {
    const next = await iterator.next();
    ended = next.done === true;
    if (!next.done && next.value.length > 0) {
      parts.push(new Uint8Array(next.value));
      length += next.value.length;
    }
  }
  const head = Buffer.concat(parts);
  async function* replay() {
    try {
      yield started;
      if (head.length > 0) yield head;
      while (!ended) {
        const next = await iterator.next();
        ended = next.done === true;
        if (!next.done) yield next.value;
      }
    } finally {
      if (!ended) await iterator.return?.();
    }
  }
  const replayed = replay();
  // Runs to the first `yield`, so that its `finally` applies from now on.
  await replayed.next();
  return { head, blocks: replayed };
}

const started = new Uint8Array(0);

/** Returns only the first bytes of an input, and closes it. */
export async function headOf(input: { blocks(): AsyncIterable<Uint8Array> }): Promise<Uint8Array> {
  const { head, blocks } = await withHead(input.blocks());
  await blocks.return(undefined);
  return head;
}

/** Line and column count from 1; the column is in characters. */
export async function locate(input: Input, offset: number): Promise<Position> {
  let seen = 0;
  let line = 1;
  let column = 1;
  for await (const block of input.blocks()) {
    const end = Math.min(block.length, offset - seen);
    for (let at = 0; at < end; at++) {
      const byte = block[at]!;
      if (byte === 0x0a) {
        line++;
        column = 1;
      } else if ((byte & 0xc0) !== 0x80) column++;
    }
    seen += end;
    if (seen === offset) break;
  }
  return { offset, line, column };
}

/** Adds line and column to an error with a position in one of these inputs. Returns any other error unchanged. */
export async function withLine(error: unknown, inputs: readonly Input[]) {
  if (!(error instanceof InputError) || error.position === undefined || error.position.line !== undefined) {
    return error;
  }
  const input = inputs.find((candidate) => candidate.name === error.input);
  if (!input?.repeatable) return error;
  try {
    return error.toldAs(error.problem, await locate(input, error.position.offset));
  } catch {
    return error;
  }
}
