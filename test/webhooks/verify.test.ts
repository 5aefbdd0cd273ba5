import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signBody, verifySignature, type SignedCall } from '../../src/webhooks/index.ts';

const key = 'somekey';
const body = '{"fullMethod":"/zitadel.user.v2.UserService/AddHumanUser"}';
const signedAt = 1_700_000_000;
const vector = 't=1700000000,v1=a92e7f2bb5061497b4a20bbcdc50661d484ae2a1c16c0c2a6bef6e9c48f95bdc';
const now = signedAt * 1000;

function verify(changes: Partial<SignedCall> = {}) {
  return verifySignature({ body, header: vector, key, now, ...changes });
}

function reasonOf(changes: Partial<SignedCall>) {
  const verdict = verify(changes);
  return verdict.ok ? 'ok' : verdict.reason;
}

describe('a valid signature', () => {
  it('is that of the contract', () => {
    const signatures = [vector.slice(vector.indexOf('v1=') + 3)];
    expect(verify()).toEqual({ ok: true, signedAt: new Date(now), age: 0, keyIndex: 0, signatures });
  });

  it('matches any bytes and key, and no bytes with one flipped bit', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(bytes, fc.stringMatching(/\S/), fc.nat(), (bytes, key, place) => {
        const header = signBody(bytes, key, signedAt);
        expect(verify({ body: bytes, header, key }).ok).toBe(true);
        const flipped = Uint8Array.from(bytes);
        const bit = place % (bytes.length * 8);
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(verify({ body: flipped, header, key }).ok).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  it('is truncated to the second', () => {
    expect(signBody(Buffer.from(body), key, signedAt + 0.9)).toBe(vector);
  });

  it('may be any v1 of the header and any of the keys, and names its key', () => {
    const rotating = signBody(body, ['old', 'new'], signedAt);
    expect(verify({ header: rotating, key: ['other', 'new'] })).toMatchObject({ ok: true, keyIndex: 1 });
    expect(verify({ header: rotating, key: 'old\n' })).toMatchObject({ ok: true, keyIndex: 0 });
  });
});

describe('a refused signature names its reason:', () => {
  it.each([
    ['no header', { header: undefined }, 'missing', /no ZITADEL-Signature header/],
    ['an empty list of headers', { header: [] }, 'missing', /no ZITADEL-Signature header/],
    ['the header twice', { header: [vector, vector] }, 'repeated', /more than one/],
    ['the header twice, joined by a proxy', { header: `${vector}, ${vector}` }, 'repeated', /more than one/],
    ['a header of another form', { header: 'sha256=abc' }, 'malformed', /form t=<seconds>,v1=<hex>/],
    ['a header without v1', { header: 't=1700000000' }, 'malformed', /no v1 signature/],
    ['five minutes and a moment', { now: now + 300_001 }, 'too-old', /signed 301 seconds ago, 300/],
    [
      'a minute with half a minute allowed',
      { now: now + 60_000, tolerance: 30 },
      'too-old',
      /60 seconds ago, 30/,
    ],
    ['a future just too far', { now: now - 300_001 }, 'from-the-future', /301 seconds in the future/],
    ['another key', { key: 'another' }, 'wrong-key', /another key, or the body was altered/],
    ['no key', { key: '\n' }, 'no-key', /no signing key/],
    ['an empty list of keys', { key: [] }, 'no-key', /no signing key/],
    ['a list with an empty key', { key: [key, ''] }, 'no-key', /no signing key/],
    [
      'a body that is not JSON any more',
      { body: body.slice(0, -1) },
      'body-altered',
      /most likely it was altered/,
    ],
    [
      'a pretty-printed body',
      { body: JSON.stringify(JSON.parse(body), null, 2) },
      'body-altered',
      /parsed and written/,
    ],
    ['a line break at the end', { body: `${body}\n` }, 'body-altered', /line break was added/],
    ['a byte order mark', { body: `\uFEFF${body}` }, 'body-altered', /byte order mark/],
    [
      'a body that is nested too deeply to be examined',
      { body: '[ '.repeat(9e4) + ']'.repeat(9e4) },
      'body-altered',
      /most likely/,
    ],
    ['a changed value', { body: body.replace('Human', 'Machine') }, 'wrong-key', /no v1 signature fits/],
  ])('%s', (_, changes, reason, message) => {
    expect(verify(changes)).toMatchObject({ ok: false, reason, message });
  });

  it.each([
    ['a part without an equals sign', `${vector},v2`, 'malformed'],
    ['a part with two equals signs', `${vector},v0=a=b`, 'malformed'],
    ['a time that is no number', vector.replace('1700000000', 'noon'), 'malformed'],
    [
      'a time with more digits than the service reads',
      vector.replace('t=', `t=${'0'.repeat(9)}`),
      'malformed',
    ],
    ['a time with a plus sign, which is signed without', vector.replace('t=', 't=+'), 'ok'],
    ['a blank before v1', vector.replace(',v1', ', v1'), 'malformed'],
    ['no time', vector.slice(vector.indexOf('v1')), 'malformed'],
    ['a v1 that is not hex', 't=1700000000,v1=xyz', 'malformed'],
    ['another time than the signed one', vector.replace('1700000000', '1700000001'), 'wrong-key'],
    ['a v1 that is too short', 't=1700000000,v1=a92e', 'wrong-key'],
    ['an unknown part next to a good one', `${vector},v2=abc`, 'ok'],
    ['a bad v1 before a good one', vector.replace(',v1', ',v1=00ff,v1=nothex,v1'), 'ok'],
    ['upper case hex', vector.replace(/v1=.*/, (part) => `v1=${part.slice(3).toUpperCase()}`), 'ok'],
  ])('a header with %s', (_, header, expected) => {
    expect(reasonOf({ header })).toBe(expected);
  });

  it('a body that JavaScript has written again with its signs unescaped', () => {
    const sent = '{"request":{"name":"a\\u003cb\\u0026c"}}';
    const header = signBody(sent, key, signedAt);
    expect(verify({ body: JSON.stringify(JSON.parse(sent)), header })).toMatchObject({
      reason: 'body-altered',
      message: /parsed and written again/,
    });
  });

  it('line ends changed in transit, in either direction', () => {
    const unix = signBody('a\nb', key, signedAt);
    const windows = signBody('a\r\nb', key, signedAt);
    expect(verify({ body: 'a\r\nb', header: unix })).toMatchObject({ reason: 'body-altered' });
    expect(verify({ body: 'a\nb', header: windows })).toMatchObject({
      message: /line ends were changed/,
    });
  });

  it('an altered body of several megabytes, without examining it', () => {
    expect(verify({ body: `${' '.repeat(5_000_000)}{}` })).toMatchObject({
      reason: 'wrong-key',
      message: /another key, or the body was altered/,
    });
  });

  it('any header and any body, without an exception', () => {
    const piece = fc.constantFrom(
      't=',
      'v1=',
      ',',
      '=',
      '1700000000',
      'a92e',
      ' ',
      '\u0000',
      '-',
      '9'.repeat(30),
    );
    const header = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(header, fc.oneof(fc.uint8Array(), fc.json()), (header, body) => {
        expect(verify({ header, body }).ok).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('and never the key or the body', () => {
    for (const changes of [{}, { header: undefined }, { now: now + 1e9 }, { header: 'x' }]) {
      const verdict = JSON.stringify(verify({ body: 'canary-body', key: 'canary-key', ...changes }));
      expect(verdict).not.toContain('canary');
    }
  });
});

it('the time tolerance of a signature is exact to the second in both directions', () => {
  expect(reasonOf({ now: now + 300_000 })).toBe('ok');
  expect(reasonOf({ now: now - 300_000 })).toBe('ok');
  expect(reasonOf({ now: now - 300_000, tolerance: 299 })).toBe('from-the-future');
});
