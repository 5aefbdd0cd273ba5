import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseElements } from '../../src/json/parse.ts';
import { scanJson, type ScanOptions } from '../../src/json/scan.ts';
import { lines } from '../fuzz/targets/lines.ts';
import { scan, type Scanned, scanner } from '../fuzz/targets/scanner.ts';
import { blocksOf } from '../support/memory-input.ts';

const users: ScanOptions = { arrays: [['users']] };
const sequence: ScanOptions = { arrays: 'values' };
const many: ScanOptions = { arrays: [[], ['users']], fields: [['total']], many: true };
const wanted: ScanOptions = {
  arrays: [['orgs', '*', 'users']],
  values: [
    ['orgs', '*', 'policy'],
    ['orgs', '*', 'name'],
  ],
};

async function refusalOf(...scanned: Parameters<typeof scan>) {
  const { error } = await scan(...scanned);
  return [error?.code, error?.position?.offset];
}

/** Small, and with everything in it that has ever gone wrong. */
const awkward = Buffer.from(
  '\r\n{ "a\\"users" : [ {"users":[1]} ],\t"u" : "\\"users\\" : [ {" , "realm":"R\\u00e9al\\ud83d\\ude00mé😀",' +
    '"n":[-0.5e+10,0,[[]],{},true,false,null,"\\\\"],"\\u0075s\\u0065rs"\n:\n[ {"id":"}]é😀","c":[{"x":"\\\\\\""}]} ,' +
    '\t"s\\\\" ,-1.5E-3, null,[[],{"users":[]}] ,{}\r\n],"z":{"users":[{"id":9}],"realm":"no"}}\n\n',
);
const awkwardUsers: unknown[] = [
  { id: '}]é😀', c: [{ x: '\\"' }] },
  's\\',
  -0.0015,
  null,
  [[], { users: [] }],
  {},
];

describe('scanning the elements of an array', () => {
  it.each([scanner, lines])('$about, in blocks of any size: 1,000 inputs of the fuzzer', async ({ open }) => {
    await expect(fc.assert(await open(), { numRuns: 1000 })).resolves.toBeUndefined();
  });

  it('reports truncation at every byte after the complete elements', async () => {
    const end = awkward.toString().trimEnd().length;
    const complete = Buffer.byteLength(awkward.toString().slice(0, end));
    for (let length = 0; length < complete; length++) {
      const found = await scan(awkward.subarray(0, length), { ...users, batchBytes: 10 }, 16);
      expect(found.error?.code).toBe(length <= 2 ? 'input:empty' : 'input:truncated');
      expect(found.error?.position?.offset).toBe(length);
      expect(found.elements).toEqual(awkwardUsers.slice(0, found.elements.length));
    }
    const beforeClose = await scan(awkward.subarray(0, awkward.lastIndexOf('],"z"')), users);
    expect(beforeClose.elements).toEqual(awkwardUsers);
  });
});

