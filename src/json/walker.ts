/**
 * Walks through a JSON document block by block and reports requested arrays and scalars: a strict state machine that
 * holds one byte for each level of nesting. It stops after the `[` of a requested array and before a requested value,
 * which `ElementCutter` cuts from there on. Without paths it only checks the syntax.
 */
import { describeByte, JsonSyntaxError, type JsonErrorCode } from './error.ts';
import { PathCursor, type PathNode } from './paths.ts';
import { skipSpace } from './skip.ts';
import { JsonToken, kindOf, type Scalar, type ScalarKind } from './token.ts';

export type JsonKind = ScalarKind | 'object' | 'array';

/** Called by the walker. `root` is the index in a root array, else 0. */
export interface WalkHandlers {
  opened(node: PathNode, root: number): void;
  /** A requested value begins; `walk` stops before it. */
  reached(node: PathNode, root: number): void;
  /** A requested array is something else, or (`missing`) the object around it ended without it. */
  absent(node: PathNode, root: number, found: JsonKind | 'missing'): void;
  field(node: PathNode, root: number, value: Scalar): void;
}

/** States: what is expected next. */
const VALUE = 0;
const NEXT_VALUE = 1;
const FIRST_VALUE = 2;
const FIRST_KEY = 3;
const NEXT_KEY = 4;
const COLON = 5;
const AFTER = 6;
const END = 7;
const KEY_BYTES = 8;
const SCALAR_BYTES = 9;

const OBJECT = 1;
const ARRAY = 2;
const maxDepth = 1 << 24;
const maxFieldBytes = 64 * 1024;

export class JsonWalker {
  readonly #handlers: WalkHandlers;
  readonly #many: boolean;
  readonly #cursor: PathCursor;
  readonly #token = new JsonToken();
  #state = VALUE;
  /** OBJECT or ARRAY for each level of nesting. */
  #levels = new Uint8Array(64);
  /** The requested scalar that is being read. */
  #field: PathNode | undefined;
  #base = 0;

  /**
   * With `many`, several documents may follow one another, each with the same paths. With `repeats`, the key of a
   * requested array may stand in an object more than once.
   */
  constructor(
    root: PathNode,
    handlers: WalkHandlers,
    { many = false, repeats = false }: { many?: boolean; repeats?: boolean } = {},
  ) {
    this.#cursor = new PathCursor(root, repeats);
    this.#handlers = handlers;
    this.#many = many;
  }

  /** Walks `bytes[from, to)`; byte 0 has the offset `base` in the input. Returns where it stopped. */
  walk(bytes: Uint8Array, from: number, to: number, base: number): number {
    this.#base = base;
    let i = from;
    while (i < to) {
      if (this.#state >= KEY_BYTES) {
        i = this.#token.read(bytes, i, to, base);
        if (this.#token.ended) this.#tokenEnded();
        continue;
      }
      i = skipSpace(bytes, i, to);
      if (i === to) break;
      const read = this.#structure(bytes[i]!, i);
      if (read !== undefined) return i + read;
      i++;
    }
    return i;
  }

  /** To be called when the caller has read past the `]` of the array, or the value, before which `walk` stopped. */
  resume(): void {
    this.#valueEnded();
  }

  /** The input ended after `length` bytes. */
  finish(length: number): void {
    if (this.#state === SCALAR_BYTES && this.#cursor.depth === 0) {
      this.#token.finish();
      if (this.#token.ended) this.#tokenEnded();
    }
    if (this.#state === END) return;
    if (this.#state === VALUE && this.#cursor.depth === 0) {
      throw new JsonSyntaxError('input:empty', 'there is no JSON in it', length);
    }
    throw new JsonSyntaxError('input:truncated', `the input ends ${this.#where()}`, length);
  }

  #where(): string {
    if (this.#state >= KEY_BYTES) return `inside the value or key that begins at byte ${this.#token.start}`;
    return `inside ${this.#inObject() ? 'an object' : 'an array'}, before its closing bracket`;
  }

  #inObject(): boolean {
    return this.#levels[this.#cursor.depth - 1] === OBJECT;
  }

  /** Handles a byte outside of tokens. Where a requested value begins: how many of its bytes have been read. */
  #structure(byte: number, at: number): number | undefined {
    const state = this.#state;
    if (state === AFTER) {
      this.#afterValue(byte, at);
    } else if (state === FIRST_KEY || state === NEXT_KEY) {
      this.#beforeKey(byte, at);
    } else if (state === COLON) {
      if (byte !== 0x3a) this.#fail(`expected ":" after a key but found ${describeByte(byte)}`, at);
      this.#state = VALUE;
    } else if (state === FIRST_VALUE && byte === 0x5d) {
      this.#close();
    } else {
      return this.#beginValue(byte, at);
    }
    return undefined;
  }

  #afterValue(byte: number, at: number): void {
    const inObject = this.#inObject();
    if (byte === 0x2c) {
      this.#state = inObject ? NEXT_KEY : NEXT_VALUE;
      this.#cursor.next();
    } else if (byte === (inObject ? 0x7d : 0x5d)) {
      this.#close();
    } else {
      this.#fail(`expected "," or "${inObject ? '}' : ']'}" but found ${describeByte(byte)}`, at);
    }
  }

