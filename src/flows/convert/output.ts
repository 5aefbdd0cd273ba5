/** Defines the output of a conversion: an import body in a file or, for a check, only a few samples. */
import { type Emit, note, commit } from '../../events.ts';
import { formatCount, formatCounted, formatNames, nameWithId } from '../../lib/format.ts';
import type { TargetOrg } from '../../records/resource.ts';
import { redact } from '../../lib/redact.ts';
import type { Sink } from '../../lib/sink.ts';
import { createGroupedSpill } from '../../storage/spill-file.ts';
import {
  createImportBody,
  type ImportBodyOptions,
  type ImportBodyWriter,
} from '../../targets/import-body.ts';

export interface ConversionOutput {
  readonly writer: ImportBodyWriter;
  /** Completes the output when everything is written. */
  commit(emit: Emit): Promise<void>;
}

/**
 * With `orgs`, the writer is told the organization of everything that it writes. These organizations come first, even without
 * users.
 */
export function createBodyOutput(
  sink: Sink,
  options: ImportBodyOptions,
  orgs?: readonly TargetOrg[],
): ConversionOutput {
  const writer = createImportBody(sink, { ...options, orgs }, () => createGroupedSpill());
  return {
    writer,
    async commit(emit) {
      if (orgs !== undefined) emit(orgNotice(writer.orgs()));
      await commit(sink, 'body', emit);
    },
  };
}

const shownOrgs = 10;

/** Counts organizations, and those that the import may create. */
function orgNotice(orgs: readonly TargetOrg[]) {
  const created = orgs.filter(({ name }) => name !== '');
  const names = created.map(({ orgId, name }) => nameWithId(name, orgId));
  const which =
    names.length === 0
      ? 'all have to exist'
      : `the import creates those of these ${formatCount(names.length)} that do not exist: ${formatNames(names, shownOrgs)}`;
  return note('org:written', `The body has ${formatCounted(orgs.length, 'organization')}; ${which}.`);
}

/** Writes nothing. `take` gets the first `samples` users as they would be sent, with their secrets masked. */
export function createCheckOutput(samples: number, take: (user: unknown) => Promise<void>): ConversionOutput {
  let left = samples;
  return {
    writer: {
      async write(section, elements) {
        if (left === 0 || section !== 'humanUsers' || elements.length === 0) return;
        const text = typeof elements === 'string' ? elements : Buffer.from(elements).toString('utf8');
        const users = JSON.parse(`[${text.slice(1)}]`) as unknown[];
        const shown = users.slice(0, left);
        left -= shown.length;
        for (const user of shown) await take(redact(user));
      },
      close: async () => {},
    },
    commit: async () => {},
  };
}
