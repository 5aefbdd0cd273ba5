/** `idport jit`: login-time migration for users whose password hashes cannot move. */
import {
  jitRemainingFlags,
  jitRemoveFlags,
  jitServeFlags,
  jitSetupFlags,
  jitStatusFlags,
  jitTryFlags,
} from '../../flags/jit.ts';
import { branch, verb } from '../verb.ts';

const setup = () => import('../../commands/jit/setup.ts');

export const jit = branch(
  'migrate passwords at the first login, where their hashes cannot move',
  [
    'idport jit serve --verifier=hashes:jit.ndjson --signing-key-file=jit.key',
    'idport jit setup --endpoint=https://jit.example.com/ --signing-key-file=jit.key',
  ],
  {
    serve: verb({
      description: 'run the receiver until it is stopped',
      flags: jitServeFlags,
      common: [
        'verifier',
        'signingKeyFile',
        'users',
        'idMap',
        'anyUser',
        'url',
        'tokenFile',
        'keyFile',
        'listen',
        'journal',
      ],
      examples: [
        'idport jit serve --verifier=hashes:jit.ndjson --signing-key-file=jit.key',
        'idport jit serve --verifier=ldap:ldap.yaml --any-user --signing-key-file=jit.key --listen=127.0.0.1:9600',
      ],
      load: async () => (await import('../../commands/jit/serve.ts')).serveJit,
    }),
    setup: verb({
      description: 'let the service call the receiver at each login with a password',
      flags: jitSetupFlags,
      common: ['endpoint', 'signingKeyFile', 'url', 'tokenFile', 'keyFile', 'muteOrg', 'timeout', 'users'],
      examples: [
        'idport jit setup --endpoint=https://jit.example.com/ --signing-key-file=jit.key',
        'idport jit setup --endpoint=https://jit.example.com/ --signing-key-file=jit.key --timeout=3s',
      ],
      load: async () => (await setup()).setUpJit,
    }),
    status: verb({
      description: 'show the target, its executions, and how many users have migrated',
      flags: jitStatusFlags,
      common: ['url', 'tokenFile', 'keyFile', 'users', 'journal', 'org'],
      examples: [
        'idport jit status --users=jit.ndjson',
        'idport jit status --users=jit.ndjson --org=165617389845094785',
      ],
      load: async () => (await setup()).showJitStatus,
    }),
    remove: verb({
      description: 'end the calls to the receiver and delete its target',
      flags: jitRemoveFlags,
      examples: ['idport jit remove', 'idport jit remove --name=idport-jit-staging'],
      load: async () => (await setup()).removeJit,
    }),
    remaining: verb({
      description: 'list users who have no password at the service yet',
      flags: jitRemainingFlags,
      examples: [
        'idport jit remaining --users=jit.ndjson',
        'idport jit remaining --users=jit.ndjson --csv > letter.csv',
      ],
      load: async () => (await setup()).listRemaining,
    }),
    try: verb({
      description: "ask for a user's password and show what the receiver would do",
      flags: jitTryFlags,
      examples: [
        'idport jit try --user=alice --users=jit.ndjson --verifier=hashes:jit.ndjson',
        'idport jit try --user=alice@example.com --verifier=ldap:ldap.yaml',
      ],
      load: async () => (await import('../../commands/jit/try.ts')).tryJit,
    }),
  },
);
