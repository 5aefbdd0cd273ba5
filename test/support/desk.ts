/** A folder beside a reference server on a port, and the program in it, called as one would type it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ReferenceServerOptions } from '../../src/server/index.ts';
import { createTestFolder } from './folder.ts';
import { type Instance, startInstance } from './instance.ts';
import { type ProcessOptions, type ProcessResult, runProcess } from './process.ts';
import { type Ran, runProgram, type RunOptions } from './program.ts';
import { bodyOf, sampleUser } from './users-run.ts';

export interface Desk extends Instance {
  readonly cwd: string;
  /** A text as it is, other values as JSON. */
  write(file: string, content: unknown): void;
  read(file: string): string;
  /** A body for users with these names, or with these entries; `more` are other lists of their organization. */
  writeBody(file: string, users: readonly (string | object)[], more?: Record<string, unknown>): void;
  /** The words of `line`; the environment leads to the server, as the instance owner. */
  run(line: string, options?: Partial<RunOptions>): Promise<Ran>;
  /** The same in a process of its own. */
  runProcess(line: string, options?: Partial<ProcessOptions>): Promise<ProcessResult>;
  /** Sorted names of the users of the server, without service accounts. */
  humans(): string[];
}

export async function openDesk(options?: ReferenceServerOptions): Promise<Desk> {
  const cwd = createTestFolder();
  const instance = await startInstance(createTestFolder(), 'owner', options);
  onTestFinished(() => instance.close());
  const { server, url } = instance;
  const owner = { IDPORT_URL: url, IDPORT_TOKEN: server.tokens.iamOwner };
  const write = (file: string, content: unknown): void =>
    writeFileSync(join(cwd, file), typeof content === 'string' ? content : JSON.stringify(content));
  return {
    ...instance,
    cwd,
    write,
    read: (file) => readFileSync(join(cwd, file), 'utf8'),
    writeBody: (file, users, more) =>
      write(
        file,
        bodyOf(
          server.orgId,
          users.map((user) => (typeof user === 'string' ? sampleUser(user) : user)),
          more,
        ),
      ),
    run: (line, { env, ...more } = {}) =>
      runProgram(line.split(' '), { cwd, env: { ...owner, ...env }, ...more }),
    runProcess: (line, { env, ...more } = {}) =>
      runProcess(line.split(' '), { cwd, env: { ...owner, ...env }, ...more }),
    humans: () =>
      Array.from(server.state.store.users.values())
        .flatMap(({ kind, userName }) => (kind === 'human' ? [userName] : []))
        .toSorted(),
  };
}

/** The texts of the notices of a run, of one code or of any, in lines. */
export const noticesOf = ({ events }: Ran, code?: string): string =>
  events
    .flatMap((event) =>
      event.type === 'notice' && (code === undefined || event.code === code) ? [event.text] : [],
    )
    .join('\n');
