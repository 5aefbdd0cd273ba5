/** Changes a user that a previous run created, in place: mainly one call with the parts that have changed in the source. */
import { type Attempt, type Call, search } from '../../api/client.ts';
import { backoff, lostAnswers } from '../../api/retry.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import type { SignInKind } from '../../records/sign-in.ts';
import type { Note, AcceptedRecord, IdpLink, UserRecord } from '../../records/user.ts';
import { listTimeOf, waitForEntries } from '../reconcile/list-lag.ts';
import {
  isStateThere,
  isThere,
  readLinks,
  readUserV2,
  userPath,
  stateActions,
  writtenAt,
} from '../reconcile/find-users.ts';
import {
  failure,
  refusalOf,
  settleUser,
  waits,
  type CreateResult,
  type UserToCreate,
} from './create-user.ts';
import { orgOf, type UsersRun } from './run.ts';
import { rolesText } from '../read/owned-entries.ts';
import { listUserGrantPages } from '../resources/user-grants.ts';
import { encodeIdpLink, encodePassword, encodeProfile } from '../../targets/create-user.ts';
import { encodeMetadataEntry } from '../../targets/human-user.ts';
import { listMetadataV2Response, type UserV2 } from '../../wire/user.ts';
import {
  type PreviousState,
  isLeftPart,
  isNewPart,
  metadataText,
  partNames,
  shownTexts,
  textsOf,
  type Part,
  withUnwritten,
} from '../incremental/fingerprint.ts';

export type UpdateResult =
  | {
      readonly state: 'changed';
      readonly notes: readonly Note[];
      readonly signIn: SignInKind | undefined;
    }
  /** The user was deleted at the service after the previous run. */
  | { readonly state: 'gone' }
  | CreateResult
  | typeof waits;

/** Parts that have changed and that no call writes, by the note that says so. */
const unwritten: Readonly<Partial<Record<ReasonCode, readonly Part[]>>> = {
  'delta:password': ['password'],
  'delta:totp': ['TOTP secret'],
  'delta:links': ['linked logins'],
  'delta:left': ['roles', 'organization'],
};

/** Throws errors that concern all users. The journal then says that this user was not done. */
export async function updateUser(run: UsersRun, user: UserToUpdate): Promise<UpdateResult> {
  const { number, record } = user;
  const id = idOf(user);
  const change = await findChange(run, user, id);
  if (change === undefined) return { state: 'gone' };
  const { calls, changedAt, isListed } = change;
  const parts = change.notes.flatMap(({ code }) => unwritten[code] ?? []);
  const fingerprint = withUnwritten(user.fingerprint, parts, user.before);
  const users = [[record.id, record.userName, fingerprint]] as const;
  const at = run.client.serverNow();
  const attempt = await run.journal.intend({ at, entries: [number], users, ids: [[number, id]], changedAt });
  let writtenAt: number | undefined;
  for (const { link, ...call } of calls) {
    const end = await sendOnce(run, call, id, change.passwordChanged).catch(async (error: unknown) => {
      if (call.method === 'PATCH') await run.journal.settle(attempt);
      throw error;
    });
    // Metadata alone does not advance the list of users, so later runs must not wait for it there.
    if (end.ok && isListed) writtenAt = end.value ?? writtenAt;
    if (end.ok || isStateThere(end.error)) continue;
    const { status } = end.error;
    const isName = status === 409 && call.method === 'PATCH';
    if (status === 409 && link !== undefined && (await hasLink(run, id, link))) continue;
    if (isName && user.mayWait) {
      await run.journal.settle(attempt);
      return waits;
    }
    const result = isName ? failure('import:name-taken', end.error) : refusalOf(end.error);
    // The intent stays open, so that resuming sends the change again.
    if (result?.state !== 'failed') throw end.error;
    const { state, code, detail } = result;
    await settleUser(run, user, attempt, { failed: [{ entry: number, code, detail }] }, { state });
    return result;
  }
  const notes = [...change.notes];
  if (calls.length === 0)
    notes.unshift({ code: notes.length === 0 ? 'user-skipped:unchanged' : 'user-skipped:left' });
  const noted = notes.map(({ code, detail = '' }) => ({ entry: number, code, detail }));
  const ends = { changed: [number], ids: [[number, id]] as const, noted, writtenAt };
  const result = { state: 'changed', id, notes, signIn: change.signIn } as const;
  // The id map says what has become of the user.
  const state = calls.length === 0 ? 'existed' : 'changed';
  await settleUser(run, user, attempt, ends, { id, state });
  return result;
}

