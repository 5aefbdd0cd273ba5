/** Makes the requests that an import would send, without sending any. */
import type { Emit } from '../../events.ts';
import { countEntry, emptyImportTally, type ImportTally } from '../../records/import-tally.ts';
import { ChunkBuilder, toBody, type BodyOptions, type ChunkLimits } from '../../targets/bulk/chunk.ts';
import { guessId } from '../../targets/bulk/entry.ts';
import { importRequestSize } from '../../wire/import-size.ts';
import { isEntry, planEntries, type ImportSource } from './entries.ts';

interface PlannedRequest {
  /** From 1. */
  readonly request: number;
  readonly entries: number;
  readonly users: number;
  /** As protobuf, which the service counts. */
  readonly bytes: number;
  readonly jsonBytes: number;
}

interface DryRunOptions {
  readonly body: BodyOptions;
  readonly limits: ChunkLimits;
  readonly emit: Emit;
  readonly onRequest: (request: PlannedRequest) => Promise<void>;
}

/** Real runs begin with smaller requests and follow the speed of the service; none is larger than these. */
export async function planRequests(
  source: ImportSource,
  { body, limits, emit, onRequest }: DryRunOptions,
): Promise<ImportTally> {
  const tally = emptyImportTally(source.plan.rounds.map(({ list, count }) => [list, count]));
  const builder = new ChunkBuilder(body);
  const take = async (): Promise<void> => {
    const entries = builder.take();
    const text = toBody(entries, body);
    tally.requests += 1;
    await onRequest({
      request: tally.requests,
      entries: entries.length,
      users: entries.filter(({ user }) => user !== undefined).length,
      bytes: importRequestSize(JSON.parse(text)),
      jsonBytes: Buffer.byteLength(text),
    });
  };
  for await (const planned of planEntries(source)) {
    const entry = planned.read();
    if (!isEntry(entry)) {
      const { list, index, text } = planned;
      countEntry(tally, list, 'rejected', entry.code);
      const place = { input: `${source.input.name} ${list}`, index, id: guessId(text) };
      emit({ type: 'record:rejected', place, code: entry.code, detail: entry.detail });
      continue;
    }
    if (!builder.fits(entry, limits)) await take();
    builder.add(entry);
  }
  if (builder.size > 0) await take();
  return tally;
}
