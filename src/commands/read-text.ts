/** Reads a small file of the user. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { inputProblem } from '../storage/input-problem.ts';

/** For small files that are read whole. Throws `InputError`. */
export function readText(path: string, cwd: string): string {
  try {
    return readFileSync(resolve(cwd, path), 'utf8');
  } catch (error) {
    throw inputProblem(path, error, resolve(cwd, path));
  }
}
