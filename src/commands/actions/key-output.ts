/**
 * Where a signing key goes: into a file for its owner alone, or into the JSON on standard output, and nowhere else.
 * The file is opened before the service is asked, for a key that is given only once must not be lost to a full disk.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../../errors.ts';
import type { KeyFlags } from '../../flags/actions.ts';
import type { CommandContext } from '../context.ts';

/**
 * Returns a function that writes the key and returns its part of the JSON output. An existing file may hold a key that is
 * still needed, so it is replaced only with `replace`, as in a rotation.
 */
export function openKeyOutput(
  { keyFile, showKey }: KeyFlags,
  { cwd, outputs }: CommandContext,
  replace = false,
): (signingKey: string | undefined) => Promise<{ signingKey?: string }> {
  if (keyFile !== undefined && !replace && existsSync(resolve(cwd, keyFile))) {
    throw new UsageError(`${keyFile} is there already; a key in it may still be needed`, {
      hint: 'Choose another --key-file, or remove that one first.',
    });
  }
  const sink = keyFile === undefined ? undefined : outputs.open(keyFile);
  return async (signingKey) => {
    if (signingKey === undefined) return {};
    await sink?.write(`${signingKey}\n`);
    await sink?.commit();
    return showKey === true ? { signingKey } : {};
  };
}
