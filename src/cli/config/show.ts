/** `--print-config` of any verb: prints each value as JSON, and where it comes from. */
import type { Command } from 'commander';
import type { Action } from '../../commands/context.ts';
import { ExitCode } from '../../errors.ts';
import { withoutSecret } from '../typed-line.ts';
import { redact } from '../../lib/redact.ts';
import { print } from '../../storage/stream-sink.ts';
import { isSet } from './choose.ts';
import { rivalsOf } from './rules.ts';
import { findVerb, type FlagShape, type VerbShape } from '../shape.ts';
import { pathOf, rootOf } from '../verb.ts';

export function showConfig(
  command: Command,
  program: VerbShape,
  file: string | null,
  env: Readonly<Record<string, string | undefined>>,
): ShownConfig {
  const ofProgram = program.flags.filter(({ shared }) => shared !== undefined);
  const values = {
    ...valuesOf(command, findVerb(program, pathOf(command)).flags, env),
    ...valuesOf(rootOf(command), ofProgram, env),
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
  flags: readonly FlagShape[],
  env: Readonly<Record<string, string | undefined>>,
): Record<string, ShownValue> {
  const isTyped = ({ attribute }: FlagShape): boolean => command.getOptionValueSource(attribute) === 'cli';
  const chosen = new Set(flags.filter(isTyped).flatMap(rivalsOf));
  const values: Record<string, ShownValue> = {};
  for (const flag of flags) {
    const source = sources[command.getOptionValueSource(flag.attribute) ?? ''];
    const { variable } = flag;
    if (source === 'flag' || source === 'file') {
      values[flag.name] = { value: command.getOptionValue(flag.attribute), source };
    } else if (variable !== undefined && isSet(flag, env) && !chosen.has(flag.name)) {
      values[flag.name] = { value: env[variable], source: 'environment', variable };
      for (const rival of rivalsOf(flag)) chosen.add(rival);
    } else if (source === 'default' && command.getOptionValue(flag.attribute) !== undefined) {
      values[flag.name] = { value: command.getOptionValue(flag.attribute), source };
    }
  }
  return values;
}

export interface ShownValue {
  readonly value: unknown;
  readonly source: 'flag' | 'environment' | 'file' | 'default';
  /** Of the environment. */
  readonly variable?: string;
}

export interface ShownConfig {
  readonly verb: string;
  /** The configuration file; null where there is none. */
  readonly file: string | null;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** By the name of the flag. */
  readonly values: Readonly<Record<string, ShownValue>>;
}

export function printConfig(shown: ShownConfig): Action<object> {
  const values = Object.entries(shown.values).map(([name, { value, ...origin }]) => {
    const isToken = (origin.variable ?? '').endsWith('TOKEN');
    return [name, { value: withoutSecret(isToken ? 'token' : name, value), ...origin }];
  });
  const text = JSON.stringify(
    { ...shown, arguments: redact(shown.arguments), values: Object.fromEntries(values) as object },
    null,
    2,
  );
  return async (_options, { stdout }) => {
    await print(stdout, `${text}\n`);
    return ExitCode.done;
  };
}
