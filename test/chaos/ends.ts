/** The table of other ends than a kill: full disks, folders that cannot be written, closed outputs. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bodyFor, checkUsers } from './users.ts';
import { keycloakUser, realmOf } from '../support/conversion.ts';
import { play, type Scene as BareScene } from './scene.ts';
import { canMount, createSmallDisk, type SmallDisk } from './small-disk.ts';

export interface End {
  readonly name: string;
  /** Resolves to what is not as it must be. */
  readonly run: () => Promise<readonly string[]>;
}

const usersInScene = 300;
const inputs = ['target.token', 'realm.json', 'body.json'];

interface Scene extends BareScene {
  /** Names in the folder beside what was there at the start. */
  readonly made: () => string[];
}

/** With a realm and a body. Half of the realm's users are written, half are rejected: every output is longer than a small disk. */
const playEnd = (act: (scene: Scene) => Promise<void>) => () =>
  play(async (scene) => {
    const users = Array.from({ length: 3000 }, (_, at) =>
      keycloakUser(`user-${at}`, at % 2 === 0 ? {} : { email: at }),
    );
    writeFileSync(scene.path('realm.json'), JSON.stringify(realmOf(...users)));
    writeFileSync(scene.path('body.json'), bodyFor(usersInScene));
    const made = () => readdirSync(scene.cwd).filter((name) => !inputs.includes(name));
    await act({ ...scene, made });
  });

const migrate = ['migrate', 'keycloak', '--org=1', '--realm=realm.json', '--quiet'];
const verbs = ['import', 'import-users'];
type Verb = (typeof verbs)[number];

function importing(verb: Verb, { instance }: Scene) {
  const own = verb === 'import' ? ['--chunk-users=5'] : ['--org=100', '--concurrency=2'];
  return [verb, 'body.json', ...instance.flags, ...own];
}

async function resume({ run, troubles, instance }: Scene, command: readonly string[]) {
  const again = await run([...command, '--resume']);
  troubles.same('exit code afterwards', [again.exitCode, again.stderr.includes('rror')], [0, false]);
  checkUsers(instance.server, usersInScene, troubles);
}

/** Each output of a conversion alone in a place that is too small for it: only the report of the stopped run may be left. */
const conversions: readonly (readonly [what: string, flags: readonly string[]])[] = [
  ['the body', ['--output=small/body.json', '--report=report.json', '--rejects=rejects.ndjson']],
  ['the report', ['--output=body.out', '--report=small/report.json', '--rejects=rejects.ndjson']],
  ['the rejects file', ['--output=body.out', '--rejects=small/rejects.ndjson', '--report=report.json']],
];

const onSmallDisk = (act: (scene: Scene, disk: SmallDisk) => Promise<void>) =>
  playEnd(async (scene) => {
    const disk = createSmallDisk(scene.path('small'));
    try {
      await act(scene, disk);
    } finally {
      disk.close();
    }
  });

const fullDisks = conversions.map(([what, flags]): End => ({
  name: `a full disk under ${what} of a conversion`,
  run: onSmallDisk(async ({ run, troubles, made, cwd }) => {
    const { exitCode, stderr } = await run([...migrate, ...flags]);
    troubles.same('exit code', exitCode, 1);
    troubles.says(stderr, 'the disk is full');
    // The short report of a run that stopped has room where the whole one has not.
    const isBeside = flags.includes('--report=report.json');
    const left = isBeside ? [['report.json', 'small'], []] : [['small'], ['report.json']];
    troubles.same('what is left', [made(), readdirSync(join(cwd, 'small'))], left);
  }),
}));

const fullJournals = verbs.map((verb): End => ({
  name: `a full disk under the journal of ${verb}`,
  run: onSmallDisk(async (scene, disk) => {
    const { run, troubles } = scene;
    const command = [...importing(verb, scene), '--journal=small/x.journal', '--id-map=ids.csv'];
    await scene.shell('head -c 56k /dev/zero > small/filler');
    const { exitCode, stderr } = await run(command);
    troubles.same('exit code', exitCode, 1);
    troubles.says(stderr, 'the journal cannot be written: the disk is full');
    troubles.says(stderr, '--resume');
    disk.grow();
    await resume(scene, command);
  }),
}));

