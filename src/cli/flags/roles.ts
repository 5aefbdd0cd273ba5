/** The flags of `migrate` that make roles of the source those of a project. */
import type { IdportCommand } from '../command.ts';
import { append } from '../verb.ts';

export function addRoleFlags(command: IdportCommand): IdportCommand {
  return command
    .option(
      '--roles <project>',
      'migrate roles and groups as roles of a project of --org, with user grants: project:<id>, or new:<name>',
    )
    .option('--role-map <file>', 'CSV with --roles: key in the source, key at the target; none leaves it out')
    .option(
      '--role-members <path...>',
      'roles and permissions of users as Auth0 and others list them, for --roles',
      append,
    );
}
