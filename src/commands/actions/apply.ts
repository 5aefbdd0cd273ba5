/** `idport actions apply`: shows what a file would change in targets and executions, and with `--yes` changes it. */
import { keyHint, notSigned, openKeyOutput } from './target.ts';
import { note } from '../../events.ts';
import { ExitCode } from '../../errors.ts';
import { printLines } from '../../storage/stream-sink.ts';
import type { applyFlags, actionsFile } from '../../flags/actions.ts';
import type { Action, CommandContext } from '../context.ts';
import { type ActionsApi, createActionsApi } from '../../api/actions/index.ts';
import { connect } from '../connect.ts';
import { resolve, join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import { applySteps, planActions, readActionsFile } from '../../flows/actions/plan.ts';
import { formatCounted } from '../../lib/format.ts';
import { readFileOrStdin } from '../read-text.ts';

/** Resolves to `differs` if there is something to change and `--yes` was not given. */
export const applyActions: Action<typeof applyFlags & typeof actionsFile> = async (options, context) => {
  const { stdout } = context;
  const bytes = await readFileOrStdin(options.file, context);
  const file = await readActionsFile(options.file, Buffer.from(bytes).toString('utf8'));
  const api = createActionsApi(await connect(options, context), options.api);
  const [targets, executions] = [await api.listTargets(), await api.listExecutions()];
  const steps = planActions(file, { targets, executions });
  const changes = steps.filter(({ change }) => change !== undefined);
  await printLines(
    stdout,
    steps.map(({ text }) => text),
  );
  if (changes.length === 0) return ExitCode.done;
  if (!options.yes) {
    const text = `Nothing was changed: ${formatCounted(changes.length, 'change')} to make. Run it again with --yes.`;
    context.emit(note('actions:planned', text));
    return ExitCode.differs;
  }
  const keep = await openKeyFolder(options.keyFolder, api, context);
  await applySteps(steps, api, keep);
  context.emit(note('actions:applied', `Made ${formatCounted(changes.length, 'change')}.`));
  return ExitCode.done;
};

async function openKeyFolder(
  folder: string | undefined,
  api: ActionsApi,
  context: CommandContext,
): Promise<Parameters<typeof applySteps>[2]> {
  if (folder !== undefined) await mkdir(resolve(context.cwd, folder), { recursive: true, mode: 0o700 });
  const used = new Set<string>();
  return (name) => {
    if (folder === undefined)
      return async (target) => {
        if (target.signingKey !== undefined) context.emit(keyHint(target, api, '--key-folder'));
      };
    const plain = name.replace(/[^\w.-]/g, '_');
    const fileName = used.has(plain) ? `${plain}-${used.size + 1}` : plain;
    used.add(fileName);
    const take = openKeyOutput({ signingKeyFile: join(folder, `${fileName}.key`) }, context, notSigned, true);
    return async ({ signingKey }) => void (await take(signingKey));
  };
}
