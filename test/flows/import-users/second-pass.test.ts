/** What a second pass over many changed users costs, and that it takes nothing of what was done at the service meanwhile. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bcrypt, bcryptVerify } from 'hash-wasm';
import { expect, test } from 'vitest';
import { allUsers } from '../../../src/flows/import-users/select-users.ts';
import { loadPreviousRuns } from '../../../src/flows/incremental/previous-runs.ts';
import { readIdMap } from '../../../src/flows/report/id-map.ts';
import { createTestFolder } from '../../support/folder.ts';
import { bodyOf, createTarget, sampleUser, runUsers, usersAt } from '../../support/users-run.ts';

/** `IDPORT_SECOND_PASS=10000` measures more. */
const count = Number(process.env['IDPORT_SECOND_PASS'] ?? 300);
const passwordOf = (at: number): string => `New-Password-${at % 3}`;

test('each changed user takes one write, keeps its id, and logs in with the new password', async () => {
  const salt = randomBytes(16);
  const hashes = await Promise.all(
    Array.from({ length: 3 }, (_, at) =>
      bcrypt({ password: passwordOf(at), salt, costFactor: 10, outputType: 'encoded' }),
    ),
  );
  const target = createTarget();
  const verifyPassword = async (password: string, hash: string): Promise<boolean> =>
    hash.startsWith('$2') ? bcryptVerify({ password, hash }) : hash === `$test$${password}`;
  Object.assign(target.server.state.settings, { verifyPassword });
  const folder = createTestFolder();
  const numbers = [...Array(count).keys()];
  const before = numbers.map((at) => sampleUser(`user-${at}`));
  await runUsers(target, bodyOf(target.org, before), { folder });
  const idsBefore = new Map([...usersAt(target)].map(([name, { id }]) => [id, name]));

  await target.server.clock.advance(60_000);
  // At the service, every hundredth user has set a password, every other hundredth has another name.
  const own = { password: { password: { password: 'Own-Choice-1' } } };
  const named = { profile: { givenName: 'Own', familyName: 'Choice' } };
  for (const at of numbers) {
    if (at % 100 === 7) await target.server.call(`PATCH /v2/users/old-user-${at}`, { human: own });
    if (at % 100 === 13) await target.server.call(`PATCH /v2/users/old-user-${at}`, { human: named });
  }
  const after = numbers.map((at) =>
    sampleUser(`user-${at}`, {
      profile: { firstName: 'New', lastName: `user-${at}` },
      hashedPassword: { value: hashes[at % 3] },
    }),
  );
  const previous = await loadPreviousRuns([join(folder, 'users.journal')], {
    verb: 'import-users',
    url: target.client.url,
    orgs: [target.org],
    journal: join(folder, 'second.journal'),
  });
  const first = target.requests.length;
  const second = createTestFolder();
  const { tally } = await runUsers(target, bodyOf(target.org, after), {
    folder: second,
    selection: { ...allUsers, previous },
    limits: { emails: count, sms: 0 },
  });
  const kept = numbers.filter((at) => at % 100 === 7 || at % 100 === 13);
  expect(tally).toMatchObject({ read: count, written: count - kept.length, withNotes: kept.length });
  expect(tally.reasons.get('delta:kept')).toBe(kept.length);
  const own7 = kept.filter((at) => at % 100 === 7).length;
  expect(Object.fromEntries(tally.signIn)).toEqual({ password: count - own7, 'own-password': own7 });
  const rows = readIdMap('ids.csv', readFileSync(join(second, 'ids.csv'), 'utf8'));
  expect(new Map(rows)).toEqual(new Map(numbers.map((at) => [`old-user-${at}`, `old-user-${at}`])));
  const requests = target.requests.slice(first);
  const writes = requests.filter((line) => line.startsWith('PATCH'));
  expect(writes).toHaveLength(count);
  // Beside them: what is asked before the run, and a list for those who are sent at the same time.
  expect(requests.length - writes.length).toBeLessThan(10 + count / 4);

  const there = usersAt(target);
  expect(new Map([...there].map(([name, { id }]) => [id, name]))).toEqual(idsBefore);
  const ownPassword = (at: number): boolean => at % 100 === 7;
  const firstNames = numbers.map((at) => there.get(`user-${at}`)!.firstName);
  expect(firstNames).toEqual(numbers.map((at) => (at % 100 === 13 ? 'Own' : 'New')));
  const hashesThere = numbers.map((at) => there.get(`user-${at}`)!.passwordHash);
  expect(hashesThere).toEqual(numbers.map((at) => (ownPassword(at) ? '$test$Own-Choice-1' : hashes[at % 3])));
  for (const at of numbers.filter((at) => at < 8 || ownPassword(at))) {
    const password = ownPassword(at) ? 'Own-Choice-1' : passwordOf(at);
    const checks = { user: { userId: `old-user-${at}` }, password: { password } };
    const { status } = await target.server.call('POST /v2/sessions', { checks });
    expect(status).toBe(201);
  }
}, 600_000);
