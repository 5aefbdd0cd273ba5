/** What a bulk import is asked for, what it carries from request to request, and how large a request may be. */
import { countEnded } from '../../records/tally.ts';
import { userLists, type BodyPart } from '../../wire/org-entries.ts';
import { type ImportEntry, listCounts, type ImportSource } from './entries.ts';
import type { PreviousState } from '../incremental/fingerprint.ts';
import type { OpenedRun, AnyImportRequest } from '../runs/open-run.ts';
import { formatDuration, parseDuration } from '../../lib/go-duration.ts';
import type { ChunkLimits } from '../../targets/bulk/chunk.ts';
import type { Input } from '../../lib/input.ts';
import type { PhoneRule } from '../../records/messages.ts';
import type { TargetProfile } from '../../wire/profile.ts';
import type { GateRequest } from '../messages/gate.ts';
import type { RunOutputs } from '../report/run-outputs.ts';

/** Request to read a body, with the messages that may be sent. */
export interface BodyRequest extends GateRequest {
  readonly input: Input;
  /** The data of the body is of the first form, although nothing in it shows that. */
  readonly firstForm: boolean;
  /** Values of `--create-org`. */
  readonly createOrgs: readonly string[];
  /** Values of `--rename-org`. */
  readonly renameOrgs: readonly string[];
  /** `new`: users get other ids than in the body. */
  readonly ids: 'keep' | 'new';
  /** Parts to leave out, as if the body did not have them. */
  readonly skip: readonly BodyPart[];
  readonly phone: PhoneRule;
  /** Report and rejects file. */
  readonly log: RunOutputs;
  /** What the target accepts, for the forecast of who can sign in. */
  readonly profile: TargetProfile;
}

export interface ImportRequest extends BodyRequest, AnyImportRequest {
  /** Go duration that overrides the one in the body. */
  readonly timeout: string | undefined;
  /** Seconds after which the service cuts calls off. */
  readonly mostSeconds: number | null;
  /**
   * What to do with verified addresses that arrive unverified: leave them until the user answers an email, or set them to
   * verified.
   */
  readonly emailAfter: 'leave' | 'verified';
  readonly size: ChunkSizeOptions;
  /** Bucket to use instead of requests with the data in them. */
  readonly bucket?: BucketJob | undefined;
  /** Journals of previous runs. Only users who are new or changed since then are sent. */
  readonly since: readonly string[];
}

/** Object that the service reads. */
export interface BucketSource {
  readonly bucket: string;
  readonly path: string;
  /** Key file, in base64, of the service account with which the service reads. */
  readonly serviceAccount: string;
}

export interface BucketJob {
  readonly source: BucketSource;
  /** Returns the generation of the object, empty if it has none. Throws if another program replaces the object meanwhile. */
  upload(text: AsyncIterable<string>): Promise<string>;
  /** Throws if another program has replaced the object since the upload that had this generation. */
  check(generation: string): Promise<void>;
  /** Seconds without a new user after which the job counts as over. */
  readonly stallSeconds: number;
}

export type ImportRun = ReturnType<typeof startRun>;

/** `missing`: organizations that are not at the target. */
export function startRun(
  request: ImportRequest,
  opened: OpenedRun,
  source: ImportSource,
  missing: readonly string[],
) {
  const { emailAfter, bucket } = request;
  const { scan, plan } = source;
  const counts = new Map(listCounts(plan));
  const sum = (lists: Iterable<string>) => [...lists].reduce((all, list) => all + (counts.get(list) ?? 0), 0);
  // A job with a bucket is answered at once, so nothing cuts it off.
  const most = bucket === undefined ? request.mostSeconds : null;
  const there = scan.orgs.map(({ orgId }) => orgId).filter((id) => !missing.includes(id));
  const timeouts = chooseTimeouts(request.timeout, scan.timeout, most);
  return {
    ...opened,
    source,
    emailAfter,
    /** Number of entries of all lists, and of the users among them. */
    total: sum(counts.keys()),
    users: sum(userLists),
    body: { timeout: timeouts.service, firstForm: scan.firstForm },
    /** How long an answer may take, in milliseconds. Longer than the timeout of the service. */
    answerTimeout: timeouts.answer,
    size: createChunkSize(request.size),
    /** Organizations that existed before the run. Empty for a resumed run. */
    orgsBefore: new Set(opened.journal.resumed ? [] : there),
    replaces: opened.previous !== undefined,
    /** How data of the first form is sent. Services differ, and refuse the other form. */
    firstForm: { as: 'object' as 'object' | 'text', sure: !scan.firstForm },
    /** Changed users that a previous run created, by number. They are deleted before they are sent again. */
    replaced: new Map<number, PreviousState>(),
    /** Those of `replaced` that this run has deleted. */
    removed: new Set<number>(),
    /** Number of users whose verified address arrived unverified and stays so. */
    unverified: 0,
    /** Entries that this run did not send: done before a resume, or never sent. */
    before: { users: 0, entries: 0 },
    /** Consecutive refused requests and lost answers. */
    inARow: { refused: 0, lost: 0 },
  };
}

