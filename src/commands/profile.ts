/** `idport profile show`: prints a target profile as JSON. */
import { ExitCode } from '../errors.ts';
import { loadProfile } from '../profiles/load.ts';
import { printLines } from '../storage/stream-sink.ts';
import type { ProfileFlags } from '../flags/others.ts';
import type { Action } from './context.ts';

/** Prints the complete profile, even if a file names only differences. */
export const showProfile: Action<ProfileFlags> = async ({ profile }, { cwd, stdout }) => {
  await printLines(stdout, JSON.stringify(await loadProfile(profile, cwd), null, 2).split('\n'));
  return ExitCode.done;
};
