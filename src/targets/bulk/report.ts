/** Reads the service's report on a request: the result of each of its entries. */
import type { ImportDataError, ImportDataResponse } from '../../wire/import.ts';
import { kindOf } from '../../wire/org-entries.ts';
import { groupBy } from '../../lib/group-by.ts';
import { count } from '../../records/tally.ts';
import type { Entry } from './entry.ts';

export type EntryEnd =
  /** `existed`: it existed before this request. `unknown`: the report does not tell. */
  | { readonly state: 'created' | 'existed' | 'unknown' }
  | {
      readonly state: 'failed';
      readonly code: 'import:refused' | 'import:name-taken' | 'import:hash-refused';
      readonly detail: string;
    };

/** Error ids for a user id that already exists. */
const idTaken = new Set(['COMMAND-ziuna', 'COMMAND-k2una']);
/** Error keys for an entry that already exists. Keys in reports are not translated. */
const existsKey = /Already|NoChanges/;

/** Error id for a unique value that is taken: a name, or the link to an identity provider. */
const nameTaken = 'V3-DKcYh';
const linkTaken = /ExternalIDP/;

export function readReport(entries: readonly Entry[], { errors: told, success }: ImportDataResponse) {
  const errors = told.map((error) => ({ ...error, problem: parseMessage(error.message) }));
  const reported = reportedErrors(
    // Under the default policy, a new domain is verified at once, and verifying it again is refused.
    errors.filter(({ type, problem }) => type !== 'domain_isverified' || problem.id !== nameTaken),
  );
  const arrived = countArrived(success);
  /** Organizations that the service did not process at all, and why. */
  const refusedOrgs = new Map<string, string>();
  for (const { type, id, message, problem } of errors) {
    if (type === 'org' && !isThere('org', problem)) refusedOrgs.set(id, message);
  }
  /** One result for each entry, in the same order. */
  const ends = entries.map((entry) =>
    refusedOrgs.has(entry.orgId) ? unknown : endOf(entry, reported, arrived),
  );
  /** Second factors that were not stored, by the index of their entry in the chunk. */
  const lostFactors = entries.flatMap((entry, place) =>
    factorErrors(entry, reported).map((detail) => ({ place, detail })),
  );
  return { ends, lostFactors, refusedOrgs };
}

const unknown: EntryEnd = { state: 'unknown' };
const created: EntryEnd = { state: 'created' };

/** Of these the report names what was created: how one has ended of which it says nothing. Of others that is `created`. */
const silence: Readonly<Record<string, EntryEnd>> = {
  humanUsers: unknown,
  machineUsers: unknown,
  // The service says no error of these: one was there already.
  jwtIdps: { state: 'existed' },
};

function endOf(entry: Entry, reported: ReportedErrors, arrived: Map<string, number>): EntryEnd {
  const isUser = entry.user !== undefined;
  const key = keyOf(entry.list, entry.id);
  // Entries without an id share an empty one, and the report does not distinguish them.
  if (isUser && entry.id === '' && reported.has(kindOf(entry.list).types[0]!, '')) return unknown;
  const left = arrived.get(key) ?? 0;
  if (left > 0) {
    // Two entries with the same id: the first was created, the second is reported as an error.
    arrived.set(key, left - 1);
    return created;
  }
  const ends = reported.take(kindOf(entry.list).types, entry.id).map((problem) => endFor(entry, problem));
  const [first = silence[entry.list] ?? created] = ends;
  // An entry is stored in several steps: one part may have existed, while another was refused.
  return ends.find(({ state }) => state === 'failed') ?? first;
}

function endFor(entry: Entry, problem: Problem): EntryEnd {
  const { id, key } = problem;
  if (entry.user !== undefined) {
    if (idTaken.has(id)) return { state: 'existed' };
    // Another user has this user name. If the entry has no id, it is taken to be the same user.
    const isName = id === nameTaken && !linkTaken.test(key);
    if (isName && entry.user.id === '') return { state: 'existed' };
    if (isName) return { state: 'failed', code: 'import:name-taken', detail: key };
  } else if (isThere(entry.list, problem)) return { state: 'existed' };
  const code = id.startsWith('CRYPT-') ? 'import:hash-refused' : 'import:refused';
  return { state: 'failed', code, detail: id === '' ? key : `${key} (${id})` };
}

const existsAlready = ({ key }: Problem) => existsKey.test(key);

/**
 * Lists in which a taken name belongs to something else: another organization, or another organization's verified
 * domain.
 */
const ofOthers = ['org', 'domains'];

const isThere = (list: string, problem: Problem) =>
  existsAlready(problem) && !(ofOthers.includes(list) && problem.id === nameTaken);

type Problem = ReturnType<typeof parseMessage>;

/** Reads `ID=<id> Message=<key>`. Anything else is text without an id. */
function parseMessage(message: string) {
  const found = /^ID=(\S*) Message=(.*)$/s.exec(message);
  return { id: found?.[1] ?? '', key: found?.[2] ?? message };
}

/** Returns the errors of second factors. Those that already exist count as stored. */
function factorErrors(entry: Entry, reported: ReportedErrors) {
  if (!entry.user?.secondFactors) return [];
  return Object.entries(factors).flatMap(([type, factor]) =>
    reported
      .take([type], entry.id)
      .flatMap((problem) => (existsAlready(problem) ? [] : `${factor}: ${problem.key}`)),
  );
}

const factors = { human_user_otp: 'TOTP', human_user_recovery_codes: 'recovery codes' };

const keyOf = (list: string, id: string) => `${list}\n${id}`;

function countArrived(success: ImportDataResponse['success']) {
  const arrived = new Map<string, number>();
  for (const org of success?.orgs ?? []) {
    for (const [list, ids] of [
      ['humanUsers', org.humanUserIds],
      ['machineUsers', org.machineUserIds],
      ['jwtIdps', org.jwtIdps],
    ] as const) {
      for (const id of ids) count(arrived, keyOf(list, id));
    }
  }
  return arrived;
}

type ReportedErrors = ReturnType<typeof reportedErrors>;

function reportedErrors(errors: readonly (ImportDataError & { readonly problem: Problem })[]) {
  const left = groupBy(errors, ({ type, id }) => keyOf(type, id));
  return {
    has: (type: string, id: string) => (left.get(keyOf(type, id))?.length ?? 0) > 0,
    /** Returns the next problem of each type about the entry. Each message is returned once. */
    take: (types: readonly string[], id: string) =>
      types.flatMap((type) => left.get(keyOf(type, id))?.shift()?.problem ?? []),
  };
}
