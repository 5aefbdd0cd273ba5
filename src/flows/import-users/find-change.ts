/** Compares a user in the source with the same user at the service: what an incremental run changes, and what it only reports. */
import { hash } from 'node:crypto';
import { search } from '../../api/client.ts';
import type { SignInKind } from '../../records/sign-in.ts';
import type { MachineRecord, Note, UserRecord } from '../../records/user.ts';
import { encodePassword, encodeProfile } from '../../targets/create-user.ts';
import { encodeMetadataEntry } from '../../targets/human-user.ts';
import { listMetadataV2Response, type UserV2 } from '../../wire/user.ts';
import type { PreviousState } from '../incremental/previous-table.ts';
import {
  isLeftPart,
  isNewPart,
  metadataText,
  partNames,
  shownTexts,
  textsOf,
  type Part,
} from '../incremental/user-parts.ts';
import { readLinks, stateActions, userPath, writtenAt } from '../reconcile/find-users.ts';
import type { UserToCreate } from './create-user.ts';
import type { UsersRun } from './run.ts';

export interface UserToUpdate extends UserToCreate {
  readonly before: PreviousState;
  /** Gives the user another name until its own is free. */
  readonly isInterim?: boolean;
}

/** Returns a name that is the same in every run, so that a user who still has it after a kill is recognized. */
export const interimName = (id: string) => `idport-${hash('sha256', id, 'hex').slice(0, 24)}`;

/** Tolerance between the clock that stamps users and that of the `Date` headers, in milliseconds. */
const clockSlack = 60_000;

export type Change = Awaited<ReturnType<typeof findChange>>;
export type Link = UserRecord['links'][number];

export async function findChange(run: UsersRun, user: UserToUpdate, found: UserV2) {
  const { record, before, number } = user;
  const next = textsOf(record);
  const shown = { ...shownTexts(found) };
  const changed = partNames.filter((part) => isNewPart(before, record, part));
  const metadata = changed.includes('metadata') ? await readMetadata(run, found.userId) : [];
  if (changed.includes('metadata')) shown.metadata = metadataText(metadata);
  const kept: string[] = [];
  const notes: Note[] = [];
  /** Reports whether to write the source's value: it has changed, and the service still has what the previous run left. */
  const takes = (part: Part) => {
    const there = shown[part];
    if (!changed.includes(part) || there === next[part]) return false;
    if (part === 'user name' && there === interimName(found.userId)) return true;
    if (there === undefined || isLeftPart(before, part, there)) return true;
    kept.push(part);
    return false;
  };
  const body: Record<string, unknown> = {};
  if (takes('user name')) body['username'] = record.userName;
  if (takes('metadata')) body['metadata'] = metadataChange(record, metadata);
  const type = record.kind === 'human' ? humanChange(record, takes) : machineChange(record, takes);
  const isInitial = found.state === 'USER_STATE_INITIAL';
  const since = before.writtenAt ?? (before.createdSince ?? 0) + clockSlack;
  const isOurs =
    run.journal.unconfirmed.has(number) || !(Date.parse(found.human?.passwordChanged ?? '') > since);
  if (isInitial) notes.push({ code: 'delta:initial' });
  else if (record.kind === 'human' && changed.includes('password')) {
    // A placeholder would replace the password that the user has, and count as one that the user has set.
    const isReal = next.password !== '';
    if (isReal && isOurs) type['password'] = encodePassword(record);
    else if (isReal) kept.push('password');
    else if (isOurs) notes.push({ code: 'delta:password' });
  }
  if (changed.includes('TOTP secret')) notes.push({ code: 'delta:totp' });
  const left = (['roles', 'organization'] as const).filter(
    (part) => changed.includes(part) && before.parts !== '' && !(part === 'organization' && run.org),
  );
  if (left.length > 0) notes.push({ code: 'delta:left', detail: left.join(', ') });
  const links =
    record.kind === 'human' && changed.includes('linked logins')
      ? await compareLinks(run, found.userId, record)
      : undefined;
  if (links?.isOneGone === true) notes.push({ code: 'delta:links' });
  const action = takes('state') ? stateActions[record.state][found.state] : undefined;
  if (kept.length > 0) notes.push({ code: 'delta:kept', detail: kept.join(', ') });
  const isListed = 'username' in body || Object.keys(type).length > 0;
  const hasNickName = (found.human?.profile?.nickName ?? '') !== '';
  const isNickNameGone =
    hasNickName && record.kind === 'human' && record.nickName === '' && 'profile' in type;
  return {
    /** Whether the list of users shows the change. */
    isListed: isListed || action !== undefined,
    /** Body of the call. Undefined if it has nothing to change. */
    body: isListed || 'metadata' in body ? { ...body, [record.kind]: type } : undefined,
    repeat: 'password' in type ? ('unsafe' as const) : ('safe' as const),
    /** Profile for the older PUT call, if the nickname is gone: the PATCH call refuses an empty nickname. */
    profile: isNickNameGone ? { ...(type['profile'] as object), nickName: '' } : undefined,
    /** Links to add. Links that the source no longer has stay. */
    links: links?.added ?? [],
    /** Verb of the call that changes the state. */
    action,
    notes,
    /** When the user was last written before this change, by anyone. */
    changedAt: writtenAt(found),
    /** How the user signs in, if the service shows another way than the source. */
    signIn: record.state === 'active' ? signInThere(found, action, isOurs) : undefined,
  };
}

