import { describe, expect, it, test } from 'vitest';
import { builtInProfiles } from '../../src/profiles/built-in.ts';
import { checkHash } from '../../src/profiles/check-hash.ts';
import { parseProfile } from '../../src/profiles/parse.ts';
import { serverVerdict } from '../../src/profiles/server-verdict.ts';
import type { TargetProfile } from '../../src/wire/profile.ts';
import { verifiedHashes } from '../support/samples.ts';

function profile(name: string): TargetProfile {
  const found = builtInProfiles.get(name);
  if (found === undefined) throw new Error(`no profile ${name}`);
  return found;
}

const selfHosted = profile('self-hosted');
const hosted = profile('hosted');
const allVerifiers = profile('all-verifiers');

const keycloakArgon2 =
  '$argon2id$v=19$m=7168,t=5,p=1$ZPNDgQ3LdzfTcA4YMEZAwQ$gKUTDeeLhpv2EvCB8kbMNFg1SVe7vAZNJa5pb8BYIa4';
const pbkdf2 = '$pbkdf2-sha256$27500$c2FsdA==$a2V5';
const bcrypt = '$2b$10$d.GvZhGwTllA7OdAmsA75uGGzqr/mhdQoU88M3zD.fX3Vb8Rcf33.';

describe('a hash of a disabled verifier', () => {
  it('names the setting that enables it', () => {
    expect(checkHash(pbkdf2, selfHosted)).toEqual({
      verdict: 'refused',
      algorithm: 'pbkdf2-sha256',
      code: 'password:verifier-disabled',
      detail: 'the verifier `pbkdf2` is off',
      remedy: 'ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_VERIFIERS=pbkdf2',
    });
  });

  it('keeps the enabled verifiers', () => {
    const target = parseProfile('{"passwordHasher":{"verifiers":["md5","sha2"]}}', 'target.json');
    expect(checkHash(pbkdf2, target)).toMatchObject({
      remedy: 'ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_VERIFIERS=md5,sha2,pbkdf2',
    });
  });

  it('names the limit as well if the cost exceeds it', () => {
    expect(checkHash(keycloakArgon2, selfHosted)).toEqual({
      verdict: 'refused',
      algorithm: 'argon2id',
      code: 'password:verifier-disabled',
      detail: 'the verifier `argon2` is off; memory 7168 KiB is below the minimum of 8192 KiB',
      remedy:
        'ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_VERIFIERS=argon2 ' +
        'ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_LIMITS_ARGON2_MINMEMORY=7168',
    });
  });

  it('is left to the vendor for a hosted service', () => {
    const verdict = checkHash(keycloakArgon2.replace('7168', '8192'), hosted);
    expect(verdict).toMatchObject({
      code: 'password:verifier-disabled',
      remedy: /idport jit checks .* unless the vendor/,
    });
  });
});

