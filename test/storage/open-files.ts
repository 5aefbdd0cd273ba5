import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

const openFiles = '/proc/self/fd';
export const hasOpenFiles = existsSync(openFiles);

/** Which files of a folder this process holds open. */
export function openFilesIn(folder: string) {
  return readdirSync(openFiles)
    .map(pathOf)
    .filter((path) => path.startsWith(folder));
}

/** The one that lists the folder is closed by now. */
function pathOf(file: string) {
  try {
    return readlinkSync(join(openFiles, file));
  } catch {
    return '';
  }
}
