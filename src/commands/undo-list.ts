/** The list of users that a rollback would delete: the first on standard output, a long one as a whole in a file. */
import { note } from '../events.ts';
import { OutputClosedError } from '../errors.ts';
import { printable } from '../lib/printable.ts';
import { formatCounted } from '../lib/quantity.ts';
import type { Sink } from '../lib/sink.ts';
import { openOutput } from '../storage/open-output.ts';
import { printLine } from '../storage/stream-sink.ts';
import type { CommandContext } from './context.ts';

/** A terminal shows that many without losing what stands above. */
const shown = 20;

export interface UndoList {
  add(user: string): Promise<void>;
  /** Completes the file, if there is one, and says where it is. */
  finish(): Promise<void>;
  discard(): void;
}

/** With a confirmed count (`goesOn`) the users are deleted even if the reader of the lines goes away. */
export function createUndoList(
  { path, goesOn }: { readonly path: string; readonly goesOn: boolean },
  context: CommandContext,
): UndoList {
  const { stdout, emit } = context;
  const first: string[] = [];
  let count = 0;
  let isRead = true;
  let file: Sink | undefined;
  const show = async (line: string): Promise<void> => {
    if (!isRead) return;
    await printLine(stdout, line).catch((error: unknown) => {
      if (!(error instanceof OutputClosedError) || !goesOn) throw error;
      isRead = false;
    });
  };
  return {
    async add(user) {
      const line = printable(user);
      count += 1;
      if (count <= shown) {
        first.push(line);
        return show(line);
      }
      if (file === undefined) {
        file = openOutput(path, context);
        await file.write(`${first.join('\n')}\n`);
      }
      return file.write(`${line}\n`);
    },
    async finish() {
      if (file === undefined) return;
      await file.commit();
      emit({ type: 'file:written', path: file.name, what: 'list', bytes: file.bytes });
      const text = `${formatCounted(count - shown, 'more user')}; the whole list is in ${file.name}`;
      emit(note('undo:list', text));
    },
    discard: () => file?.discard(),
  };
}
