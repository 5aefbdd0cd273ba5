/** Inputs in, the same inputs out that count what is read of them, over all passes, and stop where a run is stopped. */
import type { Input } from '../lib/input.ts';

export interface ReadMeter {
  /** Bytes taken from disk since the meter was made, in every pass anew. */
  readonly bytes: number;
  readonly watch: (input: Input) => Input;
}

/** `tick` is called with every block; what it throws ends the reading. */
export function createReadMeter(tick: () => void): ReadMeter {
  let bytes = 0;
  async function* counted(input: Input): AsyncGenerator<Uint8Array> {
    let before = 0;
    for await (const block of input.blocks()) {
      const taken = input.taken();
      bytes += taken - before;
      before = taken;
      tick();
      yield block;
    }
  }
  return {
    get bytes() {
      return bytes;
    },
    watch: (input) => ({
      name: input.name,
      size: input.size,
      repeatable: input.repeatable,
      taken: () => input.taken(),
      blocks: () => counted(input),
    }),
  };
}
