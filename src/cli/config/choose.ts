/** Chooses which settings of a configuration file apply. */
import { dirname, resolve } from 'node:path';
import type { ProcessContext } from '../../commands/context.ts';
import { type FlagShape, isSet, pathStart, type VerbShape } from '../shape.ts';
import { rivalsOf, settable, sourceFlags } from './rules.ts';
import type { Config } from './schema.ts';

interface Typed {
  /** Reports whether the flag with this attribute was typed. */
  readonly isTyped: (attribute: string) => boolean;
  /** Whether an argument (a body) was typed. */
  readonly hasArgument: boolean;
  readonly env: ProcessContext['env'];
  readonly cwd: string;
}

/** Flags win over the environment, the environment over the file. `file` is an absolute path. */
export function chooseSettings(verb: VerbShape, config: Config, file: string, typed: Typed) {
  const taken = new Set(typed.hasArgument ? sourceFlags : []);
  for (const flag of verb.flags) {
    if (typed.isTyped(flag.attribute) || isSet(flag, typed.env))
      for (const name of rivalsOf(flag)) taken.add(name);
  }
  const own = config.verbs?.[verb.name] ?? {};
  const ownRivals = new Set(verb.flags.filter(({ name }) => own[name] !== undefined).flatMap(rivalsOf));
  const chosen = settable(verb).flatMap((flag) => {
    if (taken.has(flag.name)) return [];
    const isShared = flag.shared === true && !ownRivals.has(flag.name);
    const value = own[flag.name] ?? (isShared ? config.shared?.[flag.name] : undefined);
    if (value === undefined) return [];
    const { name, attribute, belongsTo } = flag;
    return [{ name, attribute, belongsTo, value: toTyped(flag, value, file, typed.cwd) }];
  });
  const isGiven = (owner: string) =>
    typed.isTyped(owner) || chosen.some(({ attribute, value }) => attribute === owner && value !== false);
  return chosen.filter(({ belongsTo }) => belongsTo === undefined || isGiven(belongsTo));
}

/** Returns a value as commander would have read it. Paths are relative to the folder of the file. */
function toTyped(flag: FlagShape, value: unknown, file: string, cwd: string) {
  if (flag.takes === 'none') return value;
  if (flag.takes === 'optional') return value === false ? 'false' : value;
  const place = (one: unknown) => placed(String(one), flag, dirname(file), cwd);
  if (flag.list === undefined) return place(value);
  return (Array.isArray(value) ? value : [value]).map(place);
}

function placed(text: string, flag: FlagShape, folder: string, cwd: string) {
  const { place } = flag;
  const start = pathStart(flag, text);
  const isNamed = place !== undefined || start > 0;
  // Standard streams and addresses are not paths.
  const isPath = isNamed && text !== '-' && !/^[a-z][a-z\d+.-]*:\/\//i.test(text);
  if (!isPath || (place === 'name or file' && !/[./\\]/.test(text))) return text;
  return folder === cwd ? text : text.slice(0, start) + resolve(folder, text.slice(start));
}
