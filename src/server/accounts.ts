/** Gives users their roles, and service users their personal access tokens, secrets and key files. */
import { createHash, generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { formatTimestamp } from '../wire/scalars.ts';
import { existing } from './errors.ts';
import type { ServerState } from './method.ts';
import type { MemberRow } from './store/rows.ts';
import { memberId } from './store/store.ts';

export function addMember({ store }: ServerState, member: Omit<MemberRow, 'id' | 'created'>) {
  const id = memberId(member.scope, member.objectId, member.userId);
  store.members.put({ ...member, id, created: store.now() });
}

export const addOrgMember = (state: ServerState, orgId: string, userId: string, roles: readonly string[]) =>
  addMember(state, { scope: 'org', objectId: orgId, projectId: '', orgId, userId, roles });

/** Expiration date of what never expires, in milliseconds since 1970, as the service has it. */
export const never = Date.UTC(9999, 11, 31, 23, 59, 59);

/** Adds a personal access token, whose `id` is the token itself. */
export function addToken(state: ServerState, userId: string, token?: string, expires = never) {
  const id = token ?? randomBytes(53).toString('base64url');
  const { store } = state;
  const created = store.now();
  return store.tokens.put({ id, tokenId: store.nextId(), userId, kind: 'pat', created, expires, api: true });
}

/** Sets a new client secret for `client_credentials` and returns it. The client id is the user name. */
export function addSecret(state: ServerState, userId: string) {
  const user = state.store.users.get(userId)!;
  const secret = randomBytes(48).toString('base64url');
  state.store.users.put({ ...user, secretHash: hashSecret(secret) });
  return secret;
}

export const hashSecret = (secret: string) => createHash('sha256').update(secret).digest('base64');

/** Creates a key for the JWT profile. The private key is only in the returned file. */
export async function addKey(state: ServerState, userId: string, expires = never) {
  const { store } = state;
  const pair = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 });
  // Generating a key takes time, so the user may have been deleted meanwhile.
  const user = existing(store.users.get(userId), 'COMMAND-bnipwm1');
  const keyId = store.nextId();
  const publicKey = pair.publicKey.export({ type: 'spki', format: 'pem' }) as string;
  store.machineKeys.put({
    id: keyId,
    orgId: user.orgId,
    userId,
    key: {
      keyId,
      userId,
      type: 'KEY_TYPE_JSON',
      expirationDate: formatTimestamp(expires),
      publicKey: Buffer.from(publicKey).toString('base64'),
    },
  });
  const key = pair.privateKey.export({ type: 'pkcs1', format: 'pem' }) as string;
  return { type: 'serviceaccount', keyId, key, userId };
}
