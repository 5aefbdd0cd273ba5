/** Opens what a command reads: an import body, or an export with the flags of its provider. */
import { shownNotice } from '../events.ts';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import { openExport, type GivenAs, refuseOther } from '../flows/read/open-export.ts';
import { readPair } from '../lib/flag.ts';
import type { Input } from '../lib/input.ts';
import type { PathFlag, Paths } from '../sources/entry.ts';
import { loadProvider } from '../sources/index.ts';
import { type ExportName, listFroms, providers } from '../sources/providers.ts';
import type { Recognised } from '../sources/recognise.ts';
import type { Notice } from '../notice.ts';
import { shellWord } from '../lib/format.ts';
import { openInput, openInputs } from '../storage/open-input.ts';
import type { CommandContext } from './context.ts';
import type { RecordFlags } from '../flags/conversion.ts';
import type { LiveFlags, SourceFlags as Named } from '../flags/source.ts';
import { filesOf, type OpenedSource } from '../flows/read/read-users.ts';
import { ofBody } from './choose-org.ts';
import { checkShared, readIdps } from './convert-request.ts';
import { readText } from './read-text.ts';

/** Flags of every source. */
export type SourceFlags = RecordFlags & Named;
type Force = Pick<Named, 'forceProvider'>;

/** Returns the folders where imports write their journals, which are those of their inputs. */
export function journalFolders({ inputs }: OpenedSource, cwd: string) {
  return [...new Set(inputs.map(({ name }) => dirname(resolve(cwd, name))))];
}

/** Records the inputs for the report, and keeps outputs from replacing them. */
function noteRead(source: OpenedSource, { addFacts, outputs }: CommandContext) {
  const read = filesOf(source);
  addFacts({ inputs: read.map(({ name }) => name) });
  outputs.reads(read);
  return source;
}

/** Opens a body, or the export of `--from` with the flags of its provider. */
export async function openSource(
  flags: Omit<SourceFlags, 'body'> & { readonly body?: Paths | undefined; readonly org?: Paths | undefined },
  context: CommandContext,
) {
  const { from } = flags;
  const bodies = [flags.body ?? []].flat();
  const [body] = bodies;
  if (body !== undefined && from !== undefined) {
    throw new UsageError(
      'give either a body or --from, not both',
      `If ${body} is one more path of the export, give the flag again for it: --realm=a --realm=b.`,
    );
  }
  if (body !== undefined) {
    const inputs = await openExport('body', {}, bodies, context, context.emit);
    const idps = (flags.idp ?? flags.idpMap) && readIdps(flags, context.cwd);
    const orgs = [flags.org ?? ofBody].flat();
    const oneOrg = orgs.length === 1 && orgs[0] !== ofBody;
    return bodiesOf(inputs, flags, context, nameFrom, { idps, oneOrg });
  }
  if (from !== undefined) return openProvider(from, flags, context, nameFrom);
  throw new UsageError('no source is named', `Name an import body, or an export with ${listFroms()}.`);
}

export async function openProvider(
  name: ExportName,
  flags: RecordFlags & Force,
  context: CommandContext,
  commandFor: GivenAs['commandFor'] = nameVerb,
) {
  const { input, companions, tables, live } = entryOf(name);
  const pathsOf = (flag: PathFlag) => pathsIn(flags, flag);
  const paths = pathsOf(input);
  const running = addressOf(name, flags, paths.length > 0 ? {} : context.env);
  if (running !== undefined && paths.length > 0) {
    throw new UsageError(`give either --${input.name} or --${running.flag}, not both`);
  }
  if (running !== undefined)
    return noteRead(await openLive(running, await readOptions(name, flags, context), context), context);
  if (paths.length === 0) {
    const other = live === undefined ? '' : ` or --${live} <url>`;
    throw new UsageError(`${name} needs --${input.name} <path>${other}`);
  }
  if ([...paths, ...companions.flatMap(pathsOf)].filter((path) => path === '-').length > 1) {
    throw new UsageError('standard input is given twice', 'Give files for all but one of them.');
  }
  const options = await readOptions(name, flags, context);
  const opened = companions.map((flag) => [flag.name, openInputs(pathsOf(flag), context)] as const);
  const inputs = await openExport(name, options, paths, context, context.emit);
  const named = tables === undefined ? {} : openTables(pathsIn(flags, { name: 'table' }), context);
  const found = { provider: name, options, inputs, companions: { ...Object.fromEntries(opened), ...named } };
  // With a mapping of their own, users have said what the file is.
  const isKnown = flags.forceProvider || (flags as { readonly map?: string }).map !== undefined;
  return noteRead(isKnown ? found : await refuseOthers(found, { name, commandFor }), context);
}

type Running = NonNullable<ReturnType<typeof addressOf>>;

/**
 * Returns the running system to read. Undefined to read files. `env` is empty if files are named, so that they win over
 * the variable.
 */
