/** `idport inspect`: looks at an export before any decision. */
import { ExitCode, UsageError } from '../errors.ts';
import type { IdportEvent } from '../events.ts';
import { createCheckOutput } from '../flows/convert/output.ts';
import { inspect } from '../flows/inspect/inspect.ts';
import type { Inspection } from '../flows/inspect/inspection.ts';
import { toMarkdown, toProviderList, toText } from '../flows/inspect/tables.ts';
import { withHead } from '../lib/head.ts';
import { printable } from '../lib/printable.ts';
import { providerNames, providers, type ExportName } from '../sources/providers.ts';
import { headBytes, recognise } from '../sources/recognise.ts';
import { isFolder, listFolder } from '../storage/folder.ts';
import { openInput } from '../storage/open-input.ts';
import { print } from '../storage/stream-sink.ts';
import { resolve } from 'node:path';
import type { Action, CommandContext } from './context.ts';
import { conversionDefaults } from './conversion-flags.ts';
import { checkPolicy } from './convert-request.ts';
import { runConversion } from './run-conversion.ts';
import { chooseProfile } from './service-limits.ts';
import { openProvider, type SourceFlags } from './source.ts';
import { requireRepeatable } from '../lib/input.ts';

export interface InspectFlags extends Pick<SourceFlags, 'from' | 'forceProvider' | 'targetProfile'> {
  readonly files: readonly string[];
  readonly format: 'text' | 'markdown' | 'json';
  readonly threads?: string;
  /** `list`: the identity providers alone. */
  readonly idps?: 'list';
}

export const inspectExport: Action<InspectFlags> = async (flags, context) => {
  const { files, format } = flags;
  const from = flags.from ?? (await recogniseSource(files, context));
  const { name } = providers[from].input;
  const given = (flags as unknown as Readonly<Record<string, readonly string[] | undefined>>)[name] ?? [];
  const record = { ...conversionDefaults, ...flags, [name]: [...given, ...files] };
  const profile = await chooseProfile(flags.targetProfile, context.env['IDPORT_URL'], context);
  const source = await openProvider(from, record, context);
  const all = [...source.inputs, ...Object.values(source.companions).flat()];
  requireRepeatable(all, 'An inspection reads its input several times');
  const quiet = {
    ...context,
    emit: (event: IdportEvent): void => void (isShown(event) && context.emit(event)),
  };
  const tally = await runConversion(
    {
      verb: 'inspect',
      source,
      policy: { ...checkPolicy(record, profile, 'keep'), onRefusedHash: 'keep' },
      hashPlain: false,
      output: () => createCheckOutput(0, () => Promise.resolve()),
    },
    record,
    quiet,
  );
  const { signal } = context;
  const found = await inspect({ ...source, targetProfile: profile.name, tally, signal });
  await print(
    context.stdout,
    flags.idps === undefined ? formats[format](found) : listProviders(found, format),
  );
  return ExitCode.done;
};

const formats = {
  text: toText,
  markdown: toMarkdown,
  json: (found: Partial<Inspection>) =>
    `${JSON.stringify(found, null, 2).split('\n').map(printable).join('\n')}\n`,
};

function listProviders(found: Inspection, format: InspectFlags['format']): string {
  const { identityProviders } = found;
  return format === 'json' ? formats.json({ identityProviders }) : toProviderList({ identityProviders });
}

/** The page itself has the counts; the parts it lists are no loss yet. */
function isShown(event: IdportEvent): boolean {
  if (event.type === 'notice') return event.code !== 'input:organizations';
  return event.type === 'run:progress';
}

/** By the first file that shows it. Throws `UsageError`. */
async function recogniseSource(files: readonly string[], context: CommandContext): Promise<ExportName> {
  const [first] = files;
  if (first === undefined) {
    throw new UsageError('no file is named', {
      hint: 'Name the files of an export: idport inspect realm.json. Or say what they are: --from keycloak --realm realm.json.',
    });
  }
  for (const path of files) {
    if (path !== '-' && isFolder(resolve(context.cwd, path))) {
      const names = listFolder(resolve(context.cwd, path)).map(({ name }) => name);
      const found = providerNames.find((name) => names.some((file) => providers[name].fileNames?.test(file)));
      if (found !== undefined) return found;
      continue;
    }
    const { head, blocks } = await withHead(openInput(path, context).blocks(), headBytes);
    await blocks.return(undefined);
    const provider = recognise(head)?.provider;
    if (provider !== undefined) return provider;
  }
  throw new UsageError(`${first} does not show which system it is of`, {
    hint: 'Say it with --from: `idport sources` lists the names. For a table of your own, --from csv with --map.',
  });
}
