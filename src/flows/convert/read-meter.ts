/** Counts the bytes read of all inputs, over all passes, and ends the reading when a run is stopped. */
import type { Input, Rewrite } from '../../lib/input.ts';

export interface ReadMeter {
  /** Bytes read from disk in all passes since the meter was created. */
  readonly bytes: number;
  readonly watch: (input: Input) => Input;
}

/** `tick` is called for every block; an error from it ends the reading. */
export function createReadMeter(tick: () => void): ReadMeter {
  let bytes = 0;
  async function* counted(input: Input, rewrite: Rewrite | undefined): AsyncGenerator<Uint8Array> {
    /** Of this pass. */
    let before = 0;
    for await (const block of input.blocks(rewrite)) {
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
      blocks: (rewrite) => counted(input, rewrite),
    }),
  };
}
