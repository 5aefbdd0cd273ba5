/** Writes generated text to a file of bench/data once; later runs find it there. */
import { closeSync, existsSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('data/', import.meta.url));

/** Returns the path. The name says everything that the text depends on, but for the generator itself. */
export function writeOnce(name: string, texts: () => Iterable<string>): string {
  const path = `${folder}${name}`;
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const file = openSync(`${path}.part`, 'w');
  let block = '';
  for (const text of texts()) {
    block += text;
    if (block.length > 1 << 20) {
      writeSync(file, block);
      block = '';
    }
  }
  writeSync(file, block);
  closeSync(file);
  renameSync(`${path}.part`, path);
  return path;
}

/** Whether the module of this URL is the program itself, and not imported by another one. */
export function isProgram(url: string): boolean {
  return process.argv[1] === fileURLToPath(url);
}
