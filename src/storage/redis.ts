/**
 * A Redis or Valkey store that several processes share. A lost connection opens again by itself. Without a connection, commands
 * fail at once, so that the caller can continue without the store.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from '../errors.ts';
import { importOptional } from '../lib/optional-package.ts';
import { parseAddress } from './live/address.ts';

export type SharedStore = Awaited<ReturnType<typeof openSharedStore>>;

interface SharedStoreOptions {
  /** Receives the code of each problem of the connection, for example `ECONNREFUSED`. */
  readonly onProblem: (code: string) => void;
  /** Time limit for one command in milliseconds. */
  readonly timeout?: number;
}

const schemes: Readonly<Record<string, string>> = {
  'redis:': 'redis:',
  'rediss:': 'rediss:',
  'valkey:': 'redis:',
  'valkeys:': 'rediss:',
};
const longestPause = 5000;
/** How long the start waits for the first connection, in milliseconds. */
const firstConnection = 2000;

/**
 * Throws `UsageError` for an address with another scheme. A store that cannot be reached is reported as a problem, not thrown.
 */
export async function openSharedStore(
  flag: string,
  address: string,
  { onProblem, timeout = 500 }: SharedStoreOptions,
) {
  const { url, host } = readAddress(flag, address);
  const { createClient } = await importOptional(
    '@redis/client@6',
    'shared stores',
    () => import('@redis/client'),
  );
  const client = createClient({
    url,
    disableOfflineQueue: true,
    commandOptions: { timeout },
    socket: {
      connectTimeout: firstConnection,
      reconnectStrategy: (retries) => Math.min(longestPause, 100 * 2 ** Math.min(retries, 10)),
    },
  });
  client.on('error', (error: unknown) => onProblem(codeOf(error)));
  const waited = new AbortController();
  await Promise.race([
    // It rejects if it is closed before it has connected.
    client.connect().catch(() => undefined),
    sleep(firstConnection, undefined, waited).catch(() => undefined),
  ]);
  waited.abort();
  return {
    /** `host:port`, for messages. */
    host,
    get isConnected() {
      return client.isReady;
    },
    /** Sends a command and its arguments. Throws if the store refuses it, is not connected, or does not answer in time. */
    send: (...command: readonly [string, ...string[]]): Promise<unknown> => client.sendCommand(command),
    close: () => client.destroy(),
  };
}

/** Returns the code of an error, never its text, which may quote what was sent. */
export function codeOf(error: unknown) {
  const { code, constructor, message } = error as NodeJS.ErrnoException;
  // The store's own refusals begin with their code: NOAUTH, WRONGPASS, READONLY.
  return code ?? /^[A-Z]{3,20}(?= )/.exec(message)?.[0] ?? constructor.name;
}

function readAddress(flag: string, address: string) {
  const given = parseAddress(address);
  const scheme = schemes[given?.protocol ?? ''];
  // The path is the number of a database. A `/`, `#` or `?` in a password would begin another part of the address.
  const isWhole = given !== undefined && /^\/?\d*$/.test(given.pathname) && given.search + given.hash === '';
  if (!isWhole || scheme === undefined || given.hostname === '') {
    throw new UsageError(
      `${flag}: not an address of a Redis or Valkey`,
      'For example redis://127.0.0.1:6379, or rediss://redis.example.com:6380 with TLS. A password is written as in URLs: %2F for /, %25 for %.',
    );
  }
  const url = `${scheme}${address.slice(given.protocol.length)}`;
  return { url, host: `${given.hostname}:${given.port === '' ? '6379' : given.port}` };
}