export function reportProgress({ emit, tally, before, total }: ImportRun, underWay: number) {
  const entries = { done: countEnded(tally), before: before.entries, underWay, total };
  emit({ type: 'run:progress', bytes: 0, records: tally.read, before: before.users, entries });
}

/** Counts an entry that was done before a resume or is never sent. */
export function countNoWork({ before }: ImportRun, list: string) {
  before.entries += 1;
  if (userLists.includes(list)) before.users += 1;
}

/** Returns what the intent of a request names: its entries, and its users with their fingerprints. */
export const named = ({ fingerprints }: ImportRun, entries: readonly ImportEntry[]) => ({
  entries: entries.map(({ number }) => number),
  users: entries.flatMap(({ user, oldId }): [string, string, string][] =>
    user === undefined ? [] : [[user.id, user.userName, fingerprints.of(oldId ?? user.id, user.content())]],
  ),
});

interface ChunkSizeOptions {
  /** Limits of a request as protobuf and as JSON, in bytes. */
  readonly bytes: number;
  readonly jsonBytes: number;
  /** Maximum number of entries in a request. */
  readonly most: number;
  /** Target duration of a request in seconds: far from every limit, and little is lost if its answer is. */
  readonly seconds: number;
}

/** Entries of the first request: enough to measure by. */
const first = 100;
/** Factor by which requests may grow at once. The first entries of a body may not be like the others. */
const growth = 4;

/** Holds fixed limits in bytes, and a number of entries that follows the speed of the service. */
function createChunkSize({ bytes, jsonBytes, most, seconds: meant }: ChunkSizeOptions) {
  let limits: ChunkLimits = { bytes, jsonBytes, entries: Math.min(first, most) };
  return {
    get limits() {
      return limits;
    },
    /** Adjusts the limits after a request with so many entries was answered after so many seconds. */
    answered(entries: number, seconds: number) {
      const fitting = (entries / Math.max(seconds, 0.001)) * meant;
      // The time of a short request says little about a long one.
      const grown = Math.min(fitting, Math.max(entries, limits.entries) * growth);
      limits = { ...limits, entries: Math.max(1, Math.min(Math.floor(grown), most)) };
    },
    /** Halves the entries after a lost answer: it is unknown how far the service came. */
    unanswered(entries: number) {
      limits = { ...limits, entries: Math.max(1, Math.floor(Math.min(entries, limits.entries) / 2)) };
    },
    /** Lowers the limits after the service or a proxy refused a request of so many bytes because of its size. */
    tooLarge(bytes: number, jsonBytes: number) {
      limits = {
        ...limits,
        bytes: Math.min(limits.bytes, Math.floor(bytes * 0.75)),
        jsonBytes: Math.min(limits.jsonBytes, Math.floor(jsonBytes * 0.75)),
      };
    },
  };
}

const usual = 30 * 60 * 1000;
const margin = 15_000;

/**
 * Chooses the first of the flag's and the body's Go durations that is not zero, which would time out at once. `mostSeconds` is
 * where the hosted service cuts calls off. `service` is in Go's normal form. `answer`, in milliseconds, is somewhat longer, so
 * that the service times out first.
 */
export function chooseTimeouts(
  flag: string | undefined,
  body: string | undefined,
  mostSeconds: number | null,
) {
  const requested = [flag, body]
    .map((text) => (text === undefined ? 0 : parseDuration(text)))
    .find((ms) => ms > 0);
  const chosen = Math.min(requested ?? usual, mostSeconds === null ? Infinity : mostSeconds * 1000);
  return { service: formatDuration(Math.round(chosen)), answer: chosen + margin };
}
