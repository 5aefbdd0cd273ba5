/** Reads `--secret name=file`: peppers and keys of the old system, which no list has. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../../errors.ts';
import type { Secrets } from '../../records/hash-forms/verify-form.ts';
import { inputProblem } from '../../storage/input-problem.ts';
import type { CommandContext } from '../context.ts';

/** The bytes of the file without a line feed at its end. */
export function readSecrets(specs: readonly string[], { cwd }: Pick<CommandContext, 'cwd'>): Secrets {
  const secrets: Record<string, Uint8Array> = {};
  for (const spec of specs) {
    const [, name = '', file = ''] = /^([^=]+)=(.+)$/s.exec(spec) ?? [];
    if (file === '') {
      throw new UsageError('--secret takes a name and a file', { hint: 'For example pepper=pepper.txt.' });
    }
    const path = resolve(cwd, file);
    try {
      const bytes = readFileSync(path);
      const end = bytes.at(-1) === 0x0a ? bytes.length - 1 : bytes.length;
      secrets[name] = Uint8Array.from(bytes.subarray(0, end));
    } catch (error) {
      throw inputProblem(file, error, path);
    }
  }
  return secrets;
}
