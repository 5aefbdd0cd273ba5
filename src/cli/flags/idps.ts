/** The flag for the client secrets of new identity providers. */
import type { Command } from 'commander';

export function addIdpSecretsFlag(command: Command): Command {
  return command.option(
    '--idp-secrets <file>',
    'CSV of alias and client secret; export takes those of the export (default: asked for at a terminal, else placeholders)',
  );
}
