/**
 * A request's worth of entries in; every one of them settled out, whatever the service does with the request: a report
 * is read, a refusal is taken apart down to the guilty entry, after a lost answer it looks up who arrived.
 */
import type { ApiError } from '../../api/api-error.ts';
import type { Attempt } from '../../api/client.ts';
import { IdportError } from '../../errors.ts';
import { formatCounted } from '../../lib/quantity.ts';
import type { ReasonCode } from '../../records/reasons.ts';
import { cutOut, halve } from '../../targets/bulk/cut.ts';
import { toBody } from '../../targets/bulk/chunk.ts';
import { innermost, withoutRecoveryCodes, type Entry } from '../../targets/bulk/entry.ts';
import { readReport } from '../../targets/bulk/report.ts';
import { importDataResponse, type ImportDataResponse } from '../../wire/import.ts';
import { removeReplaced } from './replace-changed.ts';
import { isOlder, reconcile, whoAppears, whoIsThere } from '../reconcile/reconcile.ts';
import { noEnds, settle, type EntryTrouble, type ImportRun } from './run.ts';

/** One request. `repeats` counts answers that were lost while it was as small as it is. */
interface Part {
  readonly entries: readonly Entry[];
  readonly repeats: number;
}

/** A single entry whose answer is lost so often is given up. */
const mostRepeats = 3;
/** So many in a row without a single success, and it is not the entries. */
const mostRefused = 30;
const mostLost = 8;

/** Throws `ApiError` or `IdportError` for what concerns all entries; the journal then has what was done. */
export async function deliver(run: ImportRun, entries: readonly Entry[]): Promise<void> {
  const parts: Part[] = [{ entries, repeats: 0 }];
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    run.signal.throwIfAborted();
    parts.unshift(...(await send(run, part)));
  }
}

/** Sends a part and settles it; returns what is still to be sent, in order. */
async function send(run: ImportRun, part: Part): Promise<readonly Part[]> {
  const { entries } = part;
  await removeReplaced(run, entries);
  const at = run.client.serverNow();
  const body = toBody(
    entries.map((entry) => asSent(run, entry)),
    { ...run.body, asText: run.firstForm.as === 'text' },
  );
  const attempt = await run.journal.intend({
    at,
    entries: entries.map(({ number }) => number),
    people: describe(run, entries),
  });
  const startedAt = run.clock.monotonic();
  run.tally.requests += 1;
  const end = await ask(run, body, entries[0]?.asOrg).catch(async (error: unknown) => {
    // Thrown before it left: the budget is spent, the run was stopped while it waited, there is no token.
    await settle(run, attempt, noEnds);
    throw error;
  });
  if (end.ok) {
    run.firstForm.sure = true;
    run.size.answered(entries.length, (run.clock.monotonic() - startedAt) / 1000);
    await settleReport(run, attempt, at, entries, end.value);
    return [];
  }
  const { error } = end;
  if (error.done === 'unknown') return lookAround(run, attempt, at, part, error);
  if (error.verdict === 'too-large') {
    run.size.tooLarge(
      entries.reduce((sum, { size }) => sum + size, 0),
      Buffer.byteLength(body),
    );
    return takeApart(run, attempt, entries, error, 'import:too-large');
  }
  if (isAboutEntries(error) && turnForm(run, error)) {
    await settle(run, attempt, noEnds);
    return [part];
  }
  if (isAboutEntries(error)) return takeApart(run, attempt, entries, error, 'import:refused');
  await settle(run, attempt, noEnds);
  throw error;
}

function ask(run: ImportRun, body: string, org: string | undefined): Promise<Attempt<ImportDataResponse>> {
  return run.client.attempt({
    method: 'POST',
    path: '/admin/v1/import',
    body,
    org,
    repeat: 'unsafe',
    timeout: run.answerTimeout,
    answer: importDataResponse,
  });
}

async function settleReport(
  run: ImportRun,
  attempt: number,
  at: number,
  entries: readonly Entry[],
  answer: ImportDataResponse,
): Promise<void> {
  const { ends, lostFactors, refusedOrgs } = readReport(entries, answer);
  const created: Entry[] = [];
  const existed: Entry[] = [];
  const failed: EntryTrouble[] = [];
  /** There, and sent before: ours or older. */
  const there: Entry[] = [];
  const unsaid: Entry[] = [];
  for (const [place, entry] of entries.entries()) {
    const end = ends[place]!;
    if (refusedOrgs.has(entry.orgId)) continue;
    if (end.state === 'created') created.push(entry);
    else if (end.state === 'failed') failed.push({ entry, code: end.code, detail: end.detail });
    else if (end.state === 'unknown') unsaid.push(entry);
    else if (run.isRepeat(entry)) failed.push({ entry, code: 'user-skipped:duplicate-id', detail: '' });
    else if (!run.sentBefore.has(entry.number)) existed.push(entry);
    else if (entry.person !== undefined) there.push(entry);
    else if (await isOlder(run, entry)) existed.push(entry);
    else created.push(entry);
  }
  const known = await whoIsThere(run, there, at);
  const looked = await whoAppears(run, unsaid, at);
  for (const entry of looked.missing) failed.push({ entry, code: 'import:refused', detail: unnamed });
  await settle(run, attempt, {
    created: [...created, ...known.ours, ...looked.ours],
    // Who is there and cannot be seen is in another organization.
    existed: [...existed, ...known.older, ...known.missing, ...looked.older],
    failed,
    noted: lostFactors.map(({ place, detail }) => ({
      entry: entries[place]!,
      code: 'import:second-factor',
      detail,
    })),
  });
  for (const { number } of entries) run.sentBefore.delete(number);
  run.inARow.lost = 0;
  if (created.length + existed.length > 0) run.inARow.refused = 0;
  if (refusedOrgs.size > 0) throw orgRefused(refusedOrgs);
}

