import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSecretName, mask, redact, redactText } from '../../src/lib/redact.ts';

describe('redaction of names', () => {
  it.each(
    (
      'password PASSWORD hashedPassword hashed_password passwordHash secretData client-secret ' +
      'clientsecret accessToken access_token accesstoken signingKey privateKey secretAccessKey ' +
      'serviceaccountJson keyDetails otpCode OTPSecret totpSecret recoveryCodes emailCode ' +
      'Authorization Set-Cookie salt credentials pin'
    ).split(' '),
  )('%s holds a secret', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each(
    (
      'userName email key value code token_type tokenId hashIterations hashAlgorithm ' +
      'passwordChangeRequired compass spinning instanceID accessKeyId total '
    ).split(' '),
  )('%s is no secret', (name) => {
    expect(isSecretName(name)).toBe(false);
  });
});

describe('redaction of values', () => {
  it('removes secrets and keeps descriptions', () => {
    const user = {
      userName: 'minnie',
      hashedPassword: { value: '$2a$12$abcdefghij', algorithm: 'bcrypt', changeRequired: true },
      otpCode: 'JBSWY3DP',
      totp: true,
      recoveryCodes: [{ raw: 'abcd-efgh' }, { hash: 'xyz' }],
      credentials: [
        { id: '1', type: 'password', secretData: '{"value":"x"}', credentialData: '{"hashIterations":1}' },
      ],
      metadata: [
        { key: 'legacyPin', value: 'MTIzNA==' },
        { key: 'color', value: 'cmVk' },
      ],
      pin: 1234,
      empty: { password: '', token: null },
    };
    expect(redact(user)).toEqual({
      userName: 'minnie',
      hashedPassword: { value: mask, algorithm: 'bcrypt', changeRequired: true },
      otpCode: mask,
      totp: true,
      recoveryCodes: [{ raw: mask }, { hash: mask }],
      credentials: [{ id: '1', type: 'password', secretData: mask, credentialData: mask }],
      metadata: [
        { key: 'legacyPin', value: mask },
        { key: 'color', value: 'cmVk' },
      ],
      pin: mask,
      empty: { password: '', token: null },
    });
  });

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
  it.each([
    ['a bcrypt hash', 'refused $2a$12$N9qo8uLOickgx2ZMRZoMye for 7', `refused $2a$${mask} for 7`],
    ['an argon2 hash', 'x $argon2id$v=19$m=7168,t=5,p=1$c2FsdA$aGFzaA', `x $argon2id$${mask}`],
    ['a pbkdf2 hash', '"$pbkdf2-sha256$27500$abc==$def=="', `"$pbkdf2-sha256$${mask}"`],
    ['a phpass hash', '$P$B123456780123456789012345678901', `$P$${mask}`],
    ['an LDAP hash', '{SSHA}MTIzNDU2Nzg5MGFiY2RlZg==', `{SSHA}${mask}`],
    ['a JWT', 'got eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln back', `got ${mask} back`],
    ['a bearer token', 'Authorization: Bearer a1b2c3d4e5', `Authorization: Bearer ${mask}`],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- .', `${mask} .`],
    ['half a private key', '-----BEGIN PRIVATE KEY-----\\nMIIEv', mask],
    ['credentials in a URL', 'https://me:pw@host/a@b', `https://${mask}@host/a@b`],
    ['credentials with an @ in a URL', 'redis://:p@w@host', `redis://${mask}@host`],
    ['a password that was not encoded', 'postgres://u:p/w#x@host/db', `postgres://${mask}@host/db`],
    ['a code in a URL', 'https://h/x?userID=1&code=AB12&z=1', `https://h/x?userID=1&code=${mask}&z=1`],
    ['an assignment', 'client_secret=abc&grant_type=x', `client_secret=${mask}&grant_type=x`],
    ['a JSON field', '{"password":"a\\"b","n":1}', `{"password":"${mask}","n":1}`],
    ['JSON inside JSON', '"{\\"salt\\":\\"abc\\",\\"n\\":1}"', `"{\\"salt\\":\\"${mask}\\",\\"n\\":1}"`],
  ])('removes %s', (_, text, expected) => {
    expect(redactText(text)).toBe(expected);
  });

  it.each([
    'invalid ImportHumanUserRequest.UserName: value length must be between 1 and 200 runes, inclusive',
    'Password is invalid (CRYPT-r8Qm2)',
    'a Bearer token is needed',
    't=1700000000,v1=a92e7f2bb5061497',
    'costs $5 and $6, email minnie@mouse.com',
    'code=5 is not found',
  ])('keeps text without secrets: %s', (text) => {
    expect(redactText(text)).toBe(text);
  });

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
