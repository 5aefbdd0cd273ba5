/** The bytes of a JSON body become a complete message, by the rules of protobuf JSON. */
import { array, assert, boolean, constantFrom, property, record, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, DecodeError, encode } from '../../src/wire/codec.ts';
import { importDataOrg } from '../../src/wire/import.ts';
import { importHumanUserRequest } from '../../src/wire/create-user.ts';
import { listUsersRequest } from '../../src/wire/user.ts';
import { jsonSyntaxError } from '../../src/wire/json-reader.ts';

const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const read = (value: unknown) => decode(importHumanUserRequest, bytes(value));

function refusal(value: unknown, schema: Parameters<typeof decode>[0] = importHumanUserRequest) {
  try {
    decode(schema, bytes(value));
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
  return 'accepted';
}

it('the codec reads 64-bit numbers from numbers and strings as text', () => {
  const offset = (text: string) =>
    decode(listUsersRequest, bytes(`{"query":{"offset":${text},"limit":"7"}}`)).query;
  expect(offset('"18446744073709551615"')).toEqual({
    offset: '18446744073709551615',
    limit: 7,
    asc: false,
  });
  expect(offset('5e2')?.offset).toBe('500');
  expect(refusal('{"query":{"offset":-1}}', listUsersRequest)).toBe(
    'proto: (line 1:20): invalid value for uint64 field offset: -1',
  );
});

const back = (org: object) => encode(importDataOrg, decode(importDataOrg, bytes({ orgs: [org] })))['orgs'];
const metadata = (value: string) => ({ userMetadata: [{ value }] });
const lifetime = (passwordCheckLifetime: unknown) => ({ loginPolicy: { passwordCheckLifetime } });
const expiry = (expirationDate: string) => ({ machineKeys: [{ expirationDate }] });
const factors = (...secondFactors: unknown[]) => ({ loginPolicy: { secondFactors } });

it.each([
  [metadata('-_8'), metadata('+/8=')],
  [metadata('+/8='), metadata('+/8=')],
  [lifetime('.5s'), lifetime('0.500s')],
  [lifetime('-1.s'), lifetime('-1s')],
  [lifetime('-.0s'), lifetime('0s')],
  [lifetime('1.000000001s'), lifetime('1.000000001s')],
  [expiry('2030-01-01T01:00:00.1234+01:00'), expiry('2030-01-01T00:00:00.123400Z')],
  [factors('NOPE', 'SECOND_FACTOR_TYPE_U2F', 9), factors('SECOND_FACTOR_TYPE_U2F', 9)],
])('the codec reads %j as %j', (org, expected) => {
  expect(back(org)).toEqual([expected]);
});

it.each([
  [metadata('+_8='), /bytes field value: "\+_8="/],
  [lifetime('01s'), /Duration value "01s"/],
  [lifetime(5), /unexpected token 5/],
  [expiry('2030-02-30T00:00:00Z'), /Timestamp value/],
  [expiry('2030-01-01T24:00:00Z'), /Timestamp value/],
  [expiry('9999-12-31T23:59:59-01:00'), /Timestamp value/],
  [expiry('0001-01-01T00:00:00+01:00'), /Timestamp value/],
])('the codec refuses %j: %s', (org, problem) => {
  expect(() => back(org)).toThrow(problem);
});

describe('refusals of the codec', () => {
  it.each([
    ['{"userName" "a"}', `invalid character '"' after object key`],
    ['{"a":1 "b"}', `invalid character '"' after object key:value pair`],
    ['{"a":[1 2]}', `invalid character '2' after array element`],
    ['{"a":01}', `invalid character '1' after object key:value pair`],
    ['{"userName":5,"x":', 'unexpected EOF'],
  ])('%s', (body, text) => {
    expect(refusal(body)).toBe(text);
  });

  it('report bytes that are not UTF-8', () => {
    expect(() =>
      decode(importHumanUserRequest, Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])),
    ).toThrow('UTF-8');
  });

  it('end for texts of any length, terminated or not', () => {
    for (const part of ['x', '\\n', 'x\\n']) {
      const text = `{"userName":"${part.repeat(2_000_000)}`;
      expect(refusal(text)).toBe('unexpected EOF');
      expect(refusal(`${text}"`)).toBe('unexpected EOF');
    }
  });

  it('end for brackets ten thousand deep, known or unknown', () => {
    expect(refusal(`{"x":${'['.repeat(100_000)}`)).toBe("invalid character '[' exceeded max depth");
    const nest = '{"queries":[{"orQuery":'.repeat(9000);
    expect(refusal(nest, listUsersRequest)).not.toBe('accepted');
  });
});

it('the codec and JSON.parse accept the same JSON', () => {
  const fragment = constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a\x7f"',
    '"\\u00Ab"',
    '1',
    '-0.5e+3',
    'true',
    'null',
    ' ',
    '"',
    '\\u12',
    '0',
  );
  assert(
    property(array(fragment, { maxLength: 12 }), (parts) => {
      const body = parts.join('');
      expect(jsonSyntaxError(Buffer.from(body)) === undefined).toBe(startsWithJson(body));
    }),
    { numRuns: 3000 },
  );
});

it('the codec and JSON.parse read what the codec writes, with any white space', () => {
  const text = string({ unit: 'binary' }).filter((value) => !/[\ud800-\udfff]/u.test(value));
  const user = record({
    userName: text,
    profile: record({ firstName: text, lastName: text }),
    email: record({ email: text, isEmailVerified: boolean() }),
    idps: array(record({ configId: text, externalUserId: text, displayName: text }), {
      maxLength: 3,
    }),
  });
  assert(
    property(user, (value) => {
      const body = encode(importHumanUserRequest, value);
      const text = JSON.stringify({ phone: null, idps: [], ...body });
      const back = read(text);
      expect(encode(importHumanUserRequest, back)).toEqual(body);
      expect(back).toMatchObject(value);
      expect(read(text.replaceAll(/"(?:[^"\\]|\\.)*"|[[\]{},:]/g, ' $&\n\t'))).toEqual(back);
    }),
    { numRuns: 300 },
  );
});

/** True when some prefix of the text is a whole JSON value: trailing data does not count. */
function startsWithJson(text: string) {
  for (let end = 1; end <= text.length; end++) {
    try {
      JSON.parse(text.slice(0, end));
      return true;
    } catch {
      continue;
    }
  }
  return false;
}