describe('the path to an array', () => {
  it.each([
    ['{"users":null}', 'null'],
    ['{"users":{"0":1}}', 'object'],
    ['{"users":"[1]"}', 'string'],
    ['{"users":12}', 'number'],
    ['{"users":true}', 'boolean'],
    ['{"Users":[1]}', 'missing'],
    ['{}', 'missing'],
  ])('is reported as missing for %s', async (text, found) => {
    const result = await scan(text, users, 1);
    expect(result).toEqual({
      told: [{ kind: 'absent', path: ['users'], root: 0, found }],
      elements: [],
      error: undefined,
    });
  });

  it('is reported as missing at the root', async () => {
    expect((await scan('{"a":1}', { arrays: [[]] })).told).toEqual([
      { kind: 'absent', path: [], root: 0, found: 'object' },
    ]);
  });

  it('matches keys by meaning, only at their depth', async () => {
    const text =
      '{"\\u0075\\u0073\\u0065\\u0072\\u0073":[1],"a":{"users":[2]},"us\\u0000ers":[3],"user":[4],"usersx":[5]}';
    expect((await scan(text, users, 1)).elements).toEqual([1]);
    expect((await scan('{"*":{"users":[1]}}', { arrays: [['*', 'users']] })).elements).toEqual([]);
    const wide = '{"п\\u043eльзователи😀":[1]}';
    expect((await scan(wide, { arrays: [['пользователи😀']] }, 1)).elements).toEqual([1]);
  });

  it.each([
    '{"users":[1],"users":[2]}',
    '{"users":[1],"us\\u0065rs":[2]}',
    '{"users":null,"a":[{"users":[1]}],"users":[2]}',
    '[{"users":[]},{"realm":"a","realm":"b"}]',
  ])('refuses a wanted key that occurs twice: %s', async (text) => {
    const options = { arrays: [['users'], ['*', 'users']], fields: [['*', 'realm']] };
    const at = Math.max(text.lastIndexOf('"us'), text.lastIndexOf('"realm"'));
    expect(await refusalOf(text, options, 3)).toEqual(['input:duplicate-key', at]);
  });

  it('returns fields of every scalar type and skips others', async () => {
    const text = '{"a":"x\\n\\ud800","b":-1.5e3,"c":true,"d":null,"e":[1],"f":{"a":2},"g":0,"users":[]}';
    const fields = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((key) => [key]);
    for (const size of [1, 2, 5, 1000]) {
      const { told } = await scan(text, { ...users, fields }, size);
      const values = told.flatMap((item) => (item.kind === 'field' ? [[item.path[0], item.value]] : []));
      expect(values).toEqual([
        ['a', 'x\n\ud800'],
        ['b', -1500],
        ['c', true],
        ['d', null],
        ['g', 0],
      ]);
    }
  });

  it('refuses more than 16 million levels of nesting', async () => {
    const nested = (levels: number) =>
      Buffer.concat([
        Buffer.from('{"deep":'),
        Buffer.alloc(levels, '['),
        Buffer.alloc(levels, ']'),
        Buffer.from('}'),
      ]);
    expect(await refusalOf(nested(16_000_000), users)).toEqual([undefined, undefined]);
    expect(await refusalOf(nested(17_000_000), users)).toContain('input:too-deep');
  });

  it('refuses a field longer than 64 KiB', async () => {
    const long = `{"realm":"${'x'.repeat(70_000)}"}`;
    expect(await refusalOf(long, { ...users, fields: [['realm']] })).toContain('input:element-too-large');
  });
});

describe('a sequence of root values', () => {
  it('is read as elements, with or without space between them', async () => {
    const text = '{"a":1}\n{"b":"}"} [2]{"c":3}"x""y" 4 true\r\n\r\nnull{}-5 ';
    for (const size of [1, 2, 3, 1000]) {
      for (const batchBytes of [1, 12, 1000]) {
        const found = await scan(text, { ...sequence, batchBytes }, size);
        expect(found.error).toBeUndefined();
        expect(found.elements).toEqual([
          { a: 1 },
          { b: '}' },
          [2],
          { c: 3 },
          'x',
          'y',
          4,
          true,
          null,
          {},
          -5,
        ]);
        expect(found.told).toEqual([
          { kind: 'open', path: [], root: 0 },
          { kind: 'close', path: [], root: 0 },
        ]);
      }
    }
  });
});

describe('consecutive JSON documents', () => {
  it.each([1, 2, 3, 1000])('have a list each (blocks of %d bytes)', async (size) => {
    const text = '[1,2]\n[]{"users":[3],"total":4} {"total":5,"users":[{"users":[6]}]}';
    const { elements, told } = await scan(text, many, size);
    expect(elements).toEqual([1, 2, 3, { users: [6] }]);
    expect(told.flatMap((item) => (item.kind === 'field' ? [item.value] : []))).toEqual([4, 5]);
  });

  it.each(['{"error":1}', '5', '"x"', 'null', '{"users":{}}'])('may lack a list: %s', async (text) => {
    const { elements, told } = await scan(`[1] ${text} [2]`, many, 3);
    expect(elements).toEqual([1, 2]);
    expect(told.filter(({ kind }) => kind === 'absent')).toHaveLength(1);
  });
});

