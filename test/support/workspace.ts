/** A folder, alone or beside a reference server on a port, and the program in it, called as one would type it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import type { ReferenceServerOptions } from '../../src/server/index.ts';
import { createTestContext } from './context.ts';
import { createTestFolder } from './folder.ts';
import { startInstance } from './instance.ts';
import { type ProcessOptions, runProcess } from './process.ts';
import { bodyOf } from './users-run.ts';
import type { ChildProcess } from 'node:child_process';
import type { ProcessContext } from '../../src/commands/context.ts';
import type { Dialog } from '../../src/lib/dialog.ts';
import type { IdportEvent, EventOf } from '../../src/events.ts';
import { createProgram } from '../../src/cli/program.ts';
import { type Problem, toProblem } from '../../src/terminal/format-event.ts';
import { countRefusal, emptyTally, type Refusals, type Tally } from '../../src/records/tally.ts';
import type { Stamp } from '../../src/terminal/json.ts';

export type Folder = ReturnType<typeof openFolder>;
export type Workspace = Awaited<ReturnType<typeof openWorkspace>>;
export type Started = Awaited<ReturnType<typeof startCommand>>;

export function openFolder(cwd: string = createTestFolder()) {
  const read = (file: string) => readFileSync(join(cwd, file), 'utf8');
  return {
    cwd,
    /** Texts and bytes as they are, other values as JSON. */
    write: (file: string, content: unknown) => {
      const isText = typeof content === 'string' || content instanceof Uint8Array;
      mkdirSync(dirname(join(cwd, file)), { recursive: true });
      writeFileSync(join(cwd, file), isText ? content : JSON.stringify(content));
    },
    read,
    lines: (file: string) => linesOf(read(file)),
    json: (file: string) => JSON.parse(read(file)),
    has: (file: string) => existsSync(join(cwd, file)),
    modeOf: (file: string) => statSync(join(cwd, file)).mode & 0o777,
    /** A file, or a folder with what is in it. */
    remove: (file: string) => rmSync(join(cwd, file), { recursive: true }),
    /** Sorted names of what is in the folder, or in one below it. */
    list: (below = '') => readdirSync(join(cwd, below)).toSorted(),
    /** The words of `line`, or words that may have blanks in them. */
    run: (line: Line, options?: Partial<RunOptions>) => runProgram(wordsOf(line), { cwd, ...options }),
  };
}

type Line = string | readonly string[];
const wordsOf = (line: Line) => (typeof line === 'string' ? line.split(' ').filter(Boolean) : line);

/** The environment leads to the server, as the instance owner. */
export async function openWorkspace(options?: ReferenceServerOptions) {
  const folder = openFolder();
  const { cwd, write } = folder;
  const instance = await startInstance(createTestFolder(), 'owner', options);
  onTestFinished(() => instance.close());
  const { server, url } = instance;
  const owner = { IDPORT_URL: url, IDPORT_TOKEN: server.tokens.iamOwner };
  return {
    ...instance,
    ...folder,
    /** Where the environment names no service. */
    runAlone: folder.run,
    /** A body for users with these names, or with these entries; `more` are other lists of their organization. */
    writeBody: (file: string, users: readonly (string | object)[], more?: Record<string, unknown>) =>
      write(file, bodyOf(server.orgId, users, more)),
    run: (line: Line, { env, ...more }: Partial<RunOptions> = {}) =>
      folder.run(line, { env: { ...owner, ...env }, ...more }),
    /** `run` in a process of its own. */
    runProcess: (line: string, { env, ...more }: Partial<ProcessOptions> = {}) =>
      runProcess(wordsOf(line), { cwd, env: { ...owner, ...env }, ...more }),
    start: (line: string, clock?: Clock) =>
      startCommand(line, { cwd, env: owner, ...(clock !== undefined && { clock }) }),
    /** One call of the service as the instance owner: `call('POST /v2/users', {})`. */
    call: async (route: string, body?: unknown): Promise<{ readonly status: number; readonly body: any }> => {
      const [method = '', path = ''] = route.split(' ');
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${server.tokens.iamOwner}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: await answer.json() };
    },
    /** Sorted names of the users of the server, without service accounts. */
    humans: () =>
      Array.from(server.state.store.users.values())
        .flatMap(({ kind, userName }) => (kind === 'human' ? [userName] : []))
        .toSorted(),
  };
}

/** The calls that `actions listen --format json` has shown. */
export const callsIn = ({ out }: Started) => jsonLines(out()).filter(({ type }) => type === 'call');

/** Without the empty ones. */
export const linesOf = (text: string) => text.split('\n').filter(Boolean);

export const jsonLines = (text: string): any[] => linesOf(text).map((line) => JSON.parse(line));

/** Starts a command that says where it listens; it throws what ends it before. */
export async function startCommand(line: string, options: RunOptions) {
  const { ended: ran, ...test } = launch(wordsOf(line), options);
  const [, url = ''] = await Promise.race([
    test.when(
      () => /(?:"url":"|IDPORT_URL=)([^" ]+).*\n/.exec(test.out()) ?? listening.exec(noticesOf(test)),
    ),
    ran.then(({ exitCode, problem }) => {
      throw Object.assign(new Error(problem?.message ?? `it ended with ${exitCode}`), problem);
    }),
  ]);
  const ended = ran.then(({ exitCode }) => exitCode);
  const stop = () => {
    test.interrupt();
    return ended;
  };
  onTestFinished(async () => void (await stop()));
  return {
    ...test,
    url,
    ended,
    /** Ctrl-C; resolves to the exit code. The test does it at its end as well. */
    stop,
  };
}

