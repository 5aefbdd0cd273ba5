import { expect, it } from 'vitest';
import type { IdportEvent } from '../../src/events.ts';
import { noPaint } from '../../src/terminal/paint.ts';
import { createQuiet } from '../../src/terminal/quiet.ts';
import { formatEnd } from '../../src/terminal/summary.ts';

type VerifyEnd = Extract<IdportEvent, { type: 'verify:end' }>;

const end: VerifyEnd = {
  type: 'verify:end',
  verb: 'verify',
  users: { same: 1240, blocked: 0, missing: 2, differs: 7, extra: 0, unknown: 1, notYet: 0, accounts: 2 },
  signIn: [
    { kind: 'password', count: 1230, meaning: 'can sign in right away with their old password' },
    { kind: 'own-password', count: 18, meaning: 'can sign in with a password that they have set since' },
    { kind: 'missing', count: 2, meaning: 'are missing at the target' },
  ],
  fields: { phone: 2, email: 5 },
  unknownFields: { password: 1 },
  logins: { tried: 3, succeeded: 2 },
  requests: 9,
  seconds: 2,
};
const allSame: VerifyEnd = {
  ...end,
  users: { same: 3, blocked: 0, missing: 0, differs: 0, extra: 0, unknown: 0, notYet: 0, accounts: 0 },
  signIn: [],
  fields: {},
  unknownFields: {},
  logins: { tried: 0, succeeded: 0 },
};

it('says how many, in which fields, and what to do next', () => {
  expect(formatEnd(end, { files: [] }, 80, noPaint)).toEqual([
    '',
    'Who can sign in',
    '  1,230 of 1,250 can sign in right away with their old password',
    '  18 can sign in with a password that they have set since',
    '  2 are missing at the target',
    '    Import them.',
    '',
    '1,250 users compared in 2.0 s, 9 requests',
    '  1,240  same',
    '      2  missing at the target',
    '      7  different',
    '      0  only at the target',
    '      1  unknown',
    '      2  service accounts of the target, ignored',
    '',
    'Fields that differ (users)',
    '      5  email',
    '      2  phone',
    '',
    'Fields that cannot be compared (users)',
    '      1  password',
    '',
    'Logins',
    '      2  logged in',
    '      1  could not log in',
    '',
    'Next',
    '  Import the missing users: idport import-users with --resume if the import was',
    '  interrupted, else with --user for each.',
    '  Different users were changed since, or the import left something out: its',
    '  report says what.',
    '  To compare unknown fields, use a token that may read them; --details=none',
    '  skips them. Fix records that could not be imported.',
    '  Run again with --report <file>.md or .json to keep the list.',
  ]);
});

it('is short when all is well', () => {
  const lines = formatEnd(allSame, { files: [] }, 80, noPaint);
  expect(lines).toHaveLength(7);
  expect(lines[2]).toBe('  3  same');
});

it('is one line for a scheduler, and none when all is well', () => {
  const printed: string[] = [];
  const emit = createQuiet((lines) => printed.push(...lines), 80, noPaint);
  emit(allSame);
  expect(printed).toEqual([]);
  emit(end);
  expect(printed).toEqual(['2 missing at the target, 7 different, 1 unknown, 1 login refused']);
});
