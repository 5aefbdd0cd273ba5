/** A file of the data folder that only grows, by whole lines. */
import * as fs from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { writeFully } from '../../storage/write-buffer.ts';
import type { Change } from './table.ts';

/** For its owner only: rows may hold password hashes and tokens. */
const privateFile = 0o600;
/** Bytes that are written at once. */
export const blockSize = 1024 * 1024;

export interface Log {
  readonly file: number;
  size: number;
}

export function openLog(path: string): Log {
  const file = fs.openSync(path, 'a', privateFile);
  return { file, size: fs.fstatSync(file).size };
}

export function isDeleted({ file }: Log): boolean {
  return fs.fstatSync(file).nlink === 0;
}

/** All of it or nothing: a part that a full disk has taken is removed, so that the log ends with a whole line. */
export function append(log: Log, bytes: Uint8Array): void {
  try {
    writeFully(log.file, bytes);
  } catch (cause) {
    fs.ftruncateSync(log.file, log.size);
    throw cause;
  }
  log.size += bytes.length;
}

/** Some file systems report only now that there was no room. */
export function closeLog({ file }: Log): void {
  try {
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

/** Other requests run after every block. Returns the bytes written; undefined, and no file, when it was not to go on. */
export async function writeAll(
  path: string,
  changes: Iterable<Change>,
  goOn: () => boolean,
): Promise<number | undefined> {
  const log: Log = { file: fs.openSync(path, 'w', privateFile), size: 0 };
  let finished = false;
  try {
    let lines = '';
    for (const change of changes) {
      lines += `${JSON.stringify(change)}\n`;
      if (lines.length < blockSize) continue;
      append(log, Buffer.from(lines));
      lines = '';
      await setImmediate();
      if (!goOn()) return undefined;
    }
    append(log, Buffer.from(lines));
    finished = true;
    return log.size;
  } finally {
    if (!finished) fs.rmSync(path, { force: true });
    closeLog(log);
  }
}
