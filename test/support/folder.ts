/** Files: those of the project that tests read, an empty folder for one test, removed after it, and locks as other processes leave them. */
import { mkdtempSync, rmSync, utimesSync, writeFileSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { randomBytes } from 'node:crypto';
import { nameThisProcess, type ProcessName } from '../../src/lib/this-process.ts';
import { fileURLToPath } from 'node:url';

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

/** Ends in a slash, as the paths below it begin without one. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

export const fixture = (path: string) => `${root}fixtures/${path}`;

/** Eight users as Keycloak exports them, of whom seven are written. */
export const typicalRealm = fixture('keycloak/typical/realm.json');

export const readProject = (path: string) => readFileSync(root + path, 'utf8');

/** Everything below a folder, by its path from the root. */
export const filesBelow = (folder: string) =>
  readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .toSorted();

/** `docs/x.md` and all others below docs/. */
export const docsPages = filesBelow('docs').filter((name) => name.endsWith('.md'));
