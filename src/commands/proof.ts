/** Checks a password against a hash and explains a mismatch, for `password verify` and `migrate --prove`. */
import { isTooLong, maxPasswordBytes } from '../records/password-policy.ts';
import { note, warning } from '../events.ts';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { IdportError, UsageError } from '../errors.ts';
import { findUserByName, type FoundUser, findStored } from '../flows/read/find-password.ts';
import type { OpenedSource } from '../flows/read/read-users.ts';
import { explainMismatch, type StoredHash } from '../records/hash-forms/explain-mismatch.ts';
import { isProblem } from '../records/mcf/algorithm.ts';
import { recognise, verifyPassword } from '../records/mcf/recognise.ts';
import { isRealHash } from '../records/placeholder-password.ts';
import type { MigrateValues } from '../flags/conversion.ts';
import { openInput } from '../storage/open-input.ts';
import type { CommandContext } from './context.ts';
import { readText } from './read-text.ts';

/** Longest search for the cause of a mismatch (ms). A costly hash takes seconds for each of about thirty tries. */
const longestSearch = 60_000;

/**
 * Checks a password against the hash of a user. Returns the verdict, and lines about the cause of a mismatch, without secrets. Only
 * on a mismatch, `findStored` reads the hash of the source.
 */
export async function prove(
  { userName, userId, hash }: FoundUser,
  password: string,
  context: CommandContext,
  findStored?: () => Promise<StoredHash | undefined>,
) {
  const { clock, signal } = context;
  const explain = async (converted: StoredHash, unknown: readonly string[]) => {
    const stored = { ...converted, ...(await findStored?.()) };
    const end = clock.monotonic() + longestSearch;
    const isOver = () => {
      signal.throwIfAborted();
      return clock.monotonic() > end;
    };
    const cause = await explainMismatch(stored, password, isOver);
    if (cause === undefined) return unknown;
    if (cause === 'unfinished') {
      return [`Stopped after ${longestSearch / 1000} seconds: not all known causes were tried.`];
    }
    const mapping = cause.mapping === undefined ? [] : [`In the mapping: ${cause.mapping}`];
    return [cause.text, cause.consequence, ...mapping];
  };
  const who = userId === '' ? userName : `${userName} (${userId})`;
  const refuse = async (problem: string, converted: StoredHash) => ({
    matches: false,
    verdict: `${who}: no password can match: ${problem}`,
    causes: await explain(
      converted,
      findStored === undefined
        ? ['`idport migrate --prove=<user>` checks the password against the hash of the source.']
        : [],
    ),
  });
  if (hash === '') return refuse('the body has no password hash for this user', {});
  if (!isRealHash(hash))
    return refuse(
      'the body has the placeholder password for this user, until idport jit has checked the old one',
      {},
    );
  const found = recognise(hash);
  if (isProblem(found)) return refuse(found.detail, { parts: { hash } });
  const { algorithm, parameters, mcf } = found;
  const matches = await verify(mcf, password);
  if (matches) warnOfLength(password, context);
  const costs = Object.entries(parameters).map(([name, value]) => `, ${name} ${value}`);
  const how = `${matches ? 'matches' : 'does not match'} (${algorithm}${costs.join('')})`;
  return {
    matches,
    verdict: `${who}: the password ${how}`,
    causes: matches
      ? []
      : await explain({ mcf }, [
          'No known cause explains it. It may be another password, or the source adds a secret (pepper).',
        ]),
  };
}

const notChecked = 'password:not-checked';

async function verify(mcf: string, password: string) {
  try {
    return (await verifyPassword(mcf, password)) === true;
  } catch (cause) {
    throw new IdportError(
      notChecked,
      'this hash cannot be checked on this machine',
      'It may need more memory than this machine has, or its salt may be too short for the library.',
      cause,
    );
  }
}

function warnOfLength(password: string, { emit }: CommandContext) {
  if (!isTooLong(password)) return;
  emit(
    warning(
      'password:over-72-bytes',
      `The password is longer than ${maxPasswordBytes} bytes. A target that hashes with bcrypt cannot rehash it at the first login, and refuses the login: the user must set a new password.`,
    ),
  );
}

/**
 * Reads the first line of the file `from`, or of standard input for `-`. If `from` is not set, asks at the terminal, or
 * reads standard input without one. No message shows the name of a file that does not exist, which may be the password.
 */
export async function readPassword(from: string | undefined, { askSecret, stdin, cwd }: CommandContext) {
  const isFile = from !== undefined && from !== '-';
  if (isFile && !existsSync(resolve(cwd, from))) {
    throw new UsageError(
      'there is no file of this name, and a password on the command line can be seen by others on this machine',
      'Name a file with the password, or pipe it in and give -: printf %s "$PASSWORD" | idport ...',
    );
  }
  const ask = from === undefined ? askSecret : undefined;
  const text = isFile ? readText(from, cwd) : await (ask?.('Password: ') ?? readLine(stdin));
  const password = /^[^\r\n]*/.exec(text)![0];
  if (password === '') throw new UsageError('the password is empty');
  return password;
}

async function readLine(stdin: Readable) {
  const blocks: Buffer[] = [];
  for await (const block of stdin) {
    blocks.push(Buffer.from(block as Buffer | string));
    if (blocks.at(-1)?.includes(0x0a)) break;
  }
  return Buffer.concat(blocks).toString('utf8');
}

/** Reads the password of `--prove` before the conversion. Undefined without that flag. */
export async function askForProof(
  { prove, provePassword, output }: MigrateValues,
  { inputs }: OpenedSource,
  context: CommandContext,
) {
  if (prove === undefined) return undefined;
  if (output === '-') {
    throw new UsageError(
      '--prove reads the body again, and standard output cannot be read',
      'Name a file with --output.',
    );
  }
  const isRead = provePassword === '-' || (provePassword === undefined && context.askSecret === undefined);
  if (isRead && inputs.some((input) => input.name === '-')) {
    throw new UsageError(
      'standard input is given twice',
      'Read the password from a file with --prove-password.',
    );
  }
  return readPassword(provePassword, context);
}

/** Checks the password of a user in the written body. Returns a warning if it does not match. */
export async function proveConverted(
  { prove: requested = '', output }: MigrateValues,
  source: OpenedSource,
  password: string,
  context: CommandContext,
) {
  const notProved = (text: string) => warning('password:not-proved', text);
  const body = openInput(output, context);
  const user = await findUserByName(body, requested);
  if (user === undefined) return notProved(`${requested}: no password can match: the body has no such user`);
  try {
    const stored = () => findStored(source, requested);
    const { matches, verdict, causes } = await prove(user, password, context, stored);
    // Notices have one line.
    const text = causes.length === 0 ? verdict : `${verdict}. ${causes.join(' ')}`;
    return matches ? note('password:proved', text) : notProved(text);
  } catch (error) {
    // A hash that cannot be checked is no error, because the body and its report are complete.
    if (!(error instanceof IdportError) || error.code !== notChecked) throw error;
    return notProved(`${requested}: ${error.message}. ${error.hint}`);
  }
}
