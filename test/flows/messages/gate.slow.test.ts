/** Every verb that can cause a message counts, lists and limits exactly what the service then sends. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emailCauses } from '../../../src/records/messages.ts';
import { placeholderHash } from '../../../src/records/placeholder-password.ts';
import { createTestFolder } from '../../support/folder.ts';
import { startInstance, type Instance } from '../../support/instance.ts';
import { runProgram, type Ran } from '../../support/program.ts';
import { bodyOf, sampleUser } from '../../support/users-run.ts';

let cwd: string;
let to: Instance;
beforeEach(async () => {
  cwd = createTestFolder();
  to = await startInstance(cwd, 'to');
});
afterEach(() => to.close());

const hash = { hashedPassword: { value: '$2b$10$EblZqNptyYvcLm/VwDCVAuBjzZOI7khzdyGPBr08PpIi0na624b8.' } };
const secrets = {
  none: {},
  hash,
  plain: { password: 'Secret-1234' },
  passkey: { requestPasswordlessRegistration: true },
};
const phones = {
  none: {},
  verified: { phone: { phone: '+41791234567', isPhoneVerified: true } },
  unverified: { phone: { phone: '+41791234568' } },
};

/** One user for each combination of what decides about messages. */
function everyUser() {
  const users: { id: string; more: Record<string, unknown> }[] = [];
  for (const isEmailVerified of [true, false])
    for (const [secret, ofSecret] of Object.entries(secrets))
      for (const [phone, ofPhone] of Object.entries(phones))
        for (const linked of [true, false]) {
          const id = ['u', isEmailVerified, secret, phone, linked].join('-');
          const email = { email: `${id}@example.com`, isEmailVerified };
          const idps = linked ? { idps: [{ configId: 'idp', externalUserId: id }] } : {};
          users.push({ id, more: { hashedPassword: undefined, email, ...ofSecret, ...ofPhone, ...idps } });
        }
  return users;
}

function writeBody(users = everyUser(), lists: Record<string, unknown> = {}): void {
  const idp = {
    id: 'idp',
    orgId: '',
    name: 'i',
    created: 0,
    allowsCreation: true,
    oidc: undefined,
    jwt: undefined,
  };
  to.server.state.store.idps.put(idp);
  const entries = users.map(({ id, more }) => sampleUser(id, more));
  const body = JSON.parse(bodyOf(to.server.orgId, entries)) as { dataOrgs: { orgs: object[] } };
  Object.assign(body.dataOrgs.orgs[0]!, lists);
  writeFileSync(join(cwd, 'body.json'), JSON.stringify(body));
}

const noticeOf = (ran: Ran, code: string): string | undefined =>
  ran.events.flatMap((event) => (event.type === 'notice' && event.code === code ? [event.text] : []))[0];
const sent = () => [...to.server.state.store.notifications.values()];
const sorted = (texts: readonly string[]): string[] => texts.toSorted((a, b) => (a < b ? -1 : 1));
const emailsSent = () => sent().filter(({ kind }) => kind !== 'verify-phone').length;
const smsSent = () => sent().filter(({ kind }) => kind === 'verify-phone').length;
const rowsOf = (name: string): string[][] =>
  parse(readFileSync(join(cwd, name), 'utf8'), { relax_column_count: false });

const open = ['--max-emails=unlimited', '--max-sms=unlimited'];
const verbs = {
  import: () => ['import', 'body.json', ...to.flags],
  'import-users': () => ['import-users', 'body.json', '--api=v1', `--org=${to.server.orgId}`, ...to.flags],
};
type Verb = keyof typeof verbs;
const names = Object.keys(verbs) as Verb[];
const run = (...argv: string[]): Promise<Ran> => runProgram(argv, { cwd });

