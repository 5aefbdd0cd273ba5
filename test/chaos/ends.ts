/** The table of other ends than a kill: full disks, folders that cannot be written, closed outputs. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { bodyFor, checkUsers } from './users.ts';
import { keycloakUser, realmOf } from '../support/conversion.ts';
import type { ProcessResult } from '../support/process.ts';
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

function importing(verb: string, { instance }: Scene) {
  const own = verb === 'import' ? ['--chunk-users=5'] : ['--org=100', '--concurrency=2'];
  return [verb, 'body.json', ...instance.flags, ...own];
}

/** It ended with 1, and says all of this. */
function checkRefusal({ troubles }: Scene, { exitCode, stderr }: ProcessResult, ...says: readonly string[]) {
  troubles.same('exit code', exitCode, 1);
  for (const text of says) troubles.says(stderr, text);
}

async function resume({ run, troubles, instance }: Scene, command: readonly string[]) {
  const again = await run([...command, '--resume']);
  troubles.same('exit code afterwards', [again.exitCode, again.stderr.includes('rror')], [0, false]);
  checkUsers(instance.server, usersInScene, troubles);
}

const outputs = ['--output=body.out', '--report=report.json', '--rejects=rejects.ndjson'];

const onSmallDisk = (act: (scene: Scene, disk: SmallDisk) => Promise<void>) =>
  playEnd(async (scene) => {
    const disk = createSmallDisk(scene.path('small'));
    try {
      await act(scene, disk);
    } finally {
      disk.close();
    }
  });

/** On a file system of their own. */
const mounted: readonly End[] = [
  // Each output alone in a place that is too small for it: only the report of the stopped run may be left.
  ...outputs.map((output) => ({
    name: `a full disk under ${output} of a conversion`,
    run: onSmallDisk(async (scene) => {
      const flags = outputs.map((flag) => (flag === output ? flag.replace('=', '=small/') : flag));
      checkRefusal(scene, await scene.run([...migrate, ...flags]), 'the disk is full');
      // The short report of a run that stopped has room where the whole one has not.
      const isBeside = flags.includes('--report=report.json');
      const left = isBeside ? [['report.json', 'small'], []] : [['small'], ['report.json']];
      scene.troubles.same('what is left', [scene.made(), readdirSync(scene.path('small'))], left);
    }),
  })),
  {
    name: 'a folder that cannot be written, for a conversion',
    run: onSmallDisk(async (scene, disk) => {
      disk.lock();
      checkRefusal(scene, await scene.run([...migrate, '--output=small/body.json']), 'read-only');
      scene.troubles.same('what is left', scene.made(), ['small']);
    }),
  },
  ...verbs.flatMap((verb) => [
    {
      name: `a full disk under the journal of ${verb}`,
      run: onSmallDisk(async (scene, disk) => {
        const command = [...importing(verb, scene), '--journal=small/x.journal', '--id-map=ids.csv'];
        await scene.shell('head -c 56k /dev/zero > small/filler');
        const says = ['the journal cannot be written: the disk is full', '--resume'];
        checkRefusal(scene, await scene.run(command), ...says);
        disk.grow();
        await resume(scene, command);
      }),
    },
    {
      name: `a folder that cannot be written, for the journal of ${verb}`,
      run: onSmallDisk(async (scene, disk) => {
        disk.lock();
        const ended = await scene.run([...importing(verb, scene), '--journal=small/x.journal']);
        checkRefusal(scene, ended, 'the journal cannot be written: the file system is read-only');
        checkUsers(scene.instance.server, 0, scene.troubles);
      }),
    },
  ]),
];

/** The same for those who cannot mount a disk: no file of the process may be longer than 64 KiB. */
const limited: readonly End[] = [
  {
    name: 'a limit on the size of files under the outputs of a conversion',
    run: playEnd(async (scene) => {
      const ended = await scene.shell(`ulimit -f 64; ${words('--rejects=rejects.ndjson')}`);
      checkRefusal(scene, ended, 'cannot hold a file of this size');
      scene.troubles.same('what is left', scene.made(), []);
    }),
  },
  ...verbs.map((verb) => ({
    name: `a limit on the size of files under the journal of ${verb}`,
    run: playEnd(async (scene) => {
      const command = importing(verb, scene);
      const ended = await scene.shell(`ulimit -f 8; $idport ${command.join(' ')}`);
      const why = 'the journal cannot be written: the file system cannot hold a file of this size';
      checkRefusal(scene, ended, why, '--resume');
      await resume(scene, command);
    }),
  })),
];

const aloud = '$idport migrate keycloak --org=1 --realm=realm.json';

/** What a shell can do to the three streams of a process; with code 3 the body is in a file, with 1 it went to standard output. */
const closings: readonly (readonly [what: string, line: string, exitCode: number])[] = [
  ['a reader of the body that has had enough', `${words('--output=-')} | head -c 100 > /dev/null`, 1],
  ['a reader of the body that was never there', `${words('--output=-')} | true`, 1],
  ['a reader of the messages that was never there', `${aloud} 2> >(true)`, 3],
  ['no standard output', `${words('')} >&-`, 3],
  ['no standard error', `${aloud} 2>&-`, 3],
  ['no standard input', `${words('')} <&-`, 3],
  ['none of the three', `${aloud} --json <&- >&- 2>&-`, 3],
];

function words(more: string) {
  return `$idport ${migrate.join(' ')} ${more}`;
}

const closed = closings.map(([name, line, code]) => ({
  name,
  run: playEnd(async ({ shell, troubles, made, path }) => {
    const { exitCode } = await shell(line);
    troubles.same('exit code', exitCode, code);
    const files = code === 3 ? ['importBody.json'] : [];
    troubles.same('what is there', made(), files);
    for (const file of files) JSON.parse(readFileSync(path(file), 'utf8'));
  }),
}));

/** Cases that need a file system of their own are skipped, visibly, where mounting is not permitted. */
export const ends: readonly End[] = [...(canMount ? mounted : []), ...limited, ...closed];
export const leftOut = canMount ? [] : mounted.map(({ name }) => name);
