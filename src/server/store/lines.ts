/** Reads a file of JSON lines; an unfinished last line may be cut off. */
import * as fs from 'node:fs';
import { IdportError } from '../../errors.ts';

const blockSize = 1024 * 1024;

/**
 * `torn`: the last line may be half of one (a killed process), and is cut off the file. `whole`: it may not.
 * Returns the number of lines; throws an IdportError `data:damaged`.
 */
export function readLines(path: string, end: 'torn' | 'whole', each: (value: unknown) => void): number {
  const file = fs.openSync(path, end === 'torn' ? 'r+' : 'r');
  try {
    let lines = 0;
    let rest: Buffer = Buffer.alloc(0);
    let read = 0;
    for (;;) {
      const block = Buffer.allocUnsafe(blockSize);
      const size = fs.readSync(file, block, 0, blockSize, read);
      if (size === 0) break;
      read += size;
      const data =
        rest.length === 0 ? block.subarray(0, size) : Buffer.concat([rest, block.subarray(0, size)]);
      let start = 0;
      for (let stop = data.indexOf(10); stop >= 0; stop = data.indexOf(10, start)) {
        lines++;
        each(parse(data.toString('utf8', start, stop), path, lines));
        start = stop + 1;
      }
      rest = data.subarray(start);
    }
    if (rest.length > 0) {
      if (end === 'whole') throw damaged(path, lines + 1);
      fs.ftruncateSync(file, read - rest.length);
    }
    return lines;
  } finally {
    fs.closeSync(file);
  }
}

function parse(line: string, path: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw damaged(path, number);
  }
}

function damaged(path: string, line: number): IdportError {
  return new IdportError('data:damaged', `${path}: line ${line} cannot be read`, {
    hint: 'The file was changed or the disk is faulty. Put back a copy of the folder, or start with an empty one.',
  });
}
