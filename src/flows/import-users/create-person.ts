/** One person in; the same person at the target out, or why not. Every end is known, whatever happens on the way. */
import type { ApiError } from '../../api/api-error.ts';
import type { Attempt } from '../../api/client.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import type { MachineRecord, UserRecord } from '../../records/user.ts';
import { encodeImportRecord } from '../../targets/human-user.ts';
import { removeUser } from '../remove-user.ts';
import { findPeople } from '../import/look-up.ts';
import { findOurs } from './find-ours.ts';
import { settleThen, settleUndone, type UsersRun } from './run.ts';

export type CreateEnd =
  | { readonly state: 'created'; readonly id: string }
  | { readonly state: 'existed'; readonly id: string }
  | { readonly state: 'failed'; readonly code: ReasonCode; readonly detail: string };

type Record = UserRecord | MachineRecord;

/** Somebody else has the name, and may give it up: nothing was done. */
export const waits = { state: 'waits' } as const;

export interface CreateOptions {
  /** `bodyOf` the record. */
  readonly body: string;
  /** Of the record as the source has it. */
  readonly fingerprint: string;
  /** Id at the target of the person as an earlier run had created them: to be deleted. */
  readonly before: string | undefined;
  /** Whether to leave it at that when somebody else has the user name, instead of counting it as the end. */
  readonly mayWait: boolean;
  /** Called when the end is on the disk. */
  readonly count: (end: CreateEnd) => void;
}

/** A person whose answer is lost so often is given up. */
const mostLost = 3;

/**
 * The end is in the journal when this resolves. Somebody whose request an earlier run had sent is looked up first.
 * Throws for what concerns all people: the journal then says that this one was not done.
 */
export async function createPerson(
  run: UsersRun,
  number: number,
  record: Record,
  { body, fingerprint, before, mayWait, count }: CreateOptions,
): Promise<CreateEnd | typeof waits> {
  const { client, journal, sentBefore } = run;
  // Their intents stay open until the end is known: a later run then knows since when it could have been us.
  const lost = [...(run.openAttempts.get(number) ?? [])];
  const settle = (attempt: number, known: CreateEnd): CreateEnd | Promise<CreateEnd> => {
    sentBefore.delete(number);
    if (lost.length > 0) return settleAll(attempt, known);
    const full = settleThen(run, attempt, toOutcome(number, known), () => count(known));
    return full === undefined ? known : full.then(() => known);
  };
  const settleAll = async (attempt: number, known: CreateEnd): Promise<CreateEnd> => {
    for (const earlier of lost.splice(0)) if (earlier !== attempt) await settleUndone(run, earlier);
    return settle(attempt, known);
  };
  const [earlier] = lost;
  if (earlier !== undefined) {
    const known = await whoIsThere(run, number, record, before, 1);
    if (known?.state === 'created') {
      if (before !== undefined) await removeUser(client, run.org, before);
      return settle(earlier, known);
    }
  }
  for (let unanswered = 0; ;) {
    const at = client.serverNow();
    const people = [[record.id, record.userName, fingerprint]] as const;
    const attempt = await journal.intend({ at, entries: [number], people });
    let end: Sent['end'];
    let left: Sent['left'];
    try {
      if (before === undefined) end = await send(run, record, body);
      else ({ end, left } = await replace(run, record, body, before));
    } catch (error) {
      // A call that ends so was never carried out: it waited for its turn when the run was stopped.
      if (lost.length === 0) await settleUndone(run, attempt);
      throw error;
    }
    if (end.ok) {
      run.width.answered();
      // Where this throws, the intent stays open: whoever resumes finds the new record and deletes the old one.
      if (left !== undefined) await removeUser(client, run.org, left);
      return settle(attempt, { state: 'created', id: end.value.userId });
    }
    const { error } = end;
    if (error.done === 'unknown') {
      run.width.lost();
      if (!sentBefore.has(number)) sentBefore.set(number, at);
      const known = await whoIsThere(run, number, record, before);
      unanswered += 1;
      if (known?.state === 'created' && before !== undefined) await removeUser(client, run.org, before);
      if (known !== undefined) return settle(attempt, known);
      if (unanswered >= mostLost) {
        return settle(attempt, { state: 'failed', code: 'import:unconfirmed', detail: error.text });
      }
      lost.push(attempt);
      continue;
    }
    run.width.answered();
    if (isTaken(error)) {
      const known = await judgeTaken(run, number, record, before, error);
      if (known.state === 'created' && left !== undefined) await removeUser(client, run.org, left);
      if (known.state !== 'created' && mayWait) {
        sentBefore.delete(number);
        for (const sent of [...lost, attempt]) await settleUndone(run, sent);
        return waits;
      }
      return settle(attempt, known.state === 'existed' && left !== undefined ? nameTaken(error) : known);
    }
    const code = refusalCode(error);
    if (code !== undefined) return settle(attempt, { state: 'failed', code, detail: error.text });
    if (lost.length === 0) await settleUndone(run, attempt);
    throw error;
  }
}

