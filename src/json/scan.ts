/**
 * Finds the elements of requested arrays in a JSON document of any size and yields them in batches, not parsed, in
 * constant memory. The rest of the document is checked and skipped, to the end of the input.
 */
import { batchMemory } from '../lib/batch-memory.ts';
import { ElementCutter, type ElementBatch, type LongElement, maxRecordBytes } from './element-cutter.ts';
import { describeByte, JsonSyntaxError } from './error.ts';
import { buildPathTree } from './paths.ts';
import { checkJson } from './parse.ts';
import type { Scalar } from './token.ts';
import { JsonWalker, type JsonKind } from './walker.ts';
import { Utf8Guard } from './utf8.ts';

export interface ScanOptions {
  /**
   * The requested arrays, as keys from the root; `*` is every element of an array, `[]` the root itself. With `values`
   * the elements are the root values instead: a single object, or several one after the other.
   */
  readonly arrays: readonly (readonly string[])[] | 'values';
  /** Scalars to report; one longer than 64 KiB is an error, a value of another type is skipped. */
  readonly fields?: readonly (readonly string[])[];
  /** The key of a requested array may stand in an object more than once: all these arrays are read. */
  readonly repeats?: boolean;
  /** Several documents may follow one another (pages of an API in one file), each with the same paths. */
  readonly many?: boolean;
  /** Values of any kind to report unparsed; nothing can be requested inside them. */
  readonly values?: readonly (readonly string[])[];
  /** A batch ends with the first element that reaches this size. */
  readonly batchBytes?: number;
  readonly maxElementBytes?: number;
  /**
   * The last keys of arrays whose elements are records of users, or true for all: one that is too long is reported as
   * `long` and costs only itself.
   */
  readonly records?: readonly string[] | true;
}

/** `root` is the index of the root element for paths that begin with `*`, else 0. */
export type ScanItem =
  | { readonly kind: 'open'; readonly path: readonly string[]; readonly root: number }
  /** Always between an `open` and its `close`. Its buffer belongs to the receiver. */
  | ({ readonly kind: 'batch' } & ElementBatch)
  /** Only with `records`. */
  | ({ readonly kind: 'long' } & LongElement)
  | { readonly kind: 'close'; readonly path: readonly string[]; readonly root: number }
  | {
      readonly kind: 'field';
      readonly path: readonly string[];
      readonly root: number;
      readonly value: Scalar;
    }
  /** `bytes` is JSON whose grammar has not been checked yet, and belongs to the receiver. */
  | {
      readonly kind: 'value';
      readonly path: readonly string[];
      readonly root: number;
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly offset: number;
    }
  /**
   * A requested array is something else, or (`missing`) the object around it ended without it. Each object that could
   * hold a requested array gives either `open` or `absent`.
   */
  | {
      readonly kind: 'absent';
      readonly path: readonly string[];
      readonly root: number;
      readonly found: JsonKind | 'missing';
    };

const defaultBatchBytes = 256 * 1024;

/**
 * Finds the elements of arrays. `name` is for messages. Throws `InputError` with the byte offset for an error outside
 * of elements (`withLine` adds line and column), after the complete elements before it. Errors inside an element are
 * found when its batch is parsed.
 */
export async function* scanJson(
  name: string,
  blocks: AsyncIterable<Uint8Array>,
  options: ScanOptions,
): AsyncGenerator<ScanItem> {
  const scanner = new JsonScanner(options);
  let failure: JsonSyntaxError | undefined;
  try {
    for await (const block of blocks) {
      scanner.feed(block);
      yield* scanner.take();
    }
    scanner.finish();
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    failure = scanner.explain(error);
  }
  yield* scanner.take();
  if (failure !== undefined) throw failure.toInputError(name);
}

class JsonScanner {
  #items: ScanItem[] = [];
  readonly #walker: JsonWalker;
  readonly #cutter: ElementCutter;
  readonly #guard = new Utf8Guard();
  readonly #sequence: boolean;
  readonly #options: ScanOptions;
  /** The requested array (or single value) that is being read. */
  #open: { path: readonly string[]; root: number; single: boolean } | undefined;
  /** The latest block; its first byte has the offset `#base` in the input. */
  #block: Uint8Array = new Uint8Array(0);
  #base = 0;

