/**
 * A command that got more arguments than it takes in; what was meant, where a list flag was given as `--flag=a b`, out.
 */
import type { Command, Option } from 'commander';

/** Undefined where the argument too many follows no list flag. */
export function listHint(command: Command): string | undefined {
  const tooMany = command.args.slice(command.registeredArguments.length);
  const option = optionBefore(tooMany[0] ?? '', command);
  const values: unknown = option && command.getOptionValue(option.attributeName());
  if (option === undefined || !Array.isArray(values)) return undefined;
  const all = [...(values as readonly string[]), ...tooMany];
  const again = all.map((value) => `${option.long}=${value}`).join(' ');
  const atOnce = option.variadic ? `, or: ${option.long} ${all.join(' ')}` : '';
  return `After = there is one value; give the flag again for each: ${again}${atOnce}`;
}

function optionBefore(argument: string, command: Command): Option | undefined {
  let root = command;
  while (root.parent !== null) root = root.parent;
  const { rawArgs } = root as Command & { readonly rawArgs: readonly string[] };
  const [name] = (rawArgs[rawArgs.indexOf(argument) - 1] ?? '').split('=');
  return command.options.find(({ long }) => long === name);
}
