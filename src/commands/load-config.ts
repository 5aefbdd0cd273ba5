/** The folder of a run, or the path that was named, in; the configuration file that holds for it out. */
import { resolve } from 'node:path';
import type { Config } from '../usage/config/schema.ts';
import { judgeConfig } from '../usage/config/judge.ts';
import type { VerbShape } from '../usage/shape.ts';
import { readText } from './read-text.ts';

export interface LoadedConfig {
  /** As people call it, relative to where they are. */
  readonly name: string;
  readonly file: string;
  readonly config: Config;
}

/** Throws `UsageError` for a file that cannot be taken as it is, `InputError` for one that cannot be read. */
export function loadConfig(name: string, cwd: string, program: VerbShape): LoadedConfig {
  return { name, file: resolve(cwd, name), config: judgeConfig(readText(name, cwd), name, program) };
}
