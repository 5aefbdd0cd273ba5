/**
 * Which flags a configuration file may set, which of them for several verbs at once, and which stand for one another.
 */
import { providers } from '../../sources/providers.ts';
import { eachVerb, type FlagShape, type VerbShape } from '../shape.ts';

/** What decides about a run, or asks for something else than a run. */
const never = new Set(['config', 'print-config', 'version', 'help', 'yes', 'list']);

/** Verbs that say something about the tool itself: no file changes what they say. */
const withoutSettings = new Set(['explain', 'completion', 'init']);

/** They belong into a file of their own, or into the environment. */
export const secretFlags: ReadonlySet<string> = new Set(['token', 'password']);

interface SharedFlag {
  readonly name: string;
  /** Where the verb has that one, it gets the value instead: its `--key-file` is something else. */
  readonly insteadFor?: string;
  /** Verbs in which the flag of this name means something else. */
  readonly except?: readonly string[];
}

/** Flags that mean the same in all verbs that have them. `serve` is the other side, and gets none of them. */
export const sharedFlags: readonly SharedFlag[] = [
  { name: 'url' },
  { name: 'token-file' },
  { name: 'key-file', insteadFor: 'user-key-file' },
  { name: 'client-id' },
  { name: 'client-secret-file' },
  // To export and copy, an organization is a choice of what is read.
  { name: 'org', except: ['export', 'copy'] },
  { name: 'target-profile' },
  { name: 'rate' },
  { name: 'rate-store' },
  { name: 'budget' },
  { name: 'concurrency' },
  { name: 'journal' },
  { name: 'id-map' },
  { name: 'max-emails' },
  { name: 'allow-emails' },
  { name: 'max-sms' },
  { name: 'allow-sms' },
  { name: 'phone' },
  { name: 'idp' },
  { name: 'idp-map' },
  { name: 'threads' },
  { name: 'json' },
  { name: 'quiet' },
  { name: 'color' },
];

/** Of each group one is chosen: where one is typed or in the environment, the file says nothing of the others. */
const groups: readonly (readonly string[])[] = [
  ['token', 'token-file', 'key-file', 'user-key-file', 'client-id', 'client-secret-file'],
  ['from-token-file', 'from-key-file'],
  ['to-token-file', 'to-key-file'],
  ['max-emails', 'allow-emails'],
  ['max-sms', 'allow-sms'],
  ['json', 'quiet'],
  ['org', 'exclude'],
  ['webhook', 'call', 'async'],
  (
    'request-method request-service request-all response-method response-service response-all ' +
    'function event event-group event-all'
  ).split(' '),
];

/** Of these a typed body takes the place. */
export const sourceFlags: ReadonlySet<string> = new Set([
  'from',
  ...Object.values(providers).flatMap(({ input, companions }) =>
    [input, ...companions].map(({ name }) => name),
  ),
]);

/** The verbs that a file may have settings for. */
export function verbsWithSettings(program: VerbShape): VerbShape[] {
  return eachVerb(program).filter((verb) => verb.verbs.length === 0 && hasSettings(verb));
}

export function hasSettings({ name, flags }: Pick<VerbShape, 'name' | 'flags'>): boolean {
  return !withoutSettings.has(name.split(' ')[0] ?? '') && settable({ flags }).length > 0;
}

/** One for each name: a flag and its `--no-` are one setting. */
export function settable({ flags }: Pick<VerbShape, 'flags'>): FlagShape[] {
  const byName = new Map<string, FlagShape>();
  for (const flag of flags) {
    if (never.has(flag.name) || secretFlags.has(flag.name) || byName.has(flag.name)) continue;
    byName.set(flag.name, flag);
  }
  return [...byName.values()];
}

/** The shared setting that a flag of this verb takes its value from. */
export function sharedNameOf(flag: FlagShape, verb: VerbShape): string | undefined {
  if (verb.name === 'serve') return undefined;
  const names = new Set(verb.flags.map(({ name }) => name));
  return sharedFlags.find(({ name, insteadFor = name, except = [] }) => {
    if (except.includes(verb.name)) return false;
    return flag.name === (names.has(insteadFor) ? insteadFor : name);
  })?.name;
}

/**
 * Flags that lose when this one is given; where a verb has a signing key, `--key-file` is something else.
 */
export function rivalsOf(name: string, { flags }: VerbShape): ReadonlySet<string> {
  const ownKey = flags.some((flag) => flag.name === 'user-key-file');
  if (ownKey && name === 'key-file') return new Set([name]);
  const group = groups.find((group) => group.includes(name)) ?? [name];
  return new Set(ownKey ? group.filter((rival) => rival !== 'key-file') : group);
}
