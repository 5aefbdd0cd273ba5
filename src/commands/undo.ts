/** `idport undo`: the journal of an import in; everybody whom that run created gone from the target out. */
import { resolve } from 'node:path';
import { ExitCode, IdportError, UsageError } from '../errors.ts';
import { findJournal } from '../flows/open-journal.ts';
import { countUndo, undo as undoImport, type UndoCounts } from '../flows/undo/undo.ts';
import { formatCounted } from '../lib/quantity.ts';
import { inputProblem } from '../storage/input-problem.ts';
import { print } from '../storage/print.ts';
import { connect, type ConnectionFlags } from './connect.ts';
import type { Action, CommandContext } from './context.ts';
import { chooseProfile, parseRate, speedOptions, type SpeedFlags } from './service-limits.ts';

export interface UndoFlags extends ConnectionFlags, SpeedFlags {
  readonly journal: string;
  readonly yes?: string;
  readonly concurrency: string;
  readonly resume?: boolean;
  /** The command as it was typed, without a token. */
  readonly typed: string;
}

export const undo: Action<UndoFlags> = async (flags, context) => {
  const { cwd, emit } = context;
  const concurrency = checkNumber('--concurrency', flags.concurrency);
  const yes = flags.yes === undefined ? undefined : checkNumber('--yes', flags.yes);
  const journalPath = resolve(cwd, flags.journal);
  const loaded = await findJournal(journalPath);
  if (loaded === undefined) {
    throw inputProblem(flags.journal, Object.assign(new Error('missing'), { code: 'ENOENT' }), journalPath);
  }
  const { header } = loaded;
  const profile = await chooseProfile(flags.targetProfile, flags.url ?? context.env['IDPORT_URL'], cwd);
  const rate = flags.rate === undefined ? profile.rate?.clientPerSecond : parseRate(flags.rate);
  const client = await connect(flags, context, { ...speedOptions(flags, profile), connections: concurrency });
  try {
    if (client.url !== header.url) {
      throw new UsageError(`${flags.journal} is about ${header.url}, not ${client.url}`);
    }
    const request = {
      client,
      name: flags.journal,
      journalPath,
      header,
      undoJournal: { path: `${journalPath}.undo`, resume: flags.resume ?? false },
      concurrency,
      perSecond: rate === Infinity ? undefined : rate,
      print: ({ id, userName }: { id: string; userName: string }) =>
        print(context.stdout, `- ${id} ${userName.replaceAll(/[\r\n]+/g, ' ')}\n`),
    };
    const counts = await countUndo(request, context);
    emit({ type: 'notice', level: 'info', code: 'undo:quote', text: quote(counts, yes) });
    const confirmed = yes ?? (await ask(counts, context));
    if (confirmed === undefined) return ExitCode.done;
    const end = await undoImport({ ...request, confirmed }, context, counts).catch((error: unknown) => {
      throw withResume(error, flags);
    });
    const text = `${formatCounted(end.deleted, 'person', 'people')} deleted.`;
    emit({ type: 'notice', level: 'info', code: 'undo:end', text });
    return ExitCode.done;
  } finally {
    await client.close();
  }
};

function quote({ created, there, gone }: UndoCounts, yes: number | undefined): string {
  if (created === 0) return 'The run created nobody: there is nobody to delete.';
  const rest = gone === 0 ? '' : ` ${gone} are not there any more, or were there before the run.`;
  const text = `The run created ${formatCounted(created, 'person', 'people')}; ${there} of them would be deleted.${rest}`;
  return yes === undefined && there > 0 ? `${text} To delete them, give --yes ${there}.` : text;
}

/** Nobody is asked where nobody can answer: then it was a dry run. */
async function ask({ there }: UndoCounts, { askSecret }: CommandContext): Promise<number | undefined> {
  if (there === 0 || askSecret === undefined) return undefined;
  const answer = (await askSecret(`Type ${there} to delete them, or nothing to leave them: `)).trim();
  return answer === '' ? undefined : checkNumber('the answer', answer);
}

function withResume(error: unknown, { typed }: UndoFlags): unknown {
  if (!(error instanceof IdportError) || error instanceof UsageError) return error;
  const command = typed.includes('--resume') ? typed : `${typed} --resume`;
  const hint = `${error.hint === undefined ? '' : `${error.hint} `}Go on with: ${command} (with the count that is left)`;
  return new IdportError(error.code, error.message, { hint, cause: error });
}

function checkNumber(what: string, text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new UsageError(`${what}: ${text} is not a number`);
}
