/**
 * Writes a file that appears complete or not at all. Only its owner can read it. It is written under a temporary name in the same
 * folder and renamed when all of it is on disk. The temporary name has the machine and the process, so that the next run can
 * remove the files of a killed one: they may contain secrets.
 */
import { closeSync, fsyncSync, ftruncateSync, openSync, renameSync, rmSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { canonicalPath } from '../lib/canonical-path.ts';
import type { Sink } from '../lib/sink.ts';
import { createWriteBuffer, writeFully } from './write-buffer.ts';
import { attemptsAt } from './file-problem.ts';
import { statIfThere } from './same-file.ts';
import { createHash, randomBytes } from 'node:crypto';
import { isRunning, nameThisProcess } from '../lib/this-process.ts';

/** Writing to a file never waits. */
interface FileSink extends Sink {
  write(chunk: string | Uint8Array): void;
}

const unfinished = new Set<Sink>();

/**
 * Removes every output that was begun and not committed, when a run is stopped. It is synchronous, so that it can run while the
 * process ends.
 */
export function discardUnfinished() {
  for (const output of unfinished) output.discard();
  unfinished.clear();
}

/** Throws `OutputError` if nothing can be written there. */
export function createFileSink(name: string, cwd?: string) {
  // A symbolic link is kept, and the file that it points to is replaced.
  const path = canonicalPath(name, cwd);
  /** False for devices and pipes, which are written directly. */
  const isRenamed = !isSpecial(path);
  /** Path that is written until the file is complete. */
  const writePath = isRenamed ? temporaryName(path) : path;
  const attempt = attemptsAt(name);
  const opened = attempt(() => {
    if (!isRenamed) return openSync(path, 'w');
    removeLeftBehind(path);
    return openSync(writePath, 'wx', 0o600);
  });
  const buffer = createWriteBuffer((block) => writeFully(opened, block));
  let bytes = 0;
  let isOpen = true;

  /** Throws if the output was committed or discarded. */
  const attemptOpen = (step: () => void) => {
    if (!isOpen) throw new Error(`${name} is closed`);
    attempt(step);
  };
  const close = () => {
    isOpen = false;
    closeSync(opened);
  };

  const sink: FileSink = {
    name,
    get bytes() {
      return bytes;
    },
    write: (chunk) =>
      attemptOpen(() => {
        bytes += buffer.add(chunk);
      }),
    reserve: (more) =>
      attemptOpen(() => {
        buffer.flush();
        if (!isRenamed) return;
        writeFully(opened, new Uint8Array(more), bytes);
        ftruncateSync(opened, bytes);
      }),
    async commit() {
      attemptOpen(() => {
        buffer.flush();
        if (isRenamed) fsyncSync(opened);
        close();
        if (isRenamed) renameSync(writePath, path);
      });
      unfinished.delete(sink);
    },
    discard() {
      if (!unfinished.delete(sink)) return;
      if (isOpen) close();
      if (isRenamed) rmSync(writePath, { force: true });
    },
  };
  unfinished.add(sink);
  return sink;
}

/** Reports whether a path is a device, pipe or folder, which cannot be replaced by renaming. */
function isSpecial(path: string) {
  const found = statIfThere(path);
  return found !== undefined && !found.isFile();
}

/** A folder may be shared between machines and containers, whose process ids overlap. */
const { host, namespace } = nameThisProcess();
const machine = createHash('sha256').update(`${host} ${namespace}`).digest('hex').slice(0, 8);

/** Temporary names that this process uses. */
const own = new Set<string>();

/** Returns the temporary name of `importBody.json`: `.importBody.json.<machine>-<process>-<random>.tmp` in the same folder. */
export function temporaryName(path: string) {
  const name = `.${basename(path)}.${machine}-${process.pid}-${randomBytes(6).toString('hex')}.tmp`;
  own.add(name);
  return join(dirname(path), name);
}

/** Removes temporary files of this path that ended processes of this machine have left behind. Never fails. */
export function removeLeftBehind(path: string) {
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
