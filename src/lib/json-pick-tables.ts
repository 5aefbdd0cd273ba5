/** Wanted keys in, the tables by which the program of `json-pick-wasm.ts` finds them out, in its memory. */
import { bucketCount, everything, key, longestKey, table } from './json-pick-layout.ts';
import type { WantedKeys } from './json-pick.ts';

export interface PickTable {
  readonly address: number;
  /** The number of the first of its keys; the others follow. */
  readonly firstKey: number;
  readonly names: readonly string[];
  /** Of each key the word on its texts, or nothing. */
  readonly kinds: readonly (string | undefined)[];
  /** An object with all of the keys; copies of it are alike to V8, which makes them fast to read. */
  readonly blank: Readonly<Record<string, undefined>>;
}

/** Writes from `start` on; `end` is behind the last table. The root's table is the first one. */
export function createPickTables(
  memory: { readonly buffer: ArrayBuffer },
  start: number,
  wanted: WantedKeys,
): { readonly tables: readonly PickTable[]; readonly end: number } {
  const bytes = Buffer.from(memory.buffer);
  const tables: PickTable[] = [];
  let end = start;
  let nextKey = 0;

  function add(keys: WantedKeys): number {
    const names = Object.keys(keys);
    const address = end;
    const number = tables.length;
    const firstKey = nextKey;
    nextKey += names.length;
    const kinds = names.map((name) => (typeof keys[name] === 'string' ? keys[name] : undefined));
    const blank = Object.fromEntries(names.map((name) => [name, undefined]));
    tables.push({ address, firstKey, names, kinds, blank });
    end += table.size + names.length * key.size;
    const [first, half] = chooseFactors(names);
    bytes.writeUInt32LE(number, address + table.number);
    bytes.writeUInt32LE(first, address + table.firstFactor);
    bytes.writeUInt32LE(half, address + table.halfFactor);
    names.forEach((name, place) => {
      const at = address + table.size + place * key.size;
      const inner = keys[name]!;
      bytes.write(name, at + key.bytes, 'latin1');
      bytes.writeUInt32LE(name.length, at + key.length);
      bytes.writeUInt32LE(firstKey + place, at + key.number);
      bytes.writeUInt32LE(typeof inner === 'object' ? add(inner) : everything, at + key.wanted);
      bytes.writeUInt32LE(at, address + table.buckets + 4 * bucketOf(name, first, half));
    });
    return address;
  }

  add(wanted);
  return { tables, end };
}

function bucketOf(name: string, first: number, half: number): number {
  const units = name.length + name.charCodeAt(0) * first + name.charCodeAt(name.length >> 1) * half;
  return units % bucketCount;
}

/** Such that no two of the names share a bucket. */
function chooseFactors(names: readonly string[]): readonly [first: number, half: number] {
  const unfit = names.find((name) => name.length > longestKey || !/^[\x21-\x7e]+$/.test(name));
  if (unfit !== undefined) throw new RangeError(`${unfit} is not a key that can be picked`);
  for (let first = 1; first < bucketCount; first++) {
    for (let half = 1; half < bucketCount; half++) {
      if (new Set(names.map((name) => bucketOf(name, first, half))).size === names.length)
        return [first, half];
    }
  }
  throw new RangeError('these keys cannot be told apart by length, first and middle letter');
}