const listening = /^Listening on (\S+)/m;

/** The texts of the notices of a run, of one code or of any, in lines. */
export const noticesOf = (ran: Told, code?: string) => textsOf(ran, code).join('\n');

/** The result of a run that has to end with 0; where it does not, the test fails with its problem. */
export async function succeeded<Result extends { readonly exitCode: unknown; readonly problem?: unknown }>(
  running: Promise<Result>,
) {
  const ran = await running;
  expect([ran.exitCode, ran.problem]).toEqual([0, undefined]);
  return ran;
}

export interface Ran {
  readonly exitCode: number;
  readonly events: readonly IdportEvent[];
  readonly problem: Problem | undefined;
  readonly stdout: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly stdin?: string | Uint8Array;
  readonly clock?: Clock;
  readonly env?: Readonly<Record<string, string>>;
  /** As a user at the terminal answers. */
  readonly askSecret?: (question: string) => Promise<string>;
  /** The questions that are asked. */
  readonly dialog?: Partial<Dialog>;
  /** For a command that runs until it is stopped: Ctrl-C after its first output, or its first notice. */
  readonly stopAtOutput?: boolean;
  /** In a separate process, as threads and workers of the program need it. */
  readonly ownProcess?: boolean;
}

/** Runs a verb as the command line would, without a process round it. */
export async function runProgram(argv: readonly string[], options: RunOptions): Promise<Ran> {
  const installed = process.env['IDPORT_PACKAGE'];
  // An installed program would need a terminal to ask.
  if (installed !== undefined && options.dialog === undefined)
    return runInProcess(join(installed, 'node_modules/idport/bin/idport.js'), argv, options);
  if (options.ownProcess === true) return runInProcess(process.env['IDPORT_TEST_PROGRAM']!, argv, options);
  const { ended, interrupt, when, ...test } = launch(argv, options);
  if (options.stopAtOutput === true)
    void when(() => test.out() !== '' || listening.test(noticesOf(test))).then(interrupt);
  return ended;
}

/** A verb at work as the command line would run it, without a process round it. */
function launch(argv: readonly string[], options: RunOptions) {
  const { cwd, env = {}, askSecret, dialog } = options;
  const test = createTestContext({ clock: systemClock, ...options });
  const context: ProcessContext = {
    ...test.context,
    askSecret,
    dialog: dialog && (() => Promise.resolve(dialog as Dialog)),
  };
  const run = async (): Promise<Ran> => {
    let exitCode = 0;
    let problem: Problem | undefined;
    const write = { out: (text: string) => void context.stdout.write(text), err: () => {} };
    try {
      const { load, options } = await createProgram('0.0.0', write, { cwd, env }).parse(argv);
      exitCode = await (await load())(options, context);
    } catch (error) {
      problem = toProblem(error);
      exitCode = problem.exitCode;
    }
    return { exitCode, events: test.events, problem, stdout: test.out() };
  };
  return { ...test, ended: run() };
}

/** The same in a process, with the program of an installed package where `scripts/smoke.js` names its folder. */
async function runInProcess(
  program: string,
  argv: readonly string[],
  { cwd, stdin = '', env = {}, stopAtOutput = false }: RunOptions,
): Promise<Ran> {
  const run = { program, cwd, stdin, env, ...(stopAtOutput && { meanwhile: interruptAtOutput }) };
  const { stdout, stderr, exitCode } = await runProcess(['--json', ...argv], run);
  const events = stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => decodeEvent(line).event);
  const problem = events.find((event) => event.type === 'problem');
  return { exitCode: exitCode ?? 130, stdout, events, problem };
}

function interruptAtOutput(child: ChildProcess) {
  let isStopped = false;
  // A second Ctrl-C would end it at once.
  const stop = () => {
    if (!isStopped) child.kill('SIGINT');
    isStopped = true;
  };
  child.stdout!.once('data', stop);
  child.stderr!.on('data', (block: Buffer) => {
    if (block.includes('"text":"Listening on ')) stop();
  });
}

/** A line of `--json`, whose counts are objects and whose refusals are a list. */
export function decodeEvent(line: string) {
  const { time, at, ...event } = JSON.parse(line) as IdportEvent & Stamp;
  return { stamp: { time, at }, event: event.type === 'run:end' ? withMaps(event) : event };
}

function withMaps({ tally: encoded, ...event }: EventOf<'run:end'>): EventOf<'run:end'> {
  const refusals: Refusals = new Map();
  for (const { count, ...refusal } of encoded.refusals.values()) countRefusal(refusals, refusal, count);
  const maps = Object.entries(emptyTally()).flatMap(([name, value]) =>
    value instanceof Map ? [[name, new Map(Object.entries(encoded[name as keyof Tally]))]] : [],
  );
  return { ...event, tally: { ...encoded, ...Object.fromEntries(maps), refusals } };
}

interface Told {
  readonly events: readonly IdportEvent[];
}

/** Of all notices, or those of one code. */
export const textsOf = ({ events }: Told, code?: string) =>
  events.flatMap((event) =>
    event.type === 'notice' && (code === undefined || event.code === code) ? [event.text] : [],
  );

export const codesOf = ({ events }: Told) =>
  events.flatMap((event) => (event.type === 'notice' ? [event.code] : []));

/** The last one of a type. Throws where there is none. */
export function eventOf<Type extends IdportEvent['type']>({ events }: Told, type: Type) {
  const found = events.findLast(
    (event): event is Extract<IdportEvent, { type: Type }> => event.type === type,
  );
  if (found === undefined) throw new Error(`no ${type} among ${JSON.stringify(events)}`);
  return found;
}
