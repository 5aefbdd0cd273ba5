/** What `check` says of a body is what the reference server then does with it: no user more, no user less. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ReportedUser, ReportFile } from '../../../src/wire/reports.ts';
import { convertFiles } from '../../support/conversion.ts';
import { createTestServer } from '../../support/full-server.ts';
import { sampleUser } from '../../support/users-run.ts';

const argon2Below =
  '$argon2id$v=19$m=7168,t=5,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g';

type SampleUser = Record<'userId' | 'user', any> & { state?: string };

/** Every kind of trouble that a record of a body can have, by what it does to a sound one. */
const troubles: Readonly<Record<string, (sampleUser: SampleUser, earlier: readonly SampleUser[]) => void>> = {
  none: () => {},
  unverified: ({ user }) => delete user.email.isEmailVerified,
  'no secret': ({ user }) => delete user.hashedPassword,
  'password in plain text': ({ user }) => {
    delete user.hashedPassword;
    user.password = 'Passw0rd!';
  },
  'phone to verify': ({ user }) => (user.phone = { phone: '+41446681800' }),
  inactive: (sampleUser) => (sampleUser.state = 'USER_STATE_INACTIVE'),
  'no last name': ({ user }) => (user.profile.lastName = ''),
  'name of 201 characters': ({ user }) => (user.profile.firstName = '👩'.repeat(201)),
  'name of 200 characters': ({ user }) => (user.profile.firstName = '👩'.repeat(200)),
  'long language': ({ user }) => (user.profile.preferredLanguage = 'de-CH-1901-x'),
  'no address': ({ user }) => (user.email.email = ''),
  'phone without plus': ({ user }) => (user.phone = { phone: '0446681800' }),
  'phone that is none': ({ user }) => (user.phone = { phone: '+' }),
  'broken address': ({ user }) => (user.email.email = 'a b@example.org'),
  'address with a display name': ({ user }) => (user.email.email = 'Ada <ada@example.org>'),
  'hash out of limits': ({ user }) => (user.hashedPassword = { value: argon2Below }),
  'hash of no kind': ({ user }) =>
    (user.hashedPassword = { value: '{SSHA}JFZFs0oHzxbMwkSJmYVeI8MnTDy/276a' }),
  'hash with two characters': ({ user }) => (user.hashedPassword = { value: '$2' }),
  'user name taken': ({ user }, [first]) =>
    (user.userName = first?.user.userName.toUpperCase() ?? user.userName),
  'id taken': (sampleUser, [first]) => (sampleUser.userId = first?.userId ?? sampleUser.userId),
};

function makeBody(kinds: readonly string[]) {
  const sampleUsers: SampleUser[] = [];
  for (const [place, kind] of kinds.entries()) {
    const one: SampleUser = sampleUser(`user-${place}`);
    troubles[kind]?.(one, sampleUsers);
    sampleUsers.push(one);
  }
  return sampleUsers;
}

async function check(sampleUsers: readonly SampleUser[]) {
  const body = { dataOrgs: { orgs: [{ orgId: '1', humanUsers: sampleUsers }] }, timeout: '5m0s' };
  const flags = ['--route=import', '--report=report.json', '--target-profile=all-verifiers'];
  const ran = await convertFiles(['check', 'body.json', ...flags], { 'body.json': body });
  return ran.json('report.json') as ReportFile;
}

/** Codes for which the service refuses the whole request. */
const wholeRequest = new Set(['target:field-rule', 'target:wrong-type']);
const refusesRequest = ({ reasons }: ReportedUser) => reasons.some(({ code }) => wholeRequest.has(code));

async function compare(kinds: readonly string[]) {
  const sampleUsers = makeBody(kinds);
  const report = await check(sampleUsers);
  const rejected = report.users.filter(({ outcome }) => outcome === 'rejected');

  // Alone, each of these makes the service refuse the request; no other user does.
  const guilty = new Set(rejected.filter(refusesRequest).map(({ index }) => index));
  for (const [place, user] of sampleUsers.entries()) {
    const { status } = await createTestServer().importInto({ humanUsers: [user] });
    expect([place, kinds[place], status]).toEqual([place, kinds[place], guilty.has(place) ? 400 : 200]);
  }

  // Without them, the entries of the answer are exactly the others that were rejected, in their order.
  const rest = sampleUsers.filter((_, place) => !guilty.has(place));
  const server = createTestServer();
  const answer = await server.importInto({ humanUsers: rest });
  const errors = (answer.body.errors ?? []) as { type: string; id: string }[];
  const refused = errors.filter(({ type }) => type === 'human_user').map(({ id }) => id);
  const expected = rejected
    .filter((entry) => !refusesRequest(entry))
    .map(({ index }) => sampleUsers[index]?.userId);
  expect(refused).toEqual(expected);
  expect(answer.body.success?.orgs?.[0]?.humanUserIds ?? []).toHaveLength(rest.length - refused.length);

  // And the emails are those of the forecast, by reason.
  const sent = new Map<string, number>();
  for (const { reason } of server.state.recent.notifications.list())
    sent.set(reason, (sent.get(reason) ?? 0) + 1);
  const forecast = new Map(report.summary.emails.map(({ kind, count }) => [kind, count]));
  if (report.summary.sms > 0) forecast.set('phone-unverified', report.summary.sms);
  expect(sent).toEqual(forecast);
}

it('check agrees with the reference server on bodies with any mixture of faults', async () => {
  const all = Object.keys(troubles);
  const kinds = fc.array(fc.constantFrom(...all), { minLength: 1, maxLength: 12 });
  await fc.assert(fc.asyncProperty(kinds, compare), { numRuns: 25, examples: [[all]] });
});
