/**
 * Connects to the service with the address and credentials of flags and environment, at the rate of the target profile. With
 * `--rate-store`, other processes share the rate through Redis or Valkey.
 */
import { warning } from '../events.ts';
import { statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { createClient, type ClientOptions } from '../api/client.ts';
import { retryLimits } from '../api/retry.ts';
import { fixedToken, keyFile, oneToken, tokenFromFile } from '../api/credentials.ts';
import { InputError, UsageError, IdportError } from '../errors.ts';
import type { ConnectionFlags, ShardFlags, SpeedFlags } from '../flags/connection.ts';
import { rehearsal } from './init-files.ts';
import { readAll } from '../lib/input.ts';
import { readText } from './read-text.ts';
import type { CommandContext } from './context.ts';
import { chooseProfile, rateOf, speedOptions } from './service-limits.ts';
import { createSharedRate } from '../api/shared-rate.ts';
import { parseBase } from '../api/url.ts';
import type { Shard } from '../flows/read/read-users.ts';
import { codeOf, openSharedStore } from '../storage/redis.ts';

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
export function requireUrl({ url }: Connection, { env }: CommandContext) {
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
      'Unset one of them, or pass --token-file or --key-file, which count before both.',
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
  // Windows shows every file as readable.
  if (warns && sep !== '\\' && (statSync(resolve(context.cwd, path)).mode & 0o077) !== 0) {
    const why = `${path} can be read by other users of this machine: chmod 600 ${path}`;
    context.emit(warning('credentials:readable', why));
  }
  return text;
}

/** Reads the token of `--token-file -`. */
export async function readToken({ stdin }: CommandContext) {
  return oneToken('standard input', String(await readAll(stdin)));
}

type Flags = Pick<ShardFlags, 'rateStore'> &
  SpeedFlags &
  ConnectionFlags & { readonly concurrency: number; readonly wait: number };

/**
 * Returns the profile of the target, a client, and the speed of the run. Without a store, each
 * shard gets its part of the rate.
 */
export async function connectAtRate(flags: Flags, context: CommandContext, shard: Shard | undefined) {
  const url = requireUrl(flags, context);
  const profile = await chooseProfile(flags, context);
  const { concurrency, wait } = flags;
  const whole = speedOptions(flags, profile);
  const shared = await openSharedRate({ ...flags, url }, whole, context);
  const speed = shared === undefined ? speedOptions(flags, profile, shard?.count) : { ...whole, shared };
  const client = await connect(flags, context, { ...speed, connections: concurrency });
  return { profile, pace: { client, concurrency, wait, perSecond: rateOf(flags, profile, shard?.count) } };
}

async function openSharedRate(
  { rateStore, url }: Flags & { readonly url: string },
  { limits }: ReturnType<typeof speedOptions>,
  context: CommandContext,
) {
  let problem = '';
  const store = await openStoreOf('rate-store', rateStore, context, (code) => (problem = code));
  if (store === undefined) return undefined;
  context.onEnd(() => store.close());
  if (limits.length === 0) {
    throw new UsageError('--rate-store without a rate', 'Give the rate of all processes: --rate=45/s.');
  }
  await store.send('PING').catch((cause: unknown) => {
    throw new IdportError(
      'rate-store:unreachable',
      `the store of --rate-store, ${store.host}, cannot be used: ${problem || codeOf(cause)}`,
      'Check the address, the password, and that the store runs.',
    );
  });
  const rate = createSharedRate({
    send: (...command) => store.send(...command),
    service: parseBase(url),
    limits,
    clock: context.clock,
  });
  context.onEnd(() => rate.close());
  return rate;
}

/**
 * Opens the store of a flag, or of its variable, which is `IDPORT_RATE_STORE` for `--rate-store`. Undefined if none is
 * given. `onProblem` receives the code of an error.
 */
export async function openStoreOf(
  name: 'rate-store' | 'shared-state',
  given: string | undefined,
  { emit, env }: CommandContext,
  onProblem: (code: string) => void,
) {
  const variable = `IDPORT_${name.toUpperCase().replaceAll('-', '_')}`;
  const address = given ?? env[variable] ?? '';
  if (address === '') return undefined;
  if (/^\w+:\/\/[^/]*@/.test(given ?? '')) {
    emit(
      warning(
        `${name}:visible`,
        `A password in --${name} can be seen by other users of this machine: use ${variable}.`,
      ),
    );
  }
  return openSharedStore(given === undefined ? variable : `--${name}`, address, { onProblem });
}