/** The same for those who cannot mount a disk: no file of the process may be longer than 64 KiB. */
const limited: readonly End[] = [
  {
    name: 'a limit on the size of files under the outputs of a conversion',
    run: playEnd(async ({ shell, troubles, made }) => {
      const { exitCode, stderr } = await shell(`ulimit -f 64; ${words('--rejects=rejects.ndjson')}`);
      troubles.same('exit code', exitCode, 1);
      troubles.says(stderr, 'cannot hold a file of this size');
      troubles.same('what is left', made(), []);
    }),
  },
  ...verbs.map((verb): End => ({
    name: `a limit on the size of files under the journal of ${verb}`,
    run: playEnd(async (scene) => {
      const { shell, troubles } = scene;
      const command = importing(verb, scene);
      const { exitCode, stderr } = await shell(`ulimit -f 8; $idport ${command.join(' ')}`);
      troubles.same('exit code', exitCode, 1);
      troubles.says(stderr, 'the journal cannot be written: the file system cannot hold a file of this size');
      troubles.says(stderr, '--resume');
      await resume(scene, command);
    }),
  })),
];

const readOnly: readonly End[] = [
  {
    name: 'a folder that cannot be written, for a conversion',
    run: onSmallDisk(async ({ run, troubles, made }, disk) => {
      disk.lock();
      const { exitCode, stderr } = await run([...migrate, '--output=small/body.json']);
      troubles.same('exit code', exitCode, 1);
      troubles.says(stderr, 'read-only');
      troubles.same('what is left', made(), ['small']);
    }),
  },
  ...verbs.map((verb): End => ({
    name: `a folder that cannot be written, for the journal of ${verb}`,
    run: onSmallDisk(async (scene, disk) => {
      disk.lock();
      const { exitCode, stderr } = await scene.run([...importing(verb, scene), '--journal=small/x.journal']);
      scene.troubles.same('exit code', exitCode, 1);
      scene.troubles.says(stderr, 'the journal cannot be written: the file system is read-only');
      checkUsers(scene.instance.server, 0, scene.troubles);
    }),
  })),
];

/** What a shell can do to the three streams of a process; the body goes to a file or to standard output. */
const closings: readonly (readonly [
  what: string,
  line: string,
  exitCode: number,
  made: readonly string[],
])[] = [
  ['a reader of the body that has had enough', `${words('--output=-')} | head -c 100 > /dev/null`, 1, []],
  ['a reader of the body that was never there', `${words('--output=-')} | true`, 1, []],
  [
    'a reader of the messages that was never there',
    `$idport migrate keycloak --org=1 --realm=realm.json 2> >(true)`,
    3,
    ['importBody.json'],
  ],
  ['no standard output', `${words('')} >&-`, 3, ['importBody.json']],
  ['no standard error', `$idport migrate keycloak --org=1 --realm=realm.json 2>&-`, 3, ['importBody.json']],
  ['no standard input', `${words('')} <&-`, 3, ['importBody.json']],
  [
    'none of the three',
    `$idport migrate keycloak --org=1 --realm=realm.json --json <&- >&- 2>&-`,
    3,
    ['importBody.json'],
  ],
];

function words(more: string) {
  return `$idport ${migrate.join(' ')} ${more}`;
}

const closed = closings.map(([what, line, code, files]): End => ({
  name: what,
  run: playEnd(async ({ shell, troubles, made, cwd }) => {
    const { exitCode } = await shell(line);
    troubles.same('exit code', exitCode, code);
    troubles.same('what is there', made(), files);
    for (const file of files) JSON.parse(readFileSync(join(cwd, file), 'utf8'));
  }),
}));

/** Cases that need a file system of their own are skipped, visibly, where mounting is not permitted. */
export const ends: readonly End[] = [
  ...(canMount ? [...fullDisks, ...fullJournals, ...readOnly] : []),
  ...limited,
  ...closed,
];
export const leftOut = canMount ? [] : [...fullDisks, ...fullJournals, ...readOnly].map(({ name }) => name);
