/** Compares files, so that no output replaces an input and changes during reading are noticed. */
import { statSync, type BigIntStats } from 'node:fs';
import type { Input } from '../lib/input.ts';

/** Returns the input that is the same file as this path, by device and inode. Follows symbolic links. */
export function inputAt(path: string, inputs: readonly Input[]) {
  const found = statIfThere(path);
  if (!found?.isFile()) return undefined;
  return inputs.find(({ file }) => file?.dev === found.dev && file.ino === found.ino);
}

/** Returns what is at a path, with links followed. Undefined if there is nothing, or a link that leads nowhere or in a circle. */
export function statIfThere(path: string) {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}

/** Compares what differs after a file was replaced or written. */
export function isUnchanged(one: BigIntStats, other: BigIntStats) {
  return (['dev', 'ino', 'size', 'mtimeNs'] as const).every((fact) => one[fact] === other[fact]);
}
