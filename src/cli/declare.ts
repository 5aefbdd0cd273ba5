/** Turns the tree of verbs into commands of commander. */
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import type { RunVerb } from '../commands/context.ts';
import { UsageError } from '../errors.ts';
import { type Flag, longName, readFlags, type Table } from '../lib/flag.ts';
import { examples, type IdportCommand } from './command.ts';
import { kindOf } from './help.ts';
import type { Declared, Raw, Verb } from './verb.ts';

/** Adds a verb and the verbs below it to a command. */
export function declareVerb(command: IdportCommand, verb: Verb, dispatch: Declared, run: RunVerb) {
  const { args = {}, flags, load, notes = '' } = verb;
  command.description(verb.description).addHelpText('after', `${notes}${examples(...verb.examples)}`);
  command.common = verb.common;
  for (const flag of Object.values(args)) command.addArgument(toArgument(flag));
  for (const [name, flag] of Object.entries(flags)) addFlag(command, name, flag);
  for (const [name, below] of Object.entries(verb.verbs ?? {})) {
    const heading = verb.headings?.[name];
    if (heading !== undefined) command.commandsGroup(heading);
    const child = command.command(name);
    // All flags of all verbs would take longer than most runs.
    child.declareRest = () => declareVerb(child, below(), dispatch, run);
  }
  if (load === undefined) {
    // Last, so that it is under the last heading.
    command.helpCommand('help [verb...]', 'print the help of a command');
    return;
  }
  if ('body' in args) {
    command.ofConversion = Object.entries(flags).flatMap(([name, flag]) =>
      flag.converts === true ? [longName(name, flag)] : [],
    );
  }
  command.action((...given: unknown[]) => {
    const words: Raw = Object.fromEntries(
      Object.keys(args).map((name, at) => [name, given[at] ?? command.getOptionValue(name)]),
    );
    refuseTwice(command, words);
    refuseUnread(command, words['body'] !== undefined);
    refuseAlone(command, flags);
    return dispatch(
      async () => {
        const action = await load(run);
        const table = { ...args, ...flags };
        return (raw, context) => action(readFlags(table, raw) as never, context);
      },
      { ...command.opts<Raw>(), ...words },
    );
  });
}

/** Throws `UsageError` for a value that is typed as a flag and as an argument. */
function refuseTwice(command: Command, words: Raw) {
  for (const [name, value] of Object.entries(words))
    if (command.getOptionValueSource(name) === 'cli' && command.getOptionValue(name) !== value)
      throw new UsageError(`the ${name} is given twice, as --${name} and as an argument`);
}

/** Throws `UsageError` if a typed flag would be ignored, because it belongs to a conversion or to another source. */
function refuseUnread(command: IdportCommand, hasBody: boolean) {
  const from = command.getOptionValue('from') as string | undefined;
  if (from === undefined && !hasBody) return;
  const kind = kindOf(command);
  const unread = command.options.find(
    (option) => command.getOptionValueSource(option.attributeName()) === 'cli' && kind(option) !== 'own',
  );
  if (unread === undefined) return;
  if (from === undefined)
    throw new UsageError(`${unread.long} belongs to --from, or to the conversion that writes the body`);
  throw new UsageError(
    `${unread.long} is not a flag of ${from}`,
    `\`idport migrate ${from} --help=all\` lists what this source has.`,
  );
}

/** Throws `UsageError` for a typed flag that would change nothing, because it belongs to another one, which is not given. */
function refuseAlone(command: IdportCommand, flags: Table) {
  for (const [name, flag] of Object.entries(flags)) {
    const { belongsTo = '' } = flag;
    const owner = flags[belongsTo];
    if (owner === undefined || command.getOptionValueSource(name) !== 'cli') continue;
    if (command.getOptionValue(belongsTo) || command.getOptionValue(name) === flag.preset) continue;
    const long = longName(belongsTo, owner);
    throw new UsageError(`${longName(name, flag)} belongs to ${long}`, `${long}: ${owner.help}.`);
  }
}

function addFlag(command: Command, name: string, flag: Flag) {
  const long = longName(name, flag);
  const event = `option:${long.slice(2)}`;
  if (flag.value !== undefined && flag.list === undefined) {
    // Called before the listener of commander, which silently takes the last value.
    command.on(event, () => {
      if (command.getOptionValueSource(name) !== 'cli') return;
      throw new UsageError(`${long} is given twice, and it takes one value`);
    });
  }
  command.addOption(toOption(name, flag));
  if (flag.alone !== true) return;
  command.on(event, () => {
    for (const option of command.options) option.mandatory = false;
  });
}

function toOption(name: string, flag: Flag) {
  const { value, help, choices, preset, list } = flag;
  const option = new Option([longName(name, flag), ...(value === undefined ? [] : [value])].join(' '), help);
  if (choices !== undefined) option.choices(choices);
  if (list !== undefined) option.argParser(list === 'commas' ? collect : append);
  if (preset !== undefined) option.default(preset);
  if (flag.required === true) option.makeOptionMandatory();
  return option.helpGroup(`${flag.group ?? 'Options'}:`);
}

function toArgument({ value = '', help, choices, preset }: Flag) {
  const argument = new Argument(value, help);
  if (choices !== undefined) argument.choices(choices);
  return preset === undefined ? argument : argument.default(preset);
}

/** Collects the values of flags that may be given several times or as a list with commas. */
function collect(value: string, previous: readonly string[] = []) {
  const parts = value.split(',').filter((part) => part !== '');
  // A variable that is not set in a script must not mean all.
  if (parts.length === 0) throw new InvalidArgumentError('It is empty.');
  return [...previous, ...parts];
}

/** Collects paths, which are given several times, or several after one flag. A comma is part of a path. */
function append(value: string, previous: readonly string[] = []) {
  return [...previous, value];
}
