/** Lists the runs whose journals are in a folder: what each did, how far it came, and the commands that go on from it. */
import { appsFlags, orgFlags, recordFlags } from '../../flags/conversion.ts';
import { flagsOf, forceFlags } from '../../flags/source.ts';
import { settingName } from '../../lib/flag.ts';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { IdportError } from '../../errors.ts';
import { type Emit, warning } from '../../events.ts';
import { findJournals, type FoundJournal } from '../../journal/find-journals.ts';
import { isJournalLocked } from '../../journal/journal.ts';
import type { JournalHeader } from '../../journal/lines.ts';
import { loadJournal, type LoadedJournal, State } from '../../journal/load.ts';
import { shellWord, withoutFlags, formatCount, formatCounted } from '../../lib/format.ts';
import { type ExportName, providers } from '../../sources/providers.ts';
import { mutedFileOf } from '../messages/password-emails.ts';
import { describeProgress, findJournal, findUndo } from './open-journal.ts';
import { describeStillActive, userRangesOf } from './journal-users.ts';

/** With what the header of its journal says, where that can be read. */
export interface Run extends Partial<ReturnType<typeof startOf>> {
  /** As it was named: the folder, then the name. */
  readonly journal: string;
  readonly state:
    | 'running'
    | 'finished'
    | 'stopped'
    | 'begun anew'
    | 'merged'
    | 'rolled back'
    | 'rollback stopped'
    | 'unreadable';
  /** `312 of 1,000 users are done`; what is wrong with the journal where it is unreadable. */
  readonly progress: string;
  readonly users: {
    readonly created: number;
    readonly changed: number;
    readonly existed: number;
    readonly failed: number;
  };
  /** In the order in which they are needed. */
  readonly next: readonly NextCommand[];
  /** The environment variable that named the source, if the command did not. */
  readonly variable?: string;
}

interface NextCommand {
  readonly what: 'resume' | 'verify' | 'undo';
  readonly command: string;
}

/** The oldest first, those that cannot be read last. A rollback is part of the run that it rolls back. */
export async function* listRuns(folder: string, shownFolder: string): AsyncGenerator<Run> {
  const nameOf = (path: string) => join(shownFolder, path.slice(folder.length).replace(/^[/\\]/, ''));
  const unreadable: Run[] = [];
  const addUnreadable = (problem: unknown, path: string, header?: JournalHeader) =>
    void unreadable.push({
      journal: nameOf(path),
      ...(header && startOf(header)),
      state: 'unreadable',
      progress: describeUnreadable(problem),
      users: { created: 0, changed: 0, existed: 0, failed: 0 },
      next: [],
    });
  const found = await findJournals(folder, addUnreadable);
  /** Runs with which another one goes on. */
  const continued = new Map<string, Pick<Run, 'state'> & Partial<Run>>();
  for (const { path, header } of found) {
    const beside = (name: string) => join(dirname(path), name);
    for (const name of header.follows ?? []) continued.set(beside(name), { state: 'begun anew' });
    for (const name of header.merges ?? [])
      continued.set(beside(name), { state: 'merged', progress: `into ${nameOf(path)}` });
  }
  for (const each of found) {
    const { path, header } = each;
    if (header.verb === 'undo') continue;
    const run = await readRun(each, nameOf(path)).catch((error: unknown) =>
      addUnreadable(error, path, header),
    );
    if (run === undefined) continue;
    const end = continued.get(path);
    const isOver = run.state === 'stopped' || (run.state === 'finished' && end?.state === 'merged');
    yield end !== undefined && isOver ? { ...run, ...end, next: [] } : run;
  }
  yield* unreadable;
}

/** What is wrong with a journal, and what to do. */
function describeUnreadable(problem: unknown): string {
  const { message, hint = '' } = problem as Partial<IdportError>;
  return `${message ?? String(problem)}. ${hint}`.trimEnd();
}

/** For a journal next to the input that a command would take into account. */
export const warnOfUnreadable =
  (emit: Emit) =>
  (problem: unknown): undefined => {
    emit(warning('journal:unreadable', `What a run did is not known: ${describeUnreadable(problem)}`));
  };

/** A rejects file has an entry for each user: its organizations are named once. */
const startOf = ({ verb, input, url, orgs, startedAt }: JournalHeader) => ({
  verb,
  source: input.names.join(', '),
  url,
  orgs: [...new Set(orgs)],
  startedAt,
});

/** `journal`: its name, as it is shown. Throws `journal:*` for one that is damaged. */
export async function readRun({ path, header }: FoundJournal, journal: string): Promise<Run> {
  const loaded = await loadJournal(path);
  const undo = await findUndo(loaded);
  const state = isJournalLocked(path) ? 'running' : stateOf(loaded, undo);
  const still = undo === undefined ? await describeStillActive(loaded) : '';
  const muted = existsSync(mutedFileOf(path)) ? stillMuted : '';
  const users = countUsers(loaded);
  // A bucket's job would begin anew.
  const canResume =
    state === 'finished' && loaded.givenUp.length > 0 && header.settings['route'] !== 'bucket';
  const done =
    undo === undefined || header.verb === 'create-idps'
      ? describeProgress(undo ?? loaded)
      : await describeDeleted(path, undo, users.created);
  return {
    journal,
    ...startOf(header),
    state,
    progress: [done, canResume ? unanswered : '', still, muted].filter(Boolean).join('; '),
    users,
    ...nextOf(journal, header, canResume ? 'stopped' : state),
  };
}

/** After a kill. */
const stillMuted = 'the email about changed passwords is switched off until it is resumed or rolled back';

