/** Adds the settings of a configuration file that apply to the flags of the running command. */
import { note } from '../../events.ts';
import { existsSync } from 'node:fs';
import { join, dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import type { CommandOf, ProcessContext } from '../../commands/context.ts';
import {
  findVerb,
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
import { pathOf, rootOf, type Raw } from '../verb.ts';
import type { Config } from './read.ts';
import { redact } from '../../lib/redact.ts';
import { print } from '../../storage/stream-sink.ts';

/** Folder and environment variables of a run. */
export type Surroundings = Pick<ProcessContext, 'cwd' | 'env'>;

/** The flags of the program that these settings read. */
interface ConfigFlags {
  /** False after `--no-config`. */
  readonly config?: string | false;
  readonly printConfig?: boolean;
}

const fileName = 'idport.config.json';

/** Loads the other modules only if there is a file, because most runs have none. */
export function createSettings({ cwd, env }: Surroundings, shape: VerbShape) {
  let source: { readonly name: string; readonly file: string } | undefined;
  let apply: (command: Command, hasArgument: boolean) => void = () => {};
  const used: string[] = [];

  return {
    /** Name of the file as given. Undefined if there is no file. */
    get file() {
      return source?.name;
    },

    /** Finds and reads the file. Called before a verb is read. */
    async load(root: Command) {
      const { config: named } = root.opts<ConfigFlags>();
      const name = named ?? (existsSync(join(cwd, fileName)) ? fileName : false);
      if (name === false || root.args.some((word) => word === '--help' || word === '-h')) return;
      if (!hasSettings(findVerb(shape, root.args))) return;
      const { loadConfig } = await import('./read.ts');
      const { file, config } = loadConfig(name, cwd, shape);
      source = { name, file };
      apply = (command, hasArgument) => {
        const verb = findVerb(shape, pathOf(command));
        const [argument] = command.registeredArguments;
        const isTyped = (name: string) =>
          command.getOptionValueSource(name) === 'cli' || (hasArgument && argument?.name() === name);
        const typed = { isTyped, hasArgument, env, cwd };
        for (const { name, attribute, value } of chooseSettings(verb, config, file, typed)) {
          command.setOptionValueWithSource(attribute, value, 'config');
          used.push(name);
        }
      };
      apply(root, false);
    },

    /** Adds the settings. Called once the flags of a command are read. */
    add: (command: Command, operands: readonly string[]) => {
      if (command.parent === null || command.commands.length > 0) return;
      const root = rootOf(command);
      // --print-config works without required flags and arguments.
      if (root.opts<ConfigFlags>().printConfig === true) {
        for (const option of command.options) option.mandatory = false;
        for (const argument of command.registeredArguments) argument.required = false;
      }
      const [next = '--'] = root.args.slice(pathOf(command).length);
      apply(command, operands.length > 0 || next === '-' || !next.startsWith('-'));
    },

    /** Tells which settings are used, or prints them instead of running the command. Called when the command runs. */
    async around(load: () => Promise<CommandOf<Raw>>, command: Command): Promise<CommandOf<Raw>> {
      if (rootOf(command).opts<ConfigFlags>().printConfig === true) {
        return printConfig(command, shape, source?.file ?? null, env);
      }
      const action = await load();
      if (source === undefined) return action;
      const { name, file } = source;
      return (options, context) => {
        if (used.length > 0) context.emit(note('config:used', `using ${used.join(', ')} from ${name}`));
        context.outputs.keep({ what: 'the configuration file', path: file });
        return action(options, context);
      };
    },
  };
}

interface Typed {
  /** Reports whether the flag with this attribute was typed. */
  readonly isTyped: (attribute: string) => boolean;
  /** Whether an argument (a body) was typed. */
  readonly hasArgument: boolean;
  readonly env: ProcessContext['env'];
  readonly cwd: string;
}

/** Flags win over the environment, the environment over the file. `file` is an absolute path. */
function chooseSettings(verb: VerbShape, config: Config, file: string, typed: Typed) {
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

/** `file` is the configuration file. Null if there is none. */
function printConfig(
  command: Command,
  program: VerbShape,
  file: string | null,
  env: ProcessContext['env'],
): CommandOf<object> {
  const names = pathOf(command);
  const ofProgram = program.flags.filter(({ shared }) => shared !== undefined);
  const words = command.registeredArguments.map((argument, at) => [
    argument.name(),
    argument.variadic ? command.args.slice(at) : command.args[at],
  ]);
  const shown = {
    verb: names.join(' '),
    file,
    arguments: redact(Object.fromEntries(words)),
    values: {
      ...valuesOf(command, findVerb(program, names).flags, env),
      ...valuesOf(rootOf(command), ofProgram, env),
    },
  };
  return (_options, { stdout }) => print(stdout, `${JSON.stringify(shown, null, 2)}\n`);
}

/** Where a value comes from, by the name that commander has for it. */
const sources: Readonly<Record<string, string>> = { cli: 'flag', config: 'file', default: 'default' };

/** Returns values by the names of their flags, without secrets. */
function valuesOf(command: Command, flags: readonly FlagShape[], env: ProcessContext['env']): object {
  const isTyped = ({ attribute }: FlagShape) => command.getOptionValueSource(attribute) === 'cli';
  const chosen = new Set(flags.filter(isTyped).flatMap(rivalsOf));
  const values: Record<string, object> = {};
  for (const flag of flags) {
    const { name, attribute, variable } = flag;
    const source = sources[command.getOptionValueSource(attribute) ?? ''];
    const value: unknown = command.getOptionValue(attribute);
    const isChosen = source === 'flag' || source === 'file';
    if (!isChosen && variable !== undefined && isSet(flag, env) && !chosen.has(name)) {
      const secret = variable.endsWith('TOKEN') ? 'token' : name;
      values[name] = { value: withoutSecret(secret, env[variable]), source: 'environment', variable };
      for (const rival of rivalsOf(flag)) chosen.add(rival);
    } else if (source !== undefined && value !== undefined) {
      values[name] = { value: withoutSecret(name, value), source };
    }
  }
  return values;
}