describe('a hash with a cost outside the limits', () => {
  const cases: readonly (readonly [mcf: string, detail: string, setting: string])[] = [
    [keycloakArgon2, 'memory 7168 KiB is below the minimum of 8192 KiB', 'ARGON2_MINMEMORY=7168'],
    [
      keycloakArgon2.replace('m=7168,t=5', 'm=8192,t=11'),
      'time 11 is above the maximum of 10',
      'ARGON2_MAXTIME=11',
    ],
    [
      keycloakArgon2.replace('m=7168', 'm=8192').replace('p=1', 'p=17'),
      'threads 17 is above the maximum of 16',
      'ARGON2_MAXTHREADS=17',
    ],
    [bcrypt.replace('$10$', '$09$'), 'cost 9 is below the minimum of 10', 'BCRYPT_MINCOST=9'],
    [bcrypt.replace('$10$', '$17$'), 'cost 17 is above the maximum of 16', 'BCRYPT_MAXCOST=17'],
    ['$pbkdf2$999$c2FsdA==$a2V5', 'rounds 999 is below the minimum of 1000', 'PBKDF2_MINROUNDS=999'],
    ['$scrypt$ln=13,r=8,p=1$c2FsdA$a2V5', 'ln 13 is below the minimum of 14', 'SCRYPT_MINLN=13'],
    [
      '$scrypt$ln=14,r=7,p=17$c2FsdA$a2V5',
      'r 7 is below the minimum of 8; p 17 is above the maximum of 16',
      'SCRYPT_MINR=7',
    ],
    ['$P$4' + '.'.repeat(30), 'rounds 6 is below the minimum of 7', 'PHPASS_MINROUNDS=6'],
    ['$S$7' + '.'.repeat(51), 'iterations 512 is below the minimum of 1000', 'DRUPAL7_MINITERATIONS=512'],
    [
      '$S$H' + '.'.repeat(51),
      'iterations 524288 is above the maximum of 500000',
      'DRUPAL7_MAXITERATIONS=524288',
    ],
  ];

  test.each(cases)('%s: %s, to be changed by %s', (mcf, detail, setting) => {
    expect(checkHash(mcf, allVerifiers)).toMatchObject({
      verdict: 'refused',
      code: 'password:parameters-out-of-limits',
      detail,
      remedy: expect.stringContaining(`ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_LIMITS_${setting}`),
    });
    expect(serverVerdict(mcf, allVerifiers)).toBe('CRYPT-5uV9n');
  });

  test.each([
    [keycloakArgon2.replace('t=5', 't=4294967295'), 'time 4294967295 is beyond 64'],
    [keycloakArgon2.replace('m=7168', 'm=4194304'), 'memory 4194304 is beyond 524288'],
    ['$pbkdf2-sha512$10000001$c2FsdA==$a2V5', 'rounds 10000001 is beyond 5000000'],
    ['$pbkdf2$2147483647$c2FsdA==$a2V5', 'rounds 2147483647 is beyond 5000000'],
    ['$scrypt$ln=30,r=8,p=1$c2FsdA$a2V5', 'size 8589934592 is beyond 4194304'],
    [bcrypt.replace('$10$', '$31$'), 'cost 31 is beyond 18'],
  ])('%s: recommends no setting for a cost that could stop the service', (mcf, cost) => {
    expect(checkHash(mcf, allVerifiers)).toMatchObject({
      verdict: 'refused',
      code: 'password:parameters-out-of-limits',
      remedy: `These users set a new password: ${cost}, and one login could stop the service.`,
    });
  });

  it('distinguishes the two digests of crypt(3)', () => {
    const target = parseProfile(
      '{"base":"all-verifiers","passwordHasher":{"limits":{"sha2":{"maxSha256Rounds":4000,"maxSha512Rounds":6000}}}}',
      'target.json',
    );
    expect(checkHash(`$5$salt$${'.'.repeat(43)}`, target)).toMatchObject({
      remedy: 'ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_LIMITS_SHA2_MAXSHA256ROUNDS=5000',
    });
    expect(checkHash(`$6$salt$${'.'.repeat(86)}`, target)).toMatchObject({ verdict: 'ok' });
  });

  it('is accepted after the setting of its remedy', () => {
    const target = parseProfile(
      '{"passwordHasher":{"verifiers":["argon2"],"limits":{"argon2":{"minMemory":7168}}}}',
      'target.json',
    );
    expect(checkHash(keycloakArgon2, target)).toEqual({
      verdict: 'ok',
      algorithm: 'argon2id',
    });
  });
});

describe('a hash that no setting allows', () => {
  it('is malformed, unsupported or unverifiable, and needs a new password', () => {
    expect(checkHash('hunter2', allVerifiers)).toMatchObject({
      code: 'password:malformed',
      algorithm: 'other',
    });
    expect(checkHash('{SSHA}abc', allVerifiers)).toMatchObject({ code: 'password:algorithm-unsupported' });
    expect(checkHash('a'.repeat(40), allVerifiers)).toMatchObject({
      code: 'password:unverifiable',
      remedy: expect.stringContaining('the user has to set a new password'),
    });
  });

  it('is never shown in part', () => {
    for (const { mcf } of verifiedHashes()) {
      const told = JSON.stringify(checkHash(mcf, selfHosted));
      for (const part of mcf.split('$').filter((part) => part.length > 16)) expect(told).not.toContain(part);
    }
  });
});

it('checkHash refuses unreadable encodings of pbkdf2 and tells how to convert', () => {
  const narrow = parseProfile('{"base":"hosted","features":{"pbkdf2Encoding":"ab64"}}', 'narrow.json');
  expect(checkHash(pbkdf2, narrow)).toMatchObject({
    code: 'password:malformed',
    remedy: 'Convert again with --pbkdf2-encoding ab64.',
  });
  expect(checkHash('$pbkdf2-sha256$27500$c2FsdA$a2V5', narrow)).toMatchObject({ verdict: 'ok' });
});

describe('the samples checked against the library of the target', () => {
  const samples = verifiedHashes().map((sample) => ({ ...sample, name: sample.note ?? '' }));
  /** What cannot be seen. */
  const looksRight = [
    'NEG wp68 stripped $wp -> valid but FAILS',
    'NEG django bcrypt_sha256 stripped -> valid but FAILS',
  ];
  const judge = (name: string, targetValid: boolean): unknown => {
    if (looksRight.includes(name)) return { verdict: 'ok' };
    if (name.startsWith('NEG')) return { verdict: 'refused' };
    return targetValid ? { verdict: 'ok' } : { code: 'password:parameters-out-of-limits' };
  };

  test.each(samples)('$name: is judged as the library does, or stricter', ({ name, mcf, targetValid }) => {
    expect(checkHash(mcf, allVerifiers)).toMatchObject(judge(name, targetValid) as object);
  });
});