const unnamed = 'the report names it neither as done nor as failed, and it is not at the target';

/** Who is there is there; the others, and what is not a person, go out again in smaller parts. */
async function lookAround(
  run: ImportRun,
  attempt: number,
  at: number,
  { entries, repeats }: Part,
  error: ApiError,
): Promise<readonly Part[]> {
  run.tally.lookedUp += 1;
  run.size.unanswered(entries.length);
  for (const { number } of entries) if (!run.sentBefore.has(number)) run.sentBefore.set(number, at);
  const text = `No report on ${formatCounted(entries.length, 'entry', 'entries')} (${error.text}): looking up who arrived, then sending the others again.`;
  run.emit({ type: 'notice', level: 'info', code: 'import:looking-up', text });
  const { ours, older, rest } = await reconcile(run, entries);
  run.inARow.lost = ours.length > 0 ? 0 : run.inARow.lost + 1;
  const givenUp = rest.length === 1 && repeats >= mostRepeats ? rest : [];
  await settle(run, attempt, {
    created: ours,
    existed: older,
    failed: givenUp.map((entry) => ({ entry, code: 'import:unconfirmed', detail: error.text })),
    noted: [],
    doubtful: givenUp.length > 0 ? [] : rest,
  });
  if (givenUp.length > 0) return [];
  if (run.inARow.lost >= mostLost) throw error;
  if (rest.length === 1) return [{ entries: rest, repeats: entries.length === 1 ? repeats + 1 : 0 }];
  return halve(rest).map((half) => ({ entries: half, repeats: 0 }));
}

/** One bad entry speaks for the whole request: nothing was done, and it is halved until that entry stands alone. */
async function takeApart(
  run: ImportRun,
  attempt: number,
  entries: readonly Entry[],
  error: ApiError,
  code: ReasonCode,
): Promise<readonly Part[]> {
  const [entry] = entries;
  if (entries.length > 1 || entry === undefined) {
    run.tally.takenApart += 1;
    await settle(run, attempt, noEnds);
    return cutOut(entries, error.text).map((part) => ({ entries: part, repeats: 0 }));
  }
  run.inARow.refused += 1;
  if (run.inARow.refused >= mostRefused) {
    await settle(run, attempt, noEnds);
    throw allRefused(error);
  }
  await settle(run, attempt, { ...noEnds, failed: [{ entry, code, detail: innermost(error.text) }] });
  return [];
}

/** InvalidArgument without more: a field rule or a form. Also a panic, which one entry can set off. */
function isAboutEntries({ status, grpcCode, id }: ApiError): boolean {
  return (status === 400 && grpcCode === 3) || id === 'RECOVER';
}

/**
 * The interface calls the data of the first form a text, the service itself wants an object: when the first request is
 * refused for anything but the rules of a field, it goes once more in the other way. True where that is worth it.
 */
function turnForm({ firstForm }: ImportRun, { text }: ApiError): boolean {
  if (firstForm.sure || text.startsWith('invalid ImportDataRequest')) return false;
  if (firstForm.as === 'object') {
    firstForm.as = 'text';
    return true;
  }
  // Neither was taken, so it is not the form.
  firstForm.as = 'object';
  firstForm.sure = true;
  return true;
}

/** Who was seen to be there gets no second set of recovery codes. */
function asSent(run: ImportRun, entry: Entry): Entry {
  return run.sentBefore.has(entry.number) && entry.person?.secondFactors === true
    ? withoutRecoveryCodes(entry)
    : entry;
}

function describe(run: ImportRun, entries: readonly Entry[]): [string, string, string][] {
  return entries.flatMap(({ person }): [string, string, string][] =>
    person === undefined
      ? []
      : [[person.id, person.userName, run.fingerprints.of(person.id, person.content())]],
  );
}

function orgRefused(orgs: ReadonlyMap<string, string>): IdportError {
  const [[id, message] = ['', '']] = orgs;
  return new IdportError(
    'import:org-refused',
    `the service did not work off organization ${id}: ${message}`,
    {
      hint: `Create it at the target, or free its name there. Then go on with --resume. Or begin anew with another name: --create-org ${id}=<name>.`,
    },
  );
}

function allRefused(error: ApiError): IdportError {
  return new IdportError(
    'import:all-refused',
    `the service refuses one entry after the other: ${innermost(error.text)}`,
    {
      hint: 'Nothing is wrong with single entries, it seems. Mend the cause, then go on with --resume.',
      cause: error,
    },
  );
}
