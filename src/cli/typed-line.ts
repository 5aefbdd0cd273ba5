/** A command as commander has read it in, the line that was typed out: for messages that say how to go on. */
import type { Command } from 'commander';
import { shellWord } from '../lib/shell-word.ts';

/** Flags whose value must not be seen again. */
const secret = new Set(['token']);

/**
 * Only what was given, defaults left out; a token is replaced by what to type in its place. Of the flags that hold for
 * every verb, the one that names a configuration file: without it the line would say something else.
 */
export function typedLine(command: Command): string {
  const names: string[] = [];
  let root = command;
  for (let at: Command | null = command; at !== null; at = at.parent) {
    names.unshift(at.name());
    root = at;
  }
  const config =
    root === command ? [] : flagsOf(root).filter((flag) => /^--(?:no-)?config$/.test(flag[0] ?? ''));
  return [...names, ...command.args.map(shellWord), ...flagsOf(command).flat(), ...config.flat()].join(' ');
}

/** Each flag that was given, with its value. */
function flagsOf(command: Command): string[][] {
  const given: string[][] = [];
  for (const option of command.options) {
    const name = option.attributeName();
    if (command.getOptionValueSource(name) !== 'cli') continue;
    const value: unknown = command.getOptionValue(name);
    const flag = option.long ?? option.flags;
    if (value === !option.negate) given.push([flag]);
    else if (typeof value === 'boolean') continue;
    else if (secret.has(name)) given.push([flag, '-']);
    else if (Array.isArray(value)) for (const one of value) given.push([flag, shellWord(String(one))]);
    else if (!option.negate) given.push([flag, shellWord(String(value))]);
  }
  return given;
}
