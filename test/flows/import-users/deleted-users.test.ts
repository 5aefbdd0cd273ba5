/** `--deleted`: users who are gone from the source, and passes that go on from one that stopped. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createSelector } from '../../../src/flows/import-users/select-users.ts';
import { createFingerprints } from '../../../src/flows/incremental/fingerprint.ts';
import { describeVanished } from '../../../src/flows/incremental/previous-runs.ts';
import type { ReasonCode } from '../../../src/records/reasons.ts';
import { textsOf } from '../../support/workspace.ts';
import { lookAtUndo } from '../../support/undo-run.ts';
import { spoiled } from '../../support/verify-run.ts';
import { beginPasses, sampleUser, type Target, allUsers, fieldAt, namesAt } from '../../support/users-run.ts';

const lastNotice = (target: Target) => textsOf(target, 'delta:vanished').at(-1) ?? '';
const statusOf = (target: Target) => fieldAt(target, 'status');

it.each([
  ['deactivate', '/deactivate', { status: 401, body: {}, done: false }],
  ['deactivate', '/deactivate', { status: 401, body: {}, done: true }],
  ['deactivate', '/deactivate', 'half'],
  ['delete', 'DELETE http', { status: 401, body: {}, done: false }],
  ['delete', 'DELETE http', { status: 401, body: {}, done: true }],
  ['delete', 'DELETE http', 'half'],
] as const)('a returning user is restored although %s failed at %s with %j', async (deleted, part, fault) => {
  const { target, path, next } = await beginPasses(['ann', 'bob', 'cyd']);
  await target.server.clock.advance(400_000);
  const over = spoiled(target, part, fault, 1);
  await next(['ann', 'bob'], { deleted, over }).catch(() => undefined);
  await target.server.clock.advance(400_000);
  await next(['ann', 'bob', 'cyd'], { deleted });
  expect(statusOf(target)).toEqual({ ann: 'active', bob: 'active', cyd: 'active' });
  if (deleted === 'delete') return;
  const { told } = await lookAtUndo(target, path('first'));
  expect(told).toEqual(['- ann ours', '- bob ours', '- cyd ours']);
});

it('a new user is rejected whose name a user of a previous run could not give up', async () => {
  const { next } = await beginPasses(['ann', 'bob', 'cyd']);
  const users = [sampleUser('new', { userName: 'ann' }), sampleUser('ann', { userName: 'cyd' }), 'bob'];
  const { tally } = await next(users, { deleted: 'deactivate' });
  expect(tally).toMatchObject({ read: 3, written: 0, skipped: 1, rejected: 2 });
});

it('a refused deactivation ends the run', async () => {
  const { target, next } = await beginPasses(['ann', 'bob', 'cyd']);
  const body = { code: 7, message: 'No matching permissions' };
  const over = spoiled(target, '/deactivate', { status: 403, body });
  const refusal = next(['ann', 'bob'], { deleted: 'deactivate', over });
  await expect(refusal).rejects.toThrow('No matching permissions');
});

it.each<[ReasonCode, boolean]>([
  ['user-skipped:by-mapping', true],
  ['user-skipped:disabled', true],
  ['user-skipped:no-password', false],
  ['user-skipped:service-account', false],
  ['user-skipped:federated-storage', false],
  ['user-skipped:no-email', false],
  ['record:malformed', false],
])('a user that is left out for %s counts as deleted: %s', async (code, isDeleted) => {
  const { previous } = await beginPasses(['ann']);
  const runs = (await previous(['first'], 'second'))!;
  const origin = { input: 'users.csv', index: 0, id: 'old-ann' };
  const record = { kind: 'rejected', origin, userName: '', email: '', code, detail: '' } as const;
  const select = createSelector({ ...allUsers, previous: runs }, createFingerprints(''));
  select({ record, number: 0, raw: () => ({}) });
  expect(await describeVanished(runs)).toHaveLength(isDeleted ? 1 : 0);
});

it('a second pass under the same journal name is enough for later passes', async () => {
  const { target, path, pass } = await beginPasses(['ann', 'bob', 'cyd', 'dan']);
  const journal = { path: path('first'), resume: false, fresh: true };
  await pass('first', ['first'], ['ann', 'bob', 'cyd'], { journal, deleted: 'delete' });
  expect(lastNotice(target)).toContain('At the target: 1 deleted.');
  await pass('first', ['first'], ['ann', 'bob', 'cyd', 'eve'], { journal });
  const { tally } = await pass('second', ['first'], ['ann', 'bob', 'cyd', 'eve'], { deleted: 'delete' });
  expect(tally).toMatchObject({ written: 0, skipped: 4 });
  expect(namesAt(target)).toEqual(['ann', 'bob', 'cyd', 'eve']);
});

it.each([true, false])(
  'a later pass settles a request without an answer that created the user: %s',
  async (arrived) => {
    const [ann, bob] = ['ann', 'bob'].map((name) => sampleUser(name));
    const cyd = sampleUser('cyd', { email: { email: 'cyd@example.com', isEmailVerified: false } });
    const { target, path, pass } = await beginPasses([ann, bob, cyd]);
    // The run was killed behind this request.
    const lines = readFileSync(path('first'), 'utf8').split('\n');
    const intent = lines.findIndex((line) => line.includes('old-cyd'));
    writeFileSync(path('first'), `${lines.slice(0, intent + 1).join('\n')}\n`);
    if (!arrived) await target.client.call({ method: 'DELETE', path: '/v2/users/old-cyd' });
    // If it did not, the user is created now, with the email that this sends.
    const asked = { route: 'one-call-verify', sendVerification: true } as const;
    const over = pass('second', ['first'], [ann, bob, cyd], asked);
    await expect(over).rejects.toMatchObject({ code: 'emails:over' });
    await pass('second', ['first'], [ann, bob, cyd], { ...asked, limits: { emails: 1, sms: 0 } });
    expect(namesAt(target)).toEqual(['ann', 'bob', 'cyd']);
    expect(target.server.state.recent.notifications.total).toBe(arrived ? 0 : 1);
    await pass('third', ['first', 'second'], [ann, bob], { deleted: 'delete' });
    expect(namesAt(target)).toEqual(['ann', 'bob']);
  },
);
