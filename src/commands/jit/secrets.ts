/** Reads `--secret name=file`: peppers and keys of the old system, which the list does not contain. */
import { UsageError } from '../../errors.ts';
import { fromBase64 } from '../../records/hash-forms/encodings.ts';
import type { Secrets } from '../../records/hash-forms/verify-form.ts';
import type { CommandContext } from '../context.ts';
import { readBytes } from '../read-text.ts';

/** The bytes of each file without its line end, decoded if the name begins with `base64_`. */
export function readSecrets(specs: readonly string[], { cwd }: Pick<CommandContext, 'cwd'>): Secrets {
  const secrets: Record<string, Uint8Array> = {};
  for (const spec of specs) {
    const [, name = '', file = ''] = /^([^=]+)=(.+)$/s.exec(spec) ?? [];
    if (file === '') {
      throw new UsageError('--secret takes a name and a file', 'For example pepper=pepper.txt.');
    }
    const text = readBytes(file, cwd)
      .toString('latin1')
      .replace(/\r?\n$/, '');
    secrets[name] = Uint8Array.from(Buffer.from(text, 'latin1'));
    // With an empty secret, every right password would count as wrong.
    if (secrets[name].length === 0) throw new UsageError(`--secret ${name}: ${file} is empty`);
    if (name.startsWith('base64_')) secrets[name] = decode(name, secrets[name], file);
  }
  return secrets;
}

function decode(name: string, text: Uint8Array, file: string): Uint8Array {
  const bytes = fromBase64(Buffer.from(text).toString('latin1').trim());
  if (bytes !== undefined && bytes.length > 0) return Uint8Array.from(bytes);
  throw new UsageError(
    `--secret ${name}: ${file} is not base64`,
    'Write the text of the old system into the file as it is.',
  );
}

/** Throws if hashes on the list need a secret that was not given: every right password would count as wrong. */
export function requireSecrets(needed: Iterable<string>, given: Secrets): void {
  const missing = [...needed].filter((name) => !Object.hasOwn(given, name));
  if (missing.length === 0) return;
  throw new UsageError(
    `hashes on the list need a secret that was not given: ${missing.join(', ')}`,
    missing.map((name) => `--secret ${name}=<file>`).join(' '),
  );
}
