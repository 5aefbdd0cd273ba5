/** The output of a conversion: an import body in a file or, for a check, only a few samples. */
import type { Emit } from '../../events.ts';
import { redact } from '../../lib/redact.ts';
import type { Sink } from '../../lib/sink.ts';
import { createSpillBuffer } from '../../storage/spill-buffer.ts';
import {
  createImportBody,
  type ImportBodyOptions,
  type ImportBodyWriter,
} from '../../targets/import-body.ts';

export interface ConversionOutput {
  readonly writer: ImportBodyWriter;
  /** Completes the output when everything is written. */
  commit(emit: Emit): Promise<void>;
  /** Removes the output when the run failed. */
  discard(): void;
}

export function createBodyOutput(sink: Sink, options: ImportBodyOptions): ConversionOutput {
  return {
    writer: createImportBody(sink, options, createSpillBuffer),
    async commit(emit) {
      await sink.commit();
      emit({ type: 'file:written', path: sink.name, what: 'body', bytes: sink.bytes });
    },
    discard: () => sink.discard(),
  };
}

/** Writes nothing; `take` gets the first `samples` users as they would be sent, with their secrets masked. */
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
    discard: () => {},
  };
}
