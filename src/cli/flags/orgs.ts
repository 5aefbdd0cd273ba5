/** The flags that say which organization a user goes to. */
import type { IdportCommand } from '../command.ts';
import { append } from '../verb.ts';

export function addOrgFlags(command: IdportCommand): IdportCommand {
  return command
    .option(
      '--org-by <rule>',
      'several organizations: realm, organization, domain, group:/customers/*, attribute:tenant or column:tenant_id; users of none go to --org',
    )
    .option('--org-map <file>', 'CSV with --org-by: key in the source, id of the organization')
    .option('--create-orgs', 'with --org-by: create the organizations that --org-map does not name')
    .option(
      '--memberships <path...>',
      'members of organizations as Auth0, Clerk, WorkOS and Logto list them, for --org-by organization',
      append,
    );
}

/** The grants are for the project of `--roles`. */
export function addFurtherFlag(command: IdportCommand): IdportCommand {
  return command.choice(
    '--further-memberships <what>',
    "what becomes of a user's organizations beside the first: named in the report, or user grants of the project of --roles",
    ['report', 'grants'],
    'report',
  );
}
