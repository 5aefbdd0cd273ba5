/** `idport profile`: what a target accepts. */
import { examples, type DeclareVerb } from '../verb.ts';

export const declareProfile: DeclareVerb = (program, dispatch) => {
  const profile = program
    .command('profile')
    .description('what targets accept: verifiers, limits, rates')
    .addHelpText('after', examples('idport profile list', 'idport profile show hosted'));

  profile
    .command('list')
    .description('the profiles that come with the tool')
    .addHelpText('after', examples('idport profile list', 'idport profile list | grep argon2'))
    .action(() => dispatch(async () => (await import('../../commands/profile.ts')).listProfiles, {}));

  profile
    .command('show')
    .description('print a profile as JSON, complete: a starting point for a file of your own')
    .argument('<profile>', 'a name of `profile list`, or the path of a profile file')
    .addHelpText(
      'after',
      examples(
        'idport profile show self-hosted > my-target.json',
        'idport migrate keycloak --org=1 --realm=realm.json --target-profile=my-target.json',
      ),
    )
    .action((name: string) =>
      dispatch(async () => (await import('../../commands/profile.ts')).showProfile, { profile: name }),
    );
};
