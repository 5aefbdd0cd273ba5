/** `idport profile`: shows what a target accepts. */
import type { DeclareVerb } from '../verb.ts';

export const declareProfile: DeclareVerb = (program, dispatch) => {
  const profile = program
    .command('profile')
    .description('show what a target accepts: hash algorithms, limits, rates')
    .examples('idport profile list', 'idport profile show hosted');

  profile
    .command('list')
    .description('list the built-in profiles')
    .examples('idport profile list', 'idport profile list | grep argon2')
    .action(() => dispatch(async () => (await import('../../commands/profile.ts')).listProfiles, {}));

  profile
    .command('show')
    .description('print a complete profile as JSON, as a start for your own')
    .argument('<profile>', 'a name of `profile list`, or the path of a profile file')
    .examples(
      'idport profile show self-hosted > my-target.json',
      'idport migrate keycloak --org=1 --realm=realm.json --target-profile=my-target.json',
    )
    .action((name: string) =>
      dispatch(async () => (await import('../../commands/profile.ts')).showProfile, { profile: name }),
    );
};
