/** Imports packages that few runs need. They are optional peers, which the user installs next to this one. */
import { IdportError } from '../errors.ts';

/**
 * Returns what `load` imports. `name` is the package with its major version, as in `package.json`. `who` needs it, in the plural.
 * If the package is not installed, throws `IdportError` with how to get it.
 */
export async function importOptional<Module>(name: string, who: string, load: () => Promise<Module>) {
  try {
    return await load();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new IdportError(
      'package:missing',
      `${who} need the package ${name}, which is not installed`,
      `Install it beside idport (npm install ${name}), or run: npx -p idport -p ${name} idport …`,
      cause,
    );
  }
}