function addressOf(provider: ExportName, given: RecordFlags, env: CommandContext['env']) {
  const { live: flag } = entryOf(provider);
  if (flag === undefined) return undefined;
  const flags = given as LiveFlags;
  const address = flags[flag] ?? (env[`IDPORT_${flag.toUpperCase()}`] || undefined);
  return address === undefined
    ? undefined
    : { provider, flag, address, isTyped: flags[flag] !== undefined, flags };
}

/** Opens a running system as a directory or a database. */
async function openLive(
  { provider: name, flags, ...running }: Running,
  options: object,
  { cwd, env, emit, clock, onEnd, signal }: CommandContext,
) {
  const passwordFile = flags.databasePasswordFile ?? flags.bindPasswordFile;
  const password = passwordFile === undefined ? undefined : readText(passwordFile, cwd).replace(/\r?\n$/, '');
  const provider = await loadProvider(name);
  const opened = { provider: name, options, live: running.flag };
  if (running.flag === 'directory') {
    const { openDirectory } = await import('../storage/live/directory.ts');
    const login = { ...running, signal, password: password ?? env['IDPORT_BIND_PASSWORD'] };
    const directory = await openDirectory(login, flags.bindDn);
    return { ...opened, ...(await provider.openDirectory!(directory, options)) };
  }
  const { openDatabase, atRate } = await import('../storage/live/database.ts');
  const whole = await openDatabase({ ...running, signal, password });
  onEnd(() => whole.close());
  const { databaseRate } = flags;
  const db = databaseRate === undefined ? whole : atRate(whole, databaseRate, clock);
  const notify = (notice: Notice) => emit(shownNotice(notice));
  return { ...opened, ...(await provider.openDatabase!(db, options, notify)) };
}

/** Throws `UsageError` if a file looks like the export of another provider. */
async function refuseOthers(source: OpenedSource, given: GivenAs) {
  const check = (inputs: readonly Input[]) => Promise.all(inputs.map((input) => refuseOther(input, given)));
  const inputs = await check(source.inputs);
  const companions: Record<string, readonly Input[]> = {};
  for (const [flag, files] of Object.entries(source.companions)) {
    // Only exports have companion files, so the name is not that of a body.
    const own = entryOf(given.name as ExportName).companions.map(({ name }) => name);
    companions[flag] = own.includes(flag) ? await check(files) : files;
  }
  return { ...source, inputs, companions };
}

/** Returns the advice of `migrate` for a file of another provider. */
export function nameVerb({ source, table }: Recognised, path: string) {
  return source === 'body'
    ? `It is converted already: go on with \`idport check ${shellWord(path)}\`.`
    : `Use \`idport migrate ${source} ${flagsFor(source, path, table)}\`.`;
}

/** Returns the advice of verbs with `--from` for a file of another provider. */
function nameFrom({ source, table }: Recognised, path: string) {
  return source === 'body'
    ? `Give ${path} without --from.`
    : `Pass --from=${source} ${flagsFor(source, path, table)} instead.`;
}

function flagsFor(provider: ExportName, path: string, table: string | undefined) {
  const { name } = providers[provider].input;
  return table === undefined
    ? `--${name}=${shellWord(path)}`
    : `--${name}=<users> --table=${shellWord(`${table}=${path}`)}`;
}

/** Opens the files of `name=path`. A table may have several. */
function openTables(pairs: readonly string[], context: CommandContext) {
  const paths = new Map<string, string[]>();
  for (const pair of pairs) {
    const hint = 'Write the name of the table in the mapping, then its file.';
    const [name, path] = readPair('--table', pair, '<name>=<path>', hint);
    paths.set(name, [...(paths.get(name) ?? []), path]);
  }
  return Object.fromEntries([...paths].map(([name, files]) => [name, openInputs(files, context)]));
}

/** Throws `UsageError` for invalid flags. */
async function readOptions(name: ExportName, flags: RecordFlags, context: CommandContext) {
  const provider = await loadProvider(name);
  return provider.readOptions(flags, checkShared(flags, entryOf(name).nameFallback, context));
}

/** Returns the entry of a provider, with the same type for all. */
const entryOf = (name: ExportName) => providers[name];

function pathsIn(flags: RecordFlags, { name }: Pick<PathFlag, 'name'>) {
  const paths = (flags as unknown as Readonly<Record<string, Paths | undefined>>)[name] ?? [];
  return typeof paths === 'string' ? [paths] : paths;
}

/** Opens the input of a verb that takes only a body. */
export async function openBodyInput(path: string, flags: Force, context: CommandContext) {
  const { inputs } = await bodiesOf([openInput(path, context)], flags, context, nameVerb);
  return inputs[0]!;
}

async function bodiesOf(
  inputs: readonly Input[],
  { forceProvider }: Force,
  context: CommandContext,
  commandFor: GivenAs['commandFor'],
  options = {},
) {
  const found: OpenedSource = { provider: 'body', options, inputs, companions: {} };
  return noteRead(forceProvider ? found : await refuseOthers(found, { name: 'body', commandFor }), context);
}