  #beforeKey(byte: number, at: number): void {
    if (byte === 0x22) {
      this.#token.begin(
        'string',
        byte,
        this.#base + at,
        this.#cursor.comparesKeys ? this.#cursor.longestKey : 0,
      );
      this.#state = KEY_BYTES;
    } else if (byte === 0x7d && this.#state === FIRST_KEY) {
      this.#close();
    } else if (byte === 0x7d) {
      this.#fail('a comma stands before "}" without anything after it', at);
    } else {
      this.#fail(`expected a key in quotes but found ${describeByte(byte)}`, at);
    }
  }

  #beginValue(byte: number, at: number): number | undefined {
    if (this.#state === END && !this.#many) {
      this.#fail('something stands after the end of the JSON document', at, 'input:trailing-garbage');
    }
    const kind = kindOf(byte);
    if (kind === undefined) {
      const isTrailing = byte === 0x5d && this.#state === NEXT_VALUE;
      const found = `expected a value but found ${describeByte(byte)}`;
      this.#fail(isTrailing ? 'a comma stands before "]" without anything after it' : found, at);
    }
    const node = this.#cursor.here();
    if (node?.value === true) {
      this.#handlers.reached(node, this.#cursor.rootIndex);
      return 0;
    }
    if (node?.array === true) {
      if (kind === 'array') {
        this.#handlers.opened(node, this.#cursor.rootIndex);
        return 1;
      }
      if (kind !== 'object' || node.keys.size === 0)
        this.#handlers.absent(node, this.#cursor.rootIndex, kind);
    }
    if (kind === 'object' || kind === 'array') {
      this.#enter(kind === 'array', node, at);
      return undefined;
    }
    this.#field = node?.field === true ? node : undefined;
    this.#token.begin(kind, byte, this.#base + at, this.#field === undefined ? 0 : maxFieldBytes);
    this.#state = SCALAR_BYTES;
    return undefined;
  }

  #tokenEnded(): void {
    if (this.#state === KEY_BYTES) {
      this.#state = COLON;
      if (!this.#cursor.comparesKeys) return;
      const key = this.#token.value();
      if (this.#cursor.key(typeof key === 'string' ? key : undefined)) return;
      const problem = `the key "${String(key)}" stands twice in the same object`;
      throw new JsonSyntaxError('input:duplicate-key', problem, this.#token.start);
    }
    if (this.#field !== undefined) this.#reportField(this.#field);
    this.#field = undefined;
    this.#valueEnded();
  }

  #reportField(field: PathNode): void {
    const value = this.#token.value();
    if (value === undefined) {
      const problem = `the value of "${field.path.at(-1) ?? ''}" is longer than ${maxFieldBytes} bytes`;
      throw new JsonSyntaxError('input:element-too-large', problem, this.#token.start);
    }
    this.#handlers.field(field, this.#cursor.rootIndex, value);
  }

  #valueEnded(): void {
    this.#state = this.#cursor.depth === 0 ? END : AFTER;
  }

  #enter(isArray: boolean, node: PathNode | undefined, at: number): void {
    const level = this.#cursor.depth;
    if (level === maxDepth) this.#fail(`more than ${maxDepth} levels of nesting`, at, 'input:too-deep');
    if (level === this.#levels.length) {
      const wider = new Uint8Array(2 * level);
      wider.set(this.#levels);
      this.#levels = wider;
    }
    this.#levels[level] = isArray ? ARRAY : OBJECT;
    this.#cursor.enter(isArray, node);
    this.#state = isArray ? FIRST_VALUE : FIRST_KEY;
  }

  #close(): void {
    const root = this.#cursor.rootIndex;
    for (const node of this.#cursor.leave()) this.#handlers.absent(node, root, 'missing');
    this.#valueEnded();
  }

  #fail(problem: string, at: number, code: JsonErrorCode = 'input:syntax'): never {
    throw new JsonSyntaxError(code, problem, this.#base + at);
  }
}
