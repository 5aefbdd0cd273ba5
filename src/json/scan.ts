/**
 * Finds the elements of requested arrays in a JSON document of any size and yields them unparsed in batches, in constant memory.
 * The rest of the document is checked and skipped, to the end of the input.
 */
import { isUtf8 } from 'node:buffer';
import { ElementBatches, type ElementBatch, type LongElement, maxRecordBytes } from './element-batches.ts';
import type { InputCode } from '../errors.ts';
import { caught, describeByte, JsonSyntaxError } from './error.ts';
import { buildPathTree, type Path, PathCursor, type PathNode } from './paths.ts';
import { endsScalar, isSpace, type Nesting, skipNested } from './skip.ts';
import { checkToken, type JsonKind, kindOf, type Scalar, valueOf } from './token.ts';
import { incompleteAt, validLength } from './utf8.ts';

export interface ScanOptions {
  /**
   * Requested arrays, as keys from the root. `*` is every element of an array, `[]` the root itself. With `values`, the elements
   * are the root values instead: a single object, or several in a row.
   */
  readonly arrays: readonly Path[] | 'values';
  /** Scalars to report. One longer than 64 KiB is an error; a value of another type is skipped. */
  readonly fields?: readonly Path[];
  /** Allows the key of a requested array or value more than once in an object. All of them are read. */
  readonly repeats?: boolean;
  /** Allows several documents in a row (pages of an API in one file), each with the same paths. */
  readonly many?: boolean;
  /** Values of any kind to report unparsed. Nothing can be requested inside them. */
  readonly values?: readonly Path[];
  /** Objects whose end is reported. */
  readonly ends?: readonly Path[];
  /** A batch ends with the first element that reaches this size. */
  readonly batchBytes?: number;
  readonly maxElementBytes?: number;
  /**
   * Last keys of the arrays whose elements are records of users, or true for all arrays. A record that is too long is reported as
   * `long` and affects only itself.
   */
  readonly records?: readonly string[] | true;
}

interface Place {
  readonly path: Path;
  /** Index of the root element for paths that begin with `*`, otherwise 0. */
  readonly root: number;
}

export type ScanItem =
  | ({ readonly kind: 'open' | 'close' | 'end' } & Place)
  /** Always between `open` and `close`. Its buffer belongs to the receiver. */
  | ({ readonly kind: 'batch' } & ElementBatch)
  /** Only yielded with `records`. */
  | ({ readonly kind: 'long' } & LongElement)
  | ({ readonly kind: 'field'; readonly value: Scalar } & Place)
  /** `bytes` is JSON whose grammar has not been checked yet. It belongs to the receiver. */
  | ({ readonly kind: 'value'; readonly bytes: Uint8Array<ArrayBuffer>; readonly offset: number } & Place)
  /**
   * A requested array is something else, or (`missing`) the object around it ended without it. Each object that could hold a
   * requested array yields either `open` or `absent`.
   */
  | ({ readonly kind: 'absent'; readonly found: JsonKind | 'missing' } & Place);

const defaultBatchBytes = 256 * 1024;

/**
 * Finds the elements of arrays. `name` is for messages. For an error outside of elements, it yields the complete elements before
 * it and then throws `InputError` with the byte offset (`withLine` adds line and column). Errors inside an element are found when
 * its batch is parsed.
 */
