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
  it('matches any bytes and key, and no bytes with one flipped bit', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(bytes, fc.string({ minLength: 1 }), fc.nat(), (bytes, key, place) => {
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

  it('does not match with one flipped bit of its own', () => {
    for (let digit = vector.indexOf('v1=') + 3; digit < vector.length; digit++) {
      for (const bit of [1, 2, 4, 8]) {
        const value = (Number.parseInt(vector[digit] ?? '', 16) ^ bit).toString(16);
        const header = vector.slice(0, digit) + value + vector.slice(digit + 1);
        expect(reasonOf({ header })).toBe('wrong-key');
      }
    }
  });

  it('is truncated to the second', () => {
    expect(signBody(Buffer.from(body), key, signedAt + 0.9)).toBe(vector);
  });
});

describe('a refused signature names its reason:', () => {
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
