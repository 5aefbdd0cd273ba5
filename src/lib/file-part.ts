import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

/**
 * Returns so many bytes from the beginning of a file as text, or from its end if the number is negative. Empty for a
 * file that cannot be read, and for a pipe, which would wait for its writer.
 */
export function readPart(path: string, length: number) {
  try {
    if (!statSync(path).isFile()) return '';
    const file = openSync(path, 'r');
    try {
      const { size } = fstatSync(file);
      const bytes = Buffer.alloc(Math.min(size, Math.abs(length)));
      readSync(file, bytes, 0, bytes.length, length < 0 ? size - bytes.length : 0);
      return bytes.toString();
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}
