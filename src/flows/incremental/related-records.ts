/**
 * The lists of a body beside its people in; of each person one short text out that is another one when anything of
 * what the lists have for them is. About 30 bytes for everybody whom a list names, and nothing of what it says.
 */
import { hash } from 'node:crypto';
import { createGrowingMemory } from '../../lib/growing-memory.ts';
import type { Input } from '../../lib/input.ts';
import { TextTable } from '../../lib/text-table.ts';
import { readLists } from '../../sources/org-data/entries.ts';

export interface Belongings {
  /** How many entries each list has; a list without any is absent. */
  readonly counts: ReadonlyMap<string, number>;
  /** Empty for whom no list names. The order of the entries does not count, nor that of their fields. */
  of(id: string): string;
}

export const noBelongings: Belongings = { counts: new Map(), of: () => '' };

/** Two words of 32 bits: the sums of the hashes of a person's entries, for sums know no order. */
const words = 2;
const wordBytes = 4;
const smallest = 1024;

/** Reads the inputs once. `key` is that of the fingerprints. An entry that is no JSON belongs to nobody. */
export async function readBelongings(
  inputs: readonly Input[],
  lists: readonly string[],
  key: string,
): Promise<Belongings> {
  const counts = new Map<string, number>();
  const owners = new TextTable();
  const memory = createGrowingMemory();
  let sums = new Uint32Array(0);
  const placeOf = (owner: string): number => {
    const known = owners.find(owner);
    if (known !== -1) return words * known;
    if (words * (owners.size + 1) > sums.length) {
      const wider = Math.max(smallest, Math.ceil(sums.length * 1.25)) & ~1;
      memory.grow(wider * wordBytes);
      sums = new Uint32Array(memory.buffer, 0, wider);
    }
    return words * owners.add(owner);
  };
  for (const input of inputs) {
    for await (const { list, text } of readLists(input, lists)) {
      counts.set(list, (counts.get(list) ?? 0) + 1);
      const entry = parse(text);
      const owner = ownerOf(list, entry);
      if (owner === '') continue;
      const bits = hash('sha256', `${key}\n${list}\n${JSON.stringify(entry)}`, 'buffer');
      const at = placeOf(owner);
      sums[at] = sums[at]! + bits.readUInt32BE(0);
      sums[at + 1] = sums[at + 1]! + bits.readUInt32BE(wordBytes);
    }
  }
  return {
    counts,
    of(id) {
      const owner = counts.size === 0 || id === '' ? -1 : owners.find(id);
      return owner === -1 ? '' : `${sums[words * owner]} ${sums[words * owner + 1]}`;
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** Metadata calls its owner `id`, everything else `userId`. */
function ownerOf(list: string, entry: Fields): string {
  const owner = entry[list === 'userMetadata' ? 'id' : 'userId'];
  return typeof owner === 'string' ? owner : '';
}

function parse(text: string): Fields {
  try {
    const value = canonical(JSON.parse(text));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
  } catch {
    return {};
  }
}

/** Keys in lowerCamelCase and in a fixed order. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => [camelCase(name), canonical(inner)] as const);
  return Object.fromEntries(fields.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const camelCase = (name: string): string =>
  name.includes('_') ? name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) : name;
