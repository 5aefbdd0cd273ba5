/** Knows the file of each input: no output replaces it, and it must not change while it is read. */
import { statSync, type BigIntStats } from 'node:fs';
import type { Input } from '../lib/input.ts';

/** What differs when a file was replaced or written. */
export type FileFacts = Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs'>;

const files = new WeakMap<Input, FileFacts>();

export function rememberFile(input: Input, facts: FileFacts) {
  files.set(input, facts);
}

/** The input that is the same file as this path, by device and inode. Follows symbolic links. */
export function inputAt(path: string, inputs: readonly Input[]): Input | undefined {
  const found = statIfThere(path);
  if (found?.isFile() !== true) return undefined;
  return inputs.find((input) => {
    const file = files.get(input);
    return file !== undefined && file.dev === found.dev && file.ino === found.ino;
  });
}

/** What is at a path, links followed; undefined where nothing is, or a link that leads nowhere or in a circle. */
export function statIfThere(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}

export function isUnchanged(one: FileFacts, other: FileFacts): boolean {
  return (['dev', 'ino', 'size', 'mtimeNs'] as const).every((fact) => one[fact] === other[fact]);
}
