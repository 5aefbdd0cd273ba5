/** The flags that make clients of the source applications of a project. */
import type { Command } from 'commander';

export function addAppsFlag(command: Command): Command {
  return command.option(
    '--apps <project>',
    'migrate clients as applications of a project of --org: project:<id>, or new:<name>',
  );
}

export function addAppSecretsFlag(command: Command): Command {
  return command.option(
    '--app-secrets <file>',
    'NDJSON, readable by you alone: the new client id and secret of each application',
  );
}
