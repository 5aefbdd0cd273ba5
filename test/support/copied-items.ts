/** Something like a converter for tests of stencils, and a batch that was pressed held against it. */
import { expect } from 'vitest';
import { encodeBase32 } from '../../src/lib/base32.ts';
import { hashText } from '../../src/lib/hash-text.ts';
import type { Copy } from '../../src/lib/stencil-maker.ts';
import { row } from '../../src/lib/stencil-layout.ts';
import { type Pressed, written } from '../../src/lib/stencils.ts';

export const seed = 4711;
export const wanted = {
  id: 'word',
  login: 'userName',
  mail: 'address',
  name: 'name',
  plan: true,
  secrets: { data: 'secret' },
} as const;

export interface Item {
  readonly id?: unknown;
  readonly login?: unknown;
  readonly mail?: unknown;
  readonly name?: unknown;
  readonly plan?: unknown;
  readonly secrets?: readonly { readonly data?: unknown }[];
}

/** Bytes of texts as UTF-8, for the size. */
const bytesOf = (value: unknown): number => (typeof value === 'string' ? Buffer.byteLength(value) : 0);

/** Something like a converter: copies texts, encodes a secret, and says what it has left out. */
export function copy(value: unknown): Copy | undefined {
  const { id, login, mail, name, plan, secrets } = value as Item;
  if (typeof id !== 'string' || typeof login !== 'string') return undefined;
  const data = secrets?.map((secret) => secret.data);
  let secret: unknown;
  try {
    secret = (JSON.parse(String(data?.[0])) as { value?: unknown }).value;
  } catch {
    secret = undefined;
  }
  const code = typeof secret === 'string' ? encodeBase32(Buffer.from(secret)) : undefined;
  const json = JSON.stringify({ login, id, name, mail, data: data?.[0], plan, code });
  return {
    bytes: Buffer.from(`,${json}`),
    size: [id, login, mail, name].reduce<number>((sum, text) => sum + bytesOf(text), 7),
    facts: typeof plan === 'number' ? plan & 7 : 1,
    name: login,
    id,
    remarks: plan === undefined ? ['no plan'] : [],
  };
}

export const bytesFor = (items: readonly unknown[]): Buffer =>
  Buffer.from(items.map((item) => JSON.stringify(item)).join());

/** Holds a batch against the slow way; returns how many elements were written. */
export function expectCopies(pressed: Pressed, values: readonly unknown[]): number {
  const number = (place: number, field: number): number => pressed.rows[place * row.words + field]!;
  const endOf = (place: number): number => (place < 0 ? 0 : number(place, row.end) - pressed.start);
  const found = pressed.values.map((value, place) => {
    const json = Buffer.from(pressed.output.subarray(endOf(place - 1), endOf(place))).toString();
    if (value !== written) return { json, value };
    return {
      json,
      keys: [0, 1, 2, 3].map((key) => number(place, row.keys + key)),
      size: number(place, row.size),
      facts: number(place, row.facts),
      name: pressed.name(place),
      id: pressed.id(place),
      remarks: pressed.remarks(place),
    };
  });
  const expected = values.map((value, place) => {
    if (pressed.values[place] !== written) return { json: '', value };
    const { bytes, ...made } = copy(value)!;
    const keys = new Uint32Array(4);
    hashText(made.name.toLowerCase(), seed, keys, 0);
    hashText(made.id, seed, keys, 2);
    return { ...made, json: Buffer.from(bytes).toString(), keys: [...keys] };
  });
  expect(found).toEqual(expected);
  return pressed.values.filter((value) => value === written).length;
}
