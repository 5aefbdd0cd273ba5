/** A folder with nearly no space, on a file system of its own; only the superuser can create one. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';

export type SmallDisk = ReturnType<typeof createSmallDisk>;

export const canMount = process.getuid?.() === 0;

export function createSmallDisk(path: string) {
  const mount = (...options: string[]) => void execFileSync('mount', [...options, path]);
  mkdirSync(path);
  mount('-t', 'tmpfs', '-o', 'size=64k', 'tmpfs');
  return {
    /** Makes room. */
    grow: () => mount('-o', 'remount,size=16m'),
    lock: () => mount('-o', 'remount,ro'),
    close: () => void execFileSync('umount', [path]),
  };
}
