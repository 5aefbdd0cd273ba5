import { describe, expect, it } from 'vitest';

import { signBody, verifySignature } from '../../src/wire/signature.ts';

const key = 'somekey';
const body = '{"fullMethod":"/zitadel.user.v2.UserService/AddHumanUser"}';
const signedAt = 1_700_000_000;
const vector = 't=1700000000,v1=a92e7f2bb5061497b4a20bbcdc50661d484ae2a1c16c0c2a6bef6e9c48f95bdc';
const at = (seconds: number): number => (signedAt + seconds) * 1000;
const reason = (header: string | undefined, keys: string | string[] = key, now = at(0)): string => {
  const verdict = verifySignature(body, header, keys, { now });
  return verdict.ok ? 'ok' : verdict.reason;
};

describe('signing', () => {
  it('gives the vector that the service gives', () => {
    expect(signBody(body, key, signedAt)).toBe(vector);
    expect(signBody(Buffer.from(body), key, signedAt + 0.9)).toBe(vector);
  });

  it('signs with every key while a key is being rotated', () => {
    const header = signBody(body, ['old', key], signedAt);
    expect(header.match(/v1=/g)).toHaveLength(2);
    expect(reason(header)).toBe('ok');
    expect(reason(header, 'old')).toBe('ok');
  });
});

describe('verifying', () => {
  it.each([
    ['no header', undefined, 'missing'],
    ['an empty header', '', 'missing'],
    ['a part without an equals sign', `${vector},v2`, 'malformed'],
    ['a part with two equals signs', `${vector},v0=a=b`, 'malformed'],
    ['a time that is no number', vector.replace('1700000000', 'noon'), 'malformed'],
    ['no time', vector.slice(vector.indexOf('v1')), 'malformed'],
    ['another time than the signed one', vector.replace('1700000000', '1700000001'), 'no-match'],
    ['no v1', 't=1700000000,v0=00', 'no-match'],
    ['a v1 that is not hex', 't=1700000000,v1=xyz', 'no-match'],
    ['a v1 that is too short', 't=1700000000,v1=a92e', 'no-match'],
    ['an unknown part next to a good one', `${vector},v2=abc`, 'ok'],
    ['a bad v1 before a good one', vector.replace(',v1', ',v1=00ff,v1=nothex,v1'), 'ok'],
    ['upper case hex', vector.replace(/v1=.*/, (part) => `v1=${part.slice(3).toUpperCase()}`), 'ok'],
  ])('%s', (_, header, expected) => {
    expect(reason(header)).toBe(expected);
  });
});
