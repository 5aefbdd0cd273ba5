/**
 * Inputs in memory in; all that a conversion of them says and writes out, after what must hold for every one of them.
 */
import { IdportError } from '../../src/errors.ts';
import type { IdportEvent } from '../../src/events.ts';
import { type RecordDetail, row, type UserKind } from '../../src/flows/convert/batch.ts';
import { startJob } from '../../src/flows/convert/convert-batch.ts';
import { createBodyOutput } from '../../src/flows/convert/output.ts';
import { convertExport, type ConvertRequest } from '../../src/flows/convert/convert.ts';
import type { HashPolicy } from '../../src/flows/read/check-record.ts';
import { conversionReport } from '../../src/flows/report/contents.ts';
import { writeReport } from '../../src/flows/report/open-report.ts';
import { createReport } from '../../src/flows/report/report.ts';
import { createRunOutputs } from '../../src/flows/report/run-outputs.ts';
import type { Input } from '../../src/lib/input.ts';
import type { Sink } from '../../src/lib/sink.ts';
import { builtInProfiles } from '../../src/profiles/built-in.ts';
import { nameFallbacks, type UserOptions } from '../../src/records/user.ts';
import type { Tally } from '../../src/records/tally.ts';
import type { OpenedSource } from '../../src/flows/read/read-users.ts';
import { loadProvider, type ProviderName } from '../../src/sources/index.ts';
import type { Notice } from '../../src/notice.ts';
import type { Companions } from '../../src/sources/source.ts';
import { encodeEvent } from '../../src/terminal/json.ts';
import { createFakeClock } from '../support/clock.ts';
import type { Draw } from '../support/draw.ts';
import { contextOf } from '../support/service.ts';
import { usualJob } from '../support/usual-job.ts';
import { expectSame } from './target.ts';

export interface Converted {
  /** Events and the report: everything that users and logs get to see. */
  readonly shown: string;
  /** What the run failed of, as users see it. */
  readonly failure: string;
}

/** Mostly without what counts over the whole run only: its tables are made for millions and cost the most. */
export function convert(asked: OpenedSource, draw: Draw) {
  return draw.chance(0.05) ? convertWhole(asked, draw) : convertBatches(asked, draw);
}

async function convertBatches(
  { provider, options, inputs, companions }: OpenedSource,
  draw: Draw,
): Promise<Converted> {
  const read = await openRecords(provider, options, drawPolicy(draw));
  const found = await read(inputs, companions);
  if (found instanceof IdportError) return { shown: '', failure: describeFailure(found) };
  return { shown: JSON.stringify([found.notices, found.said]), failure: '' };
}

export interface Records {
  /** Of the body. */
  readonly elements: readonly { readonly userId: string }[];
  readonly details: readonly RecordDetail[];
  /** All that is known of each record besides its element, as JSON. */
  readonly said: readonly string[];
  readonly notices: readonly Notice[];
}

/** Converts inputs batch by batch: what counts over a whole run, as two records with one id, does not count here. */
export async function openRecords(
  provider: ProviderName,
  options: object,
  policy: HashPolicy,
): Promise<(inputs: readonly Input[], companions?: Companions) => Promise<Records | IdportError>> {
  const { work } = await startJob({ ...usualJob, provider, options, policy });
  const source = await loadProvider(provider);
  const kinds: UserKind[] = [];
  return async (inputs, companions = {}) => {
    const notices: Notice[] = [];
    const elements: Records['elements'][number][] = [];
    const all: RecordDetail[] = [];
    const said: string[] = [];
    try {
      for await (const batch of source.scan(inputs, options, (notice) => notices.push(notice), {
        companions,
      })) {
        const { count, body, rows, details, firstKind, newKinds } = await work(batch);
        kinds.splice(firstKind - 1, Infinity, ...newKinds);
        const written = JSON.parse(`[${Buffer.from(body).toString().slice(1)}]`) as typeof elements;
        const byPlace = new Map(details.map(({ place, ...detail }) => [place, detail]));
        const found = Array.from({ length: count }, (_, place) => {
          const kind = kinds[rows[place * row.words + row.kind]! - 1];
          const detail = byPlace.get(place);
          said.push(JSON.stringify([kind, detail]));
          expectSame('a reason why it is left out', detail?.rejected !== undefined, kind === undefined);
          return kind;
        });
        const humans = found.filter((kind) => kind?.machine === false).length;
        expectSame('users in the body', written.length, humans);
        elements.push(...written);
        all.push(...details);
      }
    } catch (error) {
      if (error instanceof IdportError && !error.code.startsWith('internal:')) return error;
      throw error;
    }
    return { elements, details: all, said, notices };
  };
}

