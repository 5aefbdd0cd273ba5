/**
 * Whatever befalls one request of a run, and wherever a run stops and goes on, the service ends in the same state: all users
 * with all their parts, all organizations, and the same emails.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ApiRequest } from '../../src/api/send.ts';
import type { ImportEnd } from '../../src/flows/runs/open-run.ts';
import { sortKeys } from '../../src/lib/json-value.ts';
import { createTestFolder } from '../support/folder.ts';
import { createTestServer, type FullServer } from '../support/full-server.ts';
import { richOrg } from '../support/rich-org.ts';
import { countsOf, inRequestsOf, journalName, runImport, type Fault } from '../support/service.ts';
import { rollBack } from '../support/undo-run.ts';
import { createPasses, createTarget, projectLists, sampleUser, type Target } from '../support/users-run.ts';

const faults: [string, Fault][] = [
  ['reset before the service sees it', 'reset'],
  ['lost after the service has done it', 'lost'],
  ['an answer without sense', { status: 200, body: '<html>', done: true }],
  ['broken off in the middle of the answer', 'half'],
  ['timed out', { status: 500, body: { code: 2, message: 'context deadline exceeded ()' }, done: true }],
  ['500 before', { status: 500 }],
  ['502 after', { status: 502, body: '<html>Bad Gateway</html>', done: true }],
  ['503', { status: 503 }],
  ['429', { status: 429, body: 'slow down' }],
];
/** For runs that take long. */
const fewFaults = faults.slice(0, 3);

const volatile = /^(?:created|changed|added|sequence|order|editor|at|passwordChanged|removed|secretHash)$/;

/** Without times and what the service makes by chance. */
function stateOf({ state }: FullServer) {
  const plain = (key: string, value: unknown) => {
    if (volatile.test(key)) return undefined;
    if (key === 'recoveryCodes') return (value as string[]).length;
    if (typeof value === 'string')
      return value.replace(/3\d{17}/g, '<id>').replace(/\$2[ab]\$.{56}/, '<hash>');
    return sortKeys(key, value);
  };
  const rows = [...state.store.dump()].filter(({ table }) => table !== 'tokens' && table !== 'instances');
  return rows.map(({ table, row }) => `${table} ${JSON.stringify(row, plain)}`).toSorted();
}

const recoveryCodes = Array.from({ length: 10 }, (_, at) => ({ raw: `code-${at}` }));

function bulkBody({ orgId }: FullServer, change: object = {}) {
  const { org: _, humanUsers, ...lists } = richOrg(orgId, 'Main', 'r', 12);
  const users = (humanUsers as { user: object }[]).map(({ user, ...entry }, at) => ({
    ...entry,
    user: { ...user, ...(at % 3 === 0 && { recoveryCodes }), ...(at % 4 === 1 ? change : {}) },
  }));
  return JSON.stringify({ dataOrgs: { orgs: [{ orgId, humanUsers: users, ...lists }] } });
}

const bulk = (over: Target, journal: string, change?: object, since: readonly string[] = []) =>
  runImport(over, '', bulkBody(over.server, change), {
    size: inRequestsOf(8),
    journal: { path: journal, resume: existsSync(journal) },
    since,
  });

/** Everything but a password: one that is written twice sends two emails. */
const users = (isSecond: boolean) => [
  sampleUser('ann', { profile: { firstName: isSecond ? 'Anna' : 'First', lastName: 'ann' } }),
  sampleUser('bob', { otpCode: 'JBSWY3DPEHPK3PXP' }),
  sampleUser('cyd', {
    email: { email: isSecond ? 'cyd@example.org' : 'cyd@example.com', isEmailVerified: true },
  }),
  sampleUser('dan', {}, { state: isSecond ? 'USER_STATE_ACTIVE' : 'USER_STATE_INACTIVE' }),
  sampleUser('eve', {}, { state: isSecond ? 'USER_STATE_INACTIVE' : 'USER_STATE_ACTIVE' }),
  sampleUser('fay', { phone: { phone: isSecond ? '+41446681801' : '+41446681800', isPhoneVerified: true } }),
  sampleUser(isSecond ? 'gus' : 'gil', {}, { userId: 'old-gil' }),
  // A circle of names, and a chain.
  ...['ian', 'jan', 'kay', 'lee', 'moe'].map((name, at) =>
    sampleUser(isSecond ? ['jan', 'kay', 'ian', 'moe', 'ned'][at]! : name, {}, { userId: `old-${name}` }),
  ),
  ...(isSecond ? [sampleUser('hal')] : []),
];

