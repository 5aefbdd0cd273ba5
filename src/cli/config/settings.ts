/** Adds the settings of a configuration file to a command line. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Line, verbOf } from '../line.ts';

/** Where a run takes place. */
export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const fileName = 'idport.config.json';

/** Nothing of it is loaded where there is no file: most runs have none. Throws `UsageError` and `InputError`. */
export async function addSettings(line: Line, surroundings: Surroundings): Promise<void> {
  const { given, path } = line;
  const { cwd } = surroundings;
  const named = given.get('config')?.value as string | undefined;
  const name = named ?? (existsSync(join(cwd, fileName)) ? fileName : undefined);
  if (name === undefined || given.has('noConfig')) return;
  const { hasSettings } = await import('./rules.ts');
  if (!hasSettings(verbOf(line))) return;
  const [{ loadConfig }, { chooseSettings }] = await Promise.all([
    import('./read.ts'),
    import('./choose.ts'),
  ]);
  const program = path[0]!;
  const { file, config } = loadConfig(name, cwd, program);
  const chosen = [program, verbOf(line)].flatMap((verb) =>
    chooseSettings(verb, config, file, line, surroundings),
  );
  for (const { attribute, value } of chosen) given.set(attribute, { value, source: 'file' });
  line.config = { name, file, used: chosen.map((setting) => setting.name) };
}