describe('a wanted JSON value', () => {
  const valuesOf = ({ told }: Scanned) =>
    told.flatMap((item) =>
      item.kind === 'value' ? [[item.path.at(-1), Buffer.from(item.bytes).toString(), item.offset]] : [],
    );

  it('is returned unchanged with its place, with any blocks', async () => {
    const value = fc
      .jsonValue({ stringUnit: 'binary', maxDepth: 2 })
      .map((any) => JSON.stringify(any, null, 1));
    await fc.assert(
      fc.asyncProperty(value, value, fc.integer({ min: 1, max: 40 }), async (policy, name, size) => {
        const before = `{"orgs":[{"policy": ${policy} ,"users":[1,2],"name":`;
        const found = await scan(`${before}${name},"other":1}]}`, wanted, size);
        expect(valuesOf(found)).toEqual([
          ['policy', policy, before.indexOf(': ') + 2],
          ['name', name, Buffer.byteLength(before)],
        ]);
        expect(found.elements).toEqual([1, 2]);
      }),
      { numRuns: 100 },
    );
  });
});

describe('an error of the JSON scanner', () => {
  it.each<[text: string, code: string, offset: number, options?: ScanOptions]>([
    ['', 'input:empty', 0],
    [' \r\n', 'input:empty', 3],
    ['{"users":[1]} x', 'input:trailing-garbage', 14],
    ['{"users":[1]}{"users":[2]}', 'input:trailing-garbage', 13],
    ['{"users":[1,]}', 'input:syntax', 12],
    ['{"users":[,1]}', 'input:syntax', 10],
    ['{"users":[1,,2]}', 'input:syntax', 12],
    ['{"users":[1 2]}', 'input:syntax', 12],
    ['{"users":[1}', 'input:syntax', 11],
    ['{"users":[1,2x', 'input:syntax', 13],
    ['{"users":[x]}', 'input:syntax', 10],
    ['{"users":[1],}', 'input:syntax', 13],
    ['{"users":[1]]', 'input:syntax', 12],
    ['{"users":[1] "a":1}', 'input:syntax', 13],
    ['{,"users":[1]}', 'input:syntax', 1],
    ['{"a":}', 'input:syntax', 5],
    ['{"a" 1}', 'input:syntax', 5],
    ['{"a":1 "b":2}', 'input:syntax', 7],
    ['{"a":[1,]}', 'input:syntax', 8],
    ['{"a":[1}}', 'input:syntax', 7],
    ['{a:1}', 'input:syntax', 1],
    ['{"a":01}', 'input:syntax', 6],
    ['{"a":1.}', 'input:syntax', 7],
    ['{"a":-}', 'input:syntax', 6],
    ['{"a":1e}', 'input:syntax', 7],
    ['{"a":tru}', 'input:syntax', 8],
    ['{"a":truee}', 'input:syntax', 9],
    ['{"a":"\t"}', 'input:syntax', 6],
    ['{"a":"\\x"}', 'input:syntax', 7],
    ['{"a":"\\u12g4"}', 'input:syntax', 10],
    ['{"a":"\\é"}', 'input:syntax', 7],
    ['{"a":1}/* note */', 'input:trailing-garbage', 7],
    ['// note\n{}', 'input:syntax', 0],
    ['"users', 'input:truncated', 6],
    ['tru', 'input:truncated', 3],
    ['-', 'input:truncated', 1],
    ['\ufeff{}', 'input:syntax', 0],
    // Inside elements: found by parsing the batch.
    ['{"users":[{"a":1,}]}', 'input:syntax', 17],
    ['{"users":[{"a":[1}]]}', 'input:syntax', 17],
    ['{"users":[{"a":1},{"b":tru}]}', 'input:syntax', 26],
    ['{"users":[1,2,falsy]}', 'input:syntax', 18],
    ['{"users":["\n"]}', 'input:syntax', 11],
    ['{"users":["\\é"]}', 'input:syntax', 12],
    // A quote is missing, so the element never ends: the place counts where it stops being JSON.
    ['{"users":[{"a":"b},{"c":"d"}]}', 'input:syntax', 21],
    ['{"a":1', 'input:truncated', 6, sequence],
    ['{"a":1} "x', 'input:truncated', 10, sequence],
    [' \n ', 'input:empty', 3, sequence],
    ['{"a":1},{"b":2}', 'input:syntax', 7, sequence],
    ['{"a":1}]', 'input:syntax', 7, sequence],
    ['{"a":1} truely', 'input:syntax', 12, sequence],
    ['{"a":1} {"b":01}', 'input:syntax', 14, sequence],
    ['[1] ]', 'input:syntax', 4, many],
    ['[1] {', 'input:truncated', 5, many],
    ['[1] [2', 'input:truncated', 6, many],
    ['', 'input:empty', 0, many],
    ['{"orgs":[{"policy":{"a":', 'input:truncated', 24, wanted],
    ['{"orgs":[{"policy":{} "users":[]}]}', 'input:syntax', 22, wanted],
  ])('refuses %j with %s at byte %i, with any blocks', async (text, code, offset, options = users) => {
    for (const size of [1, 2, 3, 5, 100])
      expect(await refusalOf(text, options, size)).toEqual([code, offset]);
  });

  it.each([
    [[0x22, 0xff, 0x22], 1],
    [[0x22, 0x61, 0xc3, 0x28, 0x22], 2],
    [[0x22, 0xed, 0xa0, 0x80, 0x22], 1],
    [[0x22, 0xf0, 0x9f, 0x98, 0x22], 1],
    [[0x22, 0xc0, 0xaf, 0x22], 1],
    [[0x22, 0x80, 0x22], 1],
  ])('reports bytes that are not UTF-8, in and outside elements: %j', async (bytes, at) => {
    for (const [before, after] of [
      ['{"é":1,"a":', '}'],
      ['{"é":1,"users":[{"b":1},', ']}'],
      ['{"é":1,"a":', ''],
    ] as const) {
      const text = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
      const refusal = ['input:invalid-utf8', Buffer.byteLength(before) + at];
      for (const size of [1, 2, 3, 4, 100]) expect(await refusalOf(text, users, size)).toEqual(refusal);
    }
  });

  it('shows only one character of the input', async () => {
    const { error } = await scan('{"a":"s3cret","b":s3cret}', users);
    expect(error?.message).toBe('in.json at byte 18: invalid JSON: expected a value but found "s"');
    expect(error?.hint).toContain('Fix the file');
    // It may be a journal, without which nothing can be rolled back.
    expect((await scan('{"a":1}\n{"b":2}', users)).error?.hint).toContain('leave out the rest in a copy');
  });
});

