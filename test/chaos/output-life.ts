/** Verbs that have no journal, killed again and again: what they write is there whole or not at all, and the next run makes it. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Draw } from '../support/draw.ts';
import { keycloakUser, realmOf } from '../support/conversion.ts';
import type { Instance } from '../support/instance.ts';
import { endAt } from '../support/process.ts';
import { clearFaults, setFaults } from './faults.ts';
import { play, type Scene } from './scene.ts';
import { userNames } from '../support/users-run.ts';
import { bodyFor, checkUsers } from './users.ts';

interface OutputLife extends Omit<Scene, 'instance'> {
  readonly users: number;
  /** With the users where a verb reads them there. */
  readonly source: Instance;
  readonly target: Instance;
}

interface OutputVerb {
  readonly outputs: readonly string[];
  /** Makes what the verb reads. */
  readonly prepare: (life: OutputLife) => Promise<unknown>;
  /** `left` are the outputs that are not there yet. */
  readonly argv: (life: OutputLife, left: readonly string[]) => readonly string[];
  /** Looks at what the last run has made. */
  readonly check: (life: OutputLife) => unknown;
}

const seed = ({ source, users }: OutputLife) => source.server.seed(JSON.parse(bodyFor(users)));
const put = ({ path }: OutputLife, name: string, text: string) => writeFileSync(path(name), text);
const read = ({ path }: OutputLife, name: string) => readFileSync(path(name), 'utf8');
const shards = ['1/2', '2/2'];

export const outputVerbs: Readonly<Record<string, OutputVerb>> = {
  export: {
    outputs: ['export.json'],
    prepare: seed,
    argv: ({ source }) => [
      'export',
      ...source.flags,
      '--org=100',
      '--with-passwords',
      '--output=export.json',
    ],
    async check(life) {
      const exported: unknown = JSON.parse(read(life, 'export.json'));
      await life.target.server.seed({ dataOrgs: exported, timeout: '10m' });
      checkUsers(life.target.server, life.users, life.troubles);
    },
  },
  migrate: {
    outputs: ['importBody.json', 'report.json'],
    prepare: async (life) =>
      put(
        life,
        'realm.json',
        JSON.stringify(realmOf(...userNames(life.users).map((name) => keycloakUser(name)))),
      ),
    argv: () => ['migrate', 'keycloak', '--org=100', '--realm=realm.json', '--report=report.json'],
    check(life) {
      const { summary } = JSON.parse(read(life, 'report.json')) as { summary: { read: number } };
      life.troubles.same('users in the report', summary.read, life.users);
    },
  },
  verify: {
    outputs: ['report.json'],
    async prepare(life) {
      await seed(life);
      put(life, 'body.json', bodyFor(life.users));
    },
    argv: ({ source }) => ['verify', 'body.json', ...source.flags, '--report=report.json'],
    check: (life) => JSON.parse(read(life, 'report.json')) as unknown,
  },
  merge: {
    outputs: ['body.json.users.journal', 'body.json.ids.csv', 'report.json'],
    async prepare(life) {
      put(life, 'body.json', bodyFor(life.users));
      const argv = ['import-users', 'body.json', '--org=100', ...life.target.flags, '--report=report.json'];
      for (const shard of shards) await life.run([...argv, `--shard=${shard}`]);
    },
    // A journal that is there is never replaced.
    argv: (_, left) => ['merge', ...left],
    check(life) {
      const ids = checkUsers(life.target.server, life.users, life.troubles);
      const rows = read(life, 'body.json.ids.csv').trim().split('\n').slice(1);
      life.troubles.same('rows of the joined id map', rows.toSorted(), ids.toSorted());
    },
  },
  'actions apply': {
    outputs: [],
    prepare: async (life) => put(life, 'actions.json', actionsFile),
    argv: ({ target }) => ['actions', 'apply', 'actions.json', '--yes', ...target.flags],
    async check(life) {
      const names = [...life.target.server.state.store.targets.values()].map(({ name }) => name);
      life.troubles.same('targets', names.toSorted(), targetNames);
      const again = await life.run(['actions', 'apply', 'actions.json', ...life.target.flags]);
      life.troubles.same('the exit code where nothing is left to change', again.exitCode, 0);
    },
  },
};

const targetNames = Array.from({ length: 8 }, (_, at) => `target-${at}`);
const actionsFile = JSON.stringify({
  targets: targetNames.map((name) => ({ name, endpoint: 'https://example.com/hook' })),
  executions: [{ condition: { event: { all: true } }, targets: targetNames }],
});

/** Returns what went wrong. */
export function liveOutput(verb: string, kills: number, draw: Draw) {
  const { outputs, prepare, argv, check } = outputVerbs[verb]!;
  return play(async ({ instance: target, ...scene }) => {
    const { cwd, path, troubles, run } = scene;
    const source = await scene.start('source', { orgId: '100' });
    const life: OutputLife = { ...scene, users: 60 + draw.below(200), source, target };
    const left = () => outputs.filter((name) => !existsSync(path(name)));
    await prepare(life);
    const inputs = readdirSync(cwd);
    for (let number = 0; number < kills; number++) {
      for (const instance of [source, target]) await setFaults(instance, draw);
      await run(argv(life, left()), { meanwhile: endAt({ signal: 'SIGKILL', after: draw.below(900) }) });
      for (const name of outputs.filter((one) => !left().includes(one))) checkWhole(read(life, name), name);
      if (verb === 'merge' && left().length === 0) break;
    }
    for (const instance of [source, target]) await clearFaults(instance);
    if (verb !== 'merge' || left().length > 0) {
      const { exitCode, stderr } = await run(argv(life, left()));
      troubles.expect(exitCode === 0, `the last run ended with ${exitCode}: ${stderr.slice(-600)}`);
    }
    troubles.same('the files', readdirSync(cwd).toSorted(), [...inputs, ...outputs].toSorted());
    if (troubles.list.length === 0) await check(life);
  });
}

function checkWhole(text: string, name: string) {
  if (extname(name) === '.json') JSON.parse(text);
  else if (!text.endsWith('\n')) throw new Error(`${name} does not end with a whole line`);
}
