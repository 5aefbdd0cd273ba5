/** Says which flags a configuration file may set. */
import { providers } from '../../sources/providers.ts';
import { eachVerb, type FlagShape, type VerbShape } from '../shape.ts';
import { secretFlags } from '../typed-line.ts';

/** Flags of sources, which a typed body replaces. */
export const sourceFlags: ReadonlySet<string> = new Set([
  'from',
  ...Object.values(providers).flatMap(({ input, companions }) =>
    [input, ...companions].map(({ name }) => name),
  ),
]);

/** Returns the settings under `shared` in their order, each with a flag that has it. */
export function sharedFlags(program: VerbShape): ReadonlyMap<string, FlagShape> {
  const found = new Map<string, FlagShape>();
  for (const flag of [...verbsWithSettings(program), program].flatMap(({ flags }) => flags)) {
    const before = found.get(flag.name);
    if (flag.shared === true && (before === undefined || before.list !== undefined))
      found.set(flag.name, flag);
  }
  return found;
}

export function verbsWithSettings(program: VerbShape): VerbShape[] {
  return eachVerb(program).filter((verb) => verb.verbs.length === 0 && hasSettings(verb));
}

export function hasSettings({ withoutSettings, flags }: VerbShape) {
  return !withoutSettings && settable({ flags }).length > 0;
}

export function settable({ flags }: Pick<VerbShape, 'flags'>) {
  return flags.filter(({ name, once }) => once !== true && !secretFlags.has(name));
}

/** Returns the flags that lose if this one is given. */
export const rivalsOf = ({ name, rivals = [] }: FlagShape) => [name, ...rivals];