describe('size limits of the JSON scanner', () => {
  it('allow nesting of any depth, skipped or in an element', async () => {
    const deep = '[{"a":'.repeat(50_000) + '1' + '}]'.repeat(50_000);
    const found = await scan(`{"x":${deep},"users":[${deep}],"y":${deep}}`, users);
    expect(found.error).toBeUndefined();
    let level = 0;
    let value: any = found.elements;
    while (typeof value === 'object') {
      value = Array.isArray(value) ? value[0] : value.a;
      level++;
    }
    expect(level).toBe(100_001);
  });

  it('allow an element of many blocks, and refuse a longer one at its start', async () => {
    const large = JSON.stringify({ id: 1, note: 'é"\\x'.repeat(400_000) });
    const text = `{"users":[{"id":0},${large},{"id":2}]}`;
    const found = await scan(text, users, 64 * 1024);
    expect(found.elements).toEqual([{ id: 0 }, JSON.parse(large), { id: 2 }]);
    for (const size of [1000, 64 * 1024, 10_000_000]) {
      const refused = await scan(text, { ...users, maxElementBytes: 1_000_000 }, size);
      expect(refused.error?.code).toBe('input:element-too-large');
      expect(refused.error?.position?.offset).toBe(text.indexOf(large));
      expect(refused.elements).toEqual([{ id: 0 }]);
    }
  });

  it('skip a record beyond the limit and report its place and length', async () => {
    const large = JSON.stringify({ id: 1, note: 'é"\\x'.repeat(40_000) });
    const all = [{ id: 0 }, JSON.parse(large), { id: 2 }, JSON.parse(large), JSON.parse(large), { id: 3 }];
    const texts = {
      list: [JSON.stringify({ users: all }), users],
      sequence: [all.map((one) => JSON.stringify(one)).join('\n'), { arrays: 'values' }],
    } as const;
    for (const [text, options] of Object.values(texts)) {
      const bytes = Buffer.from(text);
      const length = Buffer.byteLength(large);
      const first = bytes.indexOf(large);
      const second = bytes.indexOf(large, first + 1);
      const third = bytes.indexOf(large, second + 1);
      for (const size of [1000, 64 * 1024, 10_000_000]) {
        const found = await scan(bytes, { ...options, records: true, maxElementBytes: 100_000 }, size);
        expect(found.error).toBeUndefined();
        expect(found.elements).toEqual([{ id: 0 }, { id: 2 }, { id: 3 }]);
        expect(found.long?.map(([offset, of]) => [offset, of])).toEqual([
          [first, length],
          [second, length],
          [third, length],
        ]);
        expect(found.long?.[0]?.[2]).toMatch(/^\{"id":1,"note":"é/);
      }
    }
  });

  it('count long texts apart: 20 MB of text are read, 20 MB of values are not', async () => {
    const text = JSON.stringify({ id: 1, note: 'x'.repeat(20_000_000) });
    const values = JSON.stringify({ id: 2, list: Array.from({ length: 2_200_000 }, () => 'value') });
    const found = await scan(`{"users":[${text},${values},{"id":3}]}`, { ...users, records: true }, 262_144);
    expect(found.elements.map((one) => (one as { id: number }).id)).toEqual([1, 3]);
    expect(found.long?.map(([offset]) => offset)).toEqual([text.length + 11]);
  });

  it('cut long batches at commas between elements', async () => {
    const text = JSON.stringify(Array.from({ length: 9000 }, (_, at) => ({ at, text: 'a, b'.repeat(10) })));
    const whole: boolean[] = [];
    for await (const item of scanJson('in', blocksOf(text), { arrays: [[]], batchBytes: 128 * 1024 })) {
      if (item.kind !== 'batch') continue;
      expect([...parseElements(item.bytes, item.cuts)]).toHaveLength(item.count);
      whole.push(item.cuts.length === 0);
    }
    expect(whole.length).toBeGreaterThan(3);
    expect(whole.slice(0, -1)).not.toContain(true);
  });

  it('make batches of about the requested size', async () => {
    const text = JSON.stringify({
      users: Array.from({ length: 1000 }, (_, id) => ({ id, pad: 'x'.repeat(80) })),
    });
    const sizes: number[] = [];
    for await (const item of scanJson('in', blocksOf(text, 700), { ...users, batchBytes: 5000 })) {
      if (item.kind === 'batch') sizes.push(item.bytes.length);
    }
    expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThan(4990);
    expect(Math.max(...sizes)).toBeLessThan(5200);
  });

  it('drop white space between elements', async () => {
    const gap = ' '.repeat(300_000);
    const lengths: number[] = [];
    const text = `{"users":[1,${gap}2${gap},3${gap}]}`;
    for await (const item of scanJson('in', blocksOf(text, 1000), { ...users, batchBytes: 2000 })) {
      if (item.kind === 'batch') lengths.push(item.bytes.length);
    }
    expect(lengths).toEqual([1, 1, 1]);
  });
});