  constructor(options: ScanOptions) {
    this.#sequence = options.arrays === 'values';
    this.#options = options;
    const { batchBytes = defaultBatchBytes, maxElementBytes = maxRecordBytes } = options;
    this.#cutter = new ElementCutter(
      { sequence: this.#sequence, batchBytes, maxElementBytes },
      (batch) => this.#items.push(this.#toItem(batch)),
      (element) => this.#items.push({ kind: 'long', ...element }),
    );
    this.#walker = new JsonWalker(
      buildPathTree(options.arrays === 'values' ? [] : options.arrays, options.fields, options.values),
      {
        opened: ({ path }, root) => this.#begin(path, root),
        reached: ({ path }, root) => this.#begin(path, root, true),
        absent: ({ path }, root, found) => this.#items.push({ kind: 'absent', path, root, found }),
        field: ({ path }, root, value) => this.#items.push({ kind: 'field', path, root, value }),
      },
      { many: options.many ?? false, repeats: options.repeats ?? false },
    );
    if (this.#sequence) this.#begin([], 0);
  }

  feed(block: Uint8Array): void {
    this.#base += this.#block.length;
    this.#block = block;
    const valid = this.#guard.check(block);
    for (let at = 0; at < valid;) {
      if (this.#open === undefined) {
        at = this.#walker.walk(block, at, valid, this.#base);
      } else {
        at = this.#cutter.cut(block, at, valid, this.#base);
        if (this.#cutter.closed) this.#close();
      }
    }
    if (valid < block.length) {
      throw new JsonSyntaxError('input:invalid-utf8', 'the bytes here are not UTF-8', this.#base + valid);
    }
  }

  finish(): void {
    const length = this.#base + this.#block.length;
    if (this.#open !== undefined) this.#finishOpen(length);
    if (!this.#sequence) this.#walker.finish(length);
  }

  take(): ScanItem[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  /** An element that never ends is probably broken inside, so the first error in it is reported instead. */
  explain(error: JsonSyntaxError): JsonSyntaxError {
    const element = this.#open === undefined ? undefined : this.#cutter.unfinished();
    const inside = element === undefined ? undefined : checkJson(element.bytes);
    this.#cutter.flush();
    if (element === undefined || inside === undefined) return error;
    const at = element.offset + inside.offset;
    if (inside.code === 'input:syntax') return new JsonSyntaxError('input:syntax', inside.problem, at);
    if (inside.code !== 'input:trailing-garbage') return error;
    // A character right after a number, such as the x of 12x.
    const found = describeByte(element.bytes[inside.offset]!);
    return new JsonSyntaxError('input:syntax', `expected "," or "]" after an element but found ${found}`, at);
  }

  #begin(path: readonly string[], root: number, single = false): void {
    this.#open = { path, root, single };
    const { records = [] } = this.#options;
    const holdsRecords = records === true || records.includes(path.at(-1) ?? '');
    this.#cutter.open({ single, holdsRecords: holdsRecords && !single });
    if (!single) this.#items.push({ kind: 'open', path, root });
  }

  #toItem(batch: ElementBatch): ScanItem {
    if (this.#open?.single !== true) return { kind: 'batch', ...batch };
    const { path, root } = this.#open;
    const bytes = batch.bytes.slice();
    batchMemory.release(batch.bytes.buffer);
    return { kind: 'value', path, root, bytes, offset: batch.offset };
  }

  #close(): void {
    if (this.#open?.single === false) {
      this.#items.push({ kind: 'close', path: this.#open.path, root: this.#open.root });
    }
    this.#open = undefined;
    if (!this.#sequence) this.#walker.resume();
  }

  #finishOpen(length: number): void {
    if (this.#cutter.finish(length)) {
      if (this.#cutter.total === 0)
        throw new JsonSyntaxError('input:empty', 'there is no JSON in it', length);
      this.#close();
      return;
    }
    const element = this.#cutter.unfinished();
    const where =
      element === undefined ? 'inside an array' : `inside an element that begins at byte ${element.offset}`;
    throw new JsonSyntaxError('input:truncated', `the input ends ${where}`, length);
  }
}
