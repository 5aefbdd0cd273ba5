/** `idport profile show`: prints a target profile as JSON. */
import { loadProfile } from '../profiles/load.ts';
import { printLines } from '../storage/stream-sink.ts';
import type { profileArgument } from '../flags/others.ts';
import type { Action } from './context.ts';

/** Prints the complete profile, even if a file names only differences. */
export const showProfile: Action<typeof profileArgument> = async ({ profile }, { cwd, stdout }) =>
  printLines(stdout, JSON.stringify(await loadProfile(profile, cwd), null, 2).split('\n'));
