import { describe, expect, it } from 'vitest';
import { mergeSettings } from '../../src/records/summary.ts';

const prefix = 'ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER';

describe('mergeSettings', () => {
  it('joins lists, the lowest minimum and the highest maximum', () => {
    expect(
      mergeSettings([
        `${prefix}_VERIFIERS=md5,pbkdf2`,
        `${prefix}_VERIFIERS=md5,argon2 ${prefix}_LIMITS_ARGON2_MINMEMORY=7168`,
        `${prefix}_LIMITS_ARGON2_MINMEMORY=4096`,
        `${prefix}_LIMITS_ARGON2_MINMEMORY=6000`,
        `${prefix}_LIMITS_BCRYPT_MAXCOST=17`,
        `${prefix}_LIMITS_BCRYPT_MAXCOST=18`,
      ]),
    ).toEqual([
      `${prefix}_LIMITS_ARGON2_MINMEMORY=4096`,
      `${prefix}_LIMITS_BCRYPT_MAXCOST=18`,
      `${prefix}_VERIFIERS=md5,pbkdf2,argon2`,
    ]);
  });

  it('finds settings in sentences and ignores other advice', () => {
    expect(
      mergeSettings([
        'The user sets a new password.',
        `Ask for ${prefix}_VERIFIERS=argon2 ${prefix}_LIMITS_ARGON2_MINMEMORY=7168.`,
        '',
      ]),
    ).toEqual([`${prefix}_LIMITS_ARGON2_MINMEMORY=7168`, `${prefix}_VERIFIERS=argon2`]);
  });
});