/**
 * Sends a call once. A password sent twice causes two emails, so after a lost answer the user is read before the call is
 * repeated.
 */
async function sendOnce(
  run: UsersRun,
  call: Call,
  id: string,
  passwordBefore: string | undefined,
  lost = 1,
): Promise<Attempt<number | undefined>> {
  const end = await run.client.attempt({ ...call, answer: { parse: writtenAt } });
  const isUnsure = !end.ok && end.error.verdict === 'unsure' && call.repeat === 'unsafe';
  if (!isUnsure || lost > lostAnswers.createUser) return end;
  const found = await readUserV2(run.client, id);
  if (found !== undefined && found.human?.passwordChanged !== passwordBefore)
    return { ok: true, value: writtenAt(found) };
  await run.clock.sleep(backoff(lost, run.clock.random()), run.signal);
  return sendOnce(run, call, id, passwordBefore, lost + 1);
}

const idOf = ({ before, record }: UserToUpdate) => (before.id === '' ? record.id : before.id);

/**
 * Reports whether the user has the link: a call with a lost answer may have added it. Otherwise another user has it. The list
 * lags.
 */
async function hasLink(run: UsersRun, id: string, link: IdpLink) {
  const look = async () => {
    const { result, details } = await readLinks(run.client, id);
    return { isShown: result.some(isLink(link)), time: listTimeOf(details) };
  };
  return (await waitForEntries(run, 'links', look, id)).state === 'shown';
}

export interface UserToUpdate extends UserToCreate {
  readonly before: PreviousState;
}

/** Tolerance between the clock that stamps users and that of the `Date` headers, in milliseconds. */
const clockSlack = 60_000;

/** Returns undefined if the user is gone. */
async function findChange(run: UsersRun, user: UserToUpdate, id: string) {
  const { record, before, number } = user;
  const found = await run.serviceUsers.find(id);
  if (found === undefined || !isThere(found)) return undefined;
  const { passwordChanged, profile } = found.human ?? {};
  const next = textsOf(record);
  const changed = partNames.filter((part) => isNewPart(before, record, part));
  const metadata = changed.includes('metadata') ? await readMetadata(run, id) : [];
  const shown = { ...shownTexts(found), metadata: metadataText(metadata) };
  const kept: string[] = [];
  const notes: Note[] = [];
  /** Reports whether to write the source's value: it has changed, and the service still has what the previous run left. */
  const takes = (part: Part) => {
    const there = shown[part];
    if (!changed.includes(part) || there === next[part]) return false;
    if (there === next[part].replace(/(?<=@\S+) unverified$/, ' verified')) {
      notes.push({ code: 'delta:verified' });
      return false;
    }
    if (there === undefined || isLeftPart(before, part, there)) return true;
    kept.push(part);
    return false;
  };
  const body: Record<string, unknown> = {};
  if (takes('user name')) body['username'] = record.userName;
  if (takes('metadata')) body['metadata'] = metadataChange(record, metadata);
  const type = changeOfType(record, takes);
  const since = before.writtenAt ?? (before.createdSince ?? 0) + clockSlack;
  const isOurs = run.journal.unconfirmed.has(number) || !(Date.parse(passwordChanged ?? '') > since);
  if (found.state === 'USER_STATE_INITIAL') notes.push({ code: 'delta:initial' });
  else if (record.kind === 'human' && changed.includes('password')) {
    // A placeholder would replace the password that the user has, and count as one that the user has set.
    const isReal = next.password !== '';
    if (isReal && isOurs) type['password'] = encodePassword(record);
    else if (isReal) kept.push('password');
    else if (isOurs) notes.push({ code: 'delta:password' });
  }
  if (changed.includes('TOTP secret')) notes.push({ code: 'delta:totp' });
  const left = await findLeft(run, id, found, record, changed);
  if (left.length > 0) notes.push({ code: 'delta:left', detail: left.join(', ') });
  const links =
    record.kind === 'human' && changed.includes('linked logins')
      ? await compareLinks(run, id, record)
      : undefined;
  if (links?.isOneGone) notes.push({ code: 'delta:links' });
  const action = takes('state') ? stateActions[record.state][found.state] : undefined;
  if (kept.length > 0) notes.push({ code: 'delta:kept', detail: kept.join(', ') });
  const isListed = 'username' in body || Object.keys(type).length > 0;
  const path = userPath(id);
  /** A `link` is the one that the call adds. */
  const calls: (Call & { readonly link?: IdpLink })[] = [];
  if (isListed || 'metadata' in body) {
    const repeat = 'password' in type ? 'unsafe' : 'safe';
    calls.push({ method: 'PATCH', path, body: { ...body, [record.kind]: type }, repeat });
  }
  // The PATCH call refuses an empty nickname, the older PUT call takes it.
  if ('profile' in type && record.kind === 'human' && record.nickName === '' && profile?.nickName) {
    const whole = { ...(type['profile'] as object), nickName: '' };
    const humanPath = `/v2/users/human/${encodeURIComponent(id)}`;
    calls.push({ method: 'PUT', path: humanPath, body: { profile: whole } });
  }
  // Links that the source no longer has stay.
  for (const link of links?.added ?? []) {
    calls.push({ method: 'POST', path: `${path}/links`, body: { idpLink: encodeIdpLink(link) }, link });
  }
  if (action !== undefined) calls.push({ method: 'POST', path: `${path}/${action}`, body: {} });
  return {
    calls,
    /** Whether the list of users shows the change. */
    isListed: isListed || action !== undefined,
    notes,
    /** When the user was last written before this change, by anyone. */
    changedAt: writtenAt(found),
    /** When the password was last changed before. */
    passwordChanged,
    /** How the user signs in, if the service shows another way than the source. */
    signIn: record.state === 'active' ? signInThere(found, action, isOurs) : undefined,
  };
}

