/** The command `check`: samples, and the price of an import. */
import { expect, test } from 'vitest';
import { reportFile } from '../../src/wire/reports.ts';
import { openWorkspace, openFolder, eventOf, jsonLines, succeeded } from '../support/workspace.ts';
import { typicalRealm } from '../support/folder.ts';
import { exportPath } from '../support/samples.ts';
import { bodyOf, projectLists, sampleUser } from '../support/users-run.ts';
import { sumOf } from '../../src/records/tally.ts';

const check = (flags = '--max-emails=unlimited') =>
  openFolder().run(`check --from=keycloak --realm=${typicalRealm} --target-profile=all-verifiers ${flags}`);

test('check --sample prints the first users as import would send them, with secrets masked', async () => {
  expect((await succeeded(check())).stdout).toBe('');
  const { stdout } = await succeeded(check('--max-emails=unlimited --sample=2'));
  const sampleUsers = jsonLines(stdout);
  expect(sampleUsers).toHaveLength(2);
  expect(sampleUsers.some(({ user }) => user.hashedPassword !== undefined)).toBe(true);
  expect(stdout).not.toMatch(/\$(?:pbkdf2|argon2)[^"]*\$[\w+/]{12}/);
});

/** Of one kind each: id, and what makes the user special. */
const kinds: readonly (readonly [id: string, user: object, entry?: object])[] = [
  ['u-plain', {}],
  ['u-unverified', { email: { email: 'b@example.com' }, phone: { phone: '+41791234567' } }],
  ['u-without', { hashedPassword: undefined }],
  ['u-totp', { otpCode: 'JBSWY3DPEHPK3PXP' }],
  ['1234', {}],
  ['u/locked', {}, { state: 'USER_STATE_INACTIVE' }],
  ['u-codes', { recoveryCodes: [{ raw: 'one' }] }],
  ['u-long', { hashedPassword: { value: `$pbkdf2-sha256$1000$${'a'.repeat(200)}$${'a'.repeat(43)}` } }],
  ['u-bad-totp', { otpCode: '!!!' }],
];

test.each([
  ['', 4, { read: 9, written: 6, rejected: 3, emails: 0, sms: 0, password: 4 }],
  [' --route=import', 4, { read: 9, written: 8, rejected: 1, emails: 2, sms: 1, password: 5 }],
  [' --route=import --max-emails=unlimited --max-sms=unlimited', 4, { emails: 2 }],
])('check%s counts what the import would do, and compares both verbs', async (flags, exitCode, counts) => {
  const users = kinds.map(([id, more, entry]) => ({ ...sampleUser(id, more, entry), userId: id }));
  const userMetadata = kinds.flatMap(([id]) => ['k', 'l'].map((key) => ({ id, key, value: 'dg==' })));
  const { run, json, write } = openFolder();
  write('body.json', bodyOf('1', users, { userMetadata }));
  const checked = await run(
    `check body.json --target-profile=hosted --report=check.json --price-per-request=0.5${flags}`,
  );
  expect([checked.problem, checked.exitCode]).toEqual([undefined, exitCode]);
  const { tally } = eventOf(checked, 'run:end');
  const password = tally.signIn.get('password');
  expect({ ...tally, emails: sumOf(tally.emails), password }).toMatchObject(counts);
  const forecast = eventOf(checked, 'forecast');
  expect(forecast).toMatchObject(reportFile.shape.forecast.parse(json('check.json').forecast)!);
  // Whom import-users rejects counts for the bulk import whichever way was chosen.
  expect(forecast.ways).toMatchObject({
    bulk: 5,
    onlyBulk: 2,
    newIds: 2,
    later: 1,
    emails: 2,
    sms: 1,
  });
  expect(forecast.bytes).toBe(1560);
  // By import-users, which rejects three: with metadata and TOTP a call for each of the others, and one for the state; at 45 a second.
  const requests = kinds.length - 3 + 1;
  expect(forecast.single).toMatchObject({ requests, seconds: requests / 45, cost: requests * 0.5 });
  expect(forecast.bulk).toMatchObject({ requests: 1, cost: 0.5 });
});

test('check of a body forecasts as many requests as migrate, and as many bytes as import sends', async () => {
  const { run } = openFolder();
  const realms = exportPath('kc-26.7.3-orchard/orchard.json');
  const profile = '--target-profile=all-verifiers';
  const source = `--org=1 --realm=${realms} --roles=new:p --metadata=all`;
  const made = await run(`migrate keycloak ${source} ${profile}`);
  const checked = await run(`check importBody.json ${profile}`);
  const forecasts = [made, checked].map((ran) => eventOf(ran, 'forecast'));
  // Without the user whose address CreateUser refuses.
  expect(forecasts.map(({ single }) => single.requests)).toEqual([859, 859]);
  const planned = await run('import importBody.json --dry-run --url=http://x.test');
  const { bytes } = JSON.parse(planned.stdout) as { bytes: number };
  expect(forecasts[1]!.bytes / bytes).toBeCloseTo(1, 2);
});

test('check does not wait for a user list that is complete, whatever was written after the users', async () => {
  const workspace = await openWorkspace({ orgId: '100' });
  workspace.writeBody('body.json', ['ann'], projectLists('p', 'editor', 'old-ann'));
  await succeeded(workspace.run('import-users body.json --org=100'));
  await workspace.run('undo --journal=body.json.users.journal --yes=0');
  const { events, exitCode } = await workspace.run('check body.json --wait=1m');
  expect(events.filter(({ type }) => type === 'run:waiting')).toEqual([]);
  expect(exitCode).toBe(4);
});