describe.each(names)('%s', (verb) => {
  it('forecasts and lists exactly what the service sends', async () => {
    writeBody();
    const ran = await run(...verbs[verb](), ...open, '--mail-list=emails.csv');
    expect([ran.problem, ran.exitCode]).toEqual([undefined, 0]);
    expect(emailsSent()).toBeGreaterThan(10);
    expect(smsSent()).toBe(16);
    expect(noticeOf(ran, 'messages:forecast')).toContain(
      `${emailsSent()} emails (no limit) and 16 SMS (no limit)`,
    );
    const [head, ...rows] = rowsOf('emails.csv');
    expect(head).toEqual(['id', 'user_name', 'email_or_phone', 'reason']);
    expect(sorted(rows.map(([, , to = '']) => to))).toEqual(sorted(sent().map(({ to }) => to)));
    expect(rows.every(([id, name]) => id === `old-${name}`)).toBe(true);
  });

  it.each([[['--dry-run']], [[]]])(
    'sends nothing above a limit; a bulk import does not even ask the service (%j)',
    async (dry) => {
      writeBody();
      const users = to.server.state.store.users.size;
      const url = verb === 'import' ? ['--url=http://127.0.0.1:1'] : [];
      const ran = await run(...verbs[verb](), ...url, ...dry, '--mail-list=emails.csv');
      expect([ran.problem, ran.exitCode]).toEqual([undefined, 4]);
      expect(noticeOf(ran, 'emails:over')).toContain('the limit is 0');
      expect(noticeOf(ran, 'sms:over')).toContain('the limit is 0');
      expect(to.server.state.store.users.size).toBe(users);
      expect(existsSync(join(cwd, 'body.json.journal'))).toBe(false);
      expect(rowsOf('emails.csv').length).toBeGreaterThan(20);
    },
  );

  it.each([
    ['emails', ['--max-sms=unlimited', '--max-emails=5'], 'emails:over'],
    ['SMS', ['--max-emails=unlimited', '--max-sms=15'], 'sms:over'],
  ])('limits %s alone', async (_, flags, code) => {
    writeBody();
    const ran = await run(...verbs[verb](), ...flags);
    expect([ran.exitCode, noticeOf(ran, code) !== undefined]).toEqual([4, true]);
    expect(sent()).toEqual([]);
  });

  it('passes at exactly the limit', async () => {
    writeBody();
    const rehearsed = await run(...verbs[verb](), '--dry-run', ...open);
    const emails = /at most (\d+) emails/.exec(noticeOf(rehearsed, 'messages:forecast') ?? '')?.[1];
    const ran = await run(...verbs[verb](), `--max-emails=${emails}`, '--max-sms=16');
    expect(ran.exitCode).toBe(0);
    expect(String(emailsSent())).toBe(emails);
  });

  it('obeys the limits of a configuration file, shared or its own', async () => {
    writeBody();
    const write = (config: object): void =>
      writeFileSync(join(cwd, 'idport.config.json'), JSON.stringify(config));
    write({ shared: { 'max-emails': 0, 'max-sms': 0 } });
    expect((await run(...verbs[verb]())).exitCode).toBe(4);
    write({
      shared: { 'max-emails': 'unlimited', 'max-sms': 'unlimited' },
      verbs: { [verb]: { 'max-emails': 3 } },
    });
    const ran = await run(...verbs[verb]());
    expect([ran.exitCode, noticeOf(ran, 'emails:over')?.includes('the limit is 3')]).toEqual([4, true]);
    expect(sent()).toEqual([]);
  });

  it.each([
    ['drop', undefined],
    ['assume-verified', true],
  ])('sends no SMS with --phone=%s, and leaves verified numbers alone', async (rule, verified) => {
    writeBody();
    const ran = await run(...verbs[verb](), '--max-emails=unlimited', `--phone=${rule}`);
    expect([ran.problem, ran.exitCode]).toEqual([undefined, 0]);
    expect(smsSent()).toBe(0);
    const users = [...to.server.state.store.users.values()].filter(({ userName }) =>
      userName.startsWith('u-'),
    );
    const ofKind = (kind: string) =>
      users.filter(
        ({ userName }) => userName.includes(`-${kind}-`) && !userName.includes('-none-unverified'),
      );
    expect(new Set(ofKind('verified').map(({ more }) => more?.phoneVerified))).toEqual(new Set([true]));
    const unverified = users.filter(({ userName }) => /-unverified-(true|false)$/.test(userName));
    expect(unverified).toHaveLength(16);
    expect(new Set(unverified.map(({ more }) => more?.phoneVerified === true || undefined))).toEqual(
      new Set([verified]),
    );
  });

  it('counts over the whole journal when it is resumed', async () => {
    writeBody();
    const small = verb === 'import' ? ['--chunk-users=5'] : [];
    const stopped = await run(...verbs[verb](), ...open, ...small, '--budget=4');
    expect(stopped.exitCode).toBe(1);
    const resumed = await run(...verbs[verb](), '--resume', '--max-emails=5', '--max-sms=unlimited');
    expect([resumed.exitCode, noticeOf(resumed, 'emails:over') !== undefined]).toEqual([4, true]);
    const again = await run(...verbs[verb](), '--resume', ...open);
    expect([again.problem, again.exitCode]).toEqual([undefined, 0]);
    const emails = /at most (\d+) emails/.exec(noticeOf(again, 'messages:forecast') ?? '')?.[1];
    expect(emails).toBe(String(emailsSent()));
  });

  it('tells of the emails at the first logins, which no limit counts', async () => {
    const email = { email: 'q@example.com', isEmailVerified: true };
    writeBody([{ id: 'q1', more: { email, hashedPassword: { value: placeholderHash(10) } } }]);
    const ran = await run(...verbs[verb]());
    expect([ran.problem, ran.exitCode]).toEqual([undefined, 0]);
    expect(noticeOf(ran, 'messages:forecast')).toMatch(
      /at most 0 emails .* Up to 1 email more at the first logins/,
    );
  });

  it('causes no message by follow-up calls and other entries', async () => {
    const quiet = { email: { email: 'q@example.com', isEmailVerified: true }, ...hash };
    const users = ['q1', 'q2'].map((id) => ({ id, more: quiet }));
    writeBody(users, {
      userMetadata: [{ id: 'old-q1', key: 'k', value: 'dg==' }],
      userLinks: [{ userId: 'old-q2', idpId: 'idp', providedUserId: 'x', providedUserName: 'x' }],
    });
    await run(...verbs[verb]());
    expect(to.server.state.store.users.size).toBeGreaterThan(1);
    expect(sent()).toEqual([]);
  });
});