/** A run may fail of its input, never of itself. */
function describeFailure(error: unknown) {
  if (!(error instanceof IdportError) || error.code.startsWith('internal:')) throw error;
  return `${error.code} ${error.message} ${error.hint ?? ''}`;
}

async function convertWhole(source: OpenedSource, draw: Draw): Promise<Converted> {
  const events: IdportEvent[] = [];
  const [body, report, rejects] = [createMemory(), createMemory(), createMemory()];
  const format = createReport(draw.pick(['report.json', 'report.md']), conversionReport());
  const request: ConvertRequest = {
    source,
    verb: 'migrate',
    job: { ...usualJob, provider: source.provider, options: source.options, policy: drawPolicy(draw) },
    duplicates: draw.pick(['reject', 'keep', 'suffix']),
    threads: 1,
    output: createBodyOutput(body, { orgId: '1', timeout: '30m0s', multiline: draw.chance(0.2) }),
    log: createRunOutputs({ report: writeReport(format, report, { emit: () => {} }), rejects }),
  };
  const context = contextOf({ events, clock: createFakeClock() });
  let failure = '';
  try {
    checkOutputs(await convertExport(request, context), body.text(), rejects.text());
  } catch (error) {
    failure = describeFailure(error);
    // The command discards what is not committed when it ends.
    const left = [body, rejects, report].map((file) => file.committed());
    expectSame('what is left of a failed run', left, ['', '', '']);
    report.discard();
  }
  const shown = events.map((event) => encodeEvent(event, { time: '', at: 0 }));
  return { shown: [...shown, report.text()].join('\n'), failure };
}

/** The counts add up, and each file holds as many as were counted. */
function checkOutputs(tally: Tally, body: string, rejects: string) {
  const [org] = (JSON.parse(body) as { dataOrgs: { orgs: Record<string, unknown[]>[] } }).dataOrgs.orgs;
  const sampleUsers = (org?.['humanUsers']?.length ?? 0) + (org?.['machineUsers']?.length ?? 0);
  expectSame('users in the body', sampleUsers, tally.written + tally.withNotes);
  const lines = rejects.split('\n').filter(Boolean);
  expectSame('lines of the rejects file', lines.length, tally.rejected);
  for (const line of lines) JSON.parse(line);
}

function createMemory(): Sink & { text(): string; committed(): string } {
  let held = Buffer.alloc(0);
  let committed = '';
  return {
    name: 'memory',
    get bytes() {
      return held.length;
    },
    write: (chunk) => void (held = Buffer.concat([held, Buffer.from(chunk)])),
    commit: async () => void (committed = held.toString()),
    discard: () => void (held = Buffer.alloc(0)),
    text: () => held.toString(),
    committed: () => committed,
  };
}

function drawPolicy(draw: Draw): HashPolicy {
  return {
    profile: draw.pick([...builtInProfiles.values()]),
    onRefusedHash: draw.pick(['drop', 'keep', 'skip', 'refuse', 'fail']),
    withoutPassword: draw.pick(['import', 'skip']),
    route: draw.pick(['one-call', 'one-call-verify', 'import']),
  };
}

export function drawUserOptions(draw: Draw): UserOptions {
  return {
    nameFallback: draw.pick(nameFallbacks),
    emailFallback: draw.pick(['skip', 'username', 'placeholder'] as const),
    placeholderDomain: 'noreply.example.com',
    emailVerified: draw.chance(0.2),
    defaultRegion: draw.pick([undefined, 'CH', 'US']),
    disabled: draw.pick(['keep', 'skip', 'active']),
    metadata: draw.pick(['none', 'attributes', 'all']),
    idps: draw.pick([{}, { google: '1', 'google-oauth2': '2', github: '3' }]),
  };
}
