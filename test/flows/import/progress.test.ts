/** What a bulk import tells of its progress: users, and which of them were no work of this run. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { formatProgress } from '../../../src/terminal/progress.ts';
import { nextState, idle } from '../../../src/terminal/run-state.ts';
import { eventOf } from '../../support/workspace.ts';
import { createTestFolder } from '../../support/folder.ts';
import { inRequestsOf, journalName, runImport, createService, type Service } from '../../support/service.ts';
import { bodyOf, userNames } from '../../support/users-run.ts';
import { createTestServer } from '../../support/full-server.ts';

it('progress of an incremental import counts unchanged and rejected users as done before', async () => {
  const service = createService();
  const folder = createTestFolder();
  const { orgId } = service.server;
  await runImport(service, folder, bodyOf(orgId, userNames(3)));
  expect(eventOf(service, 'run:progress')).toMatchObject({ records: 3, before: 0 });

  const users = [{ userId: 'x', user: 'y' }, ...userNames(4)];
  await runImport(service, folder, bodyOf(orgId, users), {
    since: [join(folder, journalName)],
    journal: { path: join(folder, 'second.journal'), resume: false },
  });
  expect(eventOf(service, 'run:start')).toMatchObject({ records: 5 });
  expect(eventOf(service, 'run:progress')).toMatchObject({ records: 5, before: 4 });
});

const many = userNames(5000);
const userMetadata = many.map((name) => ({ id: `old-${name}`, key: 'a', value: 'eA==' }));
const size = { ...inRequestsOf(5000), seconds: 60 };

/** Takes 50 ms for each entry, and is gone after so many requests. */
function createSlowService({ requests = Infinity, server = createTestServer() } = {}): Service {
  const service = createService({ server });
  const { client } = service;
  let left = requests;
  const attempt: typeof client.attempt = async (call) => {
    if (!call.path.endsWith('/import')) return client.attempt(call);
    if (left-- === 0) throw new Error('gone');
    const { dataOrgs } = JSON.parse(String(call.body)) as { dataOrgs: { orgs: object[] } };
    const values = dataOrgs.orgs.flatMap((org) => Object.values(org));
    await server.clock.sleep(50 * values.filter((list) => Array.isArray(list)).flat().length);
    return client.attempt(call);
  };
  return { ...service, client: { ...client, attempt } };
}

/**
 * Runs to the end, looks at the line of progress ten times between two events, and returns the lines whose time left is
 * more than three seconds wrong.
 */
async function wrongPromises(service: Service, folder: string, resume: boolean) {
  const { clock, orgId } = service.server;
  let state = idle(clock.monotonic());
  const states: { state: typeof state; at: number }[] = [];
  const journal = { path: join(folder, journalName), resume };
  const body = bodyOf(orgId, many, { userMetadata });
  await runImport(service, folder, body, { size, journal }, (event) => {
    state = nextState(state, event, clock.monotonic());
    if (event.type !== 'record:rejected') states.push({ state, at: clock.monotonic() });
  });
  const end = clock.monotonic();
  const promises = states.flatMap((seen, place) => {
    const next = states[place + 1]?.at ?? end;
    return Array.from({ length: 10 }, (_, part) => {
      const at = seen.at + ((next - seen.at) * part) / 10;
      const text = formatProgress(seen.state, at);
      const [, minutes = '0', seconds = '0', word] =
        /(?:(\d+) min ?)?(?:([\d.]+) s )?(left)/.exec(text) ?? [];
      const wrong = Math.abs(Number(minutes) * 60 + Number(seconds) - (end - at) / 1000);
      return word === undefined ? [] : [{ text, wrong }];
    }).flat();
  });
  expect(promises.length).toBeGreaterThan(50);
  return promises.filter(({ wrong }) => wrong > 3).map(({ text }) => text);
}

it('progress forecasts the remaining time, also during a large request', async () => {
  expect(await wrongPromises(createSlowService(), createTestFolder(), false)).toEqual([]);
});

it('progress after --resume forecasts the remaining time from the work of that run', async () => {
  const { server } = createService();
  const folder = createTestFolder();
  const gone = createSlowService({ server, requests: 4 });
  await expect(wrongPromises(gone, folder, false)).rejects.toThrow('gone');
  expect(await wrongPromises(createSlowService({ server }), folder, true)).toEqual([]);
});
