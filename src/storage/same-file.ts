/** Remembers the file of each input, so that no output replaces it. */
import { statSync, type Stats } from 'node:fs';
import type { Input } from '../lib/input.ts';

const files = new WeakMap<Input, { readonly dev: number; readonly ino: number }>();

export function rememberFile(input: Input, { dev, ino }: Stats): void {
  files.set(input, { dev, ino });
}

/** The input that is the same file as this path, by device and inode. Follows symbolic links. */
export function inputAt(path: string, inputs: readonly Input[]): Input | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true) return undefined;
  return inputs.find((input) => {
    const file = files.get(input);
    return file !== undefined && file.dev === found.dev && file.ino === found.ino;
  });
}
