/** Adds the settings of a configuration file that apply to the flags of the running command. */
import { note } from '../../events.ts';
import { existsSync } from 'node:fs';
import { join, dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import type { CommandOf, ProcessContext } from '../../commands/context.ts';
import {
  hasSettings,
  type VerbShape,
  type FlagShape,
  isSet,
  pathStart,
  rivalsOf,
  settable,
  sourceFlags,
  withoutSecret,
} from '../shape.ts';
import type { Raw } from '../verb.ts';
import type { Config } from './read.ts';
import { redact } from '../../lib/redact.ts';
import { print } from '../../storage/stream-sink.ts';

/** Folder and environment variables of a run. */
export type Surroundings = Pick<ProcessContext, 'cwd' | 'env'>;

/** The flag of the program that names the file. */
interface ConfigFlags {
  /** False after `--no-config`. */
  readonly config?: string | false;
}

const fileName = 'idport.config.json';

/** A configuration file that a run uses. */
export interface Settings {
  /** Name of the file as given. */
  readonly name: string;
  /** Absolute path. */
  readonly file: string;
  /** Names of the flags that it has set. */
  readonly used: readonly string[];
}

/**
 * Finds and reads the file, and sets its flags of the verb that runs and of the program. Undefined if there is no file. Loads
 * the other modules only if there is one, because most runs have none.
 */
export async function applySettings(
  command: Command,
  path: readonly VerbShape[],
  { cwd, env }: Surroundings,
): Promise<Settings | undefined> {
  const [program, verb] = [path[0]!, path.at(-1)!];
  const root = command.parent!;
  const { config: named } = root.opts<ConfigFlags>();
  const name = named ?? (existsSync(join(cwd, fileName)) ? fileName : false);
  if (name === false || !hasSettings(verb)) return undefined;
  const { loadConfig } = await import('./read.ts');
  const { file, config } = loadConfig(name, cwd, program);
  const apply = (target: Command, shape: VerbShape, hasArgument: boolean) => {
    const isTyped = (attribute: string) =>
      target.getOptionValueSource(attribute) === 'cli' ||
      (hasArgument && shape.arguments[0]?.attribute === attribute);
    const given = shape.flags.filter((flag) => isTyped(flag.attribute) || isSet(flag, env));
    const taken = new Set([...given.flatMap(rivalsOf), ...(hasArgument ? sourceFlags : [])]);
    const chosen = chooseSettings(shape, config, taken);
    const isThere = (owner: string) =>
      isTyped(owner) || chosen.some(([{ attribute }, value]) => attribute === owner && value !== false);
    return chosen.flatMap(([flag, value]) => {
      const { name, attribute, belongsTo } = flag;
      if (belongsTo !== undefined && !isThere(belongsTo)) return [];
      target.setOptionValueWithSource(attribute, toTyped(flag, value, file, cwd), 'config');
      return [name];
    });
  };
  const used = [...apply(root, program, false), ...apply(command, verb, command.args.length > 0)];
  return { name, file, used };
}

/** Tells which settings a run uses, and keeps its outputs from replacing the file. */
export const withSettings =
  (action: CommandOf<Raw>, { name, file, used }: Settings): CommandOf<Raw> =>
  (options, context) => {
    if (used.length > 0) context.emit(note('config:used', `using ${used.join(', ')} from ${name}`));
    context.outputs.keep({ what: 'the configuration file', path: file });
    return action(options, context);
  };

/** Returns the flags that the file sets, with its values. `taken` are those that are typed or in the environment. */
function chooseSettings(verb: VerbShape, config: Config, taken: ReadonlySet<string>) {
  const own = config.verbs?.[verb.name] ?? {};
  const ownRivals = new Set(verb.flags.filter(({ name }) => own[name] !== undefined).flatMap(rivalsOf));
  return settable(verb).flatMap((flag) => {
    if (taken.has(flag.name)) return [];
    const isShared = flag.shared === true && !ownRivals.has(flag.name);
    const value = own[flag.name] ?? (isShared ? config.shared?.[flag.name] : undefined);
    return value === undefined ? [] : [[flag, value] as const];
  });
}

/** Returns a value as commander would have read it. Paths are relative to the folder of the file. */
function toTyped(flag: FlagShape, value: unknown, file: string, cwd: string) {
  const folder = dirname(file);
  const place = (one: unknown) => {
    const text = String(one);
    const start = pathStart(flag, text);
    const isNamed = flag.place !== undefined || start > 0;
    // Standard streams and addresses are not paths.
    const isPath = isNamed && text !== '-' && !/^[a-z][a-z\d+.-]*:\/\//i.test(text);
    if (!isPath || (flag.place === 'name or file' && !/[./\\]/.test(text))) return text;
    return folder === cwd ? text : text.slice(0, start) + resolve(folder, text.slice(start));
  };
  if (flag.takes === 'none') return value;
  if (flag.takes === 'optional') return value === false ? 'false' : value;
  if (flag.list === undefined) return place(value);
  return [value].flat().map(place);
}

/** Prints the settings instead of running the verb. `file` is the configuration file. Null if there is none. */
export function printConfig(
  command: Command,
  path: readonly VerbShape[],
  file: string | null,
  env: ProcessContext['env'],
): CommandOf<object> {
  const verb = path.at(-1)!;
  const ofProgram = path[0]!.flags.filter(({ shared }) => shared !== undefined);
  const words = command.registeredArguments.map((argument, at) => [
    argument.name(),
    argument.variadic ? command.args.slice(at) : command.args[at],
  ]);
  const shown = {
    verb: verb.name,
    file,
    arguments: redact(Object.fromEntries(words)),
    values: { ...valuesOf(command, verb.flags, env), ...valuesOf(command.parent!, ofProgram, env) },
  };
  return (_options, { stdout }) => print(stdout, `${JSON.stringify(shown, null, 2)}\n`);
}

/** Where a value comes from, by the name that commander has for it. */
const sources: Readonly<Record<string, string>> = { cli: 'flag', config: 'file', default: 'default' };

/** Returns values by the names of their flags, without secrets. */
function valuesOf(command: Command, flags: readonly FlagShape[], env: ProcessContext['env']) {
  const sourceOf = ({ attribute }: FlagShape) => sources[command.getOptionValueSource(attribute) ?? ''];
  const chosen = new Set(flags.filter((flag) => sourceOf(flag) === 'flag').flatMap(rivalsOf));
  const values = flags.flatMap((flag) => {
    const { name, attribute, variable = '' } = flag;
    if (isSet(flag, env) && !chosen.has(name)) {
      for (const rival of rivalsOf(flag)) chosen.add(rival);
      const secret = variable.endsWith('TOKEN') ? 'token' : name;
      return [[name, { value: withoutSecret(secret, env[variable]), source: 'environment', variable }]];
    }
    const value: unknown = command.getOptionValue(attribute);
    const source = value === undefined ? undefined : sourceOf(flag);
    return source === undefined ? [] : [[name, { value: withoutSecret(name, value), source }]];
  });
  return Object.fromEntries(values) as object;
}