/** Returns undefined if nothing at the service contradicts the source. */
function signInThere({ state }: UserV2, action: string | undefined, isOurs: boolean): SignInKind | undefined {
  if (state === 'USER_STATE_INITIAL') return 'answer-email';
  if (state !== 'USER_STATE_ACTIVE' && action === undefined) return 'disabled';
  return isOurs ? undefined : 'own-password';
}

async function compareLinks(run: UsersRun, id: string, record: UserRecord) {
  const { result } = await readLinks(run.client, id);
  const added = record.links.filter((link) => !result.some(isLink(link)));
  // A link has gone from the source but not from the service.
  return { added, isOneGone: result.length + added.length > record.links.length };
}

export const isLink =
  ({ configId, externalUserId }: Link) =>
  ({ idpId, userId }: { readonly idpId: string; readonly userId: string }) =>
    idpId === configId && userId === externalUserId;

/** Returns the entries to write. A key with an empty value is removed. */
function metadataChange(
  record: UserRecord | MachineRecord,
  there: readonly { readonly key: string }[],
): object[] {
  const next = record.metadata.map(encodeMetadataEntry);
  const keys = new Set(next.map(({ key }) => key));
  return [...next, ...there.filter(({ key }) => !keys.has(key)).map(({ key }) => ({ key, value: '' }))];
}

function humanChange(record: UserRecord, takes: (part: Part) => boolean) {
  const { email, emailVerified, phone, phoneVerified } = record;
  // Otherwise a display name made of the former names would stay.
  const displayName =
    record.displayName === '' ? `${record.givenName} ${record.familyName}` : record.displayName;
  const change: Record<string, unknown> = {};
  if (takes('profile')) change['profile'] = { ...encodeProfile(record), displayName };
  // With `returnCode`, the service sends nothing to the user.
  if (takes('email'))
    change['email'] = { email, ...(emailVerified ? { isVerified: true } : { returnCode: {} }) };
  if (takes('phone')) {
    const verification = phoneVerified ? { isVerified: true } : { returnCode: {} };
    change['phone'] = phone === '' ? {} : { phone, ...verification };
  }
  return change;
}

function machineChange({ name, description }: MachineRecord, takes: (part: Part) => boolean) {
  return (takes('profile') ? { name, description } : {}) as Record<string, unknown>;
}

async function readMetadata(run: UsersRun, id: string) {
  const path = `${userPath(id)}/metadata/search`;
  const body = { pagination: { limit: 1000 } };
  const { metadata } = await run.client.call(search(path, body, listMetadataV2Response));
  return metadata.map(({ key, value }) => ({ key, value }));
}