const unanswered = 'some got no answer: resume looks for them, and sends those that are missing';

function stateOf(journal: LoadedJournal, undo: LoadedJournal | undefined): Run['state'] {
  if (undo !== undefined) return undo.finished ? 'rolled back' : 'rollback stopped';
  return journal.finished ? 'finished' : 'stopped';
}

/** By all rollbacks of the run: the journal of the last one names those before it. */
async function describeDeleted(
  path: string,
  { header, states }: LoadedJournal,
  created: number,
): Promise<string> {
  let deleted = states.count(State.created);
  for (const name of header.follows ?? [])
    deleted += (await findJournal(join(dirname(path), name)))?.states.count(State.created) ?? 0;
  return `${formatCount(deleted)} of ${formatCounted(created, 'user')} ${created === 1 ? 'is' : 'are'} deleted`;
}

function countUsers({ header, states, troubles }: LoadedJournal): Run['users'] {
  const ranges = userRangesOf(header);
  const count = (state: State) =>
    ranges.reduce((sum, { from, end }) => sum + states.count(state, from, end), 0);
  const left = Array.from(troubles, ([, [first]]) => first?.code.startsWith('user-skipped:')).filter(Boolean);
  return {
    created: count(State.created),
    changed: count(State.changed) - left.length,
    existed: count(State.existed),
    failed: count(State.failed),
  };
}

function nextOf(journal: string, header: JournalHeader, state: Run['state']): Pick<Run, 'next' | 'variable'> {
  const { verb, url, orgs } = header;
  const given = flagsIn(header.typed ?? '');
  const credentials = given.filter(({ name }) => ofCredentials.has(name)).map(({ text }) => text);
  const at = [`--url=${shellWord(url)}`, ...credentials].join(' ');
  const { source, variable } = sourceOf(header, given);
  // Of several, only the command says to which one users without an organization have gone.
  const org = orgs.length > 1 ? given.find(({ name }) => name === 'org')?.text : `--org=${orgs[0] ?? ''}`;
  const toOrg = source.startsWith('--from') ? [org ?? []].flat() : [];
  const asConverted = given.filter(({ name }) => isOfConversion(name, header)).map(({ text }) => text);
  // With a list, refused hashes are dropped whatever the profile.
  if (header.settings['jit-list'] === 'yes') asConverted.push('--on-refused-hash drop');
  const verify = ['idport verify', source, ...asConverted, ...toOrg, at];
  const undo = ['idport undo', `--journal=${shellWord(journal)}`, at];
  const all: Readonly<Record<NextCommand['what'], readonly string[]>> = {
    resume: state === 'rollback stopped' ? [...undo, '--resume'] : resumeTyped(header),
    verify,
    undo,
  };
  // A run of create-idps has no users to compare, and the same command goes on with it.
  const fitting = nextIn[state].filter((what) =>
    what === 'undo' ? header.settings['route'] !== 'bucket' : verb !== 'create-idps',
  );
  const next = fitting.map((what) => ({ what, command: all[what].join(' ') }));
  return { next, ...(variable !== undefined && next.length > 0 ? { variable } : {}) };
}

const nextIn: Readonly<Record<Run['state'], readonly NextCommand['what'][]>> = {
  running: [],
  finished: ['verify', 'undo'],
  stopped: ['resume', 'verify', 'undo'],
  'begun anew': [],
  merged: [],
  'rollback stopped': ['resume'],
  'rolled back': [],
  unreadable: [],
};

/** A body as it was named; of an export the provider, and its file unless the flags of the first run name it. */
function sourceOf({ input: { names, live }, settings }: JournalHeader, given: readonly GivenFlag[]) {
  const provider = settings['source'] ?? 'body';
  const paths = names.map(shellWord).join(' ');
  if (!Object.hasOwn(providers, provider)) return { source: paths };
  const { input } = providers[provider as ExportName];
  const source = `--from=${provider}`;
  if (given.some(({ name }) => name === (live ?? input.name))) return { source };
  return live === undefined
    ? { source: `${source} --${input.name} ${paths}` }
    : { source, variable: `IDPORT_${live.toUpperCase()}` };
}

/** The first command with --resume. */
function resumeTyped({ typed = '', url }: JournalHeader): readonly string[] {
  const isAddressed = flagsIn(typed).some(({ name }) => name === 'url' || name === 'to-url');
  const address = isAddressed ? [] : [`--url=${shellWord(url)}`];
  return [withoutFlags(typed, ['resume', 'fresh']), ...address, '--resume'];
}

interface GivenFlag {
  readonly name: string;
  /** As it was typed, with its value. */
  readonly text: string;
}

/** Of a line as `cli/typed-line.ts` writes it: words of a shell, each value after its flag. */
function flagsIn(line: string): GivenFlag[] {
  const words = /(?<= )--([a-z][\w-]*)(?: (?!--)(?:'[^']*'|\\'|[^\s'\\])+)?/g;
  return Array.from(line.matchAll(words), ([text, name = '']) => ({ name, text }));
}

const ofCredentials = new Set(['token-file', 'key-file', 'config', 'no-config']);

/** What decides which users are expected at the target; `verify` has the same flags. */
const ofConversion = new Set([
  'jit',
  ...Object.keys({ ...recordFlags, ...forceFlags, ...orgFlags, ...appsFlags }).map(settingName),
]);

function isOfConversion(name: string, { settings: { source = 'body' } }: JournalHeader): boolean {
  if (source === 'body') return name === 'jit';
  return (
    ofConversion.has(name) || (Object.hasOwn(providers, source) && flagsOf(source as ExportName).has(name))
  );
}
