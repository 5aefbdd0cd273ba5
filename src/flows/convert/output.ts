/** What a conversion is for: an import body in a file, or (for a check) nothing but a few samples. */
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
  /** Everything is written: what was made stays. */
  commit(emit: Emit): Promise<void>;
  /** The run failed: nothing stays. */
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

/** Writes nothing; `take` gets the first `samples` people as they would be sent, with their secrets masked. */
export function createCheckOutput(
  samples: number,
  take: (person: unknown) => Promise<void>,
): ConversionOutput {
  let left = samples;
  return {
    writer: {
      async write(section, elements) {
        if (left === 0 || section !== 'humanUsers' || elements.length === 0) return;
        const text = typeof elements === 'string' ? elements : Buffer.from(elements).toString('utf8');
        const people = JSON.parse(`[${text.slice(1)}]`) as unknown[];
        const shown = people.slice(0, left);
        left -= shown.length;
        for (const person of shown) await take(redact(person));
      },
      close: async () => {},
    },
    commit: async () => {},
    discard: () => {},
  };
}
