/** The flag for the client secrets of new identity providers. */
import type { IdportCommand } from '../command.ts';

export function addIdpSecretsFlag(command: IdportCommand): IdportCommand {
  return command.option(
    '--idp-secrets <file>',
    'CSV of alias and client secret; export takes those of the export (default: asked for at a terminal, else placeholders)',
  );
}
