/** One person in; the same person at the target out, or why not. Every end is known, whatever happens on the way. */
import type { ApiError } from '../../api/api-error.ts';
import type { Attempt } from '../../api/client.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import type { MachineRecord, UserRecord } from '../../records/user.ts';
import { removeUser } from '../reconcile/remove-user.ts';
import { findPeople } from '../reconcile/find-users.ts';
import { createCall, isTaken, refusalCode, type CreateCall, type Created } from './create-call.ts';
import { findOurs } from '../reconcile/find-ours.ts';
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
  /** For the map of the ids: what the source calls the person. */
  readonly oldId: string;
  /** Id at the target of the person as an earlier run had created them: to be deleted. */
  readonly before: string | undefined;
  /** Whether to leave it at that when somebody else has the user name, instead of counting it as the end. */
  readonly mayWait: boolean;
}

/** One of the two is called, once, and must not throw. */
export interface CreateWaiter {
  /** The end is in the journal. */
  ended(end: CreateEnd | typeof waits): void;
  /** With what concerns all people: the journal then says that this one was not done. */
  failed(error: unknown): void;
}

/** A person whose answer is lost so often is given up. */
const mostLost = 3;

/** Somebody whose request an earlier run had sent is looked up first. */
export function createPerson(
  run: UsersRun,
  number: number,
  record: Record,
  options: CreateOptions,
  waiter: CreateWaiter,
): void {
  const before = run.openAttempts.get(number);
  const task: Task = { run, number, record, options, lost: before === undefined ? [] : [...before] };
  handOn(before === undefined ? beginAndInsist(task) : lookFirst(task), waiter);
}

function handOn(end: Promise<CreateEnd | typeof waits>, waiter: CreateWaiter): void {
  end.then(
    (known) => waiter.ended(known),
    (error: unknown) => waiter.failed(error),
  );
}

interface Task {
  readonly run: UsersRun;
  readonly number: number;
  readonly record: Record;
  readonly options: CreateOptions;
  /**
   * Attempts whose answers were lost. Their intents stay open until the end is known: a later run then knows since when
   * it could have been us.
   */
  readonly lost: number[];
}

async function lookFirst(task: Task): Promise<CreateEnd | typeof waits> {
  const { run, options, lost } = task;
  const known = await whoIsThere(task, 1);
  const [earlier] = lost;
  if (known?.state !== 'created' || earlier === undefined) return beginAndInsist(task);
  if (options.before !== undefined) await removeUser(run.client, run.org, options.before);
  return settle(task, earlier, known);
}

interface Begun {
  readonly attempt: number;
  /** When, on the service's clock. */
  readonly at: number;
  readonly end: Attempt<Created>;
  /** Id of the person as they were, where they are still there. */
  readonly left: string | undefined;
}

async function beginAndInsist(task: Task): Promise<CreateEnd | typeof waits> {
  return insist(task, await begin(task));
}

async function begin(task: Task): Promise<Begun> {
  const { run, options } = task;
  const at = run.client.serverNow();
  const attempt = announce(task, at);
  try {
    if (options.before !== undefined) return { attempt, at, ...(await replace(task, options.before)) };
    return { attempt, at, end: await send(task), left: undefined };
  } catch (error) {
    return giveBack(task, attempt, error);
  }
}

/** The number of the attempt; its intent is in the file before the request leaves. */
function announce({ run, number, record, options }: Task, at: number): number {
  const people = [[record.id, record.userName, options.fingerprint]] as const;
  return run.journal.announce({ at, entries: [number], people });
}

/** A call that ends so was never carried out: it waited for its turn when the run was stopped. */
async function giveBack({ run, lost }: Task, attempt: number, error: unknown): Promise<never> {
  if (lost.length === 0) await settleUndone(run, attempt);
  throw error;
}

/** From the end of the first attempt on. */
async function insist(task: Task, first: Begun): Promise<CreateEnd | typeof waits> {
  const { run, number, options, lost } = task;
  const { client, sentBefore } = run;
  const { before, mayWait } = options;
  for (let begun = first, unanswered = 0; ; begun = await begin(task)) {
    const { attempt, at, end, left } = begun;
    if (end.ok) {
      run.width.answered();
      // Where this throws, the intent stays open: whoever resumes finds the new record and deletes the old one.
      if (left !== undefined) await removeUser(client, run.org, left);
      return settle(task, attempt, { state: 'created', id: end.value.userId });
    }
    const { error } = end;
    if (error.done === 'unknown') {
      run.width.lost();
      if (!sentBefore.has(number)) sentBefore.set(number, at);
      const known = await whoIsThere(task);
      unanswered += 1;
      if (known?.state === 'created' && before !== undefined) await removeUser(client, run.org, before);
      if (known !== undefined) return settle(task, attempt, known);
      if (unanswered >= mostLost) {
        return settle(task, attempt, { state: 'failed', code: 'import:unconfirmed', detail: error.text });
      }
      lost.push(attempt);
      continue;
    }
    run.width.answered();
    if (isTaken(error)) {
      const known = await judgeTaken(task, error);
      if (known.state === 'created' && left !== undefined) await removeUser(client, run.org, left);
      if (known.state !== 'created' && mayWait) {
        sentBefore.delete(number);
        for (const sent of [...lost, attempt]) await settleUndone(run, sent);
        return waits;
      }
      return settle(
        task,
        attempt,
        known.state === 'existed' && left !== undefined ? nameTaken(error) : known,
      );
    }
    const code = refusalCode(error);
    if (code !== undefined) return settle(task, attempt, { state: 'failed', code, detail: error.text });
    if (lost.length === 0) await settleUndone(run, attempt);
    throw error;
  }
}

