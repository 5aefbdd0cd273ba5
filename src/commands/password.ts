/** `idport password verify`: checks a password against the hash of a user in a body. */
import { ExitCode, IdportError, UsageError } from '../errors.ts';
import { findUserByName } from '../flows/source/find-password.ts';
import { openInput } from '../storage/open-input.ts';
import { printAs } from '../storage/stream-sink.ts';
import type { PasswordFlags } from '../flags/others.ts';
import type { Action } from './context.ts';
import { readPassword, describeProof, prove, warnOfLength } from './proof.ts';

/** Resolves to `done` if the password matches, else to `differs`. */
export const verifyPasswordOf: Action<PasswordFlags> = async (options, context) => {
  const from = choosePasswordSource(options);
  const body = openInput(options.body, context);
  const user = await findUserByName(body, options.user, context.signal);
  if (user === undefined) {
    throw new IdportError(
      'user:not-found',
      `${options.body}: there is no user ${options.user}`,
      'Give the user name or the id as in the body; users that were left out are in the report.',
    );
  }
  const password = await readPassword(from, context);
  const proof = await prove(user, password, context);
  const [verdict = '', ...cause] = describeProof(proof);
  const lines = [verdict, ...cause.map((line) => `  ${line}`)];
  await printAs(options.format, context.stdout, proof, () => lines);
  if (proof.matches) warnOfLength(password, context);
  return proof.matches ? ExitCode.done : ExitCode.differs;
};

/** Returns where to read the password. Throws `UsageError` before the body is read. */
function choosePasswordSource({ body, password }: PasswordFlags) {
  if (body === '-') {
    throw new UsageError(
      'standard input is for the password, not for the body',
      'Name the file of the body; it may be gzipped.',
    );
  }
  if (password !== undefined && password !== '-') {
    throw new UsageError(
      'a password on the command line can be seen by others on this machine',
      'Omit --password and type it, or pipe it in: printf %s "$PASSWORD" | idport password verify ...',
    );
  }
  return password;
}
