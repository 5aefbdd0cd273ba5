/** The files that a command reads by its flags: no output of its may replace one. */
import type { Command } from 'commander';
import type { NamedFile } from '../storage/open-output.ts';
import type { VerbShape } from './shape.ts';
import { rootOf } from './verb.ts';

/** Typed, of the configuration file, of the environment; a value may be one path, several, or `name=path`. */
export function filesRead(
  command: Command,
  [program, ...path]: readonly VerbShape[],
  env: Readonly<Record<string, string | undefined>>,
): readonly NamedFile[] {
  const own = path.at(-1)?.flags.map((flag) => ({ ...flag, owner: command })) ?? [];
  const all = program?.flags.map((flag) => ({ ...flag, owner: rootOf(command) })) ?? [];
  const files = [...own, ...all].flatMap(({ long, attribute, value = '', output, owner }) => {
    if (output === true || !/<[^>]*(?:file|path)/.test(value)) return [];
    const given: unknown = owner.getOptionValue(attribute);
    const paths = [given].flat().filter((one) => typeof one === 'string');
    const isPair = /<\w+=/.test(value);
    return paths.map((one) => ({
      what: `the file of ${long}`,
      path: isPair ? one.slice(one.indexOf('=') + 1) : one,
    }));
  });
  return [...files, { what: 'the key of IDPORT_KEY_FILE', path: env['IDPORT_KEY_FILE'] || undefined }];
}
