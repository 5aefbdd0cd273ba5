/** Every verb that can cause a message counts, lists and limits exactly what the service then sends. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Workspace, openWorkspace, succeeded, textsOf, type Ran } from '../../support/workspace.ts';
import { oidcIdps, sampleUser } from '../../support/users-run.ts';

let workspace: Workspace;
beforeEach(async () => {
  workspace = await openWorkspace();
  const { orgId } = workspace.server;
  await workspace.server.seed({ dataOrgs: { orgs: [{ orgId, oidcIdps }] } });
});

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
const everyUser = [true, false].flatMap((isEmailVerified) =>
  Object.entries(secrets).flatMap(([secret, ofSecret]) =>
    Object.entries(phones).flatMap(([phone, ofPhone]) =>
      [true, false].map((linked) => {
        const id = ['u', isEmailVerified, secret, phone, linked].join('-');
        const email = { email: `${id}@example.com`, isEmailVerified };
        const idps = linked ? { idps: [{ configId: 'idp', externalUserId: id }] } : {};
        return sampleUser(id, { hashedPassword: undefined, email, ...ofSecret, ...ofPhone, ...idps });
      }),
    ),
  ),
);

const writeBody = (users = everyUser, lists = {}) => workspace.writeBody('body.json', users, lists);

const sent = () => workspace.server.state.recent.notifications.list();
const sorted = (texts: readonly string[]) => texts.toSorted((a, b) => (a < b ? -1 : 1));
const emailsSent = () => sent().filter(({ kind }) => kind !== 'verify-phone').length;
const smsSent = () => sent().length - emailsSent();
const recipients = () => sorted(sent().map((message) => message.to));
const rowsOf = (name: string) => parse(workspace.read(name), { relax_column_count: false });

const anyEmails = '--max-emails=unlimited';
const open = `${anyEmails} --max-sms=unlimited`;
const verbs = {
  import: () => 'import body.json',
  'import-users': () => `import-users body.json --api=v1 --org=${workspace.server.orgId}`,
};
const forecastOf = (ran: Ran) => /at most (\d+) emails/.exec(textsOf(ran, 'messages:forecast')[0] ?? '')?.[1];
/** Which limits a run says it would exceed; it ends with 4, and nothing is sent. */
function over(ran: Ran) {
  expect([ran.exitCode, sent()]).toEqual([4, []]);
  const said = [ran.problem?.message, ...textsOf(ran, 'emails:over'), ...textsOf(ran, 'sms:over')].join();
  return ['email', 'SMS'].filter((kind) => new RegExp(`would send \\d+ ${kind}s?; the limit is`).test(said));
}

describe.each(Object.keys(verbs) as (keyof typeof verbs)[])('%s', (verb) => {
  const send = (flags = '') => workspace.run(`${verbs[verb]()} ${flags}`);

  it('forecasts and lists exactly the messages that the service sends', async () => {
    writeBody();
    const ran = await succeeded(send(`${open} --mail-list=emails.csv`));
    // 24 with an unverified address, and 3 with neither secret nor link.
    expect(emailsSent()).toBe(27);
    expect(smsSent()).toBe(16);
    expect(textsOf(ran, 'messages:forecast')[0]).toContain(
      `${emailsSent()} emails (no limit) and 16 SMS (no limit)`,
    );
    const [head, ...rows] = rowsOf('emails.csv');
    expect(head).toEqual(['id', 'user_name', 'email_or_phone', 'reason']);
    expect(sorted(rows.map(([, , address = '']) => address))).toEqual(recipients());
    expect(rows.every(([id, name]) => id === `old-${name}`)).toBe(true);
  });

  it.each(['--dry-run', ''])(
    'sends nothing above a limit, and a bulk import does not ask the service (%s)',
    async (dry) => {
      writeBody();
      const { users } = workspace.server.state.store;
      const before = users.size;
      const nowhere = verb === 'import' ? ' --url=http://127.0.0.1:1' : '';
      const ran = await send(`${dry} --mail-list=emails.csv${nowhere}`);
      expect(over(ran)).toEqual(['email', 'SMS']);
      expect([users.size, existsSync(join(workspace.cwd, 'body.json.journal'))]).toEqual([before, false]);
      expect(rowsOf('emails.csv').length).toBeGreaterThan(20);
    },
  );

  it.each([
    ['email', '--max-sms=unlimited --max-emails=5'],
    ['SMS', `${anyEmails} --max-sms=15`],
  ])('applies the %s limit alone', async (kind, flags) => {
    writeBody();
    expect(over(await send(flags))).toEqual([kind]);
  });

  it.each([
    ['drop', undefined],
    ['assume-verified', true],
  ])('sends no SMS with --phone=%s and keeps verified numbers', async (rule, verified) => {
    writeBody();
    await succeeded(send(`${anyEmails} --phone=${rule}`));
    expect(smsSent()).toBe(0);
    const users = [...workspace.server.state.store.users.values()];
    const verifiedOf = (pattern: RegExp) =>
      users.flatMap(({ userName, phoneVerified }) =>
        pattern.test(userName) ? [phoneVerified || undefined] : [],
      );
    expect(verifiedOf(/-verified-(?:true|false)$/)).toEqual(Array(16).fill(true));
    expect(verifiedOf(/-unverified-(?:true|false)$/)).toEqual(Array(16).fill(verified));
  });

  it('counts the messages of the whole journal when resumed', async () => {
    writeBody();
    const small = verb === 'import' ? '--chunk-users=5' : '';
    expect((await send(`${open} ${small} --budget=4`)).exitCode).toBe(1);
    const resumed = await send('--resume --max-emails=5 --max-sms=unlimited');
    expect([resumed.exitCode, resumed.problem?.code]).toEqual([4, 'emails:over']);
    const again = await succeeded(send(`--resume ${open}`));
    expect(forecastOf(again)).toBe(String(emailsSent()));
  });
});

it('check counts, lists and limits the messages that import then sends', async () => {
  writeBody();
  const check = 'check body.json --target-profile=all-verifiers --mail-list=emails.csv';
  await succeeded(workspace.run(check));
  expect(rowsOf('emails.csv')).toHaveLength(1);
  expect(over(await workspace.run(`${check} --route=import`))).toEqual(['email', 'SMS']);
  await succeeded(workspace.run(`${check} --route=import ${anyEmails} --max-sms=16`));
  await workspace.run(`${verbs.import()} ${open}`);
  const [, ...rows] = rowsOf('emails.csv');
  expect(sorted(rows.map(([, , address = '']) => address))).toEqual(recipients());
});
