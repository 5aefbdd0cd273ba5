/** `idport profile`: lists the built-in profiles, or prints one as JSON. */
import { ExitCode } from '../errors.ts';
import { formatCount } from '../lib/format.ts';
import { builtInProfiles } from '../profiles/built-in.ts';
import { loadProfile } from '../profiles/load.ts';
import { printLines } from '../storage/stream-sink.ts';
import { alignColumns } from '../terminal/text.ts';
import type { TargetProfile } from '../wire/profile.ts';
import type { ProfileFlags } from '../flags/others.ts';
import type { Action } from './context.ts';

/** Prints a line for each profile: its name, and what it accepts. */
export const listProfiles: Action<object> = async (_options, { stdout }) => {
  const rows = [...builtInProfiles.values()].map((one) => [one.name, describe(one).join('; ')]);
  await printLines(stdout, alignColumns(rows));
  return ExitCode.done;
};

/** Prints the complete profile, even if a file names only differences. */
export const showProfile: Action<ProfileFlags> = async ({ profile }, { cwd, stdout }) => {
  await printLines(stdout, JSON.stringify(await loadProfile(profile, cwd), null, 2).split('\n'));
  return ExitCode.done;
};

function describe({ passwordHasher, requests, rate }: TargetProfile) {
  const others = passwordHasher.verifiers.filter((name) => name !== passwordHasher.algorithm);
  const verifies = [passwordHasher.algorithm, ...others].join(', ');
  return [
    `verifies ${verifies}`,
    requests.maxUsers === null
      ? 'no limit of users per request'
      : `${formatCount(requests.maxUsers)} users per request`,
    rate === null ? 'no rate limit' : `${formatCount(rate.perSecond)} requests per second`,
  ];
}
