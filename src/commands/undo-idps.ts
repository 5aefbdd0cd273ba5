/** `idport undo` of a run of `create-idps`, and of those before it in the same place. */
import type { NoticeCode } from '../records/notices.ts';
import type { UndoFlags } from '../flags/imports.ts';
import { note } from '../events.ts';
import type { Client } from '../api/client.ts';
import { ExitCode, UsageError } from '../errors.ts';
import { findMade, removeKinds, type CreatedPart } from '../flows/undo/created-resources.ts';
import type { UndoRun } from '../flows/undo/may-delete.ts';
import { createWait } from '../flows/reconcile/list-lag.ts';
import { formatCounted } from '../lib/quantity.ts';
import { printable } from '../lib/printable.ts';
import { printLines } from '../storage/stream-sink.ts';
import type { CommandContext } from './context.ts';

interface Asked {
  readonly flags: Pick<UndoFlags, 'wait' | 'report' | 'resume'>;
  readonly client: Client;
  readonly yes: number | undefined;
}

export async function undoIdps(
  runs: readonly [UndoRun, ...UndoRun[]],
  { flags, client, yes }: Asked,
  context: CommandContext,
): Promise<ExitCode> {
  if (flags.report !== undefined || flags.resume === true) {
    throw new UsageError('--report and --resume are for the rollback of an import', {
      hint: 'Of identity providers, run the same command again where it was stopped.',
    });
  }
  const { emit, askLine, stdout } = context;
  const say = (code: NoticeCode, text: string): void => emit(note(code, text));
  const made: CreatedPart[] = [];
  for (const run of runs) made.push(...(await findMade(client, run)));
  const count = formatCounted(made.length, 'identity provider');
  await printLines(
    stdout,
    made.map(({ id, name }) => printable(`- ${id} ${name}`)),
  );
  if (made.length === 0) {
    say('undo:quote', 'The run has made no identity provider that is still there.');
    return ExitCode.done;
  }
  const number = String(made.length);
  const how = yes === undefined && askLine === undefined ? ` To remove them, give --yes ${number}.` : '';
  say('undo:quote', `${count} would be removed, where no user is linked.${how}`);
  const answer =
    yes === undefined
      ? ((await askLine?.(`Type ${number} to remove them, or nothing to leave them: `)) ?? '').trim()
      : String(yes);
  if (answer === '') return ExitCode.done;
  if (answer !== number) throw new UsageError(`Expected ${number}. Nothing was removed.`);
  const lists = { ...context, client, wait: createWait(flags.wait) };
  // Their ids are the proof that the run has made them.
  const run = { ...runs[0], parts: made, latest: Infinity, isOfRun: () => true };
  const { kept } = await removeKinds(lists, run, ['idp']);
  say('undo:idps', `${formatCounted(made.length - kept, 'identity provider')} removed.`);
  return kept > 0 ? ExitCode.differs : ExitCode.done;
}
