/** Writes received calls into a folder, one file each, and reads them again. The files contain the secrets of the calls. */
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { IdportError } from '../../errors.ts';
import { inputProblem } from '../../storage/file-problem.ts';
import { readCall } from '../../webhooks/call.ts';
import { formatSavedRequest, type SavedRequest } from '../../webhooks/saved-request.ts';

const ending = '.http';

/** Most calls of one listener. */
const mostCalls = 10_000;
const mostBytes = 1024 ** 3;

/** Creates the folder, readable only for its owner. Returns a function that adds a call and returns the name of its file. */
export async function createRecorder(
  folder: string,
  cwd: string,
): Promise<(call: SavedRequest, number: number) => Promise<string>> {
  await mkdir(resolve(cwd, folder), { recursive: true, mode: 0o700 });
  let [calls, bytes] = [0, 0];
  return async (call, number) => {
    if (calls >= mostCalls || bytes + call.body.length > mostBytes) {
      throw new IdportError('listen:recorded', `${folder} is full: it has ${calls} calls`);
    }
    calls += 1;
    bytes += call.body.length;
    const path = join(folder, fileName(call, number));
    await writeFile(resolve(cwd, path), formatSavedRequest(call), { mode: 0o600, flag: 'wx' });
    return path;
  };
}

/** Returns a name that sorts by time and shows the content: `2026-01-31T12-00-00.000Z-0007-AddHumanUser.http`. */
function fileName(call: SavedRequest, number: number) {
  const time = new Date(call.receivedAt ?? 0).toISOString().replaceAll(':', '-');
  const word = (readCall(call.body).name.split('/').at(-1) ?? '').replace(/[^\w.-]/g, '').slice(0, 60);
  return `${time}-${String(number).padStart(4, '0')}${word === '' ? '' : `-${word}`}${ending}`;
}

/** Returns the recordings of a folder in the order of their names, or the one file. */
export async function listRecordings(path: string, cwd: string) {
  try {
    if (!(await stat(resolve(cwd, path))).isDirectory()) return [path];
    const names = await readdir(resolve(cwd, path));
    return names
      .filter((name) => name.endsWith(ending))
      .sort()
      .map((name) => join(path, name));
  } catch (cause) {
    throw inputProblem(path, cause, resolve(cwd, path));
  }
}

/** Returns a short name, for lines on a screen. */
export const nameOfRecording = (path: string) => basename(path, ending);
