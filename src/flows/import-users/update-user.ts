/**
 * Changes a user in place who was created by a run before: one call with the parts that have changed in the source. What
 * has changed at the service since is left as it is, and named.
 */
import { hash } from 'node:crypto';
import { search, type Attempt, type Call } from '../../api/client.ts';
import { backoff, lostAnswers } from '../../api/retry.ts';
import { foldName } from '../../records/text.ts';
import type { SignInKind } from '../../records/sign-in.ts';
import type { MachineRecord, Note, UserRecord } from '../../records/user.ts';
import { encodePassword, encodeProfile } from '../../targets/create-user.ts';
import { encodeMetadataEntry } from '../../targets/human-user.ts';
import { listMetadataV2Response, type UserV2 } from '../../wire/user.ts';
import type { PreviousState } from '../incremental/previous-table.ts';
import {
  isKnownPart,
  isLeftPart,
  isNewPart,
  metadataText,
  partNames,
  shownTexts,
  textsOf,
  type Part,
} from '../incremental/user-parts.ts';
import type { UsersRun } from './run.ts';
import { listTimeOf, readLastWritten, waitUntil } from '../reconcile/list-lag.ts';
import {
  isStateThere,
  isThere,
  readLinks,
  readUserV2,
  stateActions,
  userPath,
  writtenAt as timeOfWrite,
} from '../reconcile/find-users.ts';
import {
  failure,
  refusalOf,
  settleUser,
  waits,
  type CreateResult,
  type UserToCreate,
} from './create-user.ts';

export interface UserToUpdate extends UserToCreate {
  readonly before: PreviousState;
  /** Give the user another name until its own is free. */
  readonly isInterim?: boolean;
}

export type UpdateResult =
  | {
      readonly state: 'changed';
      readonly notes: readonly Note[];
      readonly signIn?: SignInKind | undefined;
    }
  /** Deleted at the service since. */
  | { readonly state: 'gone' }
  | CreateResult
  | typeof waits;

/** Throws what concerns all users; the journal then says that this one was not done. */
export async function updateUser(run: UsersRun, user: UserToUpdate): Promise<UpdateResult> {
  const { number, record, fingerprint, isInterim = false } = user;
  const id = idOf(user);
  const renamed = run.interim.get(number);
  const found = renamed === undefined ? await run.serviceUsers.find(id) : undefined;
  if (renamed === undefined && (found === undefined || !isThere(found))) return { state: 'gone' };
  const change =
    found === undefined ? { ...renamed!, ...nameAlone(record) } : await findChange(run, user, found);
  if (isInterim) Object.assign(change.body ?? {}, { username: interimName(id) });
  const users = [[record.id, record.userName, fingerprint]] as const;
  const at = run.client.serverNow();
  const { changedAt } = change;
  const attempt = await run.journal.intend({ at, entries: [number], users, ids: [[number, id]], changedAt });
  let writtenAt: number | undefined;
  let skip: Note | undefined = {
    code: change.notes.length === 0 ? 'user-skipped:unchanged' : 'user-skipped:left',
  };
  for (const { link, ...call } of callsOf(change, id)) {
    skip = undefined;
    const end = await sendOnce(run, call, id, found?.human?.passwordChanged).catch(async (error: unknown) => {
      if (call.method === 'PATCH') await run.journal.settle(attempt);
      throw error;
    });
    // Metadata alone does not move the list of users, for which later runs would wait.
    if (end.ok && change.isListed) writtenAt = end.value ?? writtenAt;
    if (end.ok || isStateThere(end.error)) continue;
    const { status, text } = end.error;
    const isName = status === 409 && call.method === 'PATCH';
    if (status === 409 && link !== undefined && (await hasLink(run, id, link))) continue;
    if (isName && user.mayWait) {
      await run.journal.settle(attempt);
      return waits;
    }
    const result = isName ? failure('import:name-taken', end.error) : refusalOf(end.error);
    // The intent stays open: resuming sends the change again.
    if (result?.state !== 'failed') throw end.error;
    const { code } = result;
    const detail = renamed === undefined ? text : `${text}; the user is named ${interimName(id)} for now`;
    await settleUser(run, user, attempt, { failed: [{ entry: number, code, detail }] }, { state: 'failed' });
    return { state: 'failed', code, detail };
  }
  if (isInterim) {
    // Until the user has its name, so that a resumed run goes on.
    await run.journal.settleSoon(attempt, { unconfirmed: [number] });
    run.interim.set(number, change);
    return waits;
  }
  const notes = skip === undefined ? change.notes : [skip, ...change.notes];
  const noted = notes.map(({ code, detail = '' }) => ({ entry: number, code, detail }));
  const ends = { changed: [number], ids: [[number, id]] as const, noted, writtenAt };
  await settleUser(run, user, attempt, ends, { state: 'changed', id });
  return { state: 'changed', notes, signIn: change.signIn };
}

