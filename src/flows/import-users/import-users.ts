/** A source and a client in; its people at the target, one call each, out: the one-by-one import as a whole. */
import type { Client } from '../../api/client.ts';
import { IdportError, UsageError } from '../../errors.ts';
import type { Emit } from '../../events.ts';
import type { JournalHeader } from '../../journal/lines.ts';
import type { Clock } from '../../lib/clock.ts';
import { emptyTally, type Tally } from '../../records/tally.ts';
import type { Notice } from '../../sources/source.ts';
import { getOrgResponse } from '../../wire/organization.ts';
import { createIdMap, keepIdMap } from '../report/id-map.ts';
import { openJournal, type JournalPlace } from '../resume/open-journal.ts';
import type { RunLog } from '../report/run-log.ts';
import type { Choice } from './select-users.ts';
import { describeVanished } from '../incremental/previous-runs.ts';
import { noBelongings, readBelongings, type Belongings } from '../incremental/related-records.ts';
import { carriedLists } from './related-calls.ts';
import {
  chooseFingerprints,
  Fingerprints,
  writeWay,
  type FingerprintWay,
} from '../incremental/fingerprint.ts';
import { NewIds } from './new-ids.ts';
import type { PeopleSource } from '../source/read-users.ts';
import { planLines } from './plan.ts';
import { gateMails, quote } from './quote.ts';
import { readOpen, readPast } from './resume.ts';
import { settleUndone, type ErrorLimit, type UsersRun } from './run.ts';
import { createOldIds, sendExtras } from './send-related.ts';
import { sendPeople } from './send-users.ts';
import { surveyPeople, type UsersSurvey } from './scan-users.ts';
import { Width } from '../concurrency/concurrency.ts';

export interface ImportUsersRequest {
  readonly source: PeopleSource;
  readonly client: Client;
  readonly org: string;
  readonly choice: Choice;
  readonly journal: JournalPlace;
  readonly idMapPath: string;
  readonly followUp: boolean;
  readonly onExisting: 'skip' | 'fail';
  readonly errors: ErrorLimit;
  /** How many mails may go out; Infinity for all. */
  readonly maxEmails: number;
  /** Requests under way at most, and requests a second at most. */
  readonly concurrency: number;
  readonly perSecond: number | undefined;
  readonly dryRun: boolean;
  /** What changes the meaning of the people's numbers: another value is another run. */
  readonly settings: Readonly<Record<string, string>>;
  readonly log: RunLog;
}

