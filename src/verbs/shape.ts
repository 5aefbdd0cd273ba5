/** The commander tree in, the same as plain data out. */
import type { Argument, Command, Option } from 'commander';
import type { ArgumentShape, FlagShape, Place, VerbShape } from '../usage/shape.ts';
import { append, collect } from './verb.ts';

export function describeVerb(command: Command, above = ''): VerbShape {
  const name = command.parent === null ? '' : `${above} ${command.name()}`.trim();
  return {
    name,
    description: command.description(),
    flags: command.options.map(describeFlag),
    arguments: command.registeredArguments.map(describeArgument),
    verbs: command.commands.map((child) => describeVerb(child, name)),
  };
}

/** What stands between the brackets of a flag or an argument, where it is a path. */
const places: Readonly<Record<string, Place>> = {
  file: 'file',
  path: 'file',
  report: 'file',
  body: 'file',
  recordings: 'file',
  folder: 'folder',
  'name|file': 'name or file',
  profile: 'name or file',
};

const counts = new Set(['n', 'n|%', 'number', 'port', 'seconds', 'amount', 'code']);

function describeFlag(option: Option): FlagShape {
  const long = option.long ?? option.flags;
  const placeholder = /[<[]([^>\]]*)[>\]]/.exec(option.flags)?.[1] ?? '';
  return {
    long,
    short: option.short,
    name: long.replace(/^--(?:no-)?/, ''),
    attribute: option.attributeName(),
    description: option.description,
    value: valueOf(option),
    list: option.variadic || option.parseArg === collect || option.parseArg === append,
    variadic: option.variadic,
    numeric: counts.has(placeholder),
    choices: option.argChoices ?? [],
    place: places[placeholder.replace('...', '')],
    variable: /\((IDPORT_\w+)\)/.exec(option.description)?.[1],
    hidden: option.hidden,
  };
}

function valueOf({ required, optional }: Option): FlagShape['value'] {
  if (required) return 'needed';
  return optional ? 'optional' : 'none';
}

function describeArgument(argument: Argument): ArgumentShape {
  return {
    name: argument.name(),
    list: argument.variadic,
    choices: argument.argChoices ?? [],
    place: places[argument.name()],
  };
}
