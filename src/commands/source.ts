/** Opens what a command reads: an import body, or an export with the flags of its provider. */
import { UsageError } from '../errors.ts';
import { openExport } from '../flows/source/open-export.ts';
import type { Input } from '../lib/input.ts';
import type { PathFlag, Paths, ProviderEntry } from '../sources/entry.ts';
import { loadProvider, type ProviderName } from '../sources/index.ts';
import { type ExportName, listFroms, providerNames, providers } from '../sources/providers.ts';
import type { Companions } from '../sources/source.ts';
import { openInputs } from '../storage/open-input.ts';
import type { CommandContext } from './context.ts';
import type { RecordFlags } from './conversion-flags.ts';
import { checkShared } from './convert-request.ts';

/** For verbs that take a body, or an export to convert on the fly. The flags of the provider stand beside these. */
export interface SourceFlags extends RecordFlags {
  readonly body?: string;
  readonly from?: ExportName;
}

export interface OpenedSource {
  readonly provider: ProviderName;
  readonly options: object;
  readonly inputs: readonly Input[];
  readonly companions: Companions;
}

/** A body, or `--from` with the flags of its provider. */
export function openSource(flags: SourceFlags, context: CommandContext): Promise<OpenedSource> {
  const { body, from } = flags;
  if (body !== undefined && from !== undefined) {
    throw new UsageError('give either a body or --from, not both', {
      hint: `If ${body} is one more path of the export, give the flag again for it: --realm=a --realm=b.`,
    });
  }
  if (body !== undefined) return openBody(body, context);
  if (from !== undefined) return openProvider(from, flags, context);
  throw new UsageError('no source is named', {
    hint: `Name an import body, or an export with ${listFroms()}.`,
  });
}

export async function openProvider(
  name: ExportName,
  flags: RecordFlags,
  context: CommandContext,
): Promise<OpenedSource> {
  const { input, companions } = entryOf(name);
  const pathsOf = (flag: PathFlag): readonly string[] => pathsIn(flags, flag);
  const paths = pathsOf(input);
  if (paths.length === 0) throw new UsageError(`--from ${name} needs --${input.name} <path>`);
  if ([...paths, ...companions.flatMap(pathsOf)].filter((path) => path === '-').length > 1) {
    throw new UsageError('standard input is given twice', { hint: 'Give files for all but one of them.' });
  }
  const options = await readOptions(name, flags);
  const opened = companions.map((flag) => [flag.name, openInputs(pathsOf(flag), context)]);
  return open(name, options, paths, context, Object.fromEntries(opened) as Companions);
}

/** Throws `UsageError` for flags that cannot be. */
export async function readOptions(name: ExportName, flags: RecordFlags): Promise<object> {
  const provider = await loadProvider(name);
  return provider.readOptions(flags, checkShared(flags, entryOf(name).nameFallback));
}

/** The library has callers without types. */
function entryOf(name: ExportName): ProviderEntry {
  if (Object.hasOwn(providers, name)) return providers[name];
  throw new UsageError(`provider ${name} is not known`, {
    hint: `Known are ${providerNames.join(' and ')}.`,
  });
}

function pathsIn(flags: RecordFlags, { name }: PathFlag): readonly string[] {
  const paths = (flags as unknown as Readonly<Record<string, Paths | undefined>>)[name] ?? [];
  return typeof paths === 'string' ? [paths] : paths;
}

function openBody(path: string, context: CommandContext): Promise<OpenedSource> {
  return open('body', {}, [path], context, {});
}

async function open(
  provider: ProviderName,
  options: object,
  paths: readonly string[],
  context: CommandContext,
  companions: Companions,
): Promise<OpenedSource> {
  const inputs = await openExport({ provider, options, paths, context, emit: context.emit });
  return { provider, options, inputs, companions };
}