export async function* scanJson(name: string, blocks: AsyncIterable<Uint8Array>, options: ScanOptions) {
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

/** Returns the first error in a JSON text, which may be given in parts, or undefined. */
export function checkJson(...parts: readonly Uint8Array[]) {
  const scanner = new JsonScanner({ arrays: [], maxElementBytes: Infinity });
  const error = caught(() => {
    for (const part of parts) scanner.feed(part);
    scanner.finish();
  });
  return error && scanner.explain(error);
}

/** What is expected next. */
const VALUE = 0;
const NEXT_VALUE = 1;
const FIRST_VALUE = 2;
const FIRST_KEY = 3;
const NEXT_KEY = 4;
const COLON = 5;
const AFTER = 6;
const END = 7;

/** How the end of a piece is found while one is read. */
const BETWEEN = 0;
const NESTED = 1;
const SCALAR = 2;

const OBJECT = 1;
const ARRAY = 2;
const maxDepth = 1 << 24;
const maxFieldBytes = 64 * 1024;

type Piece = 'key' | 'token' | 'value' | 'element';

/**
 * A strict state machine that holds one byte for each level of nesting. It reads these as one piece, looking only at quotes,
 * backslashes and brackets: keys, scalars, requested values, and elements of requested arrays.
 */
class JsonScanner {
  #items: ScanItem[] = [];
  readonly #options: ScanOptions;
  readonly #sequence: boolean;
  readonly #cursor: PathCursor;
  readonly #batches: ElementBatches;
  #expected = VALUE;
  /** OBJECT or ARRAY for each level of nesting. */
  #levels = new Uint8Array(64);
  #mode = BETWEEN;
  #piece: Piece = 'token';
  /** What is requested of the piece. */
  #node: PathNode | undefined;
  readonly #nesting: Nesting = { depth: 0, inText: false, escaped: false };
  /** Requested array that is being read. */
  #list: Place | undefined;
  /** Latest block. Its first byte has the offset `#base` in the input. */
  #block: Uint8Array = new Uint8Array(0);
  #base = 0;
  /** Index at which the walk through the block continues. */
  #next = 0;
  /** First bytes of a character that continues in the next block. */
  #begun: Uint8Array = new Uint8Array(0);

  constructor(options: ScanOptions) {
    const { arrays, fields = [], values = [], ends = [], repeats = false } = options;
    const { batchBytes = defaultBatchBytes, maxElementBytes = maxRecordBytes } = options;
    this.#options = options;
    this.#sequence = arrays === 'values';
    const requests = { array: arrays === 'values' ? [] : arrays, field: fields, value: values, end: ends };
    this.#cursor = new PathCursor(buildPathTree(requests), repeats);
    this.#batches = new ElementBatches(batchBytes, maxElementBytes, {
      batch: (batch) => this.#items.push({ kind: 'batch', ...batch }),
      long: (element) => this.#items.push({ kind: 'long', ...element }),
      check: (bytes, offset) => this.#checkPiece(bytes, offset),
    });
    if (this.#sequence) this.#openList({ path: [], root: 0 });
  }

  take() {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  feed(block: Uint8Array) {
    const bytes = this.#begun.length === 0 ? block : Buffer.concat([this.#begun, block]);
    const end = incompleteAt(bytes);
    this.#begun = new Uint8Array(bytes.subarray(end));
    const whole = bytes.subarray(0, end);
    if (isUtf8(whole)) return this.#walk(whole);
    const valid = validLength(whole);
    this.#walk(whole.subarray(0, valid));
    this.#fail('the bytes here are not UTF-8', valid, 'input:invalid-utf8');
  }

  finish() {
    this.#walk(this.#begun);
    const { length } = this.#block;
    const isRoot = this.#cursor.depth === 0;
    if (this.#mode === SCALAR && isRoot) this.#endPiece(length);
    const isBetween = this.#mode === BETWEEN;
    if (isBetween && this.#expected === END) {
      if (this.#sequence) this.#closeList();
    } else if (isBetween && isRoot && this.#expected === VALUE) {
      this.#fail('there is no JSON in it', length, 'input:empty');
    } else this.#fail(`the input ends ${this.#where()}`, length, 'input:truncated');
  }

  /** A piece that never ends is probably broken inside, so the first error in it is returned instead. */
  explain(error: JsonSyntaxError) {
    const { start } = this.#batches;
    const check = () => this.#checkPiece(this.#batches.unfinished(), start);
    const inside = this.#mode === BETWEEN ? undefined : caught(check);
    this.#batches.flush();
    return inside ?? error;
  }

  #where() {
    const { start } = this.#batches;
    const isToken = this.#piece === 'key' || this.#piece === 'token';
    if (this.#mode !== BETWEEN)
      return `inside ${isToken ? 'the value or key' : 'an element'} that begins at byte ${start}`;
    if (this.#list !== undefined) return 'inside an array';
    return `inside ${this.#inObject() ? 'an object' : 'an array'}, before its closing bracket`;
  }

  #inObject() {
    return this.#levels[this.#cursor.depth - 1] === OBJECT;
  }

  #walk(block: Uint8Array) {
    this.#base += this.#block.length;
    this.#block = block;
    this.#batches.enter(block, this.#base);
    const to = block.length;
    let i = 0;
    while (i < to) {
      if (this.#mode === NESTED) {
        i = skipNested(block, i, to, this.#nesting);
        if (this.#nesting.depth === 0 && !this.#nesting.inText) this.#endPiece(i);
      } else if (this.#mode === SCALAR) {
        while (i < to && !endsScalar(block[i]!)) i++;
        if (i < to) this.#endPiece(i);
      } else {
        this.#next = i + 1;
        if (!isSpace(block[i]!)) this.#structure(block[i]!, i);
        i = this.#next;
      }
    }
    this.#batches.keep(this.#mode !== BETWEEN, this.#nesting.inText);
  }

  /** Handles a byte outside of pieces. */
  #structure(byte: number, at: number) {
    const expected = this.#expected;
    if (expected === AFTER) this.#afterValue(byte, at);
    else if (expected === FIRST_KEY || expected === NEXT_KEY) this.#beforeKey(byte, at);
    else if (expected === COLON) {
      if (byte !== 0x3a) this.#fail(`expected ":" after a key but found ${describeByte(byte)}`, at);
      this.#expected = VALUE;
    } else if (expected === FIRST_VALUE && byte === 0x5d) this.#close();
    else this.#beginValue(byte, at);
  }

  #afterValue(byte: number, at: number) {
    const inObject = this.#inObject();
    if (byte === (inObject ? 0x7d : 0x5d)) return this.#close();
    if (byte !== 0x2c) {
      const where = this.#list === undefined ? '' : ' after an element';
      this.#fail(`expected "," or "${inObject ? '}' : ']'}"${where} but found ${describeByte(byte)}`, at);
    }
    this.#expected = inObject ? NEXT_KEY : NEXT_VALUE;
    this.#cursor.next();
    if (this.#list !== undefined) this.#batches.cutAt(this.#base + at);
  }

  #beforeKey(byte: number, at: number) {
    if (byte === 0x22) return this.#begin('key', byte, at);
    if (byte !== 0x7d) this.#fail(`expected a key in quotes but found ${describeByte(byte)}`, at);
    if (this.#expected === FIRST_KEY) return this.#close();
    this.#fail('trailing comma before "}"', at);
  }

  #beginValue(byte: number, at: number) {
    if (this.#expected === END && !this.#options.many && !this.#sequence) {
      this.#fail('there is something after the end of the JSON document', at, 'input:trailing-garbage');
    }
    const kind = kindOf(byte);
    if (kind === undefined) {
      const isTrailing = byte === 0x5d && this.#expected === NEXT_VALUE;
      const found = `invalid JSON: expected a value but found ${describeByte(byte)}`;
      this.#fail(isTrailing ? 'trailing comma before "]"' : found, at);
    }
    if (this.#list !== undefined) {
      if (this.#sequence) this.#batches.joinAt(at);
      return this.#begin('element', byte, at);
    }
    const node = this.#cursor.here();
    this.#node = node;
    if (node?.request === 'value') return this.#begin('value', byte, at);
    if (node?.request === 'array' && kind === 'array') {
      this.#enter(true, undefined, at);
      return this.#openList({ path: node.path, root: this.#cursor.rootIndex });
    }
    if (node?.request === 'array' && (kind !== 'object' || node.inner.size === 0)) {
      this.#items.push({ kind: 'absent', ...this.#placeOf(node), found: kind });
    }
    if (kind === 'object' || kind === 'array') this.#enter(kind === 'array', node, at);
    else this.#begin('token', byte, at);
  }

  #placeOf({ path }: PathNode): Place {
    return { path, root: this.#cursor.rootIndex };
  }

  #begin(piece: Piece, byte: number, at: number) {
    this.#piece = piece;
    const isNested = byte === 0x7b || byte === 0x5b;
    this.#mode = isNested || byte === 0x22 ? NESTED : SCALAR;
    this.#nesting.depth = isNested ? 1 : 0;
    this.#nesting.inText = byte === 0x22;
    this.#batches.begin(at);
  }

  /** The piece ends before this index of the block. */
  #endPiece(end: number) {
    this.#mode = BETWEEN;
    if (this.#piece === 'element') {
      this.#batches.endElement(end);
      return this.#valueEnded();
    }
    const { start } = this.#batches;
    const { bytes, from, to } = this.#batches.take(end);
    if (this.#piece === 'value') {
      const copy = new Uint8Array(bytes.subarray(from, to));
      this.#items.push({ kind: 'value', ...this.#placeOf(this.#node!), bytes: copy, offset: start });
      return this.#valueEnded();
    }
    this.#checkToken(bytes, from, to, start, this.#block[end]);
    const node = this.#node;
    if (this.#piece === 'key') {
      this.#expected = COLON;
      if (this.#cursor.comparesKeys) this.#compareKey(valueOf(bytes, from, to) as string, start);
      return;
    }
    if (node?.request === 'field') {
      if (to - from > maxFieldBytes) {
        const problem = `the value of "${node.path.at(-1) ?? ''}" is longer than ${maxFieldBytes} bytes`;
        throw new JsonSyntaxError('input:element-too-large', problem, start);
      }
      this.#items.push({ kind: 'field', ...this.#placeOf(node), value: valueOf(bytes, from, to) as Scalar });
    }
    this.#valueEnded();
  }

  #compareKey(key: string, start: number) {
    if (this.#cursor.key(key)) return;
    throw new JsonSyntaxError(
      'input:duplicate-key',
      `the key "${key}" occurs twice in the same object`,
      start,
    );
  }

  /** Throws for a beginning of a piece that nothing after it can make valid. */
  #checkPiece(bytes: Uint8Array, start: number) {
    if (this.#piece === 'key' || this.#piece === 'token') {
      const valid = checkToken(bytes, 0, bytes.length, start);
      if (valid !== -1 && valid < bytes.length) this.#failBehind(bytes[valid]!, start + valid);
      return;
    }
    const inside = checkJson(bytes);
    const offset = start + (inside?.offset ?? 0);
    if (inside?.code === 'input:syntax') throw new JsonSyntaxError('input:syntax', inside.problem, offset);
    if (inside?.code === 'input:trailing-garbage') this.#failBehind(bytes[inside.offset]!, offset);
  }

  /** `next` is the byte after the token; undefined at the end of the input. */
  #checkToken(bytes: Uint8Array, from: number, to: number, start: number, next: number | undefined) {
    const valid = checkToken(bytes, from, to, start - from);
    if (valid === to) return;
    if (valid !== -1) this.#failBehind(bytes[valid]!, start - from + valid);
    if (next !== undefined) {
      const longer = Buffer.concat([bytes.subarray(from, to), Uint8Array.of(next)]);
      checkToken(longer, 0, longer.length, start);
    }
    const problem = `the input ends inside the value or key that begins at byte ${start}`;
    throw new JsonSyntaxError('input:truncated', problem, start + to - from);
  }

  /** Reports a byte after a scalar that cannot belong to it, such as the x of 12x. */
  #failBehind(byte: number, offset: number): never {
    this.#mode = BETWEEN;
    this.#valueEnded();
    this.#structure(byte, offset - this.#base);
    return this.#fail(`expected white space but found ${describeByte(byte)}`, offset - this.#base);
  }

  #openList(place: Place) {
    this.#list = place;
    const { records = [] } = this.#options;
    this.#batches.holdsRecords = records === true || records.includes(place.path.at(-1) ?? '');
    this.#items.push({ kind: 'open', ...place });
  }

  #closeList() {
    this.#batches.flush();
    this.#batches.holdsRecords = false;
    this.#items.push({ kind: 'close', ...this.#list! });
    this.#list = undefined;
  }

  #valueEnded() {
    this.#expected = this.#cursor.depth === 0 ? END : AFTER;
  }

  #enter(isArray: boolean, node: PathNode | undefined, at: number) {
    const level = this.#cursor.depth;
    if (level === maxDepth) this.#fail(`more than ${maxDepth} levels of nesting`, at, 'input:too-deep');
    if (level === this.#levels.length) {
      const wider = new Uint8Array(2 * level);
      wider.set(this.#levels);
      this.#levels = wider;
    }
    this.#levels[level] = isArray ? ARRAY : OBJECT;
    this.#cursor.enter(isArray, node);
    this.#expected = isArray ? FIRST_VALUE : FIRST_KEY;
  }

  #close() {
    if (this.#list !== undefined) this.#closeList();
    const { rootIndex: root } = this.#cursor;
    for (const { path, request } of this.#cursor.leave()) {
      if (request === 'end') this.#items.push({ kind: 'end', path, root });
      else this.#items.push({ kind: 'absent', path, root, found: 'missing' });
    }
    this.#valueEnded();
  }

  #fail(problem: string, at: number, code: InputCode = 'input:syntax'): never {
    throw new JsonSyntaxError(code, problem, this.#base + at);
  }
}
