/** Service users and their credentials: personal access tokens, key files, secrets. */
import { details } from '../../wire/details.ts';
import { bytes, choice, text, timestamp } from '../../wire/message.ts';
import { machineUser } from '../../wire/org-data.ts';
import { addKey, addSecret, addToken } from '../accounts.ts';
import type { Call } from '../context.ts';
import { refusal } from '../errors.ts';
import { management } from '../method.ts';
import { addDetails, changeDetails } from '../users/show.ts';
import type { UserRow } from '../store/rows.ts';
import { createMachine } from '../users/create.ts';
import { orgOf } from './create-user.ts';
import { readUserOfCall, userOfCall } from './users.ts';

const machineOf = (...asked: Parameters<typeof userOfCall>): UserRow => machineOnly(userOfCall(...asked));

function machineOnly(user: UserRow): UserRow {
  if (user.kind === 'machine') return user;
  throw refusal('COMMAND-Df2f1');
}

/** In milliseconds since 1970, 0 for never. */
function expiry({ store }: Call, date: string): number {
  const expires = date === '' ? 0 : Date.parse(date);
  if (expires === 0 || expires > store.now()) return expires;
  throw refusal('DOMAIN-dv3t5');
}

/** A credential is an event of its user. */
function countEvent({ store }: Call, id: string) {
  const user = store.users.get(id)!;
  const counted = store.users.put({ ...user, sequence: user.sequence + 1 });
  return addDetails({ ...counted, changed: store.now() });
}

export const machineMethods = [
  management('AddMachineUser', 'POST /management/v1/users/machine', 'user.write', {
    request: machineUser,
    response: { userId: text, details },
    handle(call, request) {
      const org = orgOf(call, call.orgId);
      const user = createMachine(call, org, call.caller.user.id, {
        ...request,
        tokenType: request.accessTokenType,
      });
      return { userId: user.id, details: changeDetails(user) };
    },
  }),
  management('AddPersonalAccessToken', 'POST /management/v1/users/:userId/pats', 'user.write', {
    request: { expirationDate: timestamp },
    response: {
      tokenId: text,
      token: text,
      details,
    },
    handle(call, { userId, expirationDate }) {
      const expires = expiry(call, expirationDate);
      const user = machineOf(call, userId, 'COMMAND-Dggw2');
      const token = addToken(call, user.id, undefined, expires);
      const { tokenId } = call.store.tokens.get(token)!;
      return { tokenId, token, details: countEvent(call, user.id) };
    },
  }),
  management('AddMachineKey', 'POST /management/v1/users/:userId/keys', 'user.write', {
    request: {
      type: choice(['KEY_TYPE_UNSPECIFIED', 'KEY_TYPE_JSON']),
      expirationDate: timestamp,
    },
    response: {
      keyId: text,
      keyDetails: bytes,
      details,
    },
    async handle(call, { userId, expirationDate }) {
      const expires = expiry(call, expirationDate);
      const user = machineOf(call, userId, 'COMMAND-bnipwm1');
      const file = await addKey(call, user.id, expires);
      const keyDetails = Buffer.from(JSON.stringify(file)).toString('base64');
      return { keyId: file.keyId, keyDetails, details: countEvent(call, user.id) };
    },
  }),
  management('GenerateMachineSecret', 'PUT /management/v1/users/:userId/secret', 'user.write', {
    response: {
      clientId: text,
      clientSecret: text,
      details,
    },
    handle(call, { userId }) {
      const user = machineOnly(readUserOfCall(call, userId));
      const clientSecret = addSecret(call, user.id);
      return { clientId: user.userName, clientSecret, details: countEvent(call, user.id) };
    },
  }),
];
