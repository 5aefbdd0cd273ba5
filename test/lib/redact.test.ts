import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mask, redact, redactText } from '../../src/lib/redact.ts';

describe('redaction of values', () => {
  it('copies them, and keeps a hostile name a plain field', () => {
    const value = JSON.parse('{"__proto__":{"password":"hunter2"},"a":[1,"x"]}') as object;
    const before = JSON.stringify(value);
    expect(JSON.stringify(redact(value))).toBe(before.replace('hunter2', mask));
    expect(JSON.stringify(value)).toBe(before);
  });

  it('handles any depth', () => {
    let deep: unknown = 'x';
    for (let i = 0; i < 50_000; i++) deep = [deep];
    expect(JSON.stringify(redact(deep))).toContain(mask);
  });

  it('never shows bytes', () => {
    expect(redact({ body: Buffer.from('secret') })).toEqual({ body: '<6 bytes>' });
  });

  it('hides text under a secret name at any place', () => {
    const name = fc.constantFrom('password', 'client_secret', 'signingKey', 'passwordHash', 'otpCode');
    fc.assert(
      fc.property(
        name,
        fc.jsonValue({ maxDepth: 3 }),
        fc.array(fc.constantFrom('a', 'b', 'list')),
        (n, v, path) => {
          const canary = 'canary-7d1c';
          let value: unknown = { [n]: [canary, { deeper: canary }], beside: v };
          for (const step of path) value = step === 'list' ? [value] : { [step]: value };
          expect(JSON.stringify(redact(value))).not.toContain(canary);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('redaction of text', () => {
  it('takes linear time for hostile input', () => {
    const started = performance.now();
    for (const piece of [
      'a-',
      '$a',
      'eyJ',
      '"a":"',
      '\\"a',
      '://',
      '-----BEGIN PRIVATE KEY-----',
      'Basic ',
    ]) {
      redactText(piece.repeat(100_000));
    }
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
