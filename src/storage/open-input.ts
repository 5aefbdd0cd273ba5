/** Opens the inputs that the user names: files and standard input. */
import {
  type BigIntStats,
  closeSync,
  createReadStream,
  fstatSync,
  openSync,
  readSync,
  statSync,
} from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { InputError, UsageError } from '../errors.ts';
import { inputChanged, type Input } from '../lib/input.ts';
import { inputProblem } from './file-problem.ts';
import { plainBytes } from './plain-bytes.ts';
import { isUnchanged } from './same-file.ts';

export interface InputContext {
  readonly stdin?: Readable;
  /** Folder of relative paths. */
  readonly cwd?: string;
  /** Ends the reading of an input. */
  readonly signal?: AbortSignal;
  /** By the name of an input: reports whether something has changed that the input belongs to, such as its folder. */
  readonly belongsTo?: ReadonlyMap<string, () => boolean>;
}

/** Throws `InputError` if the file is missing, is a folder or cannot be read. Its contents are checked while it is read. */
export function openInput(name: string, context: InputContext = {}): Input {
  if (name === '-') return openStdin(name, context);
  // An empty path would resolve to the working directory.
  if (name === '') {
    throw new UsageError('the path of an input is empty', 'Name a file, or "-" for standard input.');
  }
  const [, scheme] = /^([a-z][a-z0-9+.-]+):\/\//i.exec(name) ?? [];
  if (scheme === undefined) return openFile(name, context);
  throw new UsageError(
    `${name}: inputs cannot be read from ${scheme}://`,
    'Download it and name the file, or pipe it in and name "-".',
  );
}

export function openInputs(names: readonly string[], context: InputContext = {}): Input[] {
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new UsageError(`${twice} is given twice`, 'Name every input once.');
  return names.map((name) => openInput(name, context));
}

function openFile(name: string, { cwd = '.', belongsTo, signal }: InputContext): Input {
  const path = resolve(cwd, name);
  const found = attempt(name, () => statSync(path, { bigint: true }), path);
  if (found.isDirectory()) {
    throw new InputError('input:is-folder', name, 'it is a folder, not a file', 'Name the files in it.');
  }
  if (!found.isFile()) return inputFrom(name, () => streamedBlocks(name, path), signal);
  const file = { found, hasOtherChanged: belongsTo?.get(name) };
  return inputFrom(name, () => regularFileBlocks(name, path, found), signal, file);
}

function openStdin(name: string, { stdin, signal }: InputContext): Input {
  if (stdin === undefined) throw new UsageError('standard input cannot be read here');
  return inputFrom(name, () => streamBytes(stdin), signal);
}

interface RegularFile {
  readonly found: BigIntStats;
  readonly hasOtherChanged: (() => boolean) | undefined;
}

/** `file` is set for a regular file. Only such a file can be read more than once. */
function inputFrom(
  name: string,
  stored: () => AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
  file?: RegularFile,
): Input {
  const repeatable = file !== undefined;
  let opened = false;
  let taken = 0;
  /** Checksum of all bytes in the first reading. File times have a coarse resolution, and programs can set them. */
  let checksum: number | undefined;
  async function* counted() {
    let [sum, read] = [0, 0];
    for await (const block of stored()) {
      signal?.throwIfAborted();
      read += block.length;
      taken = read;
      if (repeatable) sum = crc32(block, sum);
      yield block;
    }
    checksum ??= sum;
    if (checksum !== sum || file?.hasOtherChanged?.()) throw inputChanged(name);
  }
  return {
    name,
    size: file && Number(file.found.size),
    file: file?.found,
    repeatable,
    taken: () => taken,
    blocks: (rewrite) => {
      if (opened && !repeatable) throw new Error(`${name} can be read only once`);
      opened = true;
      return plainBytes(name, counted(), rewrite);
    },
  };
}

async function* streamBytes(stream: Readable) {
  for await (const chunk of stream) yield typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
}

const blockSize = 256 * 1024;
/** Synchronous reads block timers and signals, so the event loop gets a turn after this many bytes. */
const bytesPerTurn = 4 * 1024 * 1024;

/**
 * Reads without Node's streams, which take longer than a whole conversion (at their default size, five times longer than this).
 */
async function* regularFileBlocks(name: string, path: string, found: BigIntStats) {
  const file = attempt(name, () => openSync(path, 'r'));
  try {
    const block = Buffer.allocUnsafeSlow(blockSize);
    let sinceTurn = bytesPerTurn;
    for (let at = 0; ;) {
      if (sinceTurn >= bytesPerTurn) {
        await setImmediate();
        sinceTurn = 0;
      }
      const length = attempt(name, () => readSync(file, block, 0, block.length, at));
      if (!isUnchanged(found, fstatSync(file, { bigint: true }))) throw inputChanged(name);
      if (length === 0) return;
      at += length;
      sinceTurn += length;
      yield block.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}

/** Reads pipes and devices, where a read may have to wait. */
async function* streamedBlocks(name: string, path: string) {
  try {
    for await (const block of createReadStream(path, { highWaterMark: blockSize })) yield block as Buffer;
  } catch (error) {
    throw inputProblem(name, error);
  }
}

/** Turns file system errors into an `InputError`. With `path`, the error for a missing file suggests similar names. */
function attempt<T>(name: string, read: () => T, path?: string) {
  try {
    return read();
  } catch (error) {
    throw inputProblem(name, error, path);
  }
}
