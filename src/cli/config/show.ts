/** `--print-config` on any verb: each value it would run with, and where that comes from, as JSON. */
import type { CommandContext } from '../../commands/context.ts';
import { ExitCode } from '../../errors.ts';
import { redact } from '../../lib/redact.ts';
import { print } from '../../storage/stream-sink.ts';
import { type Line, rawOf, verbOf } from '../line.ts';
import { withoutSecret } from '../typed-line.ts';
import { isSet } from './choose.ts';
import { rivalsOf } from './rules.ts';

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

export function showConfig(line: Line, env: CommandContext['env']): ShownConfig {
  const verb = verbOf(line);
  const flags = [...verb.flags, ...line.path[0]!.flags.filter(({ shared }) => shared !== undefined)];
  const raw = rawOf(line, flags);
  const isTyped = (attribute: string): boolean => line.given.get(attribute)?.source === 'flag';
  const chosen = new Set(flags.filter(({ attribute }) => isTyped(attribute)).flatMap(rivalsOf));
  const values: Record<string, ShownValue> = {};
  for (const flag of flags) {
    const { attribute, name, variable } = flag;
    const given = line.given.get(attribute);
    if (given !== undefined) values[name] = given;
    else if (variable !== undefined && isSet(flag, env) && !chosen.has(name)) {
      values[name] = { value: env[variable], source: 'environment', variable };
      for (const rival of rivalsOf(flag)) chosen.add(rival);
    } else if (raw[attribute] !== undefined) values[name] = { value: raw[attribute], source: 'default' };
  }
  const words = verb.arguments
    .filter((_, at) => line.words[at] !== undefined)
    .map(({ attribute }) => [attribute, raw[attribute]]);
  return {
    verb: verb.name,
    file: line.config?.file ?? null,
    arguments: Object.fromEntries(words) as ShownConfig['arguments'],
    values,
  };
}

export async function printConfig(
  shown: ShownConfig,
  { stdout }: Pick<CommandContext, 'stdout'>,
): Promise<ExitCode> {
  const values = Object.entries(shown.values).map(([name, { value, ...origin }]) => {
    const isToken = (origin.variable ?? '').endsWith('TOKEN');
    return [name, { value: withoutSecret(isToken ? 'token' : name, value), ...origin }];
  });
  const text = JSON.stringify(
    { ...shown, arguments: redact(shown.arguments), values: Object.fromEntries(values) as object },
    null,
    2,
  );
  await print(stdout, `${text}\n`);
  return ExitCode.done;
}
