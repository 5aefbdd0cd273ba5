/** `import-users` as a process of its own, killed at random points and gone on with: every user is there once. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadJournal } from '../../src/journal/load.ts';
import { State } from '../../src/journal/states.ts';
import { createReferenceServer, type InspectableServer } from '../../src/server/index.ts';
import type { Listening } from '../../src/server/options.ts';
import { createTestFolder } from '../support/folder.ts';
import { endAt } from '../support/kill-runs.ts';
import { runProcess } from '../support/process.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { bodyOf, sampleUser } from '../support/users-run.ts';

/** IDPORT_KILLS=100 makes a long run of it, IDPORT_SEED another one. */
const kills = Number(process.env['IDPORT_KILLS'] ?? 4);
const random = seededRandom(Number(process.env['IDPORT_SEED'] ?? 7));
const below = (most: number): number => Math.floor(random() * most);
const count = 240;
const names = Array.from({ length: count }, (_, at) => `user-${at}`);

let server: InspectableServer;
let listening: Listening;
beforeAll(async () => {
  server = createReferenceServer({ profile: 'all-verifiers', rate: null });
  listening = await server.listen();
});
afterAll(() => server.close());

/** Every third user is disabled, Every second user has metadata: further calls for them follow. */
function writeBody(folder: string): void {
  const sampleUsers = names.map((name, at) =>
    sampleUser(name, {}, at % 3 === 0 ? { state: 'USER_STATE_INACTIVE' } : {}),
  );
  const userMetadata = names
    .filter((_, at) => at % 2 === 0)
    .map((name) => ({ id: `old-${name}`, key: 'k', value: 'dg==' }));
  writeFileSync(join(folder, 'body.json'), bodyOf(server.orgId, sampleUsers, { userMetadata }));
}

/** One import, killed up to `most` times; how often it was. */
async function live(most: number): Promise<number> {
  await server.reset();
  const folder = createTestFolder();
  writeBody(folder);
  const journal = join(folder, 'body.json.users.journal');
  const env = { IDPORT_TOKEN: server.tokens.iamOwner };
  const argv = ['import-users', 'body.json', `--org=${server.orgId}`, `--url=${listening.url}`, '--json'];
  const size = (): number => statSync(journal, { throwIfNoEntry: false })?.size ?? 0;
  const flags = (): string[] => [
    `--concurrency=${1 + below(8)}`,
    '--rate=400/s',
    ...(size() > 0 ? ['--resume'] : []),
  ];
  let killed = 0;
  while (killed < most) {
    const moment = { file: journal, bytes: size() + below(20_000), after: below(10) };
    const { signal, exitCode } = await runProcess([...argv, ...flags()], {
      cwd: folder,
      env,
      meanwhile: endAt({ signal: 'SIGKILL', ...moment }),
    });
    // None where it was killed.
    expect(exitCode ?? 0).toBe(0);
    if (signal === null) break;
    killed += 1;
  }
  const { exitCode, stderr } = await runProcess([...argv, ...flags()], { cwd: folder, env });
  expect([exitCode, stderr.includes('"problem"')]).toEqual([0, false]);

  const there = [...server.state.store.users.values()].filter(({ kind }) => kind === 'human');
  expect(there.map(({ userName }) => userName).toSorted()).toEqual(names.toSorted());
  for (const { userName, status, more } of there) {
    const at = Number(userName.slice('user-'.length));
    const metadata = Object.keys(more?.metadata ?? {});
    expect([userName, status, metadata]).toEqual([
      userName,
      at % 3 === 0 ? 'inactive' : 'active',
      at % 2 === 0 ? ['k'] : [],
    ]);
  }
  const rows = readFileSync(join(folder, 'body.json.ids.csv'), 'utf8').trim().split('\n').slice(1);
  expect(rows.toSorted()).toEqual(
    there.map(({ id, userName }) => `old-${userName},${id},created`).toSorted(),
  );
  const { states, open, finished } = await loadJournal(journal);
  expect([states.count(State.created, 0, count), open, finished]).toEqual([count, [], true]);
  return killed;
}

it(
  `killed ${kills} times and gone on with, an import brings every user over once`,
  async () => {
    let killed = 0;
    while (killed < kills) killed += await live(Math.min(kills - killed, 3 + below(6)));
    expect(killed).toBe(kills);
  },
  120_000 + kills * 20_000,
);
