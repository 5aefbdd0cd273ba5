/** A folder with a realm and a body, and a server to import them to; both are removed at the end. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keycloakUser, realmOf } from '../support/conversion.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { root } from '../support/project.ts';
import { type ProcessOptions, type ProcessResult, runCommand, runProcess } from '../support/process.ts';
import { bodyFor, passwordHash } from './users.ts';
import { createLifeFolder, Troubles } from './trouble.ts';

export const usersInScene = 300;

export interface Scene {
  readonly cwd: string;
  readonly instance: Instance;
  readonly troubles: Troubles;
  /** Runs idport; its messages must hold no stack and no secret. */
  readonly run: (
    argv: readonly string[],
    options?: Pick<ProcessOptions, 'meanwhile'>,
  ) => Promise<ProcessResult>;
  /** A line of bash in which `$idport` is the program; the exit code is that of the first command of a pipe. */
  readonly shell: (line: string) => Promise<ProcessResult>;
  /** Names in the folder beside what was there at the start. */
  readonly made: () => string[];
}

const program = `${process.execPath} ${root}bin/idport.js`;

export async function play(act: (scene: Scene) => Promise<void>): Promise<readonly string[]> {
  const cwd = createLifeFolder();
  const troubles = new Troubles();
  const instance = await startInstance(cwd, 'target', { orgId: '100' });
  writeFileSync(join(cwd, 'realm.json'), realm());
  writeFileSync(join(cwd, 'body.json'), bodyFor(usersInScene));
  const before = new Set(readdirSync(cwd));
  const readable = (result: ProcessResult) => {
    troubles.readable('what it says', result.stderr, [passwordHash, instance.server.tokens.iamOwner]);
    return result;
  };
  try {
    await act({
      cwd,
      instance,
      troubles,
      run: async (argv, options) => readable(await runProcess(argv, { cwd, ...options })),
      shell: async (line) => readable(await runShell(line, cwd)),
      made: () => readdirSync(cwd).filter((name) => !before.has(name)),
    });
  } catch (error) {
    troubles.list.push(`the scene broke off: ${(error as Error).stack}`);
  } finally {
    await instance.close();
    troubles.tidy(cwd);
  }
  return troubles.list;
}

/** Half of the users are written, half are rejected, so that every output is longer than a small disk. */
function realm() {
  const users = Array.from({ length: 3000 }, (_, at) =>
    keycloakUser(`user-${at}`, at % 2 === 0 ? {} : { email: at }),
  );
  return JSON.stringify(realmOf(...users));
}

function runShell(line: string, cwd: string) {
  const script = `idport='${program}'\n${line}\nexit "\${PIPESTATUS[0]}"`;
  return runCommand('bash', ['-c', script], { cwd, stdin: '' });
}
