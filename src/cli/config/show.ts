/** `--print-config` of any verb: prints each value as JSON, and where it comes from. */
import type { Command } from 'commander';
import type { Action, ProcessContext } from '../../commands/context.ts';
import { ExitCode } from '../../errors.ts';
import { redact } from '../../lib/redact.ts';
import { print } from '../../storage/stream-sink.ts';
import { findVerb, type FlagShape, isSet, type VerbShape, rivalsOf } from '../shape.ts';
import { withoutSecret } from '../typed-line.ts';
import { pathOf, rootOf } from '../verb.ts';

/** `file` is the configuration file. Null if there is none. */
export function printConfig(
  command: Command,
  program: VerbShape,
  file: string | null,
  env: ProcessContext['env'],
): Action<object> {
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
  return async (_options, { stdout }) => {
    await print(stdout, `${JSON.stringify(shown, null, 2)}\n`);
    return ExitCode.done;
  };
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