/** A new password that is sent twice is two emails: after a lost answer, the user is read before the call is sent again. */
async function sendOnce(
  run: UsersRun,
  call: Call,
  id: string,
  passwordBefore: string | undefined,
  lost = 1,
): Promise<Attempt<number | undefined>> {
  const end = await run.client.attempt({ ...call, answer: { parse: timeOfWrite } });
  const isUnsure = !end.ok && end.error.verdict === 'unsure' && call.repeat === 'unsafe';
  if (!isUnsure || lost > lostAnswers.createUser) return end;
  const found = await readUserV2(run.client, id);
  if (found !== undefined && found.human?.passwordChanged !== passwordBefore)
    return { ok: true, value: timeOfWrite(found) };
  await run.clock.sleep(backoff(lost, run.clock.random()), run.signal);
  return sendOnce(run, call, id, passwordBefore, lost + 1);
}

const idOf = ({ before, record }: UserToUpdate) => (before.id === '' ? record.id : before.id);

/** The same in every run, so that a user who still has it after a kill is recognized. */
const interimName = (id: string) => `idport-${hash('sha256', id, 'hex').slice(0, 24)}`;

/** Everything else was written with the name for the time being. */
const nameAlone = ({ kind, userName: username }: UserToUpdate['record']) => ({
  isListed: true,
  body: { username, [kind]: {} },
  repeat: 'safe' as const,
  profile: undefined,
  links: [],
  action: undefined,
  signIn: undefined,
});

/**
 * Users who wait for the names of one another in a circle, as two who have swapped theirs: gives one of them a name for the
 * time being, with everything else that has changed. False where there is no such circle.
 */
export async function breakCircle(run: UsersRun, waiting: readonly UserToUpdate[]): Promise<boolean> {
  const holders = new Map<string, UserToUpdate>();
  const readName = async (user: UserToUpdate) => {
    const found = await readUserV2(run.client, idOf(user));
    if (found !== undefined) holders.set(foldName(found.username), user);
  };
  await Promise.all(waiting.map(readName));
  for (const user of waiting) {
    const seen = new Set<UserToUpdate>();
    let next: UserToUpdate | undefined = user;
    for (; next !== undefined && !seen.has(next); next = holders.get(foldName(next.record.userName)))
      seen.add(next);
    if (next !== user) continue;
    await updateUser(run, { ...user, isInterim: true });
    return run.interim.has(user.number);
  }
  return false;
}

/** Slack between the clock that stamps users and that of the `Date` headers, in milliseconds. */
const clockSlack = 60_000;

type Change = Awaited<ReturnType<typeof findChange>>;
type Link = UserRecord['links'][number];

async function findChange(run: UsersRun, user: UserToUpdate, found: UserV2) {
  const { record, before, number } = user;
  const next = textsOf(record);
  const shown = { ...shownTexts(found) };
  const changed = partNames.filter((part) => isNewPart(before, record, part));
  const metadata = changed.includes('metadata') ? await readMetadata(run, found.userId) : [];
  if (changed.includes('metadata')) shown.metadata = metadataText(metadata);
  const kept: string[] = [];
  const notes: Note[] = [];
  /** Whether the source decides: the part has changed there, and at the service it is as the previous run left it. */
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
    // A placeholder would end the password that the user has, and count as one that the user has set.
    const isReal = next.password !== '';
    if (isReal && isOurs) type['password'] = encodePassword(record);
    else if (isReal) kept.push('password');
    else if (isOurs) notes.push({ code: 'delta:password' });
  }
  if (changed.includes('TOTP secret')) notes.push({ code: 'delta:totp' });
  const left = (['roles', 'organization'] as const).filter(
    (part) => changed.includes(part) && isKnownPart(before, part) && !(part === 'organization' && run.org),
  );
  if (left.length > 0) notes.push({ code: 'delta:left', detail: left.join(', ') });
  const links =
    record.kind === 'human' && changed.includes('identity provider links')
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
    /** The list of users shows it. */
    isListed: isListed || action !== undefined,
    /** Of the call; undefined where nothing in it has changed. */
    body: isListed || 'metadata' in body ? { ...body, [record.kind]: type } : undefined,
    repeat: 'password' in type ? ('unsafe' as const) : ('safe' as const),
    /** To send by the older call: this one refuses an empty nickname. */
    profile: isNickNameGone ? { ...(type['profile'] as object), nickName: '' } : undefined,
    /** To add. Those that the source has no longer stay. */
    links: links?.added ?? [],
    /** Verb of the call that changes the state. */
    action,
    notes,
    /** When the user was last written before, by anyone. */
    changedAt: timeOfWrite(found),
    /** Where the service shows another way to sign in than the source. */
    signIn: record.state === 'active' ? signInThere(found, action, isOurs) : undefined,
  };
}

