/** An empty folder for one test, removed after it; and lock files as other processes leave them. */
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { randomBytes } from 'node:crypto';
import { nameThisProcess, type ProcessName } from '../../src/lib/this-process.ts';

export function createTestFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'idport-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** No process has this number. */
export const ended = { pid: 999_999_999 };
/** A number counts only in its own place. */
export const elsewhere = { host: 'other', boot: 'other', namespace: 'pid:[1]', pid: 1 };

/** `age` is in milliseconds since the lock was renewed. */
export function writeLock(path: string, changes: Partial<ProcessName>, age = 0) {
  const id = randomBytes(9).toString('base64url');
  writeLockText(path, `${JSON.stringify({ ...nameThisProcess(), ...changes, id })}\n`, age);
}

export function writeLockText(path: string, text: string, age = 0) {
  writeFileSync(path, text);
  const renewed = (Date.now() - age) / 1000;
  utimesSync(path, renewed, renewed);
}
