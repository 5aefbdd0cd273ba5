/** `idport runs`: lists the runs whose journals are in a folder, with the commands that continue each. */
import { accessSync, constants } from 'node:fs';
import { resolve } from 'node:path';
import { note } from '../events.ts';
import { UsageError } from '../errors.ts';
import { listRuns, type Run } from '../flows/runs/list-runs.ts';
import { flagIn, formatCount, formatNames, shellWord, withoutFlags, wordsOf } from '../lib/format.ts';
import { settingName } from '../lib/flag.ts';
import { parseObject } from '../lib/json-value.ts';
import { type ExportName, providers } from '../sources/providers.ts';
import { appsFlags, orgFlags, recordFlags } from '../flags/conversion.ts';
import { flagsOf, forceFlags } from '../flags/source.ts';
import { isFolder, listFolder } from '../storage/folder.ts';
import { inputProblem } from '../storage/file-problem.ts';
import { printAs } from '../storage/stream-sink.ts';
import { alignColumns } from '../terminal/text.ts';
import type { formatFlags } from '../flags/connection.ts';
import type { runsArgument } from '../flags/others.ts';
import type { Action } from './context.ts';

export const runs: Action<typeof runsArgument & typeof formatFlags> = async (
  { folder, format },
  { cwd, stdout, emit },
) => {
  const path = resolve(cwd, folder);
  if (!isFolder(path)) throw new UsageError(`${folder} is not a folder`, 'Name the folder of a run.');
  const entries = listFolder(path);
  let count = 0;
  for await (const run of listRuns(path, folder)) {
    const { journal, header, state, progress, users } = run;
    const shown = { journal, ...(header && startOf(header)), state, progress, users, ...nextOf(run) };
    await printAs(format, stdout, shown, () => [...(count > 0 ? [''] : []), ...show(shown)]);
    count += 1;
  }
  // An unreadable journal, for example of another user, must not look as if there were none.
  for (const { name, path, kind } of entries) {
    if (!name.includes('journal') || (kind !== 'file' && kind !== 'lost')) continue;
    try {
      accessSync(path, constants.R_OK);
    } catch (error) {
      throw inputProblem(path, error, path);
    }
  }
  if (count === 0) {
    const text = `no journals in ${folder}: an import writes its journal next to its input, or where --journal says`;
    emit(note('runs:none', text));
  }
};

type Header = NonNullable<Run['header']>;

export type Shown = Pick<Run, 'journal' | 'state' | 'progress' | 'users'> &
  Partial<ReturnType<typeof startOf>> &
  Next;

function show({
  journal,
  verb,
  source,
  url,
  orgs = [],
  startedAt,
  state,
  progress,
  users,
  next,
  variable,
}: Shown) {
  const { created, changed, existed, failed } = users;
  const to = orgs.length === 0 ? (url ?? '') : `${url}, organization ${formatNames(orgs)}`;
  const counts = `${formatCount(created)} created, ${changed > 0 ? `${formatCount(changed)} changed, ` : ''}${formatCount(existed)} existed, ${formatCount(failed)} failed`;
  const rows = [
    ...(verb === undefined
      ? []
      : [
          ['run', `${verb}, begun ${new Date(startedAt ?? 0).toISOString()}`],
          ['source', source ?? ''],
          ['target', to],
        ]),
    ['state', `${state}: ${progress}`],
    ...(state === 'unreadable' ? [] : [['users', counts]]),
    ...(variable === undefined ? [] : [['first set', `${variable}, as for this run: it names the source`]]),
    ...next.map(({ what, command }) => [what, command]),
  ];
  return [journal, ...alignColumns(rows, '  ')];
}

/** Returns facts about a run. Organizations are named once, although a rejects file has an entry for each user. */
const startOf = ({ verb, input, url, orgs, startedAt }: Header) => ({
  verb,
  source: input.names.join(', '),
  url,
  orgs: [...new Set(orgs)],
  startedAt,
});

interface Next {
  readonly next: readonly { readonly what: What; readonly command: string }[];
  /** Environment variable that named the source, if the command did not. */
  readonly variable?: string;
}

type What = 'resume' | 'verify' | 'undo';