/** Undefined where nothing at the service speaks against the source. */
function signInThere({ state }: UserV2, action: string | undefined, isOurs: boolean): SignInKind | undefined {
  if (state === 'USER_STATE_INITIAL') return 'answer-email';
  if (state !== 'USER_STATE_ACTIVE' && action === undefined) return 'disabled';
  return isOurs ? undefined : 'own-password';
}

async function compareLinks(run: UsersRun, id: string, record: UserRecord) {
  const { result } = await readLinks(run.client, id);
  const added = record.links.filter((link) => !result.some(isLink(link)));
  // Gone from the source, and not at the service.
  return { added, isOneGone: result.length + added.length > record.links.length };
}

const isLink =
  ({ configId, externalUserId }: Link) =>
  ({ idpId, userId }: { readonly idpId: string; readonly userId: string }) =>
    idpId === configId && userId === externalUserId;

/** Where an attempt before, whose answer was lost, has added it, and not another user has it; the list lags. */
async function hasLink(run: UsersRun, id: string, link: Link) {
  const look = async () => {
    const { result, details } = await readLinks(run.client, id);
    return { isShown: result.some(isLink(link)), time: listTimeOf(details) };
  };
  const written = () => readLastWritten(run.client, 'links', id);
  return (await waitUntil(run, { name: 'links', look, written })).state === 'shown';
}

/** A key without a value is removed. */
function metadataChange(
  record: UserRecord | MachineRecord,
  there: readonly { readonly key: string }[],
): object[] {
  const next = record.metadata.map(encodeMetadataEntry);
  const keys = new Set(next.map(({ key }) => key));
  return [...next, ...there.filter(({ key }) => !keys.has(key)).map(({ key }) => ({ key, value: '' }))];
}

function humanChange(record: UserRecord, takes: (part: Part) => boolean): Record<string, unknown> {
  const { email, emailVerified, phone, phoneVerified } = record;
  // Otherwise the display name made of the former names would stay.
  const displayName =
    record.displayName === '' ? `${record.givenName} ${record.familyName}` : record.displayName;
  const change: Record<string, unknown> = {};
  if (takes('profile')) change['profile'] = { ...encodeProfile(record), displayName };
  // Without a code, nothing is sent to the user.
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

function* callsOf(
  { body, repeat, profile, links, action }: Pick<Change, 'body' | 'repeat' | 'profile' | 'links' | 'action'>,
  id: string,
): Generator<Call & { readonly link?: Link }> {
  const path = userPath(id);
  if (body !== undefined) yield { method: 'PATCH', path, body, repeat };
  if (profile !== undefined)
    yield { method: 'PUT', path: `/v2/users/human/${encodeURIComponent(id)}`, body: { profile } };
  for (const link of links) {
    const { configId: idpId, externalUserId: userId, displayName } = link;
    const idpLink = { idpId, userId, userName: displayName === '' ? userId : displayName };
    yield { method: 'POST', path: `${path}/links`, body: { idpLink }, link };
  }
  if (action !== undefined) yield { method: 'POST', path: `${path}/${action}`, body: {} };
}

async function readMetadata(run: UsersRun, id: string) {
  const path = `${userPath(id)}/metadata/search`;
  const body = { pagination: { limit: 1000 } };
  const { metadata } = await run.client.call(search(path, body, listMetadataV2Response));
  return metadata.map(({ key, value }) => ({ key, value }));
}