interface Sent {
  readonly end: Attempt<{ readonly userId: string }>;
  /** Id of the person as they were, where they are still there. */
  readonly left: string | undefined;
}

/**
 * The service looks at a taken name last of all: "already exists" tells that it would take the record, and only then
 * the person as they were is deleted, if the name is theirs. Whoever is refused stays as they were.
 */
async function replace(run: UsersRun, record: Record, body: string, before: string): Promise<Sent> {
  const { client, org } = run;
  const trial = await send(run, record, body);
  if (trial.ok || !isTaken(trial.error)) return { end: trial, left: before };
  const [old] = (await findPeople(client, org, [{ id: before, userName: '' }])).values();
  if (old === undefined) return { end: trial, left: undefined };
  // To delete them would not make room: somebody else has the name.
  if (!isSameName(old.userName, record.userName)) return { end: trial, left: before };
  await removeUser(client, org, before);
  return { end: await send(run, record, body), left: undefined };
}

const isSameName = (one: string, other: string): boolean =>
  one.trim().toLowerCase() === other.trim().toLowerCase();

const swapped =
  'If people have swapped their names, give one of them another name at the target: the next pass then brings them over';

const nameTaken = ({ text }: ApiError): CreateEnd => ({
  state: 'failed',
  code: 'import:name-taken',
  detail: `${text}; they stay as they were. ${swapped}`,
});

function send({ client, org }: UsersRun, { kind }: Record, body: string) {
  return client.attempt({
    method: 'POST',
    path: kind === 'machine' ? '/management/v1/users/machine' : '/management/v1/users/human/_import',
    org,
    body,
    repeat: 'unsafe',
    answer: created,
  });
}

/** Read by hand, because this runs once a person; anything without an id is no answer of the service. */
const created = {
  parse(value: unknown): { readonly userId: string } {
    const { userId } = value as { userId?: unknown };
    if (typeof userId === 'string' && userId !== '') return { userId };
    throw new TypeError('there is no userId');
  },
};

/** What the call says that creates the person. */
export function bodyOf(record: Record): string {
  return record.kind === 'machine' ? encodeMachine(record) : encodeImportRecord(record);
}

function encodeMachine({ userName, name, description }: MachineRecord): string {
  return JSON.stringify({ userName, name, ...(description === '' ? {} : { description }) });
}

/**
 * Undefined where nobody is there: then it may be sent again. When it throws, the intent stays open in the journal,
 * and whoever resumes looks again.
 */
async function whoIsThere(
  run: UsersRun,
  number: number,
  record: Record,
  before: string | undefined,
  looks?: number,
): Promise<CreateEnd | undefined> {
  const since = run.sentBefore.get(number) ?? Infinity;
  const email = record.kind === 'human' ? record.email : '';
  const [seen] = await findOurs(run, [{ userName: record.userName, email, since }], looks);
  // Who is to be replaced is not there as they shall be.
  if (seen === undefined || seen.state === 'missing' || seen.id === before) return undefined;
  return { state: seen.state === 'ours' ? 'created' : 'existed', id: seen.id };
}

/** On the first attempt somebody else was there before; on a repeated one it may be us. */
async function judgeTaken(
  run: UsersRun,
  number: number,
  record: Record,
  before: string | undefined,
  error: ApiError,
): Promise<CreateEnd> {
  const linked = record.kind === 'human' && record.links.length > 0;
  if (!run.sentBefore.has(number) && !linked) return { state: 'existed', id: '' };
  const known = await whoIsThere(run, number, record, before);
  if (known !== undefined) return known;
  // The name is free in this organization: another one has it, or the link belongs to somebody else.
  return linked
    ? { state: 'failed', code: 'import:link-taken', detail: error.text }
    : { state: 'existed', id: '' };
}

const isTaken = ({ status }: ApiError): boolean => status === 409;

/** What is about this person alone; undefined for what would happen to everybody. */
function refusalCode({ status, id, verdict }: ApiError): ReasonCode | undefined {
  if (verdict === 'too-large') return 'import:too-large';
  if (id?.startsWith('CRYPT-') === true) return 'import:hash-refused';
  return status === 400 || id === 'RECOVER' ? 'import:refused' : undefined;
}

function toOutcome(entry: number, end: CreateEnd) {
  if (end.state === 'failed') return { failed: [{ entry, code: end.code, detail: end.detail }] };
  const ids: [number, string][] = end.id === '' ? [] : [[entry, end.id]];
  return { [end.state]: [entry], ids };
}
