/**
 * Sends the entries of one request until each has a result: reads the service's report, splits a refused request until the bad
 * entry is alone, and looks up the users after a lost answer.
 */
import { note } from '../../events.ts';
import type { ApiError } from '../../api/api-error.ts';
import type { Call } from '../../api/client.ts';
import { lostAnswers } from '../../api/retry.ts';
import { IdportError } from '../../errors.ts';
import { formatCounted } from '../../lib/format.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import { readUserGrant } from '../../sources/org-data/projects.ts';
import { fingerprintGrant } from '../resources/user-grants.ts';
import { cutOut, halve, toBody } from '../../targets/bulk/chunk.ts';
import { innermost } from '../../wire/validate.ts';
import { readReport } from '../../targets/bulk/report.ts';
import { importDataResponse, type ImportDataResponse } from '../../wire/import.ts';
import type { ImportEntry } from './entries.ts';
import { findUsersOf, isOurs, readLastWrite, reconcile, waitForUsersOf } from './lost-answers.ts';
import { type EntryTrouble, settle } from './results.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { tolerance } from '../reconcile/write-times.ts';
import { removeUser } from '../reconcile/find-users.ts';
import { findAll } from '../reconcile/look-up.ts';
import { type ImportRun, named, reportProgress } from './run.ts';
import { stopwatch } from '../../lib/clock.ts';

/** Entries of one request. `repeats` counts the answers that were lost while the request had this size. */
interface Part {
  readonly entries: readonly ImportEntry[];
  readonly repeats: number;
}

interface SentPart extends Part {
  /** Number of the attempt in the journal. */
  readonly attempt: number;
  /** When the request was sent, by the service's `Date`, in milliseconds. */
  readonly at: number;
}

/** Throws `ApiError` or `IdportError` for errors that concern all entries. The journal then has what was done. */
export async function deliver(run: ImportRun, entries: readonly ImportEntry[]) {
  const parts: Part[] = [{ entries, repeats: 0 }];
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    run.signal.throwIfAborted();
    parts.unshift(...(await send(run, part)));
  }
}

/** Sends a part. Returns the parts still to be sent, in order. */
async function send(run: ImportRun, part: Part) {
  const { entries } = part;
  await removeReplaced(run, entries);
  const at = run.client.serverNow();
  const body = toBody(entries, { ...run.body, asText: run.firstForm.as === 'text' });
  const attempt = await run.journal.intend({
    at,
    ...named(run, entries),
    // So that undo recognizes them.
    grants: entries
      .filter(({ list }) => list === 'userGrants')
      .map(({ text, orgId }) => fingerprintGrant(readUserGrant(JSON.parse(text) as JsonObject, orgId))),
  });
  const sent: SentPart = { ...part, attempt, at };
  const seconds = stopwatch(run.clock);
  reportProgress(run, entries.length);
  const call: Call<ImportDataResponse> = {
    method: 'POST',
    path: '/admin/v1/import',
    body,
    org: entries[0]?.asOrg,
    timeout: run.answerTimeout,
    answer: importDataResponse,
  };
  const end = await run.client.attempt(call).catch(async (error: unknown) => {
    // It was never sent: no budget, no token, or the run was stopped while the request waited.
    await settle(run, attempt);
    throw error;
  });
  if (end.ok) {
    run.firstForm.sure = true;
    run.size.answered(entries.length, seconds());
    await settleReport(run, sent, end.value);
    return [];
  }
  const { error } = end;
  if (error.verdict === 'unsure') return resendMissing(run, sent, error);
  if (error.verdict === 'too-large') {
    run.size.tooLarge(
      entries.reduce((sum, { size }) => sum + size, 0),
      Buffer.byteLength(body),
    );
    return split(run, sent, error, 'import:too-large');
  }
  if (isAboutEntries(error) && tryOtherForm(run, error)) {
    await settle(run, attempt);
    return [part];
  }
  if (isAboutEntries(error)) return split(run, sent, error, 'import:refused');
  await settle(run, attempt);
  throw error;
}

/** Number of concurrent deletions. */
const deletionsAtOnce = 16;

/**
 * Deletes the users that are to be replaced, so that the service accepts the new ones. Never deletes a user that existed before
 * the previous run or was created after it. Deletion comes before the intent: if the run is killed in between, the next one finds
 * no user and sends it.
 */
async function removeReplaced(run: ImportRun, entries: readonly ImportEntry[]) {
  const due = entries.filter(({ number }) => run.replaced.has(number));
  const keys = due.map(({ orgId, user }) => ({
    id: user!.id,
    userName: user!.userName,
    orgs: [orgId],
  }));
  const found = await findAll({ ...run, reads: 'all', newOrgs: true }, keys);
  const removeOne = async ([at, { number }]: readonly [number, ImportEntry]) => {
    const user = found[at];
    const { createdSince = Infinity, writtenAt = Infinity } = run.replaced.get(number)!;
    const isOurs = (createdAt: number) =>
      run.writes.isSince(createdAt, createdSince) && createdAt <= writtenAt + tolerance;
    if (user !== undefined && isOurs(user.createdAt)) {
      await removeUser(run.client, user.id);
      run.removed.add(number);
    }
    run.replaced.delete(number);
  };
  await forEachConcurrent(due.entries(), deletionsAtOnce, removeOne, run.signal);
  run.signal.throwIfAborted();
}

