/** The flags that make clients of the source applications of a project. */
import type { IdportCommand } from '../command.ts';

export function addAppsFlag(command: IdportCommand): IdportCommand {
  return command.option(
    '--apps <project>',
    'migrate clients as applications of a project of --org: project:<id>, or new:<name>',
  );
}

export function addAppSecretsFlag(command: IdportCommand): IdportCommand {
  return command.output(
    '--app-secrets <file>',
    'NDJSON, readable by you alone: the new client id and secret of each application',
  );
}
