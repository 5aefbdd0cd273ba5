/** Verbs that have no journal, killed again and again: what they write is there whole or not at all, and the next run makes it. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Draw } from '../support/draw.ts';
import { keycloakUser, realmOf } from '../support/conversion.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { endAt, type ProcessResult, runProcess } from '../support/process.ts';
import { clearFaults, setFaults } from './faults.ts';
import { createLifeFolder, Troubles } from './trouble.ts';
import { userNames } from '../support/users-run.ts';
import { bodyFor, checkUsers, passwordHash } from './users.ts';

interface OutputLife {
  readonly cwd: string;
  readonly users: number;
  /** With the users where a verb reads them there. */
  readonly source: Instance;
  readonly target: Instance;
  readonly troubles: Troubles;
  run(argv: readonly string[], after?: number): Promise<ProcessResult>;
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
const put = ({ cwd }: OutputLife, name: string, text: string) => writeFileSync(join(cwd, name), text);
const read = ({ cwd }: OutputLife, name: string) => readFileSync(join(cwd, name), 'utf8');
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
export async function liveOutput(verb: string, kills: number, draw: Draw): Promise<readonly string[]> {
  const { outputs, prepare, argv, check } = outputVerbs[verb]!;
  const cwd = createLifeFolder();
  const troubles = new Troubles();
  const source = await startInstance(cwd, 'source', { orgId: '100' });
  const target = await startInstance(cwd, 'target', { orgId: '100' });
  const secrets = [passwordHash, source.server.tokens.iamOwner, target.server.tokens.iamOwner];
  const life: OutputLife = {
    cwd,
    users: 60 + draw.below(200),
    source,
    target,
    troubles,
    async run(words, after) {
      const kill = after === undefined ? {} : { meanwhile: endAt({ signal: 'SIGKILL', after }) };
      const result = await runProcess(words, { cwd, ...kill });
      troubles.readable('what it says', result.stderr, secrets);
      return result;
    },
  };
  const left = () => outputs.filter((name) => !existsSync(join(cwd, name)));
  try {
    await prepare(life);
    const inputs = readdirSync(cwd);
    for (let number = 0; number < kills; number++) {
      for (const instance of [source, target]) await setFaults(instance, draw);
      await life.run(argv(life, left()), draw.below(900));
      for (const name of outputs.filter((one) => !left().includes(one))) checkWhole(read(life, name), name);
      if (verb === 'merge' && left().length === 0) break;
    }
    for (const instance of [source, target]) await clearFaults(instance);
    if (verb !== 'merge' || left().length > 0) {
      const { exitCode, stderr } = await life.run(argv(life, left()));
      troubles.expect(exitCode === 0, `the last run ended with ${exitCode}: ${stderr.slice(-600)}`);
    }
    troubles.same('the files', readdirSync(cwd).toSorted(), [...inputs, ...outputs].toSorted());
    if (troubles.list.length === 0) await check(life);
  } catch (error) {
    troubles.list.push(`it broke off: ${(error as Error).stack}`);
  } finally {
    await source.close();
    await target.close();
    troubles.tidy(cwd);
  }
  return troubles.list;
}

function checkWhole(text: string, name: string) {
  if (extname(name) === '.json') JSON.parse(text);
  else if (!text.endsWith('\n')) throw new Error(`${name} does not end with a whole line`);
}
