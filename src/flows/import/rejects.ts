/** Entries with trouble in, a body of nothing but these out: mend it and import it. */
import type { Sink } from '../../lib/sink.ts';
import { rejectedKey } from '../../records/rejects.ts';
import type { BodyOptions } from '../../targets/bulk/chunk.ts';
import { OrgRuns } from '../../targets/bulk/org-runs.ts';
import type { PlannedEntry } from './entries.ts';
import type { Trouble } from './run.ts';

export interface RejectsWriter {
  write(planned: PlannedEntry, trouble: Trouble): Promise<void>;
  /** Ends the body; the sink is committed. */
  end(): Promise<void>;
}

export async function createRejects(sink: Sink, { timeout, firstForm }: BodyOptions): Promise<RejectsWriter> {
  const runs = new OrgRuns();
  await sink.write(`{"${firstForm ? 'dataOrgsv1' : 'dataOrgs'}":{"orgs":[`);
  return {
    async write({ list, orgId, text }, trouble) {
      await sink.write(runs.add({ list, orgId, text: mark(text, trouble) }));
    },
    async end() {
      await sink.write(`${runs.end()}]},"timeout":${JSON.stringify(timeout)}}\n`);
      await sink.commit();
    },
  };
}

/** The service ignores the added key; it says what to mend. */
function mark(text: string, { code, detail }: Trouble): string {
  const value = parse(text);
  const record =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { raw: value };
  return JSON.stringify({ [rejectedKey]: { code, detail }, ...record });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
