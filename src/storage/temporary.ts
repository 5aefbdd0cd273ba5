/**
 * A path in, the name under which its file is written until it is complete out. The name says who writes it, so that
 * what a killed run has left behind is known for that and removed by the next one: such files hold secrets.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isRunning } from '../lib/lock.ts';

/** Folders are shared between machines and containers, whose processes have the same numbers. */
const machine = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);

/** Names that this process has given out. */
const own = new Set<string>();

/** `importBody.json` is written as `.importBody.json.<machine>-<process>-<random>.tmp` beside it. */
export function temporaryName(path: string): string {
  const name = `.${basename(path)}.${machine}-${process.pid}-${randomBytes(6).toString('hex')}.tmp`;
  own.add(name);
  return join(dirname(path), name);
}

/** Removes temporary files of this path whose writer was a process of this machine and is gone. Never fails. */
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
    // A folder that cannot be listed may be written all the same.
  }
}
