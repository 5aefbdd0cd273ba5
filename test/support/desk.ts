/** A folder, alone or beside a reference server on a port, and the program in it, called as one would type it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { ExitCode } from '../../src/errors.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import type { ReferenceServerOptions } from '../../src/server/index.ts';
import { parseCommand } from './tree.ts';
import { createTestContext, type TestContext } from './context.ts';
import { textsOf } from './events.ts';
import { createTestFolder } from './folder.ts';
import { type Instance, startInstance } from './instance.ts';
import { type ProcessOptions, type ProcessResult, runProcess } from './process.ts';
import { type Ran, runProgram, type RunOptions } from './program.ts';
import { bodyOf } from './users-run.ts';

export interface Folder {
  readonly cwd: string;
  /** Texts and bytes as they are, other values as JSON. */
  readonly write: (file: string, content: unknown) => void;
  readonly read: (file: string) => string;
  readonly json: (file: string) => any;
  /** The words of `line`, or words that may have blanks in them. */
  readonly run: (line: string | readonly string[], options?: Partial<RunOptions>) => Promise<Ran>;
}

/** On a desk, the environment leads to the server, as the instance owner. */
export interface Desk extends Instance, Folder {
  /** Where the environment names no service. */
  readonly runAlone: Folder['run'];
  /** A body for users with these names, or with these entries; `more` are other lists of their organization. */
  readonly writeBody: (
    file: string,
    users: readonly (string | object)[],
    more?: Record<string, unknown>,
  ) => void;
  /** `run` in a process of its own. */
  readonly runProcess: (line: string, options?: Partial<ProcessOptions>) => Promise<ProcessResult>;
  /** Starts a command that says where it listens; it throws what ends it before. */
  readonly start: (line: string, clock?: Clock) => Promise<Started>;
  /** One call of the service as the instance owner: `call('POST /v2/users', {})`. */
  readonly call: (route: string, body?: unknown) => Promise<{ readonly status: number; readonly body: any }>;
  /** Sorted names of the users of the server, without service accounts. */
  readonly humans: () => string[];
}

export interface Started extends TestContext {
  readonly url: string;
  readonly ended: Promise<ExitCode>;
  /** Ctrl-C; resolves to the exit code. The test does it at its end as well. */
  readonly stop: () => Promise<ExitCode>;
}

export function openFolder(cwd: string = createTestFolder()): Folder {
  const read = (file: string) => readFileSync(join(cwd, file), 'utf8');
  return {
    cwd,
    write(file, content) {
      const isText = typeof content === 'string' || content instanceof Uint8Array;
      mkdirSync(dirname(join(cwd, file)), { recursive: true });
      writeFileSync(join(cwd, file), isText ? content : JSON.stringify(content));
    },
    read,
    json: (file) => JSON.parse(read(file)),
    run: (line, options) => runProgram(wordsOf(line), { cwd, ...options }),
  };
}

const wordsOf = (line: string | readonly string[]) =>
  typeof line === 'string' ? line.split(' ').filter(Boolean) : line;

export async function openDesk(options?: ReferenceServerOptions): Promise<Desk> {
  const folder = openFolder();
  const { cwd, write } = folder;
  const instance = await startInstance(createTestFolder(), 'owner', options);
  onTestFinished(() => instance.close());
  const { server, url } = instance;
  const owner = { IDPORT_URL: url, IDPORT_TOKEN: server.tokens.iamOwner };
  return {
    ...instance,
    ...folder,
    runAlone: folder.run,
    writeBody: (file, users, more) => write(file, bodyOf(server.orgId, users, more)),
    run: (line, { env, ...more } = {}) => folder.run(line, { env: { ...owner, ...env }, ...more }),
    runProcess: (line, { env, ...more } = {}) =>
      runProcess(wordsOf(line), { cwd, env: { ...owner, ...env }, ...more }),
    start: (line, clock) =>
      startCommand(line, { cwd, env: owner, ...(clock === undefined ? {} : { clock }) }),
    async call(route, body) {
      const [method = '', path = ''] = route.split(' ');
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${server.tokens.iamOwner}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: await answer.json() };
    },
    humans: () =>
      Array.from(server.state.store.users.values())
        .flatMap(({ kind, userName }) => (kind === 'human' ? [userName] : []))
        .toSorted(),
  };
}

/** Starts a command that says where it listens; it throws what ends it before. */
export async function startCommand(
  line: string,
  { clock = systemClock, ...options }: { cwd: string; env?: Record<string, string>; clock?: Clock },
): Promise<Started> {
  const test = createTestContext({ clock, ...options });
  const { action, options: flags } = await parseCommand(wordsOf(line));
  const ended = action(flags, test.context);
  const [, url = ''] = await Promise.race([
    test.outputMatching(/(?:"url":"|IDPORT_URL=)([^" ]+).*\n/),
    ended.then((code) => {
      throw new Error(`it ended with ${code}`);
    }),
  ]);
  const stop = () => {
    test.interrupt();
    return ended;
  };
  onTestFinished(async () => void (await stop()));
  return { ...test, url, ended, stop };
}

/** The texts of the notices of a run, of one code or of any, in lines. */
export const noticesOf = (ran: Ran, code?: string) => textsOf(ran, code).join('\n');

/** The result of a run that has to end with 0; where it does not, the test fails with its problem. */
export async function succeeded<Result extends { readonly exitCode: unknown; readonly problem?: unknown }>(
  running: Promise<Result>,
): Promise<Result> {
  const ran = await running;
  expect([ran.exitCode, ran.problem]).toEqual([0, undefined]);
  return ran;
}
