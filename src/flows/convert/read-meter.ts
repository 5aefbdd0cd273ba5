/** Counts the bytes read of all inputs, and ends the reading when a run is stopped. */
import type { Input, Rewrite } from '../../lib/input.ts';

export interface ReadMeter {
  /** Bytes read from disk. */
  readonly bytes: number;
  /** Of an input that is read more often than `passes` says, the last passes count: never more than there is to read. */
  readonly watch: (input: Input, passes?: number) => Input;
}

/** `tick` is called for every block; an error from it ends the reading. */
export function createReadMeter(tick: () => void): ReadMeter {
  let bytes = 0;
  async function* counted(
    input: Input,
    rewrite: Rewrite | undefined,
    begin: () => { taken: number },
  ): AsyncGenerator<Uint8Array> {
    const pass = begin();
    for await (const block of input.blocks(rewrite)) {
      const taken = input.taken();
      bytes += taken - pass.taken;
      pass.taken = taken;
      tick();
      yield block;
    }
  }
  return {
    get bytes() {
      return bytes;
    },
    watch: (input, passes = 1) => {
      const counting: { taken: number }[] = [];
      const begin = (): { taken: number } => {
        if (counting.length === passes) bytes -= counting.shift()!.taken;
        const pass = { taken: 0 };
        counting.push(pass);
        return pass;
      };
      return {
        name: input.name,
        size: input.size,
        repeatable: input.repeatable,
        taken: () => input.taken(),
        blocks: (rewrite) => counted(input, rewrite, begin),
      };
    },
  };
}
