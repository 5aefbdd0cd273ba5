/** `--deleted`: users who are gone from the source, and passes that go on from one that stopped. */
import { appendFileSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { DeletedRule } from '../../../src/flows/import-users/deleted-users.ts';
import { allUsers } from '../../../src/flows/import-users/select-users.ts';
import { loadPreviousRuns } from '../../../src/flows/incremental/previous-runs.ts';
import { createTestFolder } from '../../support/folder.ts';
import { bodyOf, createTarget, runUsers, sampleUser, type Target, usersAt } from '../../support/users-run.ts';

/** Runs with these users, since the journals before. */
async function pass(
  target: Target,
  names: readonly string[],
  since: readonly string[],
  deleted?: DeletedRule,
): Promise<string> {
  const folder = createTestFolder();
  const journal = join(folder, 'users.journal');
  const run = { verb: 'import-users', url: target.client.url, orgs: [target.org], journal } as const;
  const previous = since.length === 0 ? undefined : await loadPreviousRuns(since, run);
  const body = bodyOf(
    target.org,
    names.map((name) => sampleUser(name)),
  );
  // A user who may be there gets the password again, about which the service sends an email.
  const limits = { emails: 3, sms: 0 };
  await runUsers(target, body, { folder, deleted, limits, selection: { ...allUsers, previous } });
  return journal;
}

const lastNotice = ({ events }: Target): string =>
  events
    .flatMap((event) => (event.type === 'notice' && event.code === 'delta:vanished' ? [event.text] : []))
    .at(-1) ?? '';

const states = (target: Target): Record<string, unknown> =>
  Object.fromEntries([...usersAt(target)].map(([name, user]) => [name, user.status]));

it('deletes only whom a run before has created, and says so again in the next pass', async () => {
  const target = createTarget();
  await target.server.call('POST /management/v1/users/human/_import', sampleUser('own').user);
  const first = await pass(target, ['own', 'ann', 'bob', 'cyd', 'dan'], []);
  const second = await pass(target, ['cyd', 'dan', 'eve'], [first], 'delete');
  expect([...usersAt(target).keys()].toSorted()).toEqual(['cyd', 'dan', 'eve', 'own']);
  expect(lastNotice(target)).toMatch(
    /^3 users of the previous run are not in the source any more: .*At the target: 2 deleted, 1 left, as no previous run created them\.$/,
  );
  await pass(target, ['cyd', 'dan', 'eve'], [first, second], 'delete');
  expect(lastNotice(target)).toMatch(/At the target: 2 deleted or gone before, 1 left/);
});

it('deactivates', async () => {
  const target = createTarget();
  const first = await pass(target, ['ann', 'bob', 'cyd'], []);
  const before = states(target);
  await pass(target, ['ann', 'bob'], [first], 'deactivate');
  const { cyd, ...others } = states(target);
  expect(others).toEqual({ ann: before['ann'], bob: before['bob'] });
  expect(cyd).not.toBe(before['cyd']);
  expect(lastNotice(target)).toContain('At the target: 1 deactivated.');
});

it('frees the name of a deleted user for a new one', async () => {
  const target = createTarget();
  const first = await pass(target, ['ann', 'bob', 'cyd'], []);
  const folder = createTestFolder();
  const run = {
    verb: 'import-users',
    url: target.client.url,
    orgs: [target.org],
    journal: join(folder, 'x'),
  } as const;
  const previous = await loadPreviousRuns([first], run);
  const again = sampleUser('cyd', {}, { userId: 'new-cyd' });
  const body = bodyOf(target.org, [sampleUser('ann'), sampleUser('bob'), again]);
  const { tally } = await runUsers(target, body, {
    folder,
    deleted: 'delete',
    selection: { ...allUsers, previous },
  });
  expect(tally).toMatchObject({ written: 1, rejected: 0 });
  expect(usersAt(target).get('cyd')?.id).toBe('new-cyd');
});

it('sends nothing where more than half of all are gone', async () => {
  const target = createTarget();
  const first = await pass(target, ['ann', 'bob', 'cyd'], []);
  await expect(pass(target, ['ann', 'eve'], [first], 'delete')).rejects.toMatchObject({
    code: 'delta:too-many-deleted',
    exitCode: 1,
  });
  expect([...usersAt(target).keys()].toSorted()).toEqual(['ann', 'bob', 'cyd']);
});

it.each([true, false])(
  'goes on from a request without an answer that created the user: %s',
  async (arrived) => {
    const target = createTarget();
    const first = await pass(target, ['ann', 'bob', 'cyd'], []);
    // The run was killed behind this request.
    const lines = readFileSync(first, 'utf8').trimEnd().split('\n');
    const intents = lines.flatMap((line, at) => (line.includes('old-cyd') ? [at] : []));
    const kept = lines.slice(0, intents[0]! + 1).join('\n');
    truncateSync(first);
    appendFileSync(first, `${kept}\n`);
    if (!arrived) await target.client.call({ method: 'DELETE', path: '/v2/users/old-cyd' });
    const second = await pass(target, ['ann', 'bob', 'cyd'], [first]);
    expect([...usersAt(target).keys()].toSorted()).toEqual(['ann', 'bob', 'cyd']);
    await pass(target, ['ann', 'bob'], [first, second], 'delete');
    expect([...usersAt(target).keys()].toSorted()).toEqual(['ann', 'bob']);
  },
);