export interface ImportUsersContext {
  readonly emit: Emit;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface ImportUsersEnd {
  readonly tally: Tally;
  readonly followUpsFailed: number;
  /** More mails than allowed: nothing was sent. */
  readonly tooManyMails: boolean;
}

/** Throws `UsageError` before anything is sent where the source and the target do not fit. */
export async function importUsers(
  request: ImportUsersRequest,
  context: ImportUsersContext,
): Promise<ImportUsersEnd> {
  try {
    return await run(request, context);
  } catch (error) {
    request.log.discard();
    throw error;
  }
}

async function run(request: ImportUsersRequest, context: ImportUsersContext): Promise<ImportUsersEnd> {
  const { source, client, log, choice } = request;
  const { emit, clock, signal } = context;
  const startedAt = clock.monotonic();
  const names = source.inputs.map(({ name }) => name);
  refuseStreams(source);
  await log.begin({ verb: 'import-users', inputs: names, startedAt: clock.now() });
  const way = await chooseFingerprints(choice.earlier, request.journal);
  const belongings = await readLists(source, way);
  const fingerprints = new Fingerprints(way, belongings);
  const tell = (notice: Notice): void => {
    log.tell(notice);
    emit({ type: 'notice', level: notice.level, code: notice.code, text: notice.text });
  };
  const survey = await surveyPeople(source, choice, {
    fingerprints,
    belongings,
    followUp: request.followUp,
    notify: tell,
    onPerson: () => signal.throwIfAborted(),
  });
  refuseUnknown(survey);
  if (choice.earlier?.withLists === false && belongings.counts.size > 0) {
    tell({ level: 'warning', code: 'delta:lists', text: notCompared });
  }
  quote(survey, request, emit);
  await checkOrg(client, request.org);
  const tally = emptyTally();
  const tooManyMails = gateMails(survey, request.maxEmails, emit);
  if (tooManyMails || request.dryRun) {
    log.discard();
    return { tally, followUpsFailed: 0, tooManyMails };
  }
  const header = headerOf(request, survey, way, clock.now());
  const journal = await openJournal(request.journal, header, emit);
  if (!journal.resumed) keepIdMap(request.idMapPath, emit);
  const idMap = createIdMap(request.idMapPath);
  try {
    emit({
      type: 'run:start',
      verb: 'import-users',
      inputs: names,
      bytes: undefined,
      records: survey.plan.people,
    });
    const users = await startRun(request, context, { survey, journal, fingerprints, tally, idMap });
    await sendAll(users, request).catch(async (error: unknown) => {
      throw await reportStop(error, users, (clock.monotonic() - startedAt) / 1000);
    });
    await tellVanished(request, tell);
    await journal.finish(client.serverNow());
    return await finish(users, (clock.monotonic() - startedAt) / 1000);
  } finally {
    idMap.close();
    journal.close();
  }
}

/** Only our own import body has such lists. */
function readLists({ provider, inputs }: PeopleSource, { key }: FingerprintWay): Promise<Belongings> {
  return provider === 'body' ? readBelongings(inputs, carriedLists, key) : Promise.resolve(noBelongings);
}

const notCompared =
  'An earlier version of idport wrote a journal of --since-journal, which does not say what userMetadata and userLinks ' +
  'had: who has changed in nothing else may be passed over. `idport verify` finds them.';

async function sendAll(run: UsersRun, { source, choice, onExisting }: ImportUsersRequest): Promise<void> {
  const oldIds = createOldIds();
  const extras = run.plan.metadata + run.plan.links > 0;
  await sendPeople(run, {
    source,
    choice,
    onExisting,
    // They were told when the people were counted.
    notify: () => undefined,
    remember: (number, oldId) => {
      if (extras) oldIds.remember(number, oldId);
    },
  });
  if (extras) await sendExtras(run, source.inputs, oldIds);
}

/** Limits that the run was given, or has of its own: who asked for them wants to see what made them be reached. */
const limits = ['import:too-many-errors', 'api:budget'];

/** Completes the report and the rejects file of a run that gave up, and returns its error, which then names them. */
async function reportStop(error: unknown, { log, tally, emit }: UsersRun, seconds: number): Promise<unknown> {
  if (!(error instanceof IdportError) || !limits.includes(error.code)) return error;
  const files = await log.end(tally, seconds, emit, error.message);
  if (files.length === 0) return error;
  const hint = `${error.hint ?? ''} Those who had come so far are in ${files.join(' and ')}.`.trimStart();
  return new IdportError(error.code, error.message, { hint, cause: error });
}

async function startRun(
  request: ImportUsersRequest,
  { emit, clock, signal }: ImportUsersContext,
  parts: Pick<UsersRun, 'journal' | 'fingerprints' | 'tally' | 'idMap'> & { readonly survey: UsersSurvey },
): Promise<UsersRun> {
  const { journal, fingerprints, tally, idMap, survey } = parts;
  const { plan } = survey;
  const ids = new NewIds(plan.people);
  const earlier = journal.resumed ? await readPast(journal.path, plan, ids, idMap) : new Map();
  const { sentBefore, openAttempts, others } = readOpen(journal.open, plan);
  const run: UsersRun = {
    client: request.client,
    org: request.org,
    journal,
    plan,
    clock,
    emit,
    signal,
    tally,
    log: request.log,
    width: new Width({ clock, cap: request.concurrency, perSecond: request.perSecond }),
    ids,
    idMap,
    followUp: request.followUp,
    fingerprints,
    sentBefore,
    openAttempts,
    earlier,
    errors: request.errors,
    followUpsFailed: 0,
  };
  for (const attempt of others) await settleUndone(run, attempt);
  return run;
}

async function finish(run: UsersRun, seconds: number): Promise<ImportUsersEnd> {
  await run.journal.saved();
  const { tally, plan, log, emit } = run;
  if (tally.read !== plan.people) {
    throw new IdportError('internal:counts', `${tally.read} of ${plan.people} people are accounted for`, {
      hint: 'This is a defect of idport: please report it. The journal has what was done.',
    });
  }
  await log.end(tally, seconds, emit);
  emit({ type: 'run:end', verb: 'import-users', tally, seconds });
  return { tally, followUpsFailed: run.followUpsFailed, tooManyMails: false };
}

/** They are read twice, and once more by whoever goes on with the run. */
function refuseStreams({ inputs, companions }: PeopleSource): void {
  const stream = [...inputs, ...Object.values(companions).flat()].find(({ repeatable }) => !repeatable);
  if (stream === undefined) return;
  throw new UsageError(`${stream.name} cannot be read more than once`, {
    hint: 'An import reads its input twice, and again when it is resumed: put it into a file.',
  });
}

/** A name that is misspelled would bring over nobody, and all would look well. */
function refuseUnknown({ unknownUsers }: UsersSurvey): void {
  if (unknownUsers.length === 0) return;
  throw new UsageError(
    `nobody in the input is ${unknownUsers.map((name) => JSON.stringify(name)).join(' or ')}`,
    {
      hint: '--user takes an id, a user name or an e-mail address, as they stand in the input.',
    },
  );
}

/** Also brings the service's clock. Throws `ApiError` for one that is not there, `UsageError` for one that is off. */
async function checkOrg(client: Client, org: string): Promise<void> {
  const { org: found } = await client.call({
    method: 'GET',
    path: '/management/v1/orgs/me',
    org,
    answer: getOrgResponse,
  });
  if (found?.state === 'ORG_STATE_ACTIVE') return;
  throw new UsageError(`organization ${org} is not active`, {
    hint: 'Nobody in it could sign in. Activate it first, or give another --org.',
  });
}

function headerOf(
  { client, org, settings }: ImportUsersRequest,
  { plan, input }: UsersSurvey,
  way: FingerprintWay,
  now: number,
): JournalHeader {
  return {
    verb: 'import-users',
    input,
    url: client.url,
    orgs: [org],
    plan: planLines(plan),
    settings: { ...settings, ...writeWay(way) },
    startedAt: now,
  };
}

/** Of an earlier run, and not in this source any more. */
async function tellVanished({ choice }: ImportUsersRequest, tell: (notice: Notice) => void): Promise<void> {
  const text = choice.earlier === undefined ? undefined : await describeVanished(choice.earlier);
  if (text !== undefined) tell({ level: 'warning', code: 'delta:vanished', text });
}
