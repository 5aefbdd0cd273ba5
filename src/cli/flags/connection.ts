/** The flags of every verb that talks to the service; `commands/connect.ts` reads them. */
import type { Command } from 'commander';

/** `keyFlag` has another name where `--key-file` means something else: a target's signing key. */
export function addConnectionFlags(
  command: Command,
  keyFlag: '--key-file' | '--user-key-file' = '--key-file',
): Command {
  return command
    .option('--url <url>', 'address of the instance (IDPORT_URL)')
    .option('--token-file <file>', 'file with an access token')
    .option('--token <token>', 'the token itself, better: - for standard input (IDPORT_TOKEN)')
    .option(`${keyFlag} <file>`, 'key file of a service user (IDPORT_KEY_FILE)')
    .option('--client-id <id>', 'user name of a service user with a client secret')
    .option('--client-secret-file <file>', 'file with that secret');
}

/** Of verbs that send more than a few requests; `commands/service-limits.ts` reads them. */
export function addSpeedFlags(command: Command): Command {
  return command
    .option('--rate <n/s>', 'never more requests in any second (45/s, 600/m, unlimited); as the profile says')
    .option('--budget <n>', 'stop before the request after so many')
    .option('--target-profile <name|file>', 'what the target takes; hosted for the vendor, else self-hosted');
}
