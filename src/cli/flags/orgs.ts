/** The flags that say which organization a user goes to. */
import { type Command, Option } from 'commander';
import { append } from '../verb.ts';

export function addOrgFlags(command: Command): Command {
  return command
    .option(
      '--org-by <rule>',
      'several organizations: realm, organization, domain, group:/customers/*, attribute:tenant or column:tenant_id; users of none go to --org',
    )
    .option('--org-map <file>', 'CSV with --org-by: key in the source, id of the organization')
    .option('--create-orgs', 'with --org-by: create the organizations that --org-map does not name')
    .addOption(
      new Option(
        '--memberships <path...>',
        'members of organizations as Auth0, Clerk, WorkOS and Logto list them, for --org-by organization',
      ).argParser(append),
    );
}

/** The grants are for the project of `--roles`. */
export function addFurtherFlag(command: Command): Command {
  return command.addOption(
    new Option(
      '--further-memberships <what>',
      "what becomes of a user's organizations beside the first: named in the report, or user grants of the project of --roles",
    )
      .choices(['report', 'grants'])
      .default('report'),
  );
}
