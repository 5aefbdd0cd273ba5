/** `--print-config` on any verb: what it would run with, and where each value comes from, as JSON. */
import { ExitCode } from '../errors.ts';
import { mask, redact } from '../lib/redact.ts';
import { print } from '../storage/print.ts';
import type { Action } from './context.ts';

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

/** Flags whose value is a secret, whatever it looks like. */
const secret = new Set(['token', 'password']);

export function printConfig(shown: ShownConfig): Action<unknown> {
  const values = Object.entries(shown.values).map(([name, { value, ...origin }]) => {
    const hidden = secret.has(name) || (origin.variable ?? '').endsWith('TOKEN');
    // `-` says that it is read from standard input.
    return [name, { value: hidden && value !== '-' ? mask : redact(value), ...origin }];
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
