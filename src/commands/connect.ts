/** Connects to the service with the address and credentials of flags and environment. */
import { warning } from '../events.ts';
import { statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { createClient, type ClientOptions } from '../api/client.ts';
import { retryLimits } from '../api/retry.ts';
import { fixedToken, keyFile, oneToken, tokenFromFile } from '../api/credentials.ts';
import { InputError, UsageError } from '../errors.ts';
import type { ConnectionFlags } from '../flags/connection.ts';
import { rehearsal } from './init-files.ts';
import { readAll, readText } from './read-text.ts';
import type { CommandContext } from './context.ts';

type Connection = { readonly [Name in keyof ConnectionFlags]: string | undefined };

/** Options for interactive commands: a wrong address fails within seconds. */
export const failFast = { retryLimits: { ...retryLimits, patience: 5000 } };

/**
 * Opens a client that is closed at the end of the command. Throws `UsageError` if address or credentials are missing or
 * ambiguous.
 */
export async function connect(
  flags: Connection,
  context: CommandContext,
  options: Partial<ClientOptions> = {},
) {
  const { clock, emit, env, signal } = context;
  const client = createClient({
    url: requireUrl(flags, context),
    credentials: await chooseCredentials(flags, context),
    clock,
    emit,
    env,
    signal,
    traffic: context.record?.traffic,
    ...options,
  });
  context.onEnd(() => client.close());
  context.addFacts({ target: client.url });
  return client;
}

/** Returns the address of the service. Throws `UsageError` if there is none. */
export function requireUrl({ url }: Pick<Connection, 'url'>, { env }: CommandContext) {
  const address = url ?? env['IDPORT_URL'] ?? '';
  if (address !== '') return address;
  throw new UsageError(
    'the address of the service is missing',
    'Give it with --url=https://<instance> or in IDPORT_URL.',
  );
}

/** Prefers flags to environment variables. */
async function chooseCredentials(flags: Connection, context: CommandContext) {
  const warned = new Set<string>();
  const read = (path: string) => {
    const isNew = !warned.has(path);
    warned.add(path);
    return readPrivate(path, context, isNew);
  };
  const { tokenFile, keyFile: keyPath } = flags;
  if (tokenFile !== undefined && keyPath !== undefined) {
    throw new UsageError('more than one kind of credentials is given', choices);
  }
  if (tokenFile === '-') return fixedToken(await readToken(context));
  if (tokenFile !== undefined) return tokenFromFile(tokenFile, read);
  if (keyPath !== undefined) return keyFile(keyPath, readKey(keyPath, read));
  const { IDPORT_TOKEN, IDPORT_KEY_FILE } = context.env;
  if (IDPORT_TOKEN && IDPORT_KEY_FILE)
    throw new UsageError(
      'IDPORT_TOKEN and IDPORT_KEY_FILE are both set',
      'Unset one of them, or give --token-file or --key-file, which count before both.',
    );
  if (IDPORT_TOKEN) return fixedToken(oneToken('IDPORT_TOKEN', IDPORT_TOKEN));
  if (IDPORT_KEY_FILE) return keyFile(IDPORT_KEY_FILE, read(IDPORT_KEY_FILE));
  throw new UsageError('there are no credentials for the service', choices);
}

/** Reads a key file. If the key of a rehearsal is missing, the hint says that `idport serve` writes it. */
function readKey(path: string, read: (path: string) => string) {
  try {
    return read(path);
  } catch (error) {
    if (
      path === rehearsal.credentials.keyFile &&
      error instanceof InputError &&
      error.code === 'input:not-found'
    )
      error.hint =
        'Start the reference server in this folder, in a second terminal: `idport serve` writes this file.';
    throw error;
  }
}

const choices =
  'Give a token with --token-file or IDPORT_TOKEN, or the key file of a service account; --help lists all ways.';

/** Reads a small file that holds secrets, and warns if others can read it. Throws `InputError`. */
export function readPrivate(path: string, context: CommandContext, warns = true) {
  const text = readText(path, context.cwd);
  if (warns) warnOfReaders(path, statSync(resolve(context.cwd, path)).mode, context);
  return text;
}

/** Does nothing on Windows, which shows every file as readable. */
function warnOfReaders(path: string, mode: number, { emit }: CommandContext) {
  if (sep === '\\' || (mode & 0o077) === 0) return;
  emit(
    warning('credentials:readable', `${path} can be read by other users of this machine: chmod 600 ${path}`),
  );
}

/** Reads the token of `--token-file -`. */
export async function readToken({ stdin }: CommandContext) {
  return oneToken('standard input', (await readAll(stdin)).toString());
}
