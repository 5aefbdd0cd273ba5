/** A run and its source in; every person of it at the target, or told why not, out. */
import { InterruptedError } from '../../errors.ts';
import { forecastMail, forecastSms } from '../../records/mail.ts';
import { reasons, type ReasonCode } from '../../records/reasons.ts';
import { count, countRefusal } from '../../records/tally.ts';
import type { MachineRecord, Note, Rejected, UserRecord } from '../../records/user.ts';
import type { Notice } from '../../sources/source.ts';
import { State } from '../../journal/states.ts';
import { hashPlaintext } from '../hash-plaintext.ts';
import { createChooser, type Choice } from './select-users.ts';
import { bodyOf } from './create-call.ts';
import { createPerson, waits, type CreateEnd, type CreateWaiter } from './create-user.ts';
import { textOf } from '../incremental/fingerprint.ts';
import { followUp, followUpsOf, notesOf } from './follow-up.ts';
import { readInBatches, type PeopleSource, type Person } from '../source/read-users.ts';
import { tellProgress, type UsersRun } from './run.ts';
import { batchesSideBySide, type Work, type WorkEnd } from '../concurrency/for-each-concurrent.ts';
import { mostWaiting, tryAgain } from './try-again.ts';

export interface SendOptions {
  readonly source: PeopleSource;
  readonly choice: Choice;
  readonly onExisting: 'skip' | 'fail';
  readonly notify: (notice: Notice) => void;
  /** Told everybody who has an id in the source, in their order; numbers that are left out have none. */
  readonly remember: (number: number, oldId: string) => void;
}

type Sendable = UserRecord | MachineRecord;

interface Chosen {
  readonly person: Person;
  readonly record: Sendable;
  /** Id at the target of the person as they were before. */
  readonly replace: string | undefined;
}

/** Throws what ends the run; the journal then has everything that was done. */
export async function sendPeople(run: UsersRun, options: SendOptions): Promise<void> {
  const waiting: Chosen[] = [];
  const choose = createChooser(options.choice, run.fingerprints);
  const work: Work<Person> = (person, end) => {
    const { record } = person;
    options.remember(person.number, record.kind === 'rejected' ? '' : record.id);
    const chosen = choose(person);
    if (!chosen.take) return endWith(skip(run, person, chosen.code), end);
    if (record.kind === 'rejected') return endWith(rejectPerson(run, person, record), end);
    const line = chosen.mayWait && waiting.length < mostWaiting ? waiting : undefined;
    bringOver(run, { person, record, replace: chosen.replace }, options.onExisting, line, end);
  };
  const again = (chosen: Chosen, line: Chosen[] | undefined): Promise<void> =>
    new Promise((ended, failed) => bringOver(run, chosen, options.onExisting, line, { ended, failed }));
  try {
    // Notices were told when the people were counted.
    const people = readInBatches(options.source, { notify: options.notify });
    const stop = (): boolean => run.signal.aborted;
    await batchesSideBySide(people, run.width, work, stop);
    await tryAgain(waiting, again, stop);
  } finally {
    await run.journal.saved();
  }
  if (run.signal.aborted) throw new InterruptedError();
}

function endWith(done: Promise<void> | undefined, { ended, failed }: WorkEnd): void {
  if (done === undefined) ended();
  else done.then(ended, failed);
}

function bringOver(
  run: UsersRun,
  chosen: Chosen,
  onExisting: 'skip' | 'fail',
  line: Chosen[] | undefined,
  end: WorkEnd,
): void {
  const { person, record } = chosen;
  const before = pastEnd(run, person.number);
  if (before !== undefined) return endWith(tellEnd(run, person, record, before, onExisting), end);
  const tell = (known: CreateEnd | typeof waits): Promise<void> | undefined => {
    if (known.state === waits.state) {
      line?.push(chosen);
      return undefined;
    }
    const told = tellEnd(run, person, record, known, onExisting);
    // Counted before: where this one is too many, the report has them as well.
    if (told !== undefined) return told.then(() => countErrors(run, known));
    countErrors(run, known);
    return undefined;
  };
  create(run, chosen, line !== undefined, {
    ended(known) {
      let told: Promise<void> | undefined;
      try {
        told = tell(known);
      } catch (error) {
        return end.failed(error);
      }
      endWith(told, end);
    },
    failed: end.failed,
  });
}

function create(
  run: UsersRun,
  { person: { number }, record, replace }: Chosen,
  mayWait: boolean,
  waiter: CreateWaiter,
): void {
  const send = (ready: Sendable): void => {
    const body = bodyOf(ready);
    const options = {
      body,
      fingerprint: run.fingerprints.of(record.id, textOf(record, ready === record ? body : undefined)),
      oldId: record.id === '' ? record.userName : record.id,
      before: replace,
      mayWait,
    };
    createPerson(run, number, ready, options, waiter);
  };
  if (record.kind !== 'human' || record.plainPassword === '') return send(record);
  hashPlaintext(record)
    .then(send)
    .catch((error: unknown) => waiter.failed(error));
}

