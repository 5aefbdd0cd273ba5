/** `idport password verify`: checks a password against the hash of a user in a body. */
import { ExitCode, IdportError, UsageError } from '../errors.ts';
import { findUserByName } from '../flows/read/find-password.ts';
import { openInput } from '../storage/open-input.ts';
import { printLines } from '../storage/stream-sink.ts';
import type { passwordFlags } from '../flags/others.ts';
import type { Action } from './context.ts';
import { readPassword, prove } from './proof.ts';

/** Resolves to `done` if the password matches, else to `differs`. */
export const verifyPasswordOf: Action<typeof passwordFlags> = async (options, context) => {
  if (options.body === '-') {
    throw new UsageError(
      'standard input is for the password, not for the body',
      'Name the file of the body; it may be gzipped.',
    );
  }
  const password = await readPassword(options.password, context);
  const body = openInput(options.body, context);
  const user = await findUserByName(body, options.user);
  if (user === undefined) {
    throw new IdportError(
      'user:not-found',
      `${options.body}: there is no user ${options.user}`,
      'Give the user name or the id as in the body; users that were left out are in the report.',
    );
  }
  const { matches, verdict, causes } = await prove(user, password, context);
  await printLines(context.stdout, [verdict, ...causes.map((line) => `  ${line}`)]);
  return matches ? ExitCode.done : ExitCode.differs;
};
