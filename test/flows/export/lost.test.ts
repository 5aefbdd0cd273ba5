import { describe, expect, it } from 'vitest';
import { lostBy } from '../../../src/flows/export/lost.ts';

const all = { withPasswords: true, withOtp: true };
const org = (counts: Record<string, number>) => [{ orgId: '1', name: 'Acme', counts, passwords: 0, otp: 0 }];
const saidOf = (counts: Record<string, number>): string => lostBy(all, org(counts)).join('\n');

describe('what an export does not hold', () => {
  it.each([
    ['machineUsers', /machine users/],
    ['humanUsers', /passkeys/],
    ['oidcApps', /secrets of applications/],
    ['apiApps', /secrets of applications/],
    ['projects', /SAML applications/],
  ])('is told of %s only where there are any', (list, words) => {
    expect(saidOf({ [list]: 1 })).toMatch(words);
    expect(saidOf({})).not.toMatch(words);
    expect(saidOf({ [list]: 0 })).not.toMatch(words);
  });

  it('has keys of machine users only where none came', () => {
    expect(saidOf({ machineUsers: 2 })).toContain('keys of machine users');
    expect(saidOf({ machineUsers: 2, machineKeys: 1 })).not.toContain('keys of machine users');
  });

  it('has passwords and second factors only where they were not asked for, of users', () => {
    const nothing = { withPasswords: false, withOtp: false };
    const words = /password hashes[^]*TOTP secrets/;
    expect(saidOf({ humanUsers: 1 })).not.toMatch(words);
    expect(lostBy(nothing, org({ humanUsers: 1 })).join('\n')).toMatch(words);
    expect(lostBy(nothing, org({ projects: 1 })).join('\n')).not.toMatch(/not requested/);
  });
});
