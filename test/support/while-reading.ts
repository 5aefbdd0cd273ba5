/** Something that happens to a file while it is read: after a certain reading of it. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { openSync, readSync } = fs;

export interface Interruption {
  /** Whether it has happened. */
  readonly happened: () => boolean;
  restore(): void;
}

/** Calls `happen` when the file has been read `times` times, before the reader gets what was read. */
export function whileReading(path: string, times: number, happen: () => void): Interruption {
  const files = new Set<number>();
  let left = times;
  Object.assign(fs, {
    openSync(name: fs.PathLike, ...rest: [fs.OpenMode?, fs.Mode?]) {
      const file = openSync(name, ...(rest as [fs.OpenMode]));
      if (String(name) === path) files.add(file);
      else files.delete(file);
      return file;
    },
    readSync(file: number, ...rest: [NodeJS.ArrayBufferView, number, number, number]) {
      const length = readSync(file, ...rest);
      if (files.has(file) && --left === 0) happen();
      return length;
    },
  });
  syncBuiltinESMExports();
  return {
    happened: () => left <= 0,
    restore() {
      Object.assign(fs, { openSync, readSync });
      syncBuiltinESMExports();
    },
  };
}