/** Undefined where nothing has to be waited for. */
function tellEnd(
  run: UsersRun,
  person: Person,
  record: Sendable,
  known: CreateEnd,
  onExisting: 'skip' | 'fail',
): Promise<void> | undefined {
  if (known.state === 'created') return finish(run, person, record, known.id);
  if (known.state === 'failed') return countFailed(run, person, known.code, known.detail);
  return onExisting === 'skip'
    ? skip(run, person, 'user-skipped:exists')
    : countFailed(run, person, 'import:exists', '');
}

/** Throws where there are too many. */
function countErrors({ errors }: UsersRun, known: CreateEnd): void {
  if (known.state === 'failed') errors.failed(known.detail);
  else errors.arrived();
}

/** What an earlier run had settled. */
function pastEnd(run: UsersRun, number: number): CreateEnd | undefined {
  switch (run.journal.states.get(number)) {
    case State.created:
      return { state: 'created', id: run.ids.get(number) ?? '' };
    case State.existed:
      return { state: 'existed', id: '' };
    case State.failed: {
      const { code = 'import:refused', detail = '' } = run.earlier.get(number) ?? {};
      return { state: 'failed', code: code as ReasonCode, detail };
    }
    default:
      return undefined;
  }
}

/** Undefined where there is nothing more to be done for somebody who is there. */
function finish(run: UsersRun, person: Person, record: Sendable, id: string): Promise<void> | undefined {
  const notes = notesOf(record);
  if (followUpsOf(record).length > 0) return finishCalls(run, person, record, id, notes);
  return countCreated(run, person, record, notes);
}

async function finishCalls(
  run: UsersRun,
  person: Person,
  record: Sendable,
  id: string,
  notes: readonly Note[],
): Promise<void> {
  const more = await followUp(run, person.number, id, record);
  await countCreated(run, person, record, [...notes, ...more]);
}

function countCreated(
  run: UsersRun,
  { refusal, family }: Person,
  record: Sendable,
  notes: readonly Note[],
): Promise<void> | undefined {
  const { tally, log } = run;
  tally.read += 1;
  tally[notes.length > 0 ? 'withNotes' : 'written'] += 1;
  if (record.id !== '') count(tally.reasons, 'single:new-id');
  if (record.state !== 'active') tally.inactive += 1;
  tally.metadata += record.metadata.length;
  if (refusal !== undefined) countRefusal(tally.refusals, refusal);
  if (record.kind === 'machine') {
    tally.machines += 1;
  } else {
    count(tally.passwords, family);
    const mail = forecastMail(record);
    if (mail !== 'none') count(tally.mails, mail);
    if (forecastSms(record)) tally.sms += 1;
    if (record.links.length > 0) tally.links += 1;
  }
  tellProgress(run);
  if (notes.length === 0) return undefined;
  for (const { code } of notes) count(tally.reasons, code);
  return log.note({ origin: record.origin, outcome: 'noted', reasons: notes });
}

async function skip(run: UsersRun, { record }: Person, code: ReasonCode): Promise<void> {
  run.tally.read += 1;
  run.tally.skipped += 1;
  count(run.tally.reasons, code);
  // Who was not asked for is counted and no more.
  if (code === 'user-skipped:exists') {
    run.emit({ type: 'record:skipped', place: record.origin, code, detail: '' });
    await run.log.note({ origin: record.origin, outcome: 'skipped', reasons: [{ code }] });
  }
  tellProgress(run);
}

/** Never sent: the service would refuse it, or the run was asked to leave such people out. */
async function rejectPerson(run: UsersRun, person: Person, { code, detail }: Rejected): Promise<void> {
  if (reasons[code].outcome !== 'skipped') return countFailed(run, person, code, detail);
  const { origin } = person.record;
  run.tally.read += 1;
  run.tally.skipped += 1;
  count(run.tally.reasons, code);
  run.emit({ type: 'record:skipped', place: origin, code, detail });
  await run.log.note({ origin, outcome: 'skipped', reasons: [{ code, detail }] });
}

async function countFailed(run: UsersRun, person: Person, code: ReasonCode, detail: string): Promise<void> {
  const { origin } = person.record;
  run.tally.read += 1;
  run.tally.rejected += 1;
  count(run.tally.reasons, code);
  run.emit({ type: 'record:rejected', place: origin, code, detail });
  await run.log.note({ origin, outcome: 'rejected', reasons: [{ code, detail }] });
  if (run.log.wantsRejects) await run.log.reject(origin, code, detail, person.raw);
  tellProgress(run);
}
