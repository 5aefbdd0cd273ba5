import {
  anything,
  array,
  assert,
  constantFrom,
  dictionary,
  integer,
  json,
  oneof,
  property,
  record,
  string,
} from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldReader } from '../../src/lib/json-fields.ts';

const paths = [['id'], ['id', 'oid'], ['email'], ['list', '0', 'name']] as const;
const reader = new FieldReader(paths);

/** The texts that the reader finds in the middle one of three lines, or undefined where it leaves it to JSON.parse. */
function read(text: string): (string | undefined)[] | undefined {
  if (text.includes('\n')) return undefined;
  const bytes = Buffer.from(`{"id":"before"}\n${text}\n{"id":"behind"}`, 'utf8');
  const end = bytes.length - 16;
  reader.load(bytes);
  expect(reader.readLine(0)).toBe(15);
  const reached = reader.readLine(16);
  const found = paths.map((_, field) => (reader.starts[field] === -1 ? undefined : reader.text(field)));
  expect(reader.readLine(end + 1)).toBe(bytes.length);
  expect(reader.text(0)).toBe('behind');
  expect([-1, end]).toContain(reached);
  return reached === end ? found : undefined;
}

/** What stands at the places according to JSON.parse; undefined where that refuses the text. */
function parse(text: string): (string | undefined)[] | undefined {
  try {
    const value: any = JSON.parse(text);
    return [value.id, value.id?.oid, value.email, value.list?.[0]?.name].map((found) =>
      typeof found === 'string' ? found : undefined,
    );
  } catch {
    return undefined;
  }
}

describe('the reader of fields', () => {
  it.each<[string, (string | undefined)[] | undefined]>([
    ['{}', [undefined, undefined, undefined, undefined]],
    [
      ' { "id" : "5" , "more" : [ 1 , -0.5e+3 , true , null , { "email" : "not this" } ] }\r',
      ['5', undefined, undefined, undefined],
    ],
    [
      '{"id":{"oid":"7","x":{"oid":"8"}},"email":null,"list":[{"name":"n"}]}',
      [undefined, '7', undefined, 'n'],
    ],
    ['{"more":"\\u00e9 é \\"","email":"a@b","list":[]}', [undefined, undefined, 'a@b', undefined]],
    ['{"\\u00e9":1}', undefined],
    ['{"é":"\\\\","email":"é \\/"}', undefined],
    ['{"é":"\\\\","email":"é"}', [undefined, undefined, 'é', undefined]],
  ])('finds the texts in %s', (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it.each([
    ['an escape in a wanted text', '{"email":"a\\u0040b"}'],
    ['an escape in a key', '{"\\u0065mail":"a@b"}'],
    ['a wanted field twice', '{"email":"a","email":"b"}'],
    ['a wanted field that is taken back', '{"email":"a","email":null}'],
    ['a wanted field that changes its kind', '{"id":"a","id":{"oid":"b"}}'],
    ['a wanted field of another type', '{"email":5}'],
    ['a list of several', '{"list":[{"name":"a"},{"name":"b"}]}'],
    ['deep nesting', `{"x":${'['.repeat(100)}${']'.repeat(100)}}`],
    ['a list', '[]'],
    ['two objects', '{}{}'],
    ['nothing', ''],
  ])('leaves %s to JSON.parse', (_, text) => {
    expect(read(text)).toBeUndefined();
  });

  it.each([
    '{"a":01}',
    '{"a":1.}',
    '{"a":.5}',
    '{"a":1e}',
    '{"a":-}',
    '{"a":+1}',
    '{"a":NaN}',
    '{"a":tru}',
    '{"a":1,}',
    '{,}',
    '{"a"}',
    '{"a":}',
    '{"a":"\u0001"}',
    '{"a":"\\x"}',
    '{"a":"\\u12"}',
    '{"a":[1,]}',
    '{"a":[,1]}',
    '{"a":1 2}',
    "{'a':1}",
    '{"a":"b}',
    '{"a":{"b":1}',
    '{"a":1}}',
  ])('refuses %j', (text) => {
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
    expect(read(text)).toBeUndefined();
  });

  const value = oneof(
    string(),
    integer(),
    constantFrom(null, true, false, 1.5e-7),
    array(string()),
    anything({ maxDepth: 2 }),
  );
  const object = record(
    {
      id: oneof(string(), record({ oid: string() }), value),
      email: oneof(string(), value),
      list: array(record({ name: string() }), { maxLength: 2 }),
      more: dictionary(string(), value),
    },
    { requiredKeys: [] },
  );
  const text = oneof(
    object.map((made) => JSON.stringify(made)),
    object.map((made) => JSON.stringify(made, null, 2)),
    json(),
  );

  it('agrees with JSON.parse wherever it reads', () => {
    let found = 0;
    assert(
      property(text, (made) => {
        const mine = read(made);
        if (mine === undefined) return;
        found++;
        expect(mine).toEqual(parse(made));
      }),
      { numRuns: 2000 },
    );
    expect(found).toBeGreaterThan(100);
  });

  it('reads nothing that JSON.parse refuses', () => {
    const damage = constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', '0', 'e', '-', ' ', '\n', 'u', '');
    assert(
      property(
        text,
        integer({ min: 0, max: 60 }),
        integer({ min: 0, max: 2 }),
        damage,
        (made, at, cut, put) => {
          const place = made.length === 0 ? 0 : at % made.length;
          const damaged = (made.slice(0, place) + put + made.slice(place + cut)).toWellFormed();
          const mine = read(damaged);
          expect(mine ?? parse(damaged)).toEqual(parse(damaged));
        },
      ),
      { numRuns: 4000 },
    );
  });
});
