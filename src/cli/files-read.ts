/** The files that a command reads by its flags: no output of its may replace one. */
import type { Command } from 'commander';
import type { NamedFile } from '../storage/open-output.ts';
import { OutputOption } from './command.ts';
import { rootOf } from './verb.ts';

/** Typed, of the configuration file, of the environment; a value may be one path, several, or `name=path`. */
export function filesRead(
  command: Command,
  env: Readonly<Record<string, string | undefined>>,
): readonly NamedFile[] {
  const files = [command, rootOf(command)].flatMap((owner) =>
    owner.options.flatMap((option) => {
      if (option instanceof OutputOption || !/<[^>]*(?:file|path)/.test(option.flags)) return [];
      const value: unknown = owner.getOptionValue(option.attributeName());
      const paths = [value].flat().filter((path) => typeof path === 'string');
      const isPair = /<\w+=/.test(option.flags);
      return paths.map((path) => ({
        what: `the file of ${option.long}`,
        path: isPair ? path.slice(path.indexOf('=') + 1) : path,
      }));
    }),
  );
  return [...files, { what: 'the key of IDPORT_KEY_FILE', path: env['IDPORT_KEY_FILE'] || undefined }];
}
