/** A command line as it was typed: for messages that say how to go on. */
import { mask, redact } from '../lib/redact.ts';
import { shellWord } from '../lib/shell-word.ts';
import { type Line, verbOf } from './line.ts';
import { fullName } from './shape.ts';

/**
 * Only what was given, defaults left out; a token is replaced by what to type in its place, a password in an address by `***`. Of the flags that hold for
 * every verb, the one that names a configuration file: without it the line would say something else.
 */
export function typedLine(line: Line): string {
  const { path, words, given } = line;
  const config = path[0]!.flags.filter(({ attribute }) => /^(?:c|noC)onfig$/.test(attribute));
  const flags = [...verbOf(line).flags, ...config].flatMap(({ attribute, long, takes }) => {
    const { value, source } = given.get(attribute) ?? {};
    if (source !== 'flag') return [];
    if (takes === 'none' || value === true) return [long];
    return [withoutSecret(attribute, value)].flat().flatMap((one) =>
      // A token is typed in again.
      [long, shellWord(one === mask ? '-' : String(one))],
    );
  });
  const shown = words.map((word) => shellWord(String(withoutSecret('', word))));
  return [fullName(verbOf(line)), ...shown, ...flags].join(' ');
}

/** Flags whose value is a secret, whatever it looks like. */
const secret: ReadonlySet<string> = new Set(['token', 'password']);

/** `-` says that it is read from standard input. Of other flags, passwords in addresses and the like are masked. */
export function withoutSecret(flag: string, value: unknown): unknown {
  return secret.has(flag) && value !== '-' ? mask : redact(value);
}
