/** Refuses a file that looks like the export of another provider, before any of it is read as users. */
import { UsageError } from '../../errors.ts';
import { withHead } from '../../lib/head.ts';
import type { Input } from '../../lib/input.ts';
import type { ExportName } from '../../sources/providers.ts';
import { bodyTitle, headBytes, type Recognised, recogniseOther } from '../../sources/recognise.ts';

export interface GivenAs {
  readonly name: ExportName | 'body';
  readonly title: string;
  /** The command for such a file instead. */
  readonly commandFor: (found: Recognised, path: string) => string;
}

/** A file is looked at now, a pipe when it is read: its bytes come only once. Throws `UsageError`. */
export async function refuseOther(input: Input, given: GivenAs): Promise<Input> {
  if (!input.repeatable) return { ...input, blocks: () => guarded(input, given) };
  const { head, blocks } = await withHead(input.blocks(), headBytes);
  await blocks.return(undefined);
  check(input.name, head, given);
  return input;
}

async function* guarded(input: Input, given: GivenAs): AsyncGenerator<Uint8Array> {
  const { head, blocks } = await withHead(input.blocks(), headBytes);
  try {
    check(input.name, head, given);
    yield* blocks;
  } finally {
    await blocks.return(undefined);
  }
}

function check(path: string, head: Uint8Array, { name, title, commandFor }: GivenAs): void {
  const found = recogniseOther(head, name);
  if (found === undefined) return;
  const anyway = `To read it as ${withArticle(title)} all the same, give --force-provider.`;
  const seen = withArticle(found.title);
  const what = found.table === undefined ? seen : `the table ${found.table} beside the users in ${seen}`;
  throw new UsageError(`${path} looks like ${what}, not like ${withArticle(title)}`, {
    hint: `${commandFor(found, path)} ${anyway}`,
  });
}

function withArticle(title: string): string {
  return title === bodyTitle ? 'an import body' : `an export of ${title}`;
}
