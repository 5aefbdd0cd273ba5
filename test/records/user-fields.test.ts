import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readGender } from '../../src/records/user.ts';
import { readLanguage } from '../../src/records/language.ts';
import { decodeBase32, encodeBase32 } from '../../src/lib/base32.ts';
import { canonicalBase32, otpObstacle } from '../../src/records/otp.ts';
import { readPhone } from '../../src/records/phone.ts';

describe('readPhone', () => {
  it.each<[string, string | undefined, string, boolean, string?]>([
    ['+41446681800;ext=12', undefined, '+41446681800', false, '12'],
    ['044 668 18 00 x5', 'CH', '+41446681800', false, '5'],
  ])('of %s from %s returns %s', (raw, region, e164, doubtful, extension) => {
    expect(readPhone(raw, region)).toEqual({ e164, doubtful, extension });
  });

  it.each([
    ['not a number', 'CH'],
    ['044 668 18 00', 'XX'],
  ])('of %s from %s returns undefined', (raw, region) => {
    expect(readPhone(raw, region)).toBeUndefined();
  });
});

describe('readLanguage', () => {
  it.each([
    ['de_DE', 'de', true],
    ['en-US', 'en', true],
    ['de-DE.UTF-8', 'de', true],
    ['zh-Hant', 'zh', true],
    ['iw', 'he', false],
    ['in', 'id', true],
    ['nb', 'nb', false],
    ['xx_YY', '', false],
    ['gsw', 'gsw', false],
    ['', '', false],
    ['!!', '', false],
    ['x'.repeat(40), '', false],
  ])('of %j returns %j', (raw, tag, translated) => {
    expect(readLanguage(raw)).toEqual({ tag, translated });
  });

  it('returns at most ten characters', () => {
    fc.assert(
      fc.property(fc.string(), (raw) => {
        expect(readLanguage(raw).tag.length).toBeLessThanOrEqual(10);
      }),
    );
  });
});

it.each([
  ['F', 'female'],
  ['männlich', 'male'],
  ['Non-Binary', 'diverse'],
  ['perhaps', 'unspecified'],
])('readGender of %s returns %s', (raw, gender) => {
  expect(readGender(raw)).toBe(gender);
});

describe('TOTP secrets', () => {
  it('keep their bytes through base32', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => {
        const text = encodeBase32(bytes);
        expect(text).toMatch(/^[A-Z2-7]+$/);
        expect(decodeBase32(text)).toEqual(bytes);
      }),
    );
  });

  it('are encoded as in RFC 4648', () => {
    expect(encodeBase32(Buffer.from('foobar'))).toBe('MZXW6YTBOI');
    expect(encodeBase32(Buffer.from('DJmQfC73VGFhw7D4QJ8A'))).toBe('IRFG2ULGIM3TGVSHIZUHON2EGRIUUOCB');
    expect(canonicalBase32('mzxw 6ytb-oi======')).toBe('MZXW6YTBOI');
    expect(canonicalBase32('mzxw1')).toBeUndefined();
  });

  it.each([
    [{ algorithm: 'HmacSHA1', digits: 6, period: 30 }, undefined],
    [{ algorithm: 'SHA1', digits: 6, period: 30 }, undefined],
    [{ algorithm: 'HmacSHA256', digits: 6, period: 30 }, 'algorithm HmacSHA256'],
    [{ algorithm: 'HmacSHA1', digits: 8, period: 30 }, '8 digits'],
    [{ algorithm: 'HmacSHA1', digits: 6, period: 60 }, '60 seconds'],
  ])('with %j have the obstacle %s', (parameters, obstacle) => {
    expect(otpObstacle(parameters)).toBe(obstacle);
  });
});