const listsOf = (isSecond: boolean) => ({
  userMetadata: ['ann', 'bob', 'dan'].flatMap((name) => [
    { id: `old-${name}`, key: 'k', value: isSecond && name === 'bob' ? 'Ym9i' : 'b2xk' },
    ...(isSecond && name === 'ann' ? [] : [{ id: `old-${name}`, key: 'second', value: 'MQ==' }]),
  ]),
  machineUsers: [
    { userId: 'robot', user: { userId: 'robot', userName: 'robot', name: isSecond ? 'Robot 2' : 'Robot' } },
  ],
  ...projectLists('p1', 'reader', 'old-ann'),
});

type Passes = ReturnType<typeof createPasses>;

const pass = ({ pass: run, path }: Passes, name: string, since: readonly string[], over: Target) =>
  run(name, since, users(since.length > 0), {
    lists: listsOf(since.length > 0),
    over,
    resume: existsSync(path(name)),
    limits: { emails: 100, sms: 100 },
  });

/** What came before, in which nothing happens; and the run itself, which goes on where it stopped. */
const scenes: Readonly<
  Record<string, (first: Target) => Promise<(over: Target) => Promise<ImportEnd | object>>>
> = {
  async 'a bulk import'() {
    const journal = join(createTestFolder(), journalName);
    return (over) => bulk(over, journal);
  },
  async 'a bulk incremental run'(first) {
    const journal = join(createTestFolder(), journalName);
    await bulk(first, journal);
    await first.server.clock.advance(60_000);
    return (over) =>
      bulk(over, `${journal}.2`, { profile: { firstName: 'Eva', lastName: 'New' } }, [journal]);
  },
  async 'the rollback of a bulk import'(first) {
    const journal = join(createTestFolder(), journalName);
    await bulk(first, journal);
    return (over) => rollBack(over, journal, { createdOrgs: 'delete' });
  },
  async 'a one-by-one import'(first) {
    const passes = createPasses(first);
    return (over) => pass(passes, 'first', [], over);
  },
  async 'an incremental run'(first) {
    const passes = createPasses(first);
    await pass(passes, 'first', [], first);
    return (over) => pass(passes, 'second', ['first'], over);
  },
  async 'the rollback of a one-by-one import'(first) {
    const passes = createPasses(first);
    await pass(passes, 'first', [], first);
    return (over) => rollBack(over, passes.path('first'), { createdOrgs: 'delete' });
  },
};

type Faulty = (request: ApiRequest, number: number) => Fault | undefined;

/** Plays a scene with each of its requests in turn as the one that `faultAt` knows: where it ends otherwise than without. */
async function playAll(scene: string, faultAt: (at: number) => Faulty, goesOn: boolean) {
  const play = async (fault: Faulty) => {
    const server = createTestServer();
    const run = await scenes[scene]!(createTarget({ server }));
    const over = createTarget({ server, fault });
    const end = await (goesOn ? run(over).catch(() => run(createTarget({ server }))) : run(over));
    // A resumed run finds some users already changed, and counts them as unchanged.
    const counts = 'tally' in end && !goesOn ? JSON.stringify(countsOf(end)) : '';
    return { requests: over.requests, state: [counts, ...stateOf(server)] };
  };
  const expected = await play(() => undefined);
  const found: object[] = [];
  for (const at of expected.requests.keys()) {
    const { requests, state } = await play(faultAt(at));
    const missing = expected.state.filter((line) => !state.includes(line));
    if (missing.length > 0 || state.length !== expected.state.length)
      found.push({
        request: requests[at],
        missing,
        more: state.filter((line) => !expected.state.includes(line)),
      });
  }
  return found;
}

const pairs = Object.keys(scenes).flatMap((scene) =>
  (/^a .*import$/.test(scene) ? faults : fewFaults).map(([what, fault]) => [scene, what, fault] as const),
);

it.each(pairs)('%s: ends in the same state if any one request is %s', async (scene, _, fault) => {
  expect(await playAll(scene, (at) => (_, number) => (number === at ? fault : undefined), false)).toEqual([]);
});

/** What the first request meets that the service does not answer, and then all others: a proxy may answer in its place. */
const ends: [Fault, Fault][] = [
  ['lost', { status: 503 }],
  ['reset', 'reset'],
];
const stops = Object.keys(scenes).flatMap((scene) => ends.map((end) => [scene, ...end] as const));

it.each(stops)(
  '%s: ends in the same state when resumed after an outage from any request on: %s, then %j',
  async (scene, first, then) => {
    const gone = (at: number) => (_: ApiRequest, number: number) =>
      number < at ? undefined : ([first][number - at] ?? then);
    expect(await playAll(scene, gone, true)).toEqual([]);
  },
);
