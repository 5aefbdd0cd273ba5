/** A comparison right after an import, against lists that lag behind the writes of the service. */
import { describe, expect, it } from 'vitest';
import { createTestFolder } from '../../support/folder.ts';
import { createFullServer } from '../../support/full-server.ts';
import { bodyOf as bulkBody, human, runImport } from '../../support/import-run.ts';
import { bodyOf, createTarget, peopleAt, person, runUsers, type Target } from '../../support/users-run.ts';
import { asOrgOwner, runVerify } from '../../support/verify-run.ts';

const lagging = (lag: number): Target =>
  createTarget({ server: { ...createFullServer({ rate: null, lag }), logged: [] } });

const namesOf = (count: number): string[] => Array.from({ length: count }, (_, at) => `user-${at}`);

/** Imports so many users, and returns the body. */
async function imported(target: Target, way: 'one by one' | 'in bulk', count: number): Promise<string> {
  const folder = createTestFolder();
  if (way === 'in bulk') {
    const body = bulkBody(target.org, { humanUsers: namesOf(count).map((name) => human(name)) });
    await runImport(target, folder, body);
    return body;
  }
  const body = bodyOf(
    target.org,
    namesOf(count).map((name, at) => person(name, {}, at % 2 === 0 ? { state: 'USER_STATE_INACTIVE' } : {})),
  );
  await runUsers(target, body, { folder, concurrency: 8 });
  return body;
}

describe.each([
  { way: 'one by one', count: 40, lag: 5000 },
  { way: 'one by one', count: 400, lag: 120_000 },
  { way: 'in bulk', count: 40, lag: 120_000 },
  { way: 'in bulk', count: 600, lag: 30_000 },
] as const)('$count users, $way, lists $lag ms behind', ({ way, count, lag }) => {
  it('are all there as expected, and who is not there is missing', async () => {
    const target = lagging(lag);
    const body = await imported(target, way, count);
    const { counts, told } = await runVerify(target, body);
    expect(told).toEqual([]);
    expect(counts).toMatchObject({ same: count, missing: 0, notYet: 0 });

    const [gone] = peopleAt(target).values();
    await target.server.call(`DELETE /management/v1/users/${gone!.id}`, undefined, {
      headers: { 'x-zitadel-orgid': target.org },
    });
    await target.clock.sleep(lag);
    expect((await runVerify(target, body)).told).toEqual([`- ${gone!.userName}`]);
  });

  it('are seen as well by a token that may only read users', async () => {
    const target = lagging(lag);
    const body = await imported(target, way, count);
    const { counts } = await runVerify(asOrgOwner(target), body, { details: 'none' });
    expect(counts).toMatchObject({ same: count, missing: 0, notYet: 0 });
  });
});

it('a list that does not catch up in time leaves users not known yet, and none missing', async () => {
  const target = lagging(120_000);
  const body = await imported(target, 'in bulk', 600);
  const { counts, told } = await runVerify(target, body, { wait: 3000, details: 'none' });
  expect(counts).toMatchObject({ missing: 0, same: 0, unknown: 600, notYet: 600 });
  expect(told[0]).toBe('! user-user-0: not known yet: the list of the service is behind');
});

it('users who were never imported are missing, however far lists are behind', async () => {
  const target = lagging(120_000);
  await imported(target, 'in bulk', 10);
  const more = bulkBody(target.org, { humanUsers: namesOf(600).map((name) => human(name)) });
  const { counts } = await runVerify(target, more, { details: 'none' });
  expect(counts).toMatchObject({ same: 10, missing: 590, notYet: 0 });
});
