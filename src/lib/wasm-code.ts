/**
 * WebAssembly written as expressions in, the bytes of a module out. Only what the programs of this folder need;
 * so that they can be read and changed here, without a tool to build them and without binary files.
 */
/** Bytes, and parts of code that are put together at the very end: many stand in several places. */
export type Code = readonly (number | Code)[];

type Bytes = readonly number[];

export interface Variable {
  readonly get: Code;
  set(value: Code): Code;
}

export const i32 = {
  of: (value: number): Code => [0x41, signed(BigInt(value))],
  add: operation(0x6a),
  sub: operation(0x6b),
  multiply: operation(0x6c),
  and: operation(0x71),
  or: operation(0x72),
  xor: operation(0x73),
  shiftLeft: operation(0x74),
  shiftRight: operation(0x76),
  rotateLeft: operation(0x77),
  /** The place of the lowest bit that is set. */
  lowest: operation(0x68),
  areEqual: operation(0x46),
  isZero: operation(0x45),
  isLess: operation(0x49),
  isMore: operation(0x4b),
  /** The lower half of 64 bits. */
  from64: operation(0xa7),
  store: (address: number, value: Code): Code => i32.storeAt(i32.of(address), value),
  storeAt: (address: Code, value: Code): Code => [address, value, 0x36, 2, 0],
  /** Any address will do. */
  load: (address: Code, offset = 0): Code => [address, 0x28, 0, unsigned(offset)],
  loadByte: (address: Code, offset = 0): Code => [address, 0x2d, 0, unsigned(offset)],
  storeByte: (address: Code, value: Code): Code => [address, value, 0x3a, 0, 0],
};

export const i64 = {
  of: (value: bigint): Code => [0x42, signed(BigInt.asIntN(64, value))],
  load: (address: Code, offset = 0): Code => [address, 0x29, 0, unsigned(offset)],
  add: operation(0x7c),
  sub: operation(0x7d),
  multiply: operation(0x7e),
  and: operation(0x83),
  or: operation(0x84),
  xor: operation(0x85),
  not: (value: Code): Code => i64.xor(value, i64.of(-1n)),
  shiftLeft: operation(0x86),
  shiftRight: operation(0x88),
  /** The highest bit in all places. */
  spreadSign: (value: Code): Code => [value, i64.of(63n), 0x87],
  countOnes: operation(0x7b),
  /** The place of the lowest bit that is set. */
  lowest: operation(0x7a),
  isZero: operation(0x50),
  isLess: operation(0x54),
  from32: operation(0xad),
};

/** Sixteen bytes at once. */
export const bytes16 = {
  load: (address: Code, offset: number): Code => [address, 0xfd, 0x00, 0, unsigned(offset)],
  store: (address: Code, value: Code): Code => [address, value, 0xfd, 0x0b, 0, 0],
  filled: (byte: number): Code => [0xfd, 0x0c, ...Array.from({ length: 16 }, () => byte)],
  or: operation(0xfd, 0x50),
  sub: operation(0xfd, 0x71),
  areEqual: operation(0xfd, 0x23),
  /** As numbers from 0 to 255. */
  areLess: operation(0xfd, 0x26),
  /** The highest bit of each byte, as sixteen bits. */
  bits: operation(0xfd, 0x64),
  /** Which bytes are equal, as sixteen bits. */
  equalBits: (left: Code, right: Code): Code => bytes16.bits(bytes16.areEqual(left, right)),
};

/** So much more; less, where it is negative. */
export function plus(value: Code, more: number): Code {
  return i32.add(value, i32.of(more));
}

export function when(condition: Code, then: readonly Code[], otherwise: readonly Code[] = []): Code {
  return [condition, 0x04, 0x40, then, 0x05, otherwise, 0x0b];
}

export function repeatWhile(condition: Code, ...body: readonly Code[]): Code {
  return [0x02, 0x40, 0x03, 0x40, condition, 0x45, 0x0d, 1, body, 0x0c, 0, 0x0b, 0x0b];
}

export function giveBack(value: Code): Code {
  return [value, 0x0f];
}

const magic = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const types = { i32: 0x7f, i64: 0x7e, bytes16: 0x7b };

/** Hands out variables; the parameters come first, and all of them before the others. */
export function createVariables(): {
  readonly declared: readonly (keyof typeof types)[];
  readonly variable: (type: keyof typeof types) => Variable;
} {
  const declared: (keyof typeof types)[] = [];
  const variable = (type: keyof typeof types): Variable => {
    const index = unsigned(declared.push(type) - 1);
    return { get: [0x20, index], set: (value) => [value, 0x21, index] };
  };
  return { declared, variable };
}

/** What is given to a module: a memory in the place of its own, and a function of so many parameters. */
export interface Given {
  readonly callParameters: number;
}

/**
 * A module that exports `memory` and one function `run`, all of whose `parameters` and whose result are i32. The memory
 * is its own, of so many pages, or one that is given to it, with the `run` of another module.
 */
export function assembleModule(
  variables: readonly (keyof typeof types)[],
  parameters: number,
  from: number | Given,
  body: readonly Code[],
): Uint8Array<ArrayBuffer> {
  const locals = list(variables.slice(parameters).map((type) => [1, types[type]]));
  const code = [...locals, ...flatten(body), 0x0b];
  const isGiven = typeof from === 'object';
  return Uint8Array.from([
    ...magic,
    ...section(1, list([ofNumbers(parameters), ...(isGiven ? [ofNumbers(from.callParameters)] : [])])),
    ...(isGiven
      ? section(
          2,
          list([
            [...name('given'), ...name('memory'), 2, 0, 0],
            [...name('given'), ...name('run'), 0, 1],
          ]),
        )
      : []),
    ...section(3, list([[0]])),
    ...(isGiven ? [] : section(5, list([[0, ...unsigned(from)]]))),
    ...section(
      7,
      list([
        [...name('memory'), 2, 0],
        [...name('run'), 0, isGiven ? 1 : 0],
      ]),
    ),
    ...section(10, list([[...unsigned(code.length), ...code]])),
  ]);
}

/** The type of a function. */
function ofNumbers(parameters: number): Bytes {
  return [0x60, ...list(Array.from({ length: parameters }, () => [types.i32])), 1, types.i32];
}

/** What the function that is given makes of these. */
export function callGiven(...parameters: readonly Code[]): Code {
  return [parameters, 0x10, 0];
}

function operation(...code: Code): (...operands: readonly Code[]) => Code {
  return (...operands) => [operands, code];
}

function flatten(code: Code, bytes: number[] = []): number[] {
  for (const part of code) {
    if (typeof part === 'number') bytes.push(part);
    else flatten(part, bytes);
  }
  return bytes;
}

function section(id: number, content: Bytes): Bytes {
  return [id, ...unsigned(content.length), ...content];
}

function list(items: readonly Bytes[]): Bytes {
  return [...unsigned(items.length), ...items.flat()];
}

function name(text: string): Bytes {
  return list(Array.from(Buffer.from(text), (byte) => [byte]));
}

function unsigned(value: number): Bytes {
  return value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...unsigned(Math.floor(value / 0x80))];
}

function signed(value: bigint): Bytes {
  const low = Number(value & 0x7fn);
  const isLast = value >= -64n && value < 64n;
  return isLast ? [low] : [low | 0x80, ...signed(value >> 7n)];
}