describe('check', () => {
  it('counts and lists what import then sends, and judges by the same gate', async () => {
    writeBody();
    const check = ['check', 'body.json', '--target-profile=all-verifiers', '--mail-list=emails.csv'];
    expect((await run(...check)).exitCode).toBe(0);
    expect(rowsOf('emails.csv')).toHaveLength(1);
    const closed = await run(...check, '--route=import');
    expect(closed.exitCode).toBe(4);
    expect(noticeOf(closed, 'emails:over')).toBeDefined();
    expect(noticeOf(closed, 'sms:over')).toBeDefined();
    const open = await run(...check, '--route=import', '--max-emails=unlimited', '--max-sms=16');
    expect([open.problem, open.exitCode]).toEqual([undefined, 0]);
    await run(...verbs.import(), '--max-emails=unlimited', '--max-sms=unlimited');
    const [, ...rows] = rowsOf('emails.csv');
    expect(sorted(rows.map(([, , to = '']) => to))).toEqual(sorted(sent().map(({ to }) => to)));
  });
});

describe('migrate', () => {
  it('lists who will get a message, and writes numbers as --phone says', async () => {
    const users = [
      { id: '1', username: 'ann', email: 'ann@example.com', enabled: true },
      { id: '2', username: 'bob', email: 'bob@example.com', emailVerified: true, enabled: true },
      { id: '3', username: 'bob', email: 'bob@example.com', enabled: true },
    ];
    writeFileSync(join(cwd, 'realm.json'), JSON.stringify({ realm: 'r', users }));
    const migrate = ['migrate', 'keycloak', '--realm=realm.json', '--org=1', '--mail-list=emails.csv'];
    await run(...migrate);
    expect(rowsOf('emails.csv')).toHaveLength(1);
    const ran = await run(...migrate, '--route=import');
    expect(ran.problem).toBeUndefined();
    // The second bob is a duplicate and is not written.
    expect(rowsOf('emails.csv').slice(1)).toEqual([
      ['1', 'ann', 'ann@example.com', 'initialization email: the email address is not verified'],
      ['2', 'bob', 'bob@example.com', emailCauses['init-no-secret']],
    ]);
  });

  it('writes an empty list where no user gets a message', async () => {
    writeFileSync(join(cwd, 'realm.json'), JSON.stringify({ realm: 'r', users: [] }));
    await run('migrate', 'keycloak', '--realm=realm.json', '--org=1', '--mail-list=emails.csv');
    expect(readFileSync(join(cwd, 'emails.csv'), 'utf8')).toBe('id,user_name,email_or_phone,reason\n');
  });
});
