/** The files that a command reads by its flags: no output of its may replace one. */
import type { NamedFile } from '../storage/open-output.ts';
import { flagsOf, type Line, rawOf } from './line.ts';

/** Typed, of the configuration file, of the environment; a value may be one path, several, or `name=path`. */
export function filesRead(
  line: Line,
  env: Readonly<Record<string, string | undefined>>,
): readonly NamedFile[] {
  const raw = rawOf(line, flagsOf(line));
  const files = flagsOf(line).flatMap(({ long, attribute, value = '', output }) => {
    if (output === true || !/<[^>]*(?:file|path)/.test(value)) return [];
    const paths = [raw[attribute]].flat().filter((one) => typeof one === 'string');
    const isPair = /<\w+=/.test(value);
    return paths.map((one) => ({
      what: `the file of ${long}`,
      path: isPair ? one.slice(one.indexOf('=') + 1) : one,
    }));
  });
  return [...files, { what: 'the key of IDPORT_KEY_FILE', path: env['IDPORT_KEY_FILE'] || undefined }];
}
