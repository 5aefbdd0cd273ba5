/** The scanner of JSON elements against `JSON.parse`: the same values, or the same refusal, in blocks of any size. */
import { InputError } from '../../../src/errors.ts';
import { batchMemory } from '../../../src/lib/batch-memory.ts';
import { parseElements } from '../../../src/json/parse.ts';
import { JsonSyntaxError } from '../../../src/json/error.ts';
import { checkJson, scanJson, type ScanItem, type ScanOptions } from '../../../src/json/scan.ts';
import { validLength } from '../../../src/json/utf8.ts';
import { blocksOf } from '../../support/memory-input.ts';
import { readFixtures } from '../corpus.ts';
import { changed } from '../arbitraries.ts';
import { broken, expectSame, parseStrictly, type FuzzTarget, fuzzProperty } from '../target.ts';

/** Users that contain other users, written so that the beginning of one is easily mistaken for another. */
function alike(count: number): unknown[] {
  return Array.from({ length: count }, (_, number) => ({
    id: `${number}`,
    name: '"},{"id":"',
    friends: number % 3 === 0 ? [] : alike(Math.min(number, 2)),
  }));
}

const awkward = [
  '{ "a\\"users" : [ {"users":[1]} ],"u":"\\"users\\" : [ {","n":[-0.5e+10,0,[[]],{},true,false,null,"\\\\"],"\\u0075sers"\n:\n[ {"id":"}]é😀"} ,"s\\\\" ,-1.5E-3, null,[[],{"users":[]}] ,{}\r\n],"z":{"users":[{"id":9}]}}\n',
  `{"users":[{"x":"${'\\\\\\"}'.repeat(40)}"},{"y":[${'[{},'.repeat(20)}1${']'.repeat(20)}]}],"after":0}`,
  JSON.stringify({ users: alike(9), more: alike(3) }),
  JSON.stringify(alike(12), null, 1),
  '[1,"two",{"users":[3,4]},[5],null,{"users":[{"a":{"users":[6]}}]},-0]',
];

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const usersOf = (value: unknown) =>
  listOf(Array.isArray(value) ? [] : (value as { users?: unknown } | null)?.users);

/** Where the elements are, and what they are in a parsed document. */
const layouts: readonly { readonly options: ScanOptions; readonly wanted: (document: unknown) => unknown }[] =
  [
    { options: { arrays: [['users']] }, wanted: usersOf },
    { options: { arrays: [[]] }, wanted: listOf },
    { options: { arrays: [['*', 'users']] }, wanted: (document) => listOf(document).flatMap(usersOf) },
  ];

export const scanner: FuzzTarget = {
  name: 'scanner',
  about: 'the elements that JSON.parse finds, or an error at the first byte that is wrong',
  share: 25,
  async open() {
    const corpus = [
      ...awkward.map((text) => Buffer.from(text)),
      ...readFixtures('keycloak', ['realm', 'users']),
    ];
    const small = corpus.filter(({ length }) => length < 4000);
    return fuzzProperty(changed(small, corpus), async (input, draw) => {
      const { options, wanted } = draw.pick(layouts);
      const batchBytes = 1 + draw.below(draw.pick([4, 100, 5000]));
      const sizes = draw.pick([[1], [3, 50], [64, 1, 17], [4096]]);
      const found = await scan(input, { ...options, batchBytes }, sizes);
      // A scanner of a stream cannot take the last of two keys, as JSON.parse does: it refuses both.
      if (found.error?.code === 'input:duplicate-key') return;
      const document = parseStrictly(input);
      if (document === broken) {
        const place = Math.min(checkJson(input)?.offset ?? Infinity, brokenAt(input));
        expectSame('the place of the error', found.error?.position?.offset, place);
        return;
      }
      expectSame('the refusal', found.error?.message, undefined);
      expectSame('the elements', found.elements, wanted(document));
    });
  },
};

/** Where it stops being UTF-8; a last character that is cut off makes it truncated, not broken. */
function brokenAt(bytes: Buffer) {
  const valid = validLength(bytes);
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(valid), { stream: true });
    return Infinity;
  } catch {
    return valid;
  }
}

export interface Scanned {
  /** What was told, batches left out. */
  readonly told: Exclude<ScanItem, { kind: 'batch' | 'long' }>[];
  /** Offset, length and head of each record that was left out; absent where there is none. */
  readonly long?: (readonly [number, number, string])[];
  readonly elements: unknown[];
  readonly error: InputError | undefined;
}

/** Scans to the end and parses what comes; checks on the way that every batch is a true part of the input. */
export async function scan(
  text: string | Uint8Array,
  options: ScanOptions,
  sizes?: number | readonly number[],
): Promise<Scanned> {
  const bytes = Buffer.from(text);
  const told: Scanned['told'] = [];
  const long: NonNullable<Scanned['long']>[number][] = [];
  const elements: unknown[] = [];
  let error: InputError | undefined;
  try {
    for await (const item of scanJson('in.json', blocksOf(bytes, sizes), options)) {
      if (item.kind === 'long') {
        long.push([item.offset, item.length, Buffer.from(item.head).toString()]);
      } else if (item.kind === 'batch') {
        const part = bytes.subarray(item.offset, item.offset + item.bytes.length);
        const isPart = options.arrays === 'values' || part.equals(item.bytes);
        expectSame('a batch is a part of the input', isPart, true);
        const { buffer } = item.bytes;
        const values = parseBatch(item.bytes, item.offset);
        expectSame('the count of a batch', item.count, values.length);
        elements.push(...values);
        // It belongs to the reader, and may be used again: a reader that still looks at it sees this.
        new Uint8Array(buffer).fill(0x22);
        batchMemory.release(buffer);
      } else {
        told.push(item);
      }
    }
  } catch (thrown) {
    if (!(thrown instanceof InputError)) throw thrown;
    error = thrown;
  }
  return { told, elements, ...(long.length > 0 && { long }), error };
}

function parseBatch(bytes: Uint8Array, offset: number) {
  try {
    return [...parseElements(bytes)];
  } catch (error) {
    throw error instanceof JsonSyntaxError ? error.toInputError('in.json', offset) : error;
  }
}
