/**
 * Changes a user in place who was created by a run before: one call with the parts that have changed in the source. What
 * has changed at the service since is left as it is, and named.
 */
import { search } from '../../api/search.ts';
import type { Call } from '../../api/client.ts';
import type { MachineRecord, Note, UserRecord } from '../../records/user.ts';
import { encodeProfile } from '../../targets/create-user.ts';
import { encodeMetadataEntry } from '../../targets/human-user.ts';
import { listMetadataV2Response } from '../../wire/metadata.ts';
import { listIdpLinksResponse } from '../../wire/user-grant.ts';
import type { UserV2 } from '../../wire/user.ts';
import type { PreviousState } from '../incremental/previous-table.ts';
import {
  fingerprintPart,
  isNewPart,
  metadataText,
  partNames,
  pickPart,
  shownTexts,
  textsOf,
  type Part,
} from '../incremental/user-parts.ts';
import type { UsersRun } from './run.ts';
import { refusalCode, waits, type CreateResult } from './create-user.ts';

export interface UserToUpdate {
  readonly number: number;
  readonly record: UserRecord | MachineRecord;
  /** Of the record as the source has it. */
  readonly fingerprint: string;
  readonly before: PreviousState;
  /** Return `waits` when another user has the user name, instead of a final result. */
  readonly mayWait: boolean;
}

export type UpdateResult =
  | { readonly state: 'changed'; readonly id: string; readonly notes: readonly Note[] }
  /** Deleted at the service since. */
  | { readonly state: 'gone'; readonly id: string }
  | CreateResult
  | typeof waits;

/** Throws what concerns all users; the journal then says that this one was not done. */
export async function updateUser(run: UsersRun, user: UserToUpdate): Promise<UpdateResult> {
  const { number, record, fingerprint, before } = user;
  const id = before.id === '' ? record.id : before.id;
  const found = await run.serviceUsers.find(id);
  if (found === undefined || found.preferredLoginName === '') return { state: 'gone', id };
  const change = await findChange(run, user, found);
  const users = [[record.id, record.userName, fingerprint]] as const;
  const open = run.openAttempts.get(number) ?? [];
  const at = run.client.serverNow();
  const attempt = await run.journal.intend({ at, entries: [number], users, ids: [[number, id]] });
  const attempts = [...open, attempt];
  let writtenAt: number | undefined;
  for (const call of callsOf(change, id)) {
    const end = await run.client.attempt({ ...call, answer: changedAnswer }).catch(async (error: unknown) => {
      if (open.length === 0) await run.journal.settle(attempt);
      throw error;
    });
    // Metadata alone does not move the list of users, for which later runs would wait.
    if (end.ok && change.isListed) writtenAt = end.value ?? writtenAt;
    if (end.ok || alreadyDone.has(end.error.id ?? '')) continue;
    const { status, text } = end.error;
    const isName = status === 409 && call.method === 'PATCH';
    if (isName && user.mayWait) {
      for (const each of attempts) await run.journal.settle(each);
      return waits;
    }
    const code = isName ? 'import:name-taken' : refusalCode(end.error);
    // The intents stay open: resuming sends the change again.
    if (code === undefined) throw end.error;
    await settle(run, attempts, { failed: [{ entry: number, code, detail: text }] });
    return { state: 'failed', code, detail: text };
  }
  await settle(run, attempts, { changed: [number], ids: [[number, id]], writtenAt });
  return { state: 'changed', id, notes: change.notes };
}

async function settle(
  run: UsersRun,
  attempts: readonly number[],
  ends: Parameters<UsersRun['journal']['settle']>[1],
): Promise<void> {
  for (const other of attempts.slice(0, -1)) await run.journal.settle(other);
  await run.journal.settleSoon(attempts.at(-1)!, ends ?? {});
}

interface Change {
  /** The list of users shows it. */
  readonly isListed: boolean;
  /** Body of the call; undefined where nothing in it has changed. */
  readonly body: object | undefined;
  /** To add. Those that the source has no longer stay. */
  readonly links: UserRecord['links'];
  /** Verb of the call that changes the state. */
  readonly action: string | undefined;
  readonly notes: Note[];
}

/** Slack between the clock that stamps users and that of the `Date` headers, in milliseconds. */
const clockSlack = 60_000;

