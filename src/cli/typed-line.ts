/** Rebuilds the command line that was typed, for messages that say how to continue. */
import type { Command } from 'commander';
import { fullName } from './command.ts';
import { rootOf } from './verb.ts';
import { mask, redact } from '../lib/redact.ts';
import { shellWord } from '../lib/format.ts';

/**
 * Leaves out defaults. A token is replaced by `-`, a password in an address by `***`. Of the flags that all verbs have,
 * it keeps the one for the configuration file, which changes what the line means.
 */
export function typedLine(command: Command) {
  const root = rootOf(command);
  const config = root === command ? [] : flagsOf(root).filter((flag) => /^--(?:no-)?config\b/.test(flag));
  return [
    fullName(command),
    ...command.args.map((word) => shellWord(String(withoutSecret('', word)))),
    ...flagsOf(command),
    ...config,
  ].join(' ');
}

/** Returns each given flag with its value. */
function flagsOf(command: Command) {
  const given: string[] = [];
  for (const option of command.options) {
    const name = option.attributeName();
    if (command.getOptionValueSource(name) !== 'cli') continue;
    const typed: unknown = command.getOptionValue(name);
    const shown = withoutSecret(name, typed);
    // The token has to be typed again.
    const value = shown === mask ? '-' : shown;
    const flag = option.long ?? option.flags;
    if (value === !option.negate) given.push(flag);
    else if (typeof value === 'boolean') continue;
    else if (Array.isArray(value)) for (const one of value) given.push(`${flag}=${shellWord(String(one))}`);
    else if (!option.negate) given.push(`${flag}=${shellWord(String(value))}`);
  }
  return given;
}

/** Flags whose value is a secret, or may be one by mistake, which belongs in a file of its own or in the environment. */
export const secretFlags: ReadonlySet<string> = new Set(['token', 'password', 'provePassword']);

/** Flags that take a name and a file or an id. The name is not a secret, even if it is `tokens`. */
const pairs: ReadonlySet<string> = new Set(['table', 'idp', 'secret']);

/**
 * Masks a secret. `-` stays, because it means standard input. In other flags, passwords in addresses and the like are
 * masked.
 */
export function withoutSecret(flag: string, value: unknown): unknown {
  if (pairs.has(flag)) return value;
  return secretFlags.has(flag) && value !== '-' ? mask : redact(value);
}
