/** Changes a user that a previous run created, in place: mainly one call with the parts that have changed in the source. */
import type { Attempt, Call } from '../../api/client.ts';
import { backoff, lostAnswers } from '../../api/retry.ts';
import { foldName } from '../../records/text.ts';
import type { SignInKind } from '../../records/sign-in.ts';
import type { Note } from '../../records/user.ts';
import { listTimeOf, waitForEntries } from '../reconcile/list-lag.ts';
import {
  isStateThere,
  isThere,
  readLinks,
  readUserV2,
  userPath,
  writtenAt as timeOfWrite,
} from '../reconcile/find-users.ts';
import { failure, refusalOf, settleUser, waits, type CreateResult } from './create-user.ts';
import { findChange, interimName, isLink, type Change, type Link, type UserToUpdate } from './find-change.ts';
import type { UsersRun } from './run.ts';

export type UpdateResult =
  | {
      readonly state: 'changed';
      readonly notes: readonly Note[];
      readonly signIn?: SignInKind | undefined;
    }
  /** The user was deleted at the service after the previous run. */
  | { readonly state: 'gone' }
  | CreateResult
  | typeof waits;

/** Throws errors that concern all users. The journal then says that this user was not done. */
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
    // Metadata alone does not advance the list of users, so later runs must not wait for it there.
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
    // The intent stays open, so that resuming sends the change again.
    if (result?.state !== 'failed') throw end.error;
    const { code } = result;
    const detail = renamed === undefined ? text : `${text}; the user is named ${interimName(id)} for now`;
    await settleUser(run, user, attempt, { failed: [{ entry: number, code, detail }] }, { state: 'failed' });
    return { state: 'failed', code, detail };
  }
  if (isInterim) {
    // The intent counts as unconfirmed until the user has its own name, so that a resumed run continues.
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

/** Returns a change of the name only. Everything else was written together with the interim name. */
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
 * Breaks a circle of users who wait for each other's names, for example two who swapped theirs. Gives one of them an interim
 * name, and writes its other changes, too. Returns false if there is no such circle.
 */
export async function breakCircle(run: UsersRun, waiting: readonly UserToUpdate[]) {
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

/**
 * Reports whether the user has the link: a call with a lost answer may have added it. Otherwise another user has it. The list
 * lags.
 */
async function hasLink(run: UsersRun, id: string, link: Link) {
  const look = async () => {
    const { result, details } = await readLinks(run.client, id);
    return { isShown: result.some(isLink(link)), time: listTimeOf(details) };
  };
  return (await waitForEntries(run, 'links', look, id)).state === 'shown';
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
