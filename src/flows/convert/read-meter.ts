/** Counts the bytes read of all inputs, over all passes, and ends the reading when a run is stopped. */
import type { Input, OpenFile } from '../../lib/input.ts';

export interface ReadMeter {
  /** Bytes read from disk in all passes since the meter was created. */
  readonly bytes: number;
  readonly watch: (input: Input) => Input;
  /** Everything read so far is read again, and counts once. */
  readonly restart: () => void;
}

/** `tick` is called for every block; an error from it ends the reading. */
export function createReadMeter(tick: () => void): ReadMeter {
  let bytes = 0;
  /** Progress must not go backwards. */
  let most = 0;
  const watch = (input: Input): Input => {
    const { name, size, repeatable, open } = input;
    /** Of this pass. */
    let before = 0;
    const count = (): void => {
      const taken = input.taken();
      bytes += taken - before;
      before = taken;
      most = Math.max(most, bytes);
      tick();
    };
    async function* counted(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const block of blocks) {
        count();
        yield block;
      }
    }
    const watchFile = (file: OpenFile): OpenFile => ({
      ...file,
      blocks: (offset) => counted(file.blocks(offset)),
      pass(offset) {
        file.pass(offset);
        count();
      },
    });
    return {
      name,
      size,
      repeatable,
      taken: () => input.taken(),
      blocks() {
        before = 0;
        return counted(input.blocks());
      },
      ...(open && {
        open() {
          const file = open();
          return file && watchFile(file);
        },
      }),
    };
  };
  return {
    get bytes() {
      return most;
    },
    watch,
    restart() {
      bytes = 0;
    },
  };
}
