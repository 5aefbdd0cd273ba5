/** A disk with little room, for one folder: writes are cut short and then fail, as on a real one that is full. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { sep } from 'node:path';
import { onTestFinished } from 'vitest';

export interface FullDisk {
  /** Bytes that still fit. */
  room: number;
  /** Fails the next call of this function on a file of the folder. */
  failNext(name: 'fsyncSync' | 'closeSync' | 'renameSync' | 'ftruncateSync'): void;
  /** Undoes everything. */
  restore(): void;
}

const originals = { ...fs };

/** Puts functions in the place of those of node:fs, until the test ends or what it returns is called. */
export function replaceInFs(functions: object) {
  const before = Object.keys(functions).map((name) => [name, Reflect.get(fs, name)]);
  const put = (all: object) => {
    Object.assign(fs, all);
    syncBuiltinESMExports();
  };
  const restore = () => put(Object.fromEntries(before));
  onTestFinished(restore);
  put(functions);
  return restore;
}

/** `only`: the name of the one file that takes room. */
export function limitDisk(folder: string, room: number, only = '') {
  const files = new Set<number>();
  const failing = new Set<string>();
  const isInside = (path: unknown) =>
    String(path).startsWith(folder + sep) && (only === '' || String(path) === folder + sep + only);
  const problem = (name: string, code = 'ENOSPC') =>
    Object.assign(new Error(`${code}: no space left on device, ${name}`), { code });
  const check = (name: string, isOurs: boolean) => {
    if (isOurs && failing.delete(name)) throw problem(name);
  };
  const restore = replaceInFs({
    openSync(path: fs.PathLike, ...rest: [fs.OpenMode?, fs.Mode?]) {
      const file = originals.openSync(path, ...(rest as [fs.OpenMode]));
      if (isInside(path)) files.add(file);
      return file;
    },
    writeSync(
      file: number,
      bytes: Uint8Array,
      offset = 0,
      length = bytes.length - offset,
      position?: number,
    ) {
      if (!files.has(file)) return originals.writeSync(file, bytes, offset, length, position);
      const fits = Math.min(length, disk.room);
      if (fits === 0) throw problem('write');
      const written = originals.writeSync(file, bytes, offset, fits, position);
      disk.room -= written;
      return written;
    },
    closeSync(file: number) {
      const isOurs = files.delete(file);
      originals.closeSync(file);
      check('closeSync', isOurs);
    },
    fsyncSync(file: number) {
      check('fsyncSync', files.has(file));
      originals.fsyncSync(file);
    },
    ftruncateSync(file: number, size?: number) {
      check('ftruncateSync', files.has(file));
      const before = fs.fstatSync(file).size;
      originals.ftruncateSync(file, size);
      disk.room += before - (size ?? 0);
    },
    renameSync(from: fs.PathLike, to: fs.PathLike) {
      check('renameSync', isInside(from));
      originals.renameSync(from, to);
    },
  });
  const disk: FullDisk = { room, failNext: (name) => void failing.add(name), restore };
  return disk;
}
