/**
 * Names of temporary files for outputs that are not complete yet. The name has the machine and the process, so that the
 * next run can remove the files of a killed one: they may contain secrets.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isRunning, nameThisProcess } from '../lib/this-process.ts';

/** A folder may be shared between machines and containers, whose process ids overlap. */
const { host, namespace } = nameThisProcess();
const machine = createHash('sha256').update(`${host} ${namespace}`).digest('hex').slice(0, 8);

/** Names used by this process. */
const own = new Set<string>();

/** `importBody.json` is written as `.importBody.json.<machine>-<process>-<random>.tmp` beside it. */
export function temporaryName(path: string): string {
  const name = `.${basename(path)}.${machine}-${process.pid}-${randomBytes(6).toString('hex')}.tmp`;
  own.add(name);
  return join(dirname(path), name);
}

/** Removes temporary files of this path that an ended process of this machine has left behind. Never fails. */
export function removeLeftBehind(path: string): void {
  const folder = dirname(path);
  const before = `.${basename(path)}.${machine}-`;
  try {
    for (const name of readdirSync(folder)) {
      if (!name.startsWith(before) || own.has(name)) continue;
      const [, writer] = /^(\d+)-[0-9a-f]{12}\.tmp$/.exec(name.slice(before.length)) ?? [];
      // A process of an earlier container may have had the same id as this one.
      const isLeft =
        writer !== undefined &&
        (Number(writer) === process.pid || !isRunning({ pid: Number(writer), started: '' }));
      if (isLeft) rmSync(join(folder, name), { force: true });
    }
  } catch {
    // A folder that cannot be listed may still be writable.
  }
}
