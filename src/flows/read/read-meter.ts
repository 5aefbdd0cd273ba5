/** Counts the bytes read of all inputs, and ends the reading if a run is stopped. */
import type { Input } from '../../lib/input.ts';
import type { Notify } from '../../notice.ts';
import type { Companions, Provider } from '../../sources/source.ts';
import { openSpillFile } from '../../storage/spill-file.ts';

/** `tick` is called with every block. An error from it ends the reading. */
export function createReadMeter(tick: (block: Uint8Array) => void) {
  let bytes = 0;
  const watch = (input: Input): Input => {
    let before = 0;
    return {
      ...input,
      async *blocks(rewrite) {
        for await (const block of input.blocks(rewrite)) {
          const taken = input.taken();
          bytes += taken - before;
          before = taken;
          tick(block);
          yield block;
        }
      },
    };
  };
  return {
    /** Bytes read from disk. Of an input that is read several times, only the reading that advanced last counts. */
    get bytes() {
      return bytes;
    },
    watch,
    scan: (
      provider: Provider<object, unknown>,
      { inputs, companions, options }: { inputs: readonly Input[]; companions: Companions; options: object },
      notify: Notify,
    ) =>
      provider.scan(inputs.map(watch), options, notify, {
        companions: Object.fromEntries(
          Object.entries(companions).map(([flag, files]) => [flag, files.map(watch)]),
        ),
        openSpillFile,
      }),
  };
}
