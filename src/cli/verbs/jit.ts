/** `idport jit`: login-time migration for users whose password hashes cannot move. */
import type { IdportCommand } from '../command.ts';
import type { JitRemainingFlags } from '../../commands/jit/remaining.ts';
import type { JitServeFlags } from '../../commands/jit/serve.ts';
import type { JitRemoveFlags, JitSetupFlags, JitStatusFlags } from '../../commands/jit/setup.ts';
import type { JitTryFlags } from '../../commands/jit/try.ts';
import { addConnectionFlags } from '../flags/connection.ts';
import { addApiFlag } from './actions/service-flags.ts';
import { append, type DeclareVerb } from '../verb.ts';

const nameFlag = ['--name <name>', 'name of the target', 'idport-jit'] as const;
const journalFlag = ['--journal <file>', 'which users have migrated', 'jit.journal'] as const;
const usersFlag = '--users <file>';
const idMapFlag = [
  '--id-map <file>',
  'id map of import-users, where the service has chosen other ids than the list has (repeatable)',
  append,
] as const;
const mutedFlag = ['--muted <file>', 'organizations that setup has muted', 'jit.muted'] as const;
const sharedStateFlag = [
  '--shared-state <url>',
  'a Redis or Valkey that several receivers share: redis://..., or IDPORT_SHARED_STATE',
] as const;

export const declareJit: DeclareVerb = (program, dispatch) => {
  const jit = program
    .command('jit')
    .description('migrate passwords at the first login, where their hashes cannot move')
    .examples(
      'idport jit serve --verifier hashes:jit.ndjson --signing-key-file jit.key',
      'idport jit setup --endpoint https://jit.example.com/ --signing-key-file jit.key',
    );
  const verbs = [declareServe, declareSetup, declareStatus, declareRemove, declareRemaining, declareTry];
  for (const declare of verbs) declare(jit, dispatch);
};

function addVerifierFlags(command: IdportCommand): IdportCommand {
  return command
    .requiredOption(
      '--verifier <kind:file>',
      'what checks the old passwords: hashes:<list>, or oidc, cognito, firebase, ldap, http with a file of settings (repeatable)',
      append,
    )
    .option(usersFlag, 'list of migrate --jit-list: without --any-user no other user is asked about')
    .option(...idMapFlag)
    .option('--any-user', 'check every user who has no password at the service, not only those of a list')
    .option('--secret <name=file>', 'a pepper or key that hashes of the list need', append)
    .option('--verifier-timeout <duration>', 'longest wait for one verifier', '1500ms');
}

function addJitServiceFlags(command: IdportCommand): IdportCommand {
  return command.with(addConnectionFlags, addApiFlag);
}

const declareServe: DeclareVerb = (jit, dispatch) => {
  jit
    .command('serve')
    .description('run the receiver until it is stopped')
    .with(addVerifierFlags, addConnectionFlags)
    .requiredOption(
      '--signing-key-file <file>',
      'signing key of the target, read anew for each call (repeatable)',
      append,
    )
    .option('--listen <address>', 'address to listen on', '127.0.0.1:9600')
    .output(...journalFlag)
    .option('--steal-lock', 'take over the journal of a receiver in a container that is gone, at once')
    .option(...sharedStateFlag)
    .option('--answer-within <duration>', 'answer each call after this time at the latest', '1800ms')
    .option('--require-change', 'ask users for a new password after their first login')
    .option('--tls-cert <file>', 'certificate of the receiver, PEM')
    .option('--tls-key <file>', 'its private key, PEM')
    .option('--plain-http', 'take calls without TLS from other machines')
    .examples(
      'idport jit serve --verifier hashes:jit.ndjson --signing-key-file jit.key',
      'idport jit serve --verifier ldap:ldap.yaml --any-user --signing-key-file jit.key --listen 127.0.0.1:9600',
    )
    .action((options: JitServeFlags) =>
      dispatch(async () => (await import('../../commands/jit/serve.ts')).serveJit, options),
    );
};

const declareSetup: DeclareVerb = (jit, dispatch) => {
  jit
    .command('setup')
    .description('let the service call the receiver at each login with a password')
    .with(addJitServiceFlags)
    .requiredOption('--endpoint <url>', 'address of the receiver as the service reaches it')
    .requiredOutput('--signing-key-file <file>', 'write the signing key here, 0600')
    .option(...nameFlag)
    .option(
      '--mute-org <id>',
      'switch off the email about changed passwords in this organization, until jit remove (repeatable)',
      append,
    )
    .output(...mutedFlag)
    .option('--timeout <duration>', 'how long the service waits for the receiver', '2s')
    .option(usersFlag, 'list of migrate --jit-list: says whether login pages ask these users for a password')
    .option(...idMapFlag)
    .format()
    .examples(
      'idport jit setup --endpoint https://jit.example.com/ --signing-key-file jit.key',
      'idport jit setup --endpoint https://jit.example.com/ --signing-key-file jit.key --timeout 3s',
    )
    .action((options: JitSetupFlags) =>
      dispatch(async () => (await import('../../commands/jit/setup.ts')).setUpJit, options),
    );
};

const declareStatus: DeclareVerb = (jit, dispatch) => {
  jit
    .command('status')
    .description('show the target, its executions, and how many users have migrated')
    .with(addJitServiceFlags)
    .option(...nameFlag)
    .output(...journalFlag)
    .option(...sharedStateFlag)
    .option(usersFlag, 'list of migrate --jit-list')
    .option('--org <id>', 'organization whose policies are looked at (repeatable)', append)
    .format()
    .examples('idport jit status --users jit.ndjson', 'idport jit status --format json')
    .action((options: JitStatusFlags) =>
      dispatch(async () => (await import('../../commands/jit/setup.ts')).showJitStatus, options),
    );
};

const declareRemove: DeclareVerb = (jit, dispatch) => {
  jit
    .command('remove')
    .description('end the calls to the receiver and delete its target')
    .with(addJitServiceFlags)
    .option(...nameFlag)
    .output(...mutedFlag)
    .format()
    .examples('idport jit remove', 'idport jit remove --name idport-jit-staging')
    .action((options: JitRemoveFlags) =>
      dispatch(async () => (await import('../../commands/jit/setup.ts')).removeJit, options),
    );
};

const declareRemaining: DeclareVerb = (jit, dispatch) => {
  jit
    .command('remaining')
    .description('list users who have no password at the service yet')
    .with(addConnectionFlags)
    .requiredOption(usersFlag, 'list of migrate --jit-list')
    .option(...idMapFlag)
    .output(...journalFlag)
    .option(...sharedStateFlag)
    .option('--csv', 'print them as CSV, for a letter')
    .examples(
      'idport jit remaining --users jit.ndjson',
      'idport jit remaining --users jit.ndjson --csv > letter.csv',
    )
    .action((options: JitRemainingFlags) =>
      dispatch(async () => (await import('../../commands/jit/remaining.ts')).listRemaining, options),
    );
};

const declareTry: DeclareVerb = (jit, dispatch) => {
  jit
    .command('try')
    .description("ask for a user's password and show what the receiver would do")
    .with(addVerifierFlags, addConnectionFlags)
    .requiredOption('--user <id|login>', 'id or login name of the user at the service')
    .examples(
      'idport jit try --user alice --verifier hashes:jit.ndjson',
      'idport jit try --user alice@example.com --verifier ldap:ldap.yaml',
    )
    .action((options: JitTryFlags) =>
      dispatch(async () => (await import('../../commands/jit/try.ts')).tryJit, options),
    );
};
