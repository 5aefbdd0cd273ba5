/** Hashes made here, as each source makes them: what other files do not cover, and what no file has. */
import { describe, expect, it, test } from 'vitest';
import { isRefused, secretsOf } from '../../../src/records/hash-forms/form.ts';
import { verifyDecoded } from '../../../src/records/hash-forms/verify-form.ts';
import { decodeMade } from '../../support/samples.ts';

const password = 'Grüezi & <ﬁve>';
const salt = 'pinch0of0salt0ab';
const bcrypt = `$2b$10$${'a'.repeat(53)}`;

describe('a hash without a verifier at the target', () => {
  it('of Apache is checked by its form', async () => {
    const decoded = decodeMade('shadow', { hash: '$apr1$TqI9WECO$10MRx49hNgwG9D8oxb9I1/' });
    expect(decoded).toMatchObject({ code: 'password:algorithm-unsupported' });
    expect(await verifyDecoded(decoded, password)).toBe(true);
    expect(await verifyDecoded(decoded, `${password}?`)).toBe(false);
  });

  it('requires its secret by name', async () => {
    const decoded = decodeMade('flask-security', { hash: bcrypt });
    expect(isRefused(decoded) && decoded.form !== undefined && secretsOf(decoded.form)).toEqual([
      'SECURITY_PASSWORD_SALT',
    ]);
    expect(await verifyDecoded(decoded, password)).toMatchObject({ code: 'password:peppered' });
  });

  it('Symfony: an undeclared hash of 64 bytes is SHA-512, not PBKDF2', () => {
    const [long, short] = [64, 40].map((length) => Buffer.alloc(length, 7).toString('base64'));
    const decoded = decodeMade('symfony-legacy', { hash: long!, salt: 'abcdefgh' });
    expect(decoded).toMatchObject({ code: 'password:algorithm-unsupported' });
    expect(decodeMade('symfony-legacy', { hash: short!, salt: 'abcdefgh' })).toHaveProperty('mcf');
  });

  it('Flask-Security: plain text is a password, a digest is not', () => {
    expect(decodeMade('flask-security', { hash: 'pa$$word of ada' })).toEqual({ plain: 'pa$$word of ada' });
    const werkzeug = `scrypt:32768:8:1$salt$${'ab'.repeat(64)}`;
    for (const hash of ['a'.repeat(40), 'ab/XYZ0123456', '{SSHA}abc', '$other$abc', werkzeug])
      expect([hash, isRefused(decodeMade('flask-security', { hash }))]).toEqual([hash, true]);
  });
});

test.each([
  ['better-auth', { hash: `${salt.repeat(2)}:${'00'.repeat(32)}` }, 'nfkc'],
  ['lucia', { hash: `s2:${salt}:${'00'.repeat(32)}` }, 'nfkc'],
  ['flask-security', { hash: `pbkdf2_sha256$29000$${salt}$${Buffer.alloc(32).toString('base64')}` }, 'nfkd'],
])('%s normalizes the Unicode form of a password', (name, parts, step) => {
  expect(decodeMade(name, parts)).toMatchObject({ form: { of: { step } } });
});

test.each([
  ['ldap', '!'],
  ['ldap', `!{CRYPT}${bcrypt}`],
  ['ldap', `{CRYPT}!${bcrypt}`],
  ['ldap', '{crypt}x'],
  ['shadow', `!!${bcrypt}`],
])('%s: %s means no password', (name, hash) => {
  expect(decodeMade(name, { hash })).toMatchObject({ code: 'password:none' });
});

describe('other notations of the same hash', () => {
  const key = Buffer.alloc(32, 0xfb);
  const standard = key.toString('base64');
  it.each([
    [
      'wso2',
      { hash: key.toString('base64url'), salt: 'x', algorithm: 'PBKDF2' },
      { hash: standard, salt: 'x', algorithm: 'PBKDF2' },
    ],
    [
      'django',
      { hash: `pbkdf2_sha256$1000$x$${key.toString('base64url')}` },
      { hash: `pbkdf2_sha256$1000$x$${standard}` },
    ],
    ['django', { hash: 'AB'.repeat(16) }, { hash: 'ab'.repeat(16) }],
    [
      'mcf',
      { hash: `$pbkdf2-sha1$1000$c2FsdHNhbHQ$${standard}` },
      { hash: `$pbkdf2$1000$c2FsdHNhbHQ=$${standard}` },
    ],
    ['joomla', { hash: `${'AB'.repeat(16)}:x` }, { hash: `${'ab'.repeat(16)}:x` }],
    ['spring', { hash: `{MD5}{x}${'AB'.repeat(16)}` }, { hash: `{MD5}{x}${'ab'.repeat(16)}` }],
    // A column of bytes, as PostgreSQL and SQL Server write it.
    ['auto', { hash: `\\x${Buffer.from(bcrypt).toString('hex')}` }, { hash: bcrypt }],
    ['md5', { hash: `0x${'AB'.repeat(16)}` }, { hash: 'ab'.repeat(16) }],
  ])('%s %j equals %j', (name, one, other) => {
    expect(decodeMade(name, other)).toHaveProperty('mcf');
    expect(decodeMade(name, one)).toEqual(decodeMade(name, other));
  });

  it('FusionAuth: phpass in base64 is decoded', () => {
    const mcf = '$P$9saltsalthTzFk6ZqDRg9a6JpJh1Bh0';
    const hash = Buffer.from(mcf).toString('base64');
    const scheme = { hash, salt: hash, algorithm: 'example-wordpress-phpass', rounds: '8' };
    expect(decodeMade('fusionauth', scheme)).toEqual({ mcf });
    expect(decodeMade('fusionauth', { ...scheme, hash: 'eA==' })).toMatchObject({
      code: 'password:malformed',
    });
  });

  it('Better Auth: a text salt is case-sensitive', () => {
    const hash = `${'AB'.repeat(16)}:${'ab'.repeat(64)}`;
    expect(decodeMade('better-auth', { hash })).toMatchObject({ code: 'password:malformed' });
  });
});

describe('a hash with contradictory or missing parts', () => {
  const key = Buffer.alloc(32, 7).toString('base64');
  it.each([
    ['clerk', { algorithm: 'pbkdf2_sha256', hash: `pbkdf2_sha512$1000$c2FsdA==$${key}` }],
    ['okta', { hash: JSON.stringify({ algorithm: 'MD5', salt: 'c2FsdA==', value: key }) }],
    ['kinde', { algorithm: 'md5', hash: 'ab'.repeat(16), salt: 'salt' }],
  ])('is malformed: %s', (name, parts) => {
    expect(decodeMade(name, parts)).toMatchObject({ code: 'password:malformed' });
  });

  it('may have the salt order in lower case', () => {
    const hash = (saltOrder: string) =>
      JSON.stringify({
        algorithm: 'MD5',
        salt: 'c2FsdA==',
        value: Buffer.alloc(16, 7).toString('base64'),
        saltOrder,
      });
    expect(decodeMade('okta', { hash: hash('prefix') })).toEqual(
      decodeMade('okta', { hash: hash('PREFIX') }),
    );
  });
});
