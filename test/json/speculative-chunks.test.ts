import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseElements } from '../../src/json/parse.ts';
import { scanJson, type ScanOptions } from '../../src/json/scan.ts';
import { blocksOf } from '../support/blocks.ts';
import { jsonValue } from '../support/json-text.ts';
import { memoryFile } from '../support/memory-file.ts';

/** `FUZZ_RUNS=100000` for a long run. */
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 400);

interface Scanned {
  /** Elements of batches, and of the chunks up to the first that is not what it was guessed to be. */
  readonly elements: unknown[];
  readonly told: unknown[];
  readonly chunks: readonly { readonly offset: number; readonly length: number }[];
  /** Where the wrong chunk begins. */
  readonly wrong: number | undefined;
  readonly passed: number;
}

const users: ScanOptions = { arrays: [['users'], ['clients']], fields: [['realm']], batchBytes: 600 };

async function scan(text: string, options = users, blockBytes = 700): Promise<Scanned> {
  const bytes = Buffer.from(text);
  const [elements, told]: unknown[][] = [[], []];
  const chunks = [];
  let passed = 0;
  const file = memoryFile(bytes, blockBytes, (offset) => (passed = offset));
  for await (const item of scanJson('in', blocksOf(bytes, blockBytes), options, () => file)) {
    if (item.kind === 'batch') elements!.push(...parseElements(item.bytes));
    else if (item.kind !== 'chunk') told!.push(item);
    else {
      const { offset, length } = item;
      chunks.push({ offset, length });
      try {
        elements!.push(...parseElements(bytes.subarray(offset, offset + length)));
      } catch {
        return { elements: elements!, told: told!, chunks, wrong: offset, passed };
      }
    }
  }
  return { elements: elements!, told: told!, chunks, wrong: undefined, passed };
}

async function scanWhole(text: string): Promise<Pick<Scanned, 'elements' | 'told'>> {
  const [elements, told]: unknown[][] = [[], []];
  for await (const item of scanJson('in', blocksOf(text), users)) {
    if (item.kind === 'batch') elements!.push(...parseElements(item.bytes));
    else told!.push(item);
  }
  return { elements: elements!, told: told! };
}

const sampleUser = (number: number, more: object = {}): object => ({
  id: `id-${number}`,
  username: `user-${number}`,
  ...more,
});
const sampleUsers = (count: number, more: (number: number) => object = () => ({})): object[] =>
  Array.from({ length: count }, (_, number) => sampleUser(number, more(number)));

const indents = [undefined, 1, 2, '\t', '    '];

describe('chunks of a large list', () => {
  it('and what is read around them are all elements, in their order', async () => {
    let guessed = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(jsonValue, { minLength: 20, maxLength: 60 }),
        fc.constantFrom(...indents),
        fc.array(jsonValue, { maxLength: 5 }),
        fc.integer({ min: 50, max: 3000 }),
        async (values, indent, clients, blockBytes) => {
          const all = values.map((value, number) => sampleUser(number, { value }));
          const text = JSON.stringify({ realm: 'x', users: all, clients, more: clients }, null, indent);
          const found = await scan(text, users, blockBytes);
          expect(found).toMatchObject(await scanWhole(text));
          expect(found.wrong).toBeUndefined();
          guessed += found.chunks.length;
        },
      ),
      { numRuns },
    );
    expect(guessed).toBeGreaterThan(numRuns);
  });

  it('that are no elements show it, and all before them is right', async () => {
    let wrong = 0;
    const alike = fc.array(fc.nat({ max: 9 }), { maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(alike, { minLength: 20, maxLength: 60 }),
        alike,
        fc.constantFrom(...indents),
        async (friends, clients, indent) => {
          const list = (numbers: readonly number[]): object[] => numbers.map((number) => sampleUser(number));
          const all = friends.map((numbers, number) => sampleUser(number, { friends: list(numbers) }));
          const text = JSON.stringify({ users: all, clients: list(clients) }, null, indent);
          const found = await scan(text);
          const whole = await scanWhole(text);
          const isRight = found.wrong === undefined;
          const { length } = isRight ? whole.elements : found.elements;
          expect(found.elements).toEqual(whole.elements.slice(0, length));
          const rest = isRight ? '' : Buffer.from(text).subarray(found.wrong).toString();
          const next = isRight ? '' : JSON.stringify(whole.elements[length]).slice(0, 20);
          expect(rest.replaceAll(/[ \t\n]/g, '').slice(0, 20)).toBe(next);
          if (!isRight) wrong++;
        },
      ),
      { numRuns },
    );
    expect(wrong).toBeGreaterThan(numRuns / 20);
  });

  it('begin short, and each is about as long as all before it', async () => {
    const text = JSON.stringify({ users: sampleUsers(40_000) });
    const { chunks, elements, passed } = await scan(text, { arrays: [['users']] }, 256 * 1024);
    expect(elements).toHaveLength(40_000);
    expect(chunks.slice(0, 4).map(({ length }) => Math.round(length / 65_536))).toEqual([1, 2, 4, 4]);
    for (const { length } of chunks.slice(3)) {
      expect(length).toBeGreaterThanOrEqual(256 * 1024);
      expect(length).toBeLessThan(272 * 1024);
    }
    const last = chunks.at(-1)!;
    expect(passed).toBe(last.offset + last.length);
    expect(text.length - passed).toBeLessThan(272 * 1024);
  });

  it.each<[string, unknown[]]>([
    ['elements whose first value is no text', sampleUsers(100).map((user, number) => ({ number, ...user }))],
    ['elements with one key', sampleUsers(100).map((_, number) => ({ id: `${number}` }))],
    ['elements that are no objects', Array.from({ length: 400 }, (_, number) => `text ${number}`)],
    [
      'elements that are longer than what is looked through',
      sampleUsers(5, () => ({ text: 'x'.repeat(40_000) })),
    ],
  ])('are not handed out where nothing can be guessed: %s', async (_, all) => {
    const { chunks, elements } = await scan(JSON.stringify({ users: all }));
    expect(chunks).toEqual([]);
    expect(elements).toEqual(all);
  });

  it('go on behind an element that is longer than what is looked through', async () => {
    const all = sampleUsers(400, (number) => ({ text: number % 100 === 50 ? '"}, {'.repeat(10_000) : '' }));
    const { chunks, elements } = await scan(JSON.stringify({ users: all }));
    expect(elements).toEqual(all);
    const [first, last] = [chunks[0]!, chunks.at(-1)!];
    expect(last.offset - first.offset).toBeGreaterThan(180_000);
    expect(chunks.length).toBeGreaterThan(20);
  });

  it('may follow one another with other elements between them', async () => {
    const odd = (number: number): object => ({ username: `user-${number}`, id: `id-${number}` });
    const all = Array.from({ length: 900 }, (_, number) =>
      number % 300 < 150 ? sampleUser(number) : odd(number),
    );
    expect((await scan(JSON.stringify({ users: all }))).elements).toEqual(all);
  });
});
