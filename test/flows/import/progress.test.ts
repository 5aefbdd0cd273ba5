/** What a bulk import tells of its progress: users, and which of them were no work of this run. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { formatProgress } from '../../../src/terminal/progress.ts';
import { follow, idle } from '../../../src/terminal/run-state.ts';
import { createTestFolder } from '../../support/folder.ts';
import { bodyOf, human, journalName, runImport } from '../../support/import-run.ts';
import { createTestServer } from '../../support/full-server.ts';
import { createService, type Service } from '../../support/service.ts';

it('users that are unchanged or cannot be sent are no work of an incremental run', async () => {
  const service = createService();
  const folder = createTestFolder();
  const { orgId } = service.server;
  await runImport(service, folder, bodyOf(orgId, { humanUsers: ['a', 'b', 'c'].map((id) => human(id)) }));
  expect(service.events.findLast(({ type }) => type === 'run:progress')).toMatchObject({
    records: 3,
    before: 0,
  });

  const users = ['a', 'b', 'c', 'd'].map((id) => human(id));
  await runImport(service, folder, bodyOf(orgId, { humanUsers: [{ userId: 'x', user: 'y' }, ...users] }), {
    since: [join(folder, journalName)],
    journal: { path: join(folder, 'second.journal'), resume: false },
  });
  expect(service.events.findLast(({ type }) => type === 'run:start')).toMatchObject({ records: 5 });
  expect(service.events.findLast(({ type }) => type === 'run:progress')).toMatchObject({
    records: 5,
    before: 4,
  });
});

const many = Array.from({ length: 5000 }, (_, at) => String(at));
const large = (orgId: string): string =>
  bodyOf(orgId, {
    humanUsers: many.map((id) => human(id)),
    userMetadata: many.map((id) => ({ id, key: 'a', value: 'eA==' })),
  });
const size = { bytes: 4_190_000, jsonBytes: Infinity, most: 5000, seconds: 60 };

/** Takes 50 ms for each entry, and is gone after so many requests. */
function createSlowService({ requests = Infinity, server = createTestServer() } = {}): Service {
  const service = createService({ server });
  const { client } = service;
  let left = requests;
  const attempt: typeof client.attempt = async (call) => {
    if (!call.path.endsWith('/import')) return client.attempt(call);
    if (left-- === 0) throw new Error('gone');
    await server.clock.sleep(50 * entriesIn(String(call.body)));
    return client.attempt(call);
  };
  return { ...service, client: { ...client, attempt } };
}

function entriesIn(body: string): number {
  const { dataOrgs } = JSON.parse(body) as { dataOrgs: { orgs: object[] } };
  const lists = dataOrgs.orgs.flatMap((org) => Object.values(org)).filter((list) => Array.isArray(list));
  return lists.flat().length;
}

interface Line {
  readonly text: string;
  /** Seconds that it promises. */
  readonly promised: number | undefined;
  /** Seconds until the run ended. */
  readonly left: number;
}

/** Ten lines of progress after each event, until the next one. */
async function watch(
  { events, server: { clock } }: Service,
  importing: (see: () => void) => Promise<unknown>,
): Promise<readonly Line[]> {
  let state = idle(clock.monotonic());
  const states: { state: typeof state; at: number }[] = [];
  await importing(() => {
    state = follow(state, events.at(-1)!, clock.monotonic());
    if (events.at(-1)!.type !== 'record:rejected') states.push({ state, at: clock.monotonic() });
  });
  const end = clock.monotonic();
  return states.flatMap((seen, place) => {
    const next = states[place + 1]?.at ?? end;
    return Array.from({ length: 10 }, (_, part) => {
      const at = seen.at + ((next - seen.at) * part) / 10;
      const text = formatProgress(seen.state, at);
      return { text, promised: promisedBy(text), left: (end - at) / 1000 };
    });
  });
}

function promisedBy(text: string): number | undefined {
  const [, minutes = '0', seconds = '0', word] = /(?:(\d+) min ?)?(?:([\d.]+) s )?(left)/.exec(text) ?? [];
  return word === undefined ? undefined : Number(minutes) * 60 + Number(seconds);
}

/** Promises of a run of some minutes are as good as this, in seconds. */
const near = 3;

function wrongPromises(lines: readonly Line[]): readonly Line[] {
  const promises = lines.filter(({ promised }) => promised !== undefined);
  if (promises.length < 50) throw new Error('next to nothing is promised');
  return promises.filter(({ promised, left }) => Math.abs(promised! - left) > near);
}

it('tells the time that is left, also while a large request is under way', async () => {
  const service = createSlowService();
  const body = large(service.server.orgId);
  const lines = await watch(service, (see) => runImport(service, createTestFolder(), body, { size }, see));
  expect(wrongPromises(lines)).toEqual([]);
});

it('tells it after --resume by the work of that run alone', async () => {
  const { server } = createService();
  const folder = createTestFolder();
  const body = large(server.orgId);
  await expect(runImport(createSlowService({ server, requests: 4 }), folder, body, { size })).rejects.toThrow(
    'gone',
  );
  const service = createSlowService({ server });
  const journal = { path: join(folder, journalName), resume: true };
  const lines = await watch(service, (see) => runImport(service, folder, body, { size, journal }, see));
  expect(wrongPromises(lines)).toEqual([]);
});
