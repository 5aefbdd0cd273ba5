import { expect, it } from 'vitest';
import { lostBy } from '../../../src/flows/export/lost.ts';

const saidOf = (counts: Record<string, number>, isAsked = true) =>
  lostBy({ withPasswords: isAsked, withOtp: isAsked }, [
    { orgId: '1', name: 'Acme', counts, passwords: 0, otp: 0 },
  ]).join('\n');
const nothing = saidOf({});

it.each([
  ['service accounts', { machineUsers: 1 }, true, /keys of service accounts[^]*tokens/, /passkeys/],
  [
    'service accounts with their keys',
    { machineUsers: 1, machineKeys: 1 },
    true,
    /tokens/,
    /keys of service accounts/,
  ],
  ['users', { humanUsers: 1 }, true, /must change their password[^]*passkeys/, /not requested/],
  ['users without their secrets', { humanUsers: 1 }, false, /password hashes[^]*TOTP secrets/, /machine/],
  ['applications', { oidcApps: 1 }, true, /secrets of applications/, /SAML/],
  ['projects', { projects: 1 }, false, /SAML applications/, /not requested/],
])('lostBy names exactly what an export lacks of %s', (_, counts, isAsked, told, not) => {
  const said = saidOf(counts, isAsked);
  expect(said).toMatch(told);
  expect(said).not.toMatch(not);
  expect(nothing).not.toMatch(told);
});
