/**
 * Names of temporary files for outputs that are not complete yet. The name has the machine and the process, so that the
 * next run can remove the files of a killed one: they may contain secrets.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isRunning } from '../lib/lock.ts';

/** A folder may be shared between machines and containers, whose process ids overlap. */
const machine = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);

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
      if (writer !== undefined && !isRunning(Number(writer))) rmSync(join(folder, name), { force: true });
    }
  } catch {
    // A folder that cannot be listed may still be writable.
  }
}