/** Returns the commands that continue from a run, in the order in which they are needed. */
export function nextOf({ journal, header, state, isUnanswered }: Run): Next {
  if (header === undefined) return { next: [] };
  const { verb, url, orgs } = header;
  const given = wordsOf(header.typed ?? '');
  const pick = (fits: (flag: string) => boolean) => given.filter((word) => fits(flagIn(word) ?? ''));
  const at = [`--url=${shellWord(url)}`, ...pick((flag) => ofCredentials.has(flag))].join(' ');
  const { source, variable } = sourceOf(header, given);
  const isOneOrg = source.startsWith('--from') && orgs.length === 1;
  // Only the command says where users without an organization went, or that the users of a body went elsewhere.
  const toOrg = isOneOrg
    ? [`--org=${orgs[0]}`]
    : pick((flag) => verb !== 'import' && flag === 'org').filter((word) => word !== '--org=body');
  const asConverted = pick((flag) => isOfConversion(flag, header));
  // With --jit-list, refused hashes are dropped, whatever the profile is.
  if (header.settings['jit-list'] === 'yes') asConverted.push('--on-refused-hash=drop');
  // Only the settings name the identity providers that the run has created.
  if (pick((flag) => flag === 'create-idps').length > 0) {
    const idps = Object.entries(parseObject(header.settings['idps'] ?? ''));
    asConverted.push(...idps.map((idp) => `--idp=${shellWord(idp.join('='))}`));
  }
  const verify = ['idport verify', source, ...asConverted, ...toOrg, at];
  const undo = ['idport undo', `--journal=${shellWord(journal)}`, at];
  const all: Readonly<Record<What, readonly string[]>> = {
    resume: state === 'rollback stopped' ? [...undo, '--resume'] : resumeTyped(header),
    verify,
    undo,
  };
  // A run of create-idps has no users to compare, and the same command without --resume continues it.
  const fitting = (nextIn[isUnanswered ? 'stopped' : state] ?? []).filter((what) =>
    what === 'undo' ? header.settings['route'] !== 'bucket' : verb !== 'create-idps',
  );
  const next = fitting.map((what) => ({ what, command: all[what].join(' ') }));
  return { next, ...(variable !== undefined && next.length > 0 && { variable }) };
}

const nextIn: Readonly<Partial<Record<Run['state'], readonly What[]>>> = {
  finished: ['verify', 'undo'],
  stopped: ['resume', 'verify', 'undo'],
  'rollback stopped': ['resume'],
};

/**
 * Returns the argument for a body. For an export, returns the provider, and its file unless the flags of the first run
 * name it.
 */
function sourceOf({ input: { names, live }, settings }: Header, given: readonly string[]) {
  const provider = settings['source'] ?? 'body';
  if (!Object.hasOwn(providers, provider)) return { source: names.map(shellWord).join(' ') };
  const { input } = providers[provider as ExportName];
  const source = `--from=${provider}`;
  if (given.some((word) => flagIn(word) === (live ?? input.name))) return { source };
  return live === undefined
    ? { source: [source, ...names.map((name) => `--${input.name}=${shellWord(name)}`)].join(' ') }
    : { source, variable: `IDPORT_${live.toUpperCase()}` };
}

/** Returns the words of the first command, with --resume. */
function resumeTyped({ typed = '', url }: Header) {
  const isAddressed = wordsOf(typed).some((word) => ['url', 'to-url'].includes(flagIn(word) ?? ''));
  const address = isAddressed ? [] : [`--url=${shellWord(url)}`];
  return [withoutFlags(typed, ['resume', 'fresh']), ...address, '--resume'];
}

const ofCredentials = new Set(['token-file', 'key-file', 'config', 'no-config']);

/** Flags that decide which users are expected at the target. `verify` has the same flags. */
const ofConversion = new Set([
  'jit',
  ...Object.keys({ ...recordFlags, ...forceFlags, ...orgFlags, ...appsFlags }).map(settingName),
]);

function isOfConversion(name: string, { settings: { source = 'body' } }: Header) {
  if (source === 'body') return ['jit', 'idp', 'idp-map'].includes(name);
  return (
    ofConversion.has(name) || (Object.hasOwn(providers, source) && flagsOf(source as ExportName).has(name))
  );
}