async function findChange(run: UsersRun, user: UserToUpdate, found: UserV2): Promise<Change> {
  const { record, before, number } = user;
  const { key } = run.fingerprints;
  const next = textsOf(record);
  const shown = { ...shownTexts(found) };
  const changed = partNames.filter((part) => isNewPart(key, before, record, part));
  const metadata = changed.includes('metadata') ? await readMetadata(run, found.userId) : [];
  if (changed.includes('metadata')) shown.metadata = metadataText(metadata);
  const kept: string[] = [];
  const notes: Note[] = [];
  /** Whether the source decides: the part has changed there, and at the service it is as the previous run left it. */
  const takes = (part: Part): boolean => {
    const there = shown[part];
    if (!changed.includes(part) || there === next[part]) return false;
    if (there === undefined || fingerprintPart(key, part, there) === pickPart(before.parts, part))
      return true;
    kept.push(part);
    return false;
  };
  const body: Record<string, unknown> = {};
  if (takes('user name')) body['username'] = record.userName;
  if (takes('metadata')) body['metadata'] = metadataChange(record, metadata);
  const type = record.kind === 'human' ? humanChange(record, takes) : machineChange(record, takes);
  if (record.kind === 'human' && record.passwordHash !== '' && changed.includes('password')) {
    const since = before.writtenAt ?? (before.createdSince ?? 0) + clockSlack;
    const isOurs = run.openAttempts.has(number) || !(Date.parse(found.human?.passwordChanged ?? '') > since);
    if (found.state === 'USER_STATE_INITIAL') notes.push({ code: 'delta:initial' });
    else if (isOurs) type['password'] = { hashedPassword: { hash: record.passwordHash } };
    else kept.push('password');
  }
  if (changed.includes('TOTP secret')) notes.push({ code: 'delta:totp' });
  const action = takes('state') ? actions[record.state][found.state] : undefined;
  if (kept.length > 0) notes.push({ code: 'delta:kept', detail: kept.join(', ') });
  const isListed = 'username' in body || Object.keys(type).length > 0;
  return {
    isListed: isListed || action !== undefined,
    body: isListed || 'metadata' in body ? { ...body, [record.kind]: type } : undefined,
    links: changed.includes('identity provider links') ? await findNewLinks(run, found.userId, record) : [],
    action,
    notes,
  };
}

async function findNewLinks(
  run: UsersRun,
  id: string,
  record: UserRecord | MachineRecord,
): Promise<UserRecord['links']> {
  if (record.kind === 'machine') return [];
  const path = `/v2/users/${encodeURIComponent(id)}/links/_search`;
  const { result } = await run.client.call(search(path, {}, listIdpLinksResponse));
  return record.links.filter(
    ({ configId, externalUserId }) =>
      !result.some(({ idpId, userId }) => idpId === configId && userId === externalUserId),
  );
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
  const { email, emailVerified, phone, phoneVerified, nickName } = record;
  // Otherwise the one that was made of the former names stays.
  const displayName =
    record.displayName === '' ? `${record.givenName} ${record.familyName}` : record.displayName;
  const change: Record<string, unknown> = {};
  if (takes('profile')) change['profile'] = { ...encodeProfile(record), displayName, nickName };
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

/** By the state that the user gets and has: what to call. */
const actions: Readonly<Record<UserRecord['state'], Partial<Record<UserV2['state'], string>>>> = {
  active: { USER_STATE_INACTIVE: 'reactivate', USER_STATE_LOCKED: 'unlock' },
  inactive: { USER_STATE_ACTIVE: 'deactivate', USER_STATE_INITIAL: 'lock' },
  locked: { USER_STATE_ACTIVE: 'lock', USER_STATE_INITIAL: 'lock' },
};

/** States that an attempt before has reached. */
const alreadyDone: ReadonlySet<string> = new Set([
  'COMMAND-5gunjw0cd7',
  'COMMAND-s5qqcz97hf',
  'COMMAND-lgws8wtsqf',
]);

const changedAnswer = {
  parse(value: unknown): number | undefined {
    const { changeDate, details } = value as { changeDate?: unknown; details?: { changeDate?: unknown } };
    const time = Date.parse(String(changeDate ?? details?.changeDate));
    return Number.isNaN(time) ? undefined : time;
  },
};

function* callsOf({ body, links, action }: Change, id: string): Generator<Call> {
  const path = `/v2/users/${encodeURIComponent(id)}`;
  if (body !== undefined) yield { method: 'PATCH', path, body, repeat: 'safe' };
  for (const { configId: idpId, externalUserId: userId, displayName } of links) {
    const idpLink = { idpId, userId, userName: displayName === '' ? userId : displayName };
    yield { method: 'POST', path: `${path}/links`, body: { idpLink }, repeat: 'safe' };
  }
  if (action !== undefined) yield { method: 'POST', path: `${path}/${action}`, body: {}, repeat: 'safe' };
}

async function readMetadata(run: UsersRun, id: string) {
  const path = `/v2/users/${encodeURIComponent(id)}/metadata/search`;
  const body = { pagination: { limit: 1000 } };
  const { metadata } = await run.client.call(search(path, body, listMetadataV2Response));
  return metadata.map(({ key, value }) => ({ key, value }));
}