function settle(task: Task, attempt: number, known: CreateEnd): CreateEnd | Promise<CreateEnd> {
  const { run, number, options, lost } = task;
  run.sentBefore.delete(number);
  if (lost.length > 0) return settleAll(task, attempt, known);
  const full = settleThen(run, attempt, toOutcome(number, known), mapId(run, number, options.oldId, known));
  return full === undefined ? known : full.then(() => known);
}

/** For when the end is on the disk. Until then nothing else is kept of the person: hundreds wait at a time. */
function mapId({ ids, idMap }: UsersRun, number: number, oldId: string, known: CreateEnd): () => void {
  return () => {
    const newId = known.state === 'failed' ? '' : known.id;
    if (known.state === 'created') ids.set(number, newId);
    idMap.add({ oldId, newId, state: known.state });
  };
}

async function settleAll(task: Task, attempt: number, known: CreateEnd): Promise<CreateEnd> {
  for (const earlier of task.lost.splice(0)) if (earlier !== attempt) await settleUndone(task.run, earlier);
  return settle(task, attempt, known);
}

/**
 * The service looks at a taken name last of all: "already exists" tells that it would take the record, and only then
 * the person as they were is deleted, if the name is theirs. Whoever is refused stays as they were.
 */
async function replace(task: Task, before: string): Promise<Pick<Begun, 'end' | 'left'>> {
  const { client, org } = task.run;
  const trial = await send(task);
  if (trial.ok || !isTaken(trial.error)) return { end: trial, left: before };
  const [old] = (await findPeople(client, org, [{ id: before, userName: '' }])).values();
  if (old === undefined) return { end: trial, left: undefined };
  // To delete them would not make room: somebody else has the name.
  if (!isSameName(old.userName, task.record.userName)) return { end: trial, left: before };
  await removeUser(client, org, before);
  return { end: await send(task), left: undefined };
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

function send(task: Task): Promise<Begun['end']> {
  return task.run.client.attempt(callOf(task));
}

/** The intent of the attempt is in the file before the request leaves. */
function callOf({ run, record, options }: Task): CreateCall {
  return createCall(record, run.org, options.body, () => run.journal.write());
}

/**
 * Undefined where nobody is there: then it may be sent again. When it throws, the intent stays open in the journal,
 * and whoever resumes looks again.
 */
async function whoIsThere(
  { run, number, record, options }: Task,
  looks?: number,
): Promise<CreateEnd | undefined> {
  const since = run.sentBefore.get(number) ?? Infinity;
  const email = record.kind === 'human' ? record.email : '';
  const [seen] = await findOurs(run, [{ userName: record.userName, email, since }], looks);
  // Who is to be replaced is not there as they shall be.
  if (seen === undefined || seen.state === 'missing' || seen.id === options.before) return undefined;
  return { state: seen.state === 'ours' ? 'created' : 'existed', id: seen.id };
}

/** On the first attempt somebody else was there before; on a repeated one it may be us. */
async function judgeTaken(task: Task, error: ApiError): Promise<CreateEnd> {
  const { run, number, record } = task;
  const linked = record.kind === 'human' && record.links.length > 0;
  if (!run.sentBefore.has(number) && !linked) return { state: 'existed', id: '' };
  const known = await whoIsThere(task);
  if (known !== undefined) return known;
  // The name is free in this organization: another one has it, or the link belongs to somebody else.
  return linked
    ? { state: 'failed', code: 'import:link-taken', detail: error.text }
    : { state: 'existed', id: '' };
}

function toOutcome(entry: number, end: CreateEnd) {
  if (end.state === 'failed') return { failed: [{ entry, code: end.code, detail: end.detail }] };
  const ids: [number, string][] = end.id === '' ? [] : [[entry, end.id]];
  return { [end.state]: [entry], ids };
}
