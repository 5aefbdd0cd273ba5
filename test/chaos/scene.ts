/** A folder with a server to import to, and more servers where they are asked for; all are removed at the end. */
import { join } from 'node:path';
import type { ReferenceServerOptions } from '../../src/server/index.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { root } from '../support/folder.ts';
import { type ProcessOptions, type ProcessResult, runCommand, runProcess } from '../support/process.ts';
import { passwordHash } from './users.ts';
import { createLifeFolder, Troubles } from './trouble.ts';

export interface Scene {
  readonly cwd: string;
  /** A file in the folder. */
  readonly path: (name: string) => string;
  readonly instance: Instance;
  readonly troubles: Troubles;
  /** What nothing may show. */
  readonly secrets: readonly string[];
  /** Another server. */
  readonly start: (name: string, options: ReferenceServerOptions) => Promise<Instance>;
  /** Runs idport; its messages must hold no stack and no secret. */
  readonly run: (argv: readonly string[], options?: Omit<ProcessOptions, 'cwd'>) => Promise<ProcessResult>;
  /** A line of bash in which `$idport` is the program; the exit code is that of the first command of a pipe. */
  readonly shell: (line: string) => Promise<ProcessResult>;
}

const program = `${process.execPath} ${root}bin/idport.js`;

/** Returns what went wrong. */
export async function play(act: (scene: Scene) => Promise<void>, options: ReferenceServerOptions = {}) {
  const cwd = createLifeFolder();
  const troubles = new Troubles();
  const instances: Instance[] = [];
  const secrets = [passwordHash];
  const start: Scene['start'] = async (name, options) => {
    const instance = await startInstance(cwd, name, options);
    instances.push(instance);
    secrets.push(instance.server.tokens.iamOwner);
    return instance;
  };
  const readable = (result: ProcessResult) => {
    troubles.readable('what it says', result.stdout + result.stderr, secrets);
    return result;
  };
  try {
    await act({
      cwd,
      path: (name) => join(cwd, name),
      instance: await start('target', { orgId: '100', ...options }),
      troubles,
      secrets,
      start,
      run: async (argv, options) => readable(await runProcess(argv, { cwd, ...options })),
      shell: async (line) => readable(await runShell(line, cwd)),
    });
  } catch (error) {
    troubles.list.push(`the scene broke off: ${(error as Error).stack}`);
  } finally {
    for (const instance of instances) await instance.close();
    troubles.tidy(cwd);
  }
  return troubles.list;
}

function runShell(line: string, cwd: string) {
  const script = `idport='${program}'\n${line}\nexit "\${PIPESTATUS[0]}"`;
  return runCommand('bash', ['-c', script], { cwd, stdin: '' });
}
