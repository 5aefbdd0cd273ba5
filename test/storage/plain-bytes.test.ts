import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InputError } from '../../src/errors.ts';
import { plainBytes } from '../../src/storage/plain-bytes.ts';
import { blocksOf } from '../support/memory-input.ts';

async function read(stored: Uint8Array, sizes?: number | readonly number[]) {
  const blocks: Uint8Array[] = [];
  for await (const block of plainBytes('in', blocksOf(stored, sizes))) blocks.push(new Uint8Array(block));
  return Buffer.concat(blocks);
}

async function refusalOf(stored: Uint8Array, size?: number) {
  const outcome = await read(stored, size).catch((error: unknown) => error);
  if (!(outcome instanceof InputError)) throw new Error('it was read to its end');
  return outcome;
}

const bom = Buffer.from([0xef, 0xbb, 0xbf]);

describe('plainBytes', () => {
  it('strips a leading byte order mark only', async () => {
    const text = Buffer.from('[1,"\ufeff"]');
    for (let size = 1; size < 10; size++) expect(await read(Buffer.concat([bom, text]), size)).toEqual(text);
    expect(await read(gzipSync(Buffer.concat([bom, text])), 5)).toEqual(text);
  });

  it('converts UTF-16 to UTF-8 with any block size', async () => {
    const text = Buffer.from('[{"name":"Zoë 😀"}]');
    const little = Buffer.from(text.toString('utf8'), 'utf16le');
    const marked = Buffer.from(`\ufeff${text.toString('utf8')}`, 'utf16le');
    const big = (bytes: Buffer) => Buffer.from(bytes).swap16();
    for (const stored of [little, marked, big(little), big(marked), gzipSync(marked)])
      for (let size = 1; size < 10; size++) expect(await read(stored, size)).toEqual(text);
  });

  it('unpacks concatenated gzip with any block size', async () => {
    const part = fc
      .uint8Array({ minLength: 4, maxLength: 300 })
      .map((bytes) => Buffer.from([0x7b, ...bytes.map((byte) => byte | 0x20)]));
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { minLength: 1, maxLength: 4 }),
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 4 }),
        fc.nat(600),
        async (parts, sizes, zeros) => {
          const stored = Buffer.concat([...parts.map((each) => gzipSync(each)), Buffer.alloc(zeros)]);
          expect(await read(stored, sizes)).toEqual(Buffer.concat(parts));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('unpacks gzip in bounded blocks', async () => {
    const stored = gzipSync(Buffer.alloc(30_000_000, ' '));
    let largest = 0;
    let total = 0;
    for await (const block of plainBytes('in', blocksOf(stored))) {
      largest = Math.max(largest, block.length);
      total += block.length;
    }
    expect(total).toBe(30_000_000);
    expect(largest).toBeLessThanOrEqual(256 * 1024);
  });
});

describe('plainBytes refuses', () => {
  it('a truncated gzip at every byte', async () => {
    const stored = gzipSync('{"users":[1,2,3]}');
    for (let length = 2; length < stored.length; length++) {
      expect((await refusalOf(stored.subarray(0, length), 7)).code).toBe('input:truncated');
    }
  });

  it('a gzip with a wrong checksum or trailing bytes', async () => {
    const stored = gzipSync('{"users":[1,2,3]}');
    const changed = Buffer.from(stored);
    changed[changed.length - 6]! ^= 1;
    expect((await refusalOf(changed)).code).toBe('input:broken-gzip');
    expect((await refusalOf(Buffer.concat([stored, Buffer.from('more')]))).code).toBe('input:broken-gzip');
  });

  it('an empty file, packed or not', async () => {
    expect((await refusalOf(Buffer.alloc(0))).message).toBe('in: it is empty');
    expect((await refusalOf(gzipSync(''))).code).toBe('input:empty');
  });

  it.each([
    ['UTF-32', [0xff, 0xfe, 0x00, 0x00, 0x7b, 0x00, 0x00, 0x00]],
    ['UTF-32', [0x00, 0x00, 0xfe, 0xff, 0x00, 0x00, 0x00, 0x7b]],
    ['UTF-32LE', [0x7b, 0x00, 0x00, 0x00]],
    ['UTF-32BE', [0x00, 0x00, 0x00, 0x7b]],
  ])('text in %s: %j', async (encoding, bytes) => {
    for (const stored of [Buffer.from(bytes), gzipSync(Buffer.from(bytes))]) {
      const error = await refusalOf(stored, 3);
      expect(error.code).toBe('input:not-utf8');
      expect(error.message).toBe(`in: it is ${encoding}, not UTF-8`);
      expect(error.hint).toContain('iconv');
    }
  });

  it('truncated UTF-16', async () => {
    const error = await refusalOf(Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x22]));
    expect(error.code).toBe('input:not-utf8');
  });

  it('other archives', async () => {
    const error = await refusalOf(Buffer.from('PK\x03\x04rest', 'latin1'), 1);
    expect([error.code, error.message]).toEqual([
      'input:packed',
      'in: it is a ZIP archive or an Excel workbook',
    ]);
    for (const bytes of [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0]), gzipSync(gzipSync('{}'))])
      expect((await refusalOf(bytes)).code).toBe('input:packed');
  });
});
