/** `--prove`: the converted hash of a known user must take the password, in the run that converts. */
import { IdportError, UsageError } from '../errors.ts';
import { findUserByName } from '../flows/source/find-hash.ts';
import { findStored } from '../flows/source/find-stored.ts';
import { openInput } from '../storage/open-input.ts';
import type { CommandContext } from './context.ts';
import type { MigrateValues } from '../flags/conversion.ts';
import type { Notice } from '../sources/source.ts';
import type { OpenedSource } from '../flows/source/read-users.ts';
import { describeProof, notChecked, type Proof, prove, readPassword, warnOfLength } from './proof.ts';

/** The password of `--prove`, before anything is converted; undefined without that flag. */
export async function askForProof(
  { prove, provePassword, output }: MigrateValues,
  { inputs }: OpenedSource,
  context: CommandContext,
): Promise<string | undefined> {
  if (prove === undefined) {
    if (provePassword === undefined) return undefined;
    throw new UsageError('--prove-password needs --prove <user>');
  }
  if (output === '-') {
    throw new UsageError('--prove reads the body again, and standard output cannot be read', {
      hint: 'Name a file with --output.',
    });
  }
  if (inputs.some((input) => input.name === '-') && (provePassword ?? '-') === '-') {
    if (provePassword === '-' || context.askSecret === undefined) {
      throw new UsageError('standard input is given twice', {
        hint: 'Read the password from a file with --prove-password.',
      });
    }
  }
  return readPassword(provePassword, context);
}

interface Proving {
  readonly flags: MigrateValues;
  readonly source: OpenedSource;
  readonly password: string;
}

interface Result {
  readonly matches: boolean;
  readonly notice: Notice;
}

/** Reads the user out of the body, as an import would; says why where the hash does not take the password. */
export async function proveConverted(
  { flags: { prove: requested = '', output }, source, password }: Proving,
  context: CommandContext,
): Promise<Result> {
  const body = openInput(output, context);
  const user = await findUserByName(body, requested, context.signal);
  const noUser: Proof = {
    user: requested,
    userId: '',
    matches: false,
    problem: 'the body has no such user',
  };
  try {
    const proof =
      user === undefined
        ? noUser
        : await prove(user, password, context, () => findStored(source, requested, context.signal));
    if (proof.matches) warnOfLength(password, context);
    return toResult(proof.matches, inOneText(describeProof(proof)));
  } catch (error) {
    // The body is complete, and so is its report.
    if (!(error instanceof IdportError) || error.code !== notChecked) throw error;
    return toResult(false, `${requested}: ${error.message}. ${error.hint}`);
  }
}

function toResult(matches: boolean, text: string): Result {
  const level = matches ? 'info' : 'warning';
  return { matches, notice: { level, code: matches ? 'password:proved' : 'password:not-proved', text } };
}

/** Notices are one line. */
function inOneText([verdict = '', ...cause]: readonly string[]): string {
  return cause.length === 0 ? verdict : `${verdict}. ${cause.join(' ')}`;
}
