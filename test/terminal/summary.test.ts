import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { IdportEvent } from '../../src/events.ts';
import type { ReasonCode } from '../../src/records/reasons.ts';
import { countRefusal, emptyTally, type Tally } from '../../src/records/tally.ts';
import { waysSection } from '../../src/records/sections.ts';
import { createPaint } from '../../src/terminal/paint.ts';
import { formatEnd } from '../../src/terminal/summary.ts';
import { exampleTally } from '../support/events.ts';

const end = (tally: Tally): Extract<IdportEvent, { type: 'run:end' }> => ({
  type: 'run:end',
  verb: 'migrate keycloak',
  tally,
  seconds: 8,
});
const files = [{ path: 'importBody.json', what: 'body', bytes: 342_000 }];
const noWays = {
  single: 0,
  bulk: 0,
  onlyBulk: 0,
  newIds: 0,

  later: 0,
  isOlder: false,
  emails: 0,
  sms: 0,
};

type Options = Parameters<typeof formatEnd>[1];
/** Of the example in 100 columns, unless told otherwise. */
const textOf = (tally: Partial<Tally> = {}, more: Partial<Options> = {}, width = 100) =>
  formatEnd(end({ ...exampleTally(), ...tally }), { files, ...more }, width).join('\n');

describe('formatEnd', () => {
  it('prints the same text in colors', async () => {
    const painted = formatEnd(end(exampleTally()), { files }, 100, await createPaint()).join('\n');
    expect(painted).toContain('\u001b[1m');
    expect(stripVTControlCharacters(painted)).toBe(textOf());
  });

  it('prints the complete summary', () => {
    expect(textOf()).toBe(`
Who can sign in
  900 of 990 can sign in right away with their old password
  90 cannot sign in until they answer an email
    \`idport import-users\` sends no email where the service knows CreateUser: users with a password
    can sign in at once, the others set one.
  2 more users are rejected and cannot sign in unless another run has imported them

1,000 users read in 8.0 s
  990  written (140 with notes)
    2  rejected
    8  skipped
  The counts add up: 990 + 2 + 8 = 1,000.

Passwords
  900  pbkdf2-sha256
   90  without a password hash

Password hashes that the target would refuse
   80  argon2id: memory 7168 KiB is below the minimum of 8192 KiB
  To take them, the target needs these settings
    ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_LIMITS_ARGON2_MINMEMORY=7168

Not migrated, or changed (users)
   60  roles (role:not-migrated)
         Create the project roles and grant them after the import. Or convert again with \`idport
         migrate --roles=new:<name>\` (or \`project:<id>\`).

Emails that the import would send
   90  initialization email: no password is imported, so the verified address arrives unverified
    3  SMS with a code: the phone is not verified (if the service sends SMS)

Rejected
    2  user-skipped:no-email: The record has no email address, and the target requires one.
         Add the address. \`--email-fallback=placeholder --email-domain=<domain>\` makes one up, which
         reaches no user; \`--email-fallback=username\` takes user names that are addresses.

Skipped
    8  user-skipped:service-account: The record is a service account, not a human user.
         Choose \`--service-accounts=machine-users\` to write it.

Notes
    5  name:filled: The first or last name was missing.
         Correct the name in the source, or after the import.

Files
  importBody.json (body, 342 kB)

Next
  Run again with --rejects=<file> to write the rejected records to a file, and fix them there.
  To migrate the refused hashes, change the settings above at the target before the import.
  In bulk (idport import), the service will send 90 emails and 3 SMS: --mail-list=<file> says to
  whom. idport import-users sends none.
  Preflight at your service: idport check importBody.json --route=import, with --url and a token if
  none are set.`);
  });

  it.each(['-', '/dev/fd/63'])('suggests no command for a body written to %s', (path) => {
    const text = textOf({}, { files: [{ path, what: 'body', bytes: 1 }] });
    expect(text).toContain('Next');
    expect(text).not.toContain('idport check');
  });

  it.each([
    [1, ['1  service account among them', '1  metadata entry']],
    [2, ['2  service accounts among them', '2  metadata entries']],
  ])('counts %d of a kind in singular or plural', (count, rows) => {
    const lines = textOf({ machines: count, metadata: count }).split('\n');
    expect(lines.map((line) => line.trim())).toEqual(expect.arrayContaining(rows));
  });

  it('suggests no flag that the run has', () => {
    const text = (...flags: string[]) => textOf({}, { flags }, 200);
    expect(text('--email-fallback')).toContain('         Add the address.\n');
    expect(text('--service-accounts')).not.toContain('--service-accounts');
    expect(text('--on-refused-hash')).toContain('settings above at the target before the import.');
    expect(text('--target-profile')).toContain(
      'at the target and convert again with --on-refused-hash=keep.',
    );
    // Without a named profile the hashes are kept.
    expect(text()).toContain('settings above at the target before the import.');
  });

  it('prints the settings of refused hashes once, joined', () => {
    const tally = emptyTally();
    for (const verifier of ['argon2', 'scrypt'])
      countRefusal(tally.refusals, {
        algorithm: 'scrypt',
        code: 'password:verifier-disabled',
        problem: verifier,
        remedy: `Ask for ZITADEL_VERIFIERS=sha2,${verifier}.`,
      });
    const text = textOf(tally, {}, 200);
    expect(text.match(/ZITADEL.*/g)).toEqual(['ZITADEL_VERIFIERS=sha2,argon2,scrypt']);
    expect(text).not.toContain('settings above');
  });

  it('does not blame the export for missing passwords if hashes were refused', () => {
    const passwords = new Map([['none', 990]]);
    const signIn = new Map([['set-password', 990] as const]);
    const text = (dropped: Tally['dropped']) =>
      textOf({ passwords, signIn, dropped }, { flags: ['--target-profile'] }, 300);
    const advice = 'Login-time migration spares users a new password: convert again with --jit-list';
    expect(text(new Map([['argon2id', 80]]))).toContain(advice);
    expect(text(new Map())).toContain('If the old system has passwords that this export does not show');
  });

  it('suggests --report if an import has none', () => {
    const tally = { ...emptyTally(), read: 2, written: 2 };
    const text = (...names: ['password' | 'set-password', number][]) => {
      const ended = { ...end({ ...tally, signIn: new Map(names) }), verb: 'import-users' };
      return formatEnd(ended, { files: [] }, 100).join('\n');
    };
    const advice = 'Run again with --resume --report=<file> to list who cannot sign in right away';
    expect(text(['password', 1], ['set-password', 1])).toContain(advice);
    expect(text(['password', 2])).not.toContain(advice);
    expect(text(['password', 2])).toMatch(/idport undo\s+deletes the users that this import\s+created/);
  });

  const again =
    'clerk --table=tokens=t.csv --map=m.yaml --users=r.json --output=out/body-2.json --rejects=r-2.json --report=r-2.html';
  it.each([
    [
      'import-users',
      ['single:recovery-codes', 'single:long-hash'],
      'Import these users in bulk: idport import r.json',
    ],
    [
      'import-users b.json --resume',
      ['single:recovery-codes', 'import:refused'],
      'Fix the records in r.json and import them: idport import-users r.json --table=tokens=t.csv --map=m.yaml',
    ],
    [
      'import b.json --since-journal=1.journal',
      ['import:refused'],
      'Fix the records in r.json and import that file.',
    ],
    [
      'migrate clerk',
      ['user-skipped:no-email', 'record:not-json'],
      `Fix the records in r.json and convert them to files of their own: idport migrate ${again}`,
    ],
    [
      'import-users --from=clerk --resume --deleted=delete --journal=1.journal --id-map=1.csv',
      ['import:refused'],
      `Fix the records in r.json and import them: idport import-users --from=${again}`,
    ],
    [
      'import-users --from=clerk',
      ['single:recovery-codes'],
      'migrate makes a body of r.json for idport import.',
    ],
    ['migrate clerk', ['record:not-json'], 'Fix these records in the source, and convert it again.'],
    ['migrate keycloak --roles', ['target:hash'], 'Fix the users of r.json in the export and convert it'],
    ['migrate keycloak --metadata', ['target:hash'], '--realm=r.json'],
  ])('tells what to do with the rejects of %s: %j', (verb, codes, advice) => {
    const tally = {
      ...emptyTally(),
      read: 2,
      rejected: 2,
      reasons: new Map(codes.map((code) => [code as ReasonCode, 1])),
    };
    const written = [
      { path: 'out/body.json', what: 'body', bytes: 1 },
      { path: 'r.json', what: 'rejects', bytes: 1 },
      { path: 'r.html.json', what: 'report', bytes: 1 },
      { path: 'r.html', what: 'report', bytes: 1 },
    ];
    const command = `idport ${verb} --users='my users.csv' --table=tokens=t.csv --rejects=r.json --prove=ada --map=m.yaml`;
    const flags = verb.match(/--[a-z-]+/g) ?? [];
    const text = formatEnd({ ...end(tally), verb }, { files: written, command, flags }, 300).join('\n');
    expect(text).toContain(advice);
  });

  it('is short for a run without problems', () => {
    const tally = { ...emptyTally(), read: 1, written: 1 };
    expect(formatEnd(end(tally), { files: [] }, 80)).toEqual([
      '',
      '1 user read in 8.0 s',
      '  1  written',
      '  0  rejected',
      '  0  skipped',
      '  The counts add up: 1 + 0 + 0 = 1.',
    ]);
  });

  it('reports counts that do not add up', () => {
    expect(textOf({ read: 1001 })).toContain(
      'The counts do not add up: 990 + 2 + 8 is not 1,001. Please report this.',
    );
  });

  it.each([
    [0, '0.00'],
    [0.00123, '0.0012'],
    [22.835, '22.84'],
  ])('never rounds a price of %d to zero: %s', (cost, text) => {
    const forecast = {
      type: 'forecast',
      profile: 'hosted',
      bytes: 10,
      bulk: { requests: 1, seconds: 2, cost },
      single: { requests: 1, seconds: 2 },
      ways: { ...noWays, single: 1, emails: 1 },
    } as const;
    expect(textOf({}, { forecast })).toContain(`at a price of ${text},`);
  });

  it.each([
    ['the receiver, if no user can sign in without it', { later: 35, emails: 1 }, ['--jit', 'users', 'bulk']],
    [
      'the receiver, with more users than in bulk',
      { single: 1, later: 5, bulk: 3 },
      ['--jit', 'bulk', 'users'],
    ],
    ['bulk, with more users than the receiver', { single: 1, later: 5, bulk: 9 }, ['bulk', '--jit', 'users']],
    ['of as many users, the one without emails', { single: 4, bulk: 4, emails: 4 }, ['users', 'bulk']],
    ['of as many emails, the one of fewer requests', { single: 4, bulk: 4 }, ['bulk', 'users']],
  ])('lists the best way to import first: %s', (_, given, expected) => {
    const [single, bulk] = [{ requests: 9 }, { requests: 1 }];
    const { rows } = waysSection({ bytes: 10, single, bulk, ways: { ...noWays, ...given } });
    expect(rows.map(({ text }) => /--jit|users(?= ?:)|bulk/.exec(text)?.[0])).toEqual(expected);
  });

  it('forecasts new ids, no TOTP and emails of import-users without CreateUser', () => {
    const single = { requests: 9, seconds: 2 };
    const bulk = { requests: 1, seconds: 2 };
    const ways = { ...noWays, single: 9, bulk: 4, later: 2, isOlder: true, emails: 5, sms: 1 };
    const forecast = { type: 'forecast', profile: 'hosted', bytes: 10, bulk, single, ways } as const;
    const lines = formatEnd({ ...end(exampleTally()), verb: 'check' }, { files, forecast }, 200);
    const start = lines.indexOf('Ways to import, best first') + 1;
    expect(lines.slice(start, lines.indexOf('', start)).map((line) => line.trim())).toEqual([
      'idport import (bulk): 1 request, about 2.0 s, 10 bytes measured as protobuf',
      '4 can sign in right away, 5 emails and 1 SMS, ids and TOTP kept',
      'idport import-users: at least 9 requests, about 2.0 s',
      '4 can sign in right away, 5 emails and 1 SMS, new ids, no TOTP',
    ]);
  });

  it('suggests no flag that verify has', () => {
    const users = {
      same: 1,
      blocked: 0,
      missing: 0,
      differs: 0,
      extra: 1,
      unknown: 0,
      notYet: 0,
      accounts: 0,
    };
    const none = { signIn: [], fields: {}, unknownFields: {}, logins: { tried: 0, succeeded: 0 } };
    const ended = { type: 'verify:end', verb: 'verify', users, ...none, requests: 1, seconds: 1 } as const;
    const text = (...flags: string[]) => formatEnd(ended, { files, flags }, 200).join('\n');
    expect(text()).toContain('--allow-extra accepts');
    expect(text('--allow-extra')).not.toContain('--allow-extra');
  });

  it.each([30, 50, 80, 100])('fits %d columns except for longer words', (width) => {
    for (const line of textOf({}, {}, width).split('\n')) {
      const longest = Math.max(...line.split(' ').map((word) => word.length));
      expect(line.length).toBeLessThanOrEqual(Math.max(width, longest + 12));
    }
  });
});
