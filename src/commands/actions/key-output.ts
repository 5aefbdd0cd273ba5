/**
 * Writes a signing key to a file that only its owner can read, or to the JSON on standard output, and nowhere else.
 * The file is opened before the service is called, so that a key that is shown only once is not lost to a full disk.
 */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ActionsApi } from '../../api/actions/index.ts';
import { UsageError } from '../../errors.ts';
import { note, warning } from '../../events.ts';
import type { KeyFlags } from '../../flags/actions.ts';
import { parseSigningKey } from '../../flows/actions/signing-keys.ts';
import type { CommandContext } from '../context.ts';

/** Says how to fetch a key that was not saved, or that it is lost, because this API shows it only once. */
export const keyHint = (
  { id, name }: { readonly id: string; readonly name: string },
  { generation }: ActionsApi,
  flag: '--signing-key-file' | '--key-folder',
) =>
  generation === 'v3alpha'
    ? warning(
        'actions:key-lost',
        `The service showed the signing key of target ${name} once, and it was not saved. To verify calls, delete this target and create it again with ${flag}.`,
      )
    : note(
        'actions:key-kept',
        `The signing key of target ${name} is not shown: idport actions target get ${id} --signing-key-file=<file> fetches it.`,
      );

/** Why a new target has no key. */
export const notSigned = 'The service gave no signing key: its calls are not signed.';
/** Why an existing target has no key. */
export const notAgain = 'The service does not show the signing key again.';

/**
 * Returns a function that writes the key and returns its part of the JSON output. Without a key, warns with `missing`. An
 * existing file, whose key may still be needed, is overwritten only with `replace`, as in a rotation, and if it has a signing
 * key. Otherwise throws `UsageError`.
 */
export function openKeyOutput(
  { signingKeyFile: file, showKey = false }: Partial<KeyFlags>,
  { cwd, emit, outputs }: CommandContext,
  missing: string,
  replace = false,
): (signingKey: string | undefined) => Promise<{ signingKey?: string }> {
  const path = resolve(cwd, file ?? '');
  if (file !== undefined && (replace ? holdsOther(path) : existsSync(path))) {
    throw new UsageError(
      `${file} exists already, and ${replace ? 'has something else than one signing key in it' : 'a key in it may still be needed'}`,
      'Choose another --signing-key-file, or delete this file first.',
    );
  }
  const sink = outputs.openIf(file);
  return async (signingKey) => {
    if (signingKey === undefined) {
      if (file !== undefined || showKey) emit(warning('actions:no-key', missing));
      return {};
    }
    await sink?.write(`${signingKey}\n`);
    await sink?.commit();
    return showKey ? { signingKey } : {};
  };
}

/** Reports whether a file has something else than a signing key. What cannot be read is refused when it is opened. */
function holdsOther(path: string) {
  try {
    const text = readFileSync(path, 'utf8');
    return text.trim() !== '' && parseSigningKey(text) === undefined;
  } catch {
    return false;
  }
}
