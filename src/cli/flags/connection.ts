/** The flags of every verb that talks to the service; `commands/connect.ts` reads them. */
import type { IdportCommand } from '../command.ts';

/** `keyFlag` has another name where `--key-file` means something else: a target's signing key. */
export function addConnectionFlags(
  command: IdportCommand,
  keyFlag: '--key-file' | '--user-key-file' = '--key-file',
): IdportCommand {
  return command
    .option('--url <url>', 'address of the service (IDPORT_URL)')
    .option('--token-file <file>', 'file with a personal access token, or any access token')
    .option('--token <token>', 'the token itself; - reads it from standard input (IDPORT_TOKEN)')
    .option(`${keyFlag} <file>`, 'key file of a service account (IDPORT_KEY_FILE)')
    .option('--client-id <id>', 'user name of a service account with a client secret')
    .option('--client-secret-file <file>', 'file with its client secret');
}

/** For verbs that look users up after writing; `commands/service-limits.ts` reads it. */
export function addWaitFlag(command: IdportCommand): IdportCommand {
  return command.option(
    '--wait <duration>',
    'how long to wait for lists of the service that are behind its writes (10m, 90s)',
    '10m',
  );
}

/** For verbs that several processes share; `commands/shard.ts` and `commands/rate-store.ts` read them. */
export function addShardFlags(command: IdportCommand): IdportCommand {
  return command
    .option(
      '--shard <i/n>',
      'one of n processes that share the users: 1/4 to 4/4, or auto/4 in a Kubernetes Indexed Job',
    )
    .option(
      '--rate-store <url>',
      'a Redis or Valkey through which they share the rate: redis://..., or IDPORT_RATE_STORE',
    );
}

/** For verbs with a journal. */
export function addLockFlag(command: IdportCommand): IdportCommand {
  return command.option(
    '--steal-lock',
    'take over the journal of a run on a machine or in a container that is gone, at once',
  );
}

/** For verbs that import in bulk. */
export function addEmailAfterFlag(command: IdportCommand): IdportCommand {
  return command.choice(
    '--email-after <state>',
    'verified addresses of users without a password, which arrive unverified: leave them so, or set them to verified',
    ['leave', 'verified'],
    'leave',
  );
}

/** For verbs that send many requests; `commands/service-limits.ts` reads them. */
export function addSpeedFlags(command: IdportCommand): IdportCommand {
  return command
    .option(
      '--rate <n/s>',
      'maximum requests per second (45/s, 600/m, unlimited); default: the target profile',
    )
    .option('--budget <n>', 'stop after N requests')
    .option(
      '--target-profile <name|file>',
      'what the target accepts (default: hosted for the hosted service, else self-hosted)',
    );
}
