/** What both demos share: the export, the token, and how they run a command line. */
import { writeFileSync } from 'node:fs';
import { isAbsolute, join, relative } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ExitCode, IdportError } from '../errors.ts';
import type { EventOf, IdportEvent } from '../events.ts';
import { isExecutable, readOwnFile } from '../lib/own-files.ts';
import type { Tally } from '../records/tally.ts';
import type { CommandContext, ProcessContext } from './context.ts';

/** Runs a command line as if it were typed. */
export type RunVerb = (argv: readonly string[], context: ProcessContext) => Promise<ExitCode>;

/** The path of the export, which is part of the package: `dist/commands/` is as deep as this folder. */
export function findRealm(folder: string): string {
  const place = new URL('../../fixtures/keycloak/typical/realm.json', import.meta.url);
  if (!isExecutable) return fileURLToPath(place);
  const path = join(folder, 'realm.json');
  writeFileSync(path, readOwnFile(place));
  return path;
}

export const token = 'demo';

export interface DemoStage {
  readonly run: RunVerb;
  readonly context: CommandContext;
  /** Temporary; deleted at the end. */
  readonly folder: string;
  /** Of the reference server. */
  readonly url: string;
  /** The path of the export. */
  readonly realm: string;
}

interface StepRun {
  readonly events: readonly IdportEvent[];
  /** The lines of standard output. */
  readonly lines: readonly string[];
}

/** Shows the steps, the first of which starts the service, and runs those that are one command. */
export function createShow(stage: DemoStage, of: number) {
  const { run, url } = stage;
  const { emit } = stage.context;
  const quiet = quietContext(stage);
  let number = 0;
  const step = (title: string, ...commands: readonly string[]) =>
    emit({ type: 'demo:step', number: ++number, of, title, commands });
  step(
    'Start a service to migrate to',
    `IDPORT_SERVE_TOKEN=${token} idport serve --port=${new URL(url).port} --org=1`,
    `export IDPORT_URL=${url} IDPORT_TOKEN=${token}`,
  );
  return {
    step,
    result: (...lines: readonly string[]): void => emit({ type: 'demo:result', lines }),
    silently: (...argv: readonly string[]) => runStep(run, argv, quiet),
    /** `before`: commands to type first. */
    run(title: string, argv: readonly string[], before: readonly string[] = []) {
      step(title, ...before, shown(argv, stage));
      return runStep(run, argv, quiet);
    },
  };
}

/** The conversion of the export of Keycloak. */
export const migrateWords = ({ realm }: DemoStage): readonly string[] => [
  'migrate',
  'keycloak',
  '--org=1',
  `--realm=${realm}`,
  '--target-profile=hosted',
];

/** Throws unless the exit code is `done`. */
async function runStep(run: RunVerb, argv: readonly string[], context: QuietContext): Promise<StepRun> {
  const events: IdportEvent[] = [];
  let output = '';
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, done) {
      output += chunk.toString();
      done();
    },
  });
  const exitCode = await run(argv, { ...context, stdout, emit: (event) => events.push(event) });
  if (exitCode === ExitCode.done) return { events, lines: output.split('\n').filter((line) => line !== '') };
  throw new IdportError('demo:failed', `idport ${argv[0]} ended with exit code ${exitCode}`);
}

export function lastOf<Type extends IdportEvent['type']>({ events }: StepRun, type: Type): EventOf<Type> {
  const found = events.findLast((event): event is EventOf<Type> => event.type === type);
  if (found === undefined) throw new Error(`there is no event ${type}`);
  return found;
}

export function createdBy({ written, withNotes }: Pick<Tally, 'written' | 'withNotes'>): number {
  return written + withNotes;
}

type QuietContext = Omit<ProcessContext, 'stdout' | 'emit'>;

/** A context with the service and the folder of the demo, without variables and files of the user. */
export function quietContext({ context, folder: cwd, url }: DemoStage): QuietContext {
  const { clock, signal, stdin } = context;
  return { clock, signal, stdin, env: { IDPORT_URL: url, IDPORT_TOKEN: token }, cwd, interactive: false };
}

/** The command line with a short path of the realm. */
export function shown(argv: readonly string[], { context: { cwd }, realm }: DemoStage): string {
  const near = relative(cwd, realm);
  const path = near.startsWith('..') || isAbsolute(near) ? realm : near;
  return ['idport', ...argv].join(' ').replace(realm, path);
}
