/** Reads a small file of the user. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandContext } from './context.ts';
import { inputProblem } from '../storage/input-problem.ts';

/** For small files that are read whole, without a byte order mark. Throws `InputError`. */
export function readText(path: string, cwd: string): string {
  return new TextDecoder().decode(readBytes(path, cwd));
}

export function readBytes(path: string, cwd: string): Buffer {
  try {
    return readFileSync(resolve(cwd, path));
  } catch (error) {
    throw inputProblem(path, error, resolve(cwd, path));
  }
}

/** All of standard input. */
export async function readAll(stdin: CommandContext['stdin']): Promise<Buffer> {
  const blocks: Uint8Array[] = [];
  for await (const block of stdin) blocks.push(typeof block === 'string' ? Buffer.from(block) : block);
  return Buffer.concat(blocks);
}

/** A file, or standard input for `-`. */
export async function readFileOrStdin(file: string, { cwd, stdin }: CommandContext): Promise<Uint8Array> {
  return file === '-' ? readAll(stdin) : readBytes(file, cwd);
}
