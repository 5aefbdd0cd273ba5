/** A command as commander has read it in, the line that was typed out: for messages that say how to go on. */
import type { Command } from 'commander';

/** Flags whose value must not be seen again. */
const secret = new Set(['token']);

/** Only what was given, defaults left out; a token is replaced by what to type in its place. */
export function typedLine(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) names.unshift(at.name());
  const parts = [...names, ...command.args.map(quote)];
  for (const option of command.options) {
    const name = option.attributeName();
    if (command.getOptionValueSource(name) !== 'cli') continue;
    const value: unknown = command.getOptionValue(name);
    const flag = option.long ?? option.flags;
    if (value === true) parts.push(flag);
    else if (secret.has(name)) parts.push(flag, '-');
    else if (Array.isArray(value)) for (const one of value) parts.push(flag, quote(String(one)));
    else parts.push(flag, quote(String(value)));
  }
  return parts.join(' ');
}

function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
