/** A command as it was read in, each of its values and where it comes from out. */
import type { Command } from 'commander';
import type { ShownConfig, ShownValue } from '../commands/print-config.ts';
import { isSet } from '../usage/config/choose.ts';
import { rivalsOf, sharedNameOf } from '../usage/config/rules.ts';
import type { FlagShape, VerbShape } from '../usage/shape.ts';
import { pathOf, rootOf } from './settings.ts';
import { describeVerb } from './shape.ts';

export function showConfig(
  command: Command,
  file: string | null,
  env: Readonly<Record<string, string | undefined>>,
): ShownConfig {
  const program = rootOf(command);
  const values = {
    ...valuesOf(command, env),
    ...valuesOf(program, env, (flag, shape) => sharedNameOf(flag, shape) !== undefined),
  };
  const words = command.registeredArguments.map((argument, at): [string, unknown] => [
    argument.name(),
    argument.variadic ? command.args.slice(at) : command.args[at],
  ]);
  const given = Object.fromEntries(words.filter(([, word]) => word !== undefined));
  return { verb: pathOf(command).join(' '), file, arguments: given, values };
}

const sources: Readonly<Record<string, ShownValue['source']>> = {
  cli: 'flag',
  config: 'file',
  default: 'default',
};

function valuesOf(
  command: Command,
  env: Readonly<Record<string, string | undefined>>,
  wanted: (flag: FlagShape, shape: VerbShape) => boolean = () => true,
): Record<string, ShownValue> {
  const shape = describeVerb(command);
  const chosen = new Set<string>();
  for (const { name, attribute } of shape.flags) {
    if (command.getOptionValueSource(attribute) === 'cli')
      for (const rival of rivalsOf(name, shape)) chosen.add(rival);
  }
  const values: Record<string, ShownValue> = {};
  for (const flag of shape.flags) {
    if (!wanted(flag, shape) || values[flag.name] !== undefined) continue;
    const source = sources[command.getOptionValueSource(flag.attribute) ?? ''];
    const { variable } = flag;
    if (source === 'flag' || source === 'file') {
      values[flag.name] = { value: command.getOptionValue(flag.attribute), source };
    } else if (variable !== undefined && isSet(flag, env) && !chosen.has(flag.name)) {
      values[flag.name] = { value: env[variable], source: 'environment', variable };
      for (const rival of rivalsOf(flag.name, shape)) chosen.add(rival);
    } else if (source === 'default' && command.getOptionValue(flag.attribute) !== undefined) {
      values[flag.name] = { value: command.getOptionValue(flag.attribute), source };
    }
  }
  return values;
}