async function settleReport(run: ImportRun, { attempt, at, entries }: SentPart, answer: ImportDataResponse) {
  const { ends, lostFactors, refusedOrgs } = readReport(entries, answer);
  const created: ImportEntry[] = [];
  const existed: ImportEntry[] = [];
  const failed: EntryTrouble[] = [];
  const unsaid: ImportEntry[] = [];
  for (const [place, entry] of entries.entries()) {
    const end = ends[place]!;
    if (refusedOrgs.has(entry.orgId)) continue;
    if (end.state === 'created') created.push(entry);
    else if (end.state === 'failed') failed.push({ entry, code: end.code, detail: end.detail });
    else if (end.state === 'unknown') unsaid.push(entry);
    else if (entry.user !== undefined || !(await isOurs(run, entry))) existed.push(entry);
    else created.push(entry);
  }
  const isUser = ({ user }: ImportEntry) => user !== undefined;
  // Users whom this request found on its first attempt are not ours, however new they are.
  const there = await findUsersOf(run, existed.filter(isUser), Infinity);
  const looked = await waitForUsersOf(run, unsaid, at);
  // The user is not in its organization, although the service says that it exists.
  for (const entry of there.missing) failed.push({ entry, code: 'import:id-taken', detail: '' });
  for (const entry of looked.missing) failed.push({ entry, code: 'import:refused', detail: unnamed });
  const hasUsers = entries.some(isUser);
  const done = [...created, ...looked.ours].toSorted((a, b) => a.number - b.number);
  // Metadata that already existed is written without a change, so its user's time says nothing about this request.
  const writtenAt = await readLastWrite(run, hasUsers ? done.filter(isUser) : done);
  const ours = [...done, ...there.ours];
  const imported = new Set(ours);
  await settle(run, attempt, {
    created: ours,
    existed: [...existed.filter((entry) => !isUser(entry)), ...there.older, ...looked.older],
    failed,
    noted: lostFactors
      .map(({ place, detail }) => ({
        entry: entries[place]!,
        code: 'import:second-factor' as const,
        detail: run.journal.unconfirmed.has(entries[place]!.number) ? `${detail}; ${maybeStored}` : detail,
      }))
      .filter(({ entry }) => imported.has(entry)),
    writtenAt,
  });
  run.inARow.lost = 0;
  if (created.length + existed.length > 0) run.inARow.refused = 0;
  if (refusedOrgs.size > 0) throw orgRefused(refusedOrgs);
}

const maybeStored = 'an earlier request whose answer was lost may have stored it';
const unnamed = 'the report names it neither as done nor as failed, and it is not at the target';

/** Sends again, in smaller parts, users that were not found and entries that are not users. */
async function resendMissing(run: ImportRun, { attempt, at, entries, repeats }: SentPart, error: ApiError) {
  run.size.unanswered(entries.length);
  const text = `No report on ${formatCounted(entries.length, 'entry', 'entries')} (${error.text}): looking up the users, then sending the missing ones again.`;
  run.emit(note('import:looking-up', text));
  const { ours, older, rest } = await reconcile(run, entries, at);
  run.inARow.lost = ours.length > 0 ? 0 : run.inARow.lost + 1;
  const givenUp = rest.length === 1 && repeats >= lostAnswers.entry ? rest : [];
  await settle(run, attempt, {
    created: ours,
    existed: older,
    failed: givenUp.map((entry) => ({ entry, code: 'import:unconfirmed', detail: error.text })),
    // A user who is given up may have been created all the same, so a rollback looks for it.
    unconfirmed: rest,
  });
  if (givenUp.length > 0) return [];
  if (run.inARow.lost >= lostAnswers.requests) throw error;
  if (rest.length === 1) return [{ entries: rest, repeats: entries.length === 1 ? repeats + 1 : 0 }];
  return halve(rest).map((half) => ({ entries: half, repeats: 0 }));
}

/** Splits a refused request. One bad entry makes the service refuse it whole, so nothing was done. */
async function split(run: ImportRun, { attempt, entries }: SentPart, error: ApiError, code: ReasonCode) {
  const [entry] = entries;
  if (entries.length > 1 || entry === undefined) {
    await settle(run, attempt);
    return cutOut(entries, error.text).map((part) => ({ entries: part, repeats: 0 }));
  }
  run.inARow.refused += 1;
  if (run.inARow.refused >= lostAnswers.refusals) {
    await settle(run, attempt);
    throw new IdportError(
      'import:all-refused',
      `the service refuses one entry after the other: ${innermost(error.text)}`,
      'No single entry causes this. Fix the cause, then continue with --resume, and import the users refused until then from the file of --rejects.',
      error,
    );
  }
  await settle(run, attempt, { failed: [{ entry, code, detail: innermost(error.text) }] });
  return [];
}

/** Reports whether one entry can cause the error: InvalidArgument (a field rule or the form of the data) or a panic. */
function isAboutEntries({ status, grpcCode, id }: ApiError) {
  return (status === 400 && grpcCode === 3) || id === 'RECOVER';
}

/**
 * Switches the form of first-form data. The service's documentation calls the data a text, but services want an object. If the
 * first request is refused for anything but a field rule, it is sent once more in the other form. Returns true if that is worth a
 * try.
 */
function tryOtherForm({ firstForm }: ImportRun, { text }: ApiError) {
  if (firstForm.sure || text.startsWith('invalid ImportDataRequest')) return false;
  // If both forms were refused, the form is not the cause.
  firstForm.sure = firstForm.as === 'text';
  firstForm.as = firstForm.sure ? 'object' : 'text';
  return true;
}

function orgRefused(orgs: ReadonlyMap<string, string>) {
  const [[id, message] = ['', '']] = orgs;
  const hint = message.includes('COMM-deLSk')
    ? 'An organization of this id was deleted, and its id stays taken: give the organization of the body another id.'
    : `Create it at the target, or free its name there. Then go on with --resume. Or start a new run with another name: --create-org=${id}=<name>.`;
  return new IdportError(
    'import:org-refused',
    `the service did not import organization ${id}: ${message}`,
    hint,
  );
}
