/** Counts the bytes read of all inputs, and ends the reading when a run is stopped. */
import type { Input, Rewrite } from '../../lib/input.ts';

export interface ReadMeter {
  /** Bytes read from disk; of an input that is read several times, those of the reading that came on last. */
  readonly bytes: number;
  readonly watch: (input: Input) => Input;
}

/** `tick` is called for every block; an error from it ends the reading. */
export function createReadMeter(tick: () => void): ReadMeter {
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    watch(input) {
      let before = 0;
      async function* counted(rewrite: Rewrite | undefined): AsyncGenerator<Uint8Array> {
        for await (const block of input.blocks(rewrite)) {
          const taken = input.taken();
          bytes += taken - before;
          before = taken;
          tick();
          yield block;
        }
      }
      return {
        name: input.name,
        size: input.size,
        repeatable: input.repeatable,
        taken: () => input.taken(),
        blocks: (rewrite) => counted(rewrite),
      };
    },
  };
}