/** Returns which of the parts that no call writes have changed, and are not as in the source at the service either. */
async function findLeft(
  run: UsersRun,
  id: string,
  { details }: UserV2,
  record: AcceptedRecord,
  changed: readonly Part[],
) {
  const org = orgOf(run, record);
  const left: Part[] = [];
  if (changed.includes('roles')) {
    const { projects } = run.projectIds;
    const next = (record.grants ?? '').replaceAll(/^\S+/gm, (project) => projects.get(project) ?? project);
    const there: string[] = [];
    // Users of one organization may have roles in another.
    for (const inOrg of run.journal.header.orgs)
      for await (const { result } of listUserGrantPages(run.client, inOrg, undefined, id))
        there.push(...result.map(rolesText));
    if (there.toSorted().join('\n') !== next.split('\n').toSorted().join('\n')) left.push('roles');
  }
  if (changed.includes('organization') && details?.resourceOwner !== org) left.push('organization');
  return left;
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

const isLink =
  ({ configId, externalUserId }: IdpLink) =>
  ({ idpId, userId }: { readonly idpId: string; readonly userId: string }) =>
    idpId === configId && userId === externalUserId;

/** Returns the entries to write. A key with an empty value is removed. */
function metadataChange(record: AcceptedRecord, there: readonly { readonly key: string }[]): object[] {
  const next = record.metadata.map(encodeMetadataEntry);
  const keys = new Set(next.map(({ key }) => key));
  return [...next, ...there.filter(({ key }) => !keys.has(key)).map(({ key }) => ({ key, value: '' }))];
}

/** Returns what changes in the part of the body that is named after the kind of user. */
function changeOfType(record: AcceptedRecord, takes: (part: Part) => boolean) {
  const change: Record<string, unknown> = {};
  const takesProfile = takes('profile');
  if (record.kind === 'machine') {
    const { name, description } = record;
    return takesProfile ? { name, description } : change;
  }
  const { email, phone } = record;
  // Otherwise a display name made of the former names would stay.
  const displayName = record.displayName || `${record.givenName} ${record.familyName}`;
  if (takesProfile) change['profile'] = { ...encodeProfile(record), displayName };
  // With `returnCode`, the service sends nothing to the user.
  const verification = (isVerified: boolean) => (isVerified ? { isVerified } : { returnCode: {} });
  if (takes('email')) change['email'] = { email, ...verification(record.emailVerified) };
  if (takes('phone')) change['phone'] = phone === '' ? {} : { phone, ...verification(record.phoneVerified) };
  return change;
}

async function readMetadata(run: UsersRun, id: string) {
  const path = `${userPath(id)}/metadata/search`;
  const body = { pagination: { limit: 1000 } };
  return (await run.client.call(search(path, body, listMetadataV2Response))).metadata;
}
