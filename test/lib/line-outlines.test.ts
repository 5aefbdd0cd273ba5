import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldReader } from '../../src/lib/json-fields.ts';
import { LineOutlines } from '../../src/lib/line-outlines.ts';

const paths = [['id'], ['id', 'oid'], ['email'], ['list', '0', 'name']] as const;

interface Found {
  readonly end: number;
  readonly texts: readonly (string | undefined)[];
}

function found(line: Buffer, end: number, starts: Int32Array, ends: Int32Array): Found {
  const texts = Array.from(starts, (start, field) =>
    start === -1 ? undefined : line.toString('utf8', start, ends[field]),
  );
  return { end, texts };
}

/** Read by its grammar: nothing was learnt yet. */
function readSlowly(line: Buffer): Found | undefined {
  const reader = new FieldReader(paths);
  reader.load(line);
  const end = reader.readLine(0);
  return end === -1 ? undefined : found(line, end, reader.starts, reader.ends);
}

function learn(outlines: LineOutlines, line: Buffer): void {
  const reader = new FieldReader(paths);
  reader.load(line);
  if (reader.readLine(0) === line.length) outlines.learn(line, 0, reader.starts);
}

/** Undefined where the outline of the line is not known. */
function find(outlines: LineOutlines, lines: Buffer, start = 0): Found | undefined {
  const starts = new Int32Array(paths.length);
  const ends = new Int32Array(paths.length);
  const end = outlines.find(start, starts, ends);
  return end === -1 ? undefined : found(lines, end, starts, ends);
}

describe('outlines of lines', () => {
  it('tell where the fields of a line stand that is like an earlier one', () => {
    const outlines = new LineOutlines();
    learn(outlines, Buffer.from('{"id":{"oid":"1"},"n":5,"email":"a@b","x":"y","list":[]}'));
    const other = '{"id":{"oid":"23"},"n":-70,"email":"é","x":"","list":[]}';
    const lines = Buffer.from(`${other}\n{"id":"another"}\n${other}\n`);
    outlines.load(lines);
    const texts = [undefined, '23', 'é', undefined];
    const length = Buffer.byteLength(other);
    expect(find(outlines, lines)).toEqual({ end: length, texts });
    expect(find(outlines, lines, length + 1)).toBeUndefined();
    expect(find(outlines, lines, length + 18)).toEqual({ end: 2 * length + 18, texts });
  });

  it.each([
    ['a number with a leading zero', '{"id":"a","n":05}'],
    ['a fraction', '{"id":"a","n":0.5}'],
    ['an escape', String.raw`{"id":"a\\n","n":5}`],
    ['a control character', '{"id":"a\tb","n":5}'],
    ['no end', '{"id":"a","n":5'],
    ['something behind it', '{"id":"a","n":5} '],
    ['an open text', '{"id":"a'],
  ])('leave a line with %s', (_, line) => {
    const outlines = new LineOutlines();
    learn(outlines, Buffer.from('{"id":"a","n":5}'));
    const bytes = Buffer.from(line);
    outlines.load(bytes);
    expect(find(outlines, bytes)).toBeUndefined();
    const known = Buffer.from(`${line}\n{"id":"b","n":6}`);
    outlines.load(known);
    expect(find(outlines, known, bytes.length + 1)?.texts[0]).toBe('b');
  });

  it('leave batches of more than a megabyte', () => {
    const outlines = new LineOutlines();
    learn(outlines, Buffer.from('{"id":"a"}'));
    for (const [length, expected] of [
      [1 << 20, 'x'.repeat((1 << 20) - 9)],
      [(1 << 20) + 1, undefined],
    ] as const) {
      const line = Buffer.from(`{"id":"${'x'.repeat(length - 9)}"}`);
      outlines.load(line);
      expect(find(outlines, line)?.texts[0]).toBe(expected);
    }
  });

  it('find what the grammar says, whatever happens to the bytes of a line', () => {
    const line = fc.record(
      {
        id: fc.oneof(fc.string({ maxLength: 5 }), fc.record({ oid: fc.stringMatching(/^[a-f0-9]{4}$/) })),
        n: fc.oneof(fc.integer(), fc.constantFrom(null, 0.5)),
        email: fc.constantFrom('a@b', 'é', '"', ''),
        list: fc.array(fc.record({ name: fc.constantFrom('n', 'long name'), flag: fc.boolean() }), {
          maxLength: 2,
        }),
      },
      { requiredKeys: ['id'] },
    );
    const change = fc.record({
      at: fc.nat(),
      cut: fc.integer({ min: 0, max: 2 }),
      put: fc.constantFrom(...Array.from('"\\{}[]:, \n0-9.e\u0001é'), '', '\\"', '"x":"', 'id', 'null'),
    });
    let known = 0;
    fc.assert(
      fc.property(line, line, fc.array(change, { maxLength: 2 }), (earlier, later, changes) => {
        const outlines = new LineOutlines();
        for (const each of [earlier, later]) learn(outlines, Buffer.from(JSON.stringify(each)));
        let text = JSON.stringify({ ...later, ...(typeof later.n === 'number' && { n: -later.n }) });
        for (const { at, cut, put } of changes) {
          const place = at % (text.length + 1);
          text = text.slice(0, place) + put + text.slice(place + cut);
        }
        const bytes = Buffer.from(text);
        outlines.load(bytes);
        const quick = find(outlines, bytes);
        if (quick === undefined) return;
        known++;
        expect(quick).toEqual(readSlowly(bytes));
      }),
      { numRuns: 4000 },
    );
    expect(known).toBeGreaterThan(500);
  });
});
