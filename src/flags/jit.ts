/** The flags of `idport jit`. */
import {
  each,
  group,
  on,
  output,
  parsed,
  required,
  shared,
  text,
  type Values,
  readDuration,
  readUrl,
} from '../lib/flag.ts';
import { connectionFlags, serviceFlags } from './connection.ts';

const nameFlags = { name: text('<name>', 'name of the target', 'idport-jit') };
const journalFlags = { journal: output('file of the users who have migrated', 'jit.journal') };
const mutedFlags = { muted: output('file of the organizations that setup has muted', 'jit.muted') };
const usersOf = (help: string) => ({ users: text('<file>', help) });
const list = 'the list that migrate --jit-list wrote';
const idMapFlags = {
  idMap: each('<file>', 'id map of import-users, if users got new ids (repeatable)'),
};
const sharedStateFlags = {
  sharedState: text(
    '<url>',
    'Redis or Valkey that several receivers share: redis://..., or IDPORT_SHARED_STATE',
  ),
};

const verifierFlags = {
  verifier: required(
    each(
      '<kind:file>',
      'what checks the old passwords: hashes:<list>, or oidc, cognito, firebase, ldap, http with a file of settings (repeatable)',
    ),
  ),
  ...usersOf(`${list}; without --any-user, only its users are checked`),
  ...idMapFlags,
  anyUser: on('check every user who has no password at the service, not only those of a list'),
  secret: each('<name=file>', 'pepper or key that hashes on the list need'),
  verifierTimeout: parsed('<duration>', 'longest wait for one verifier', readDuration, '1500ms'),
};

export const jitServeFlags = {
  ...verifierFlags,
  ...connectionFlags,
  signingKeyFile: required(each('<file>', 'signing key of the target, read anew for each call (repeatable)')),
  listen: text('<address>', 'address to listen on', '127.0.0.1:9600'),
  ...journalFlags,
  stealLock: on('take over the journal of a dead receiver without waiting'),
  ...sharedStateFlags,
  answerWithin: parsed('<duration>', 'answer each call within this time', readDuration, '1800ms'),
  requireChange: on('ask users for a new password after their first login'),
  tlsCert: text('<file>', 'certificate of the receiver, PEM'),
  tlsKey: text('<file>', 'private key of the certificate, PEM'),
  plainHttp: on('accept calls without TLS from other machines'),
};

export const jitSetupFlags = {
  ...serviceFlags,
  endpoint: required(parsed('<url>', 'address at which the service reaches the receiver', readUrl)),
  signingKeyFile: required(output('write the signing key to this file, readable by you alone')),
  ...nameFlags,
  muteOrg: each(
    '<id>',
    'switch off the email about changed passwords in this organization or all, until jit remove (repeatable)',
  ),
  ...mutedFlags,
  timeout: parsed('<duration>', 'how long the service waits for the receiver', readDuration, '2s'),
  ...usersOf(`${list}, to check whether login pages ask its users for a password`),
  ...idMapFlags,
};

export const jitStatusFlags = {
  ...serviceFlags,
  ...nameFlags,
  ...journalFlags,
  ...mutedFlags,
  ...sharedStateFlags,
  ...usersOf(list),
  ...idMapFlags,
  ...group('Target', shared({ org: each('<id>', 'organization whose policies are checked (repeatable)') })),
};

export const jitRemoveFlags = { ...serviceFlags, ...nameFlags, ...mutedFlags };

export const jitRemainingFlags = {
  ...connectionFlags,
  users: required(usersOf(list).users),
  ...idMapFlags,
  ...journalFlags,
  ...sharedStateFlags,
  csv: on('print CSV, for a letter to these users'),
};

export const jitTryFlags = {
  ...verifierFlags,
  ...connectionFlags,
  user: required(text('<id|login>', 'id or login name of the user at the service')),
};

export type VerifierFlags = Values<typeof verifierFlags>;
export type SharedStateFlags = Values<typeof sharedStateFlags>;
export type JitServeFlags = Values<typeof jitServeFlags>;
export type JitSetupFlags = Values<typeof jitSetupFlags>;
