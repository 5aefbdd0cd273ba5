/** `idport jit serve`, which runs the receiver of login-time migration until it is stopped. */
import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { IdportError, InterruptedError, UsageError } from '../../errors.ts';
import { readSigningKeys } from '../../flows/actions/signing-keys.ts';
import {
  addressRule,
  createGuessLimits,
  createRepeats,
  userRule,
  createRecent,
} from '../../flows/jit/guess-limits.ts';
import { createMetrics } from '../../flows/jit/metrics.ts';
import {
  type Migrated,
  type MigratedUser,
  openMigratedUsers,
  createIdSet,
  readMigratedUsers,
  sampleSize,
} from '../../flows/jit/migrated-users.ts';
import { requireIds, requireSameUsers } from '../../flows/jit/listed-users.ts';
import { createSlots, type ReceiverParts } from '../../flows/jit/receive.ts';
import { startReceiver } from '../../flows/jit/receiver.ts';
import { type SharedState, createSharedState } from '../../flows/jit/shared-state.ts';
import type { UserList } from '../../flows/jit/user-list.ts';
import { createLoginService, guardCalls, type LoginService } from '../../flows/jit/service.ts';
import { createVerifierChain } from '../../flows/jit/verifier.ts';
import { canonicalPath } from '../../lib/canonical-path.ts';
import type { Clock } from '../../lib/clock.ts';
import { isLoopback } from '../../lib/private-address.ts';
import { printable } from '../../lib/format.ts';
import { print } from '../../storage/stream-sink.ts';
import { connect, openStoreOf } from '../connect.ts';
import type { ConnectionFlags } from '../../flags/connection.ts';
import type { JitServeFlags, SharedStateFlags } from '../../flags/jit.ts';
import type { CommandOf, CommandContext } from '../context.ts';
import { readText } from '../read-text.ts';
import { openVerifiers } from './verifiers.ts';
import { resolve } from 'node:path';
import type { Client } from '../../api/client.ts';
import { codeOf } from '../../storage/redis.ts';

export const serveJit: CommandOf<JitServeFlags> = async (flags, context) => {
  const { clock, cwd, signal, onEnd } = context;
  disableNodeReports();
  const listenOptions = readListenOptions(flags, context);
  const { answerWithin, verifierTimeout } = flags;
  const log = createLog(context);
  const client = await connectForLogins(flags, context, answerWithin);
  // While one thread checks a slow hash, another is free.
  const threadCount = Math.max(2, availableParallelism());
  const { verifiers, threads, list } = await openVerifiers(flags, context, threadCount);
  if (list === undefined && !flags.anyUser) {
    throw new UsageError(
      'no list says which users to check',
      'Pass --users with the list of `idport migrate --jit-list`, or --any-user for every user without a password.',
    );
  }
  // All threads are started, so that the first login does not wait for them.
  await Promise.all(Array.from({ length: threadCount }, () => threads.hash('not one of a user')));
  context.outputs.claim('the journal', flags.journal);
  const journal = await openMigratedUsers(canonicalPath(flags.journal, cwd), {
    clock,
    onProblem: (code) => log({ type: 'journal', ...(code === '' ? { written: true } : { problem: code }) }),
    steal: flags.stealLock,
  });
  onEnd(() => journal.close());
  const onLost = (problem: string) => log({ type: 'shared-state', problem });
  const shared = await openSharedState(flags, client.url, context, onLost);
  const service = createLoginService(guardCalls(client, clock, answerWithin / 2));
  await requireUsers(list, [...journal.first, ...((await shared?.firstMigrated()) ?? [])], service);
  const metrics = await createMetrics({
    migrated: () => journal.size,
    listed: () => list?.size ?? 0,
    sharedState: shared && (() => (shared.isConnected ? 1 : 0)),
  });
  const chain = createVerifierChain(verifiers, {
    clock,
    timeout: verifierTimeout,
    onResult: (...result) => metrics.verified(...result),
    onProblem: (verifier, problem) => log({ type: 'verifier', verifier, problem }),
  });
  onEnd(() => chain.close());
  const receiver = await startReceiver({
    service,
    list,
    anyUser: flags.anyUser,
    ...shareState(shared, journal, clock),
    verifiers: chain,
    repeats: createRepeats(clock),
    loginNames: createRecent(clock, loginNamesFor),
    slots: createSlots(maxPerThread * availableParallelism()),
    hash: threads.hash,
    requireChange: flags.requireChange,
    clock,
    ...listenOptions,
    keys: () => readSigningKeys(flags.signingKeyFile, cwd),
    answerWithin,
    isReady: async () => {
      await readSigningKeys(flags.signingKeyFile, cwd);
      return (await client.attempt({ method: 'GET', path: '/debug/healthz', anonymous: true })).ok;
    },
    metrics,
    onDecision: (decision) => log({ type: 'login', ...decision }),
    onRefused: (reason) => log({ type: 'refused', reason }),
    renewList: async () => {
      try {
        if (await list?.renew()) log({ type: 'list', users: list?.size });
      } catch (error) {
        log({ type: 'list', problem: (error as Error).message });
      }
    },
    onUnusable: () => log({ type: 'certificate', problem: 'the renewed certificate cannot be used' }),
    signal,
  });
  log({ type: 'listening', url: receiver.url, verifiers: verifiers.map(({ name }) => name) });
  if (mayDumpCore()) log({ type: 'core-dumps', problem: 'a crash may write passwords to a core file' });
  await receiver.stopped;
};

/** Connects so that the signal of the command does not end requests: logins in progress at a stop are still written. */
async function connectForLogins(flags: ConnectionFlags, context: CommandContext, patience: number) {
  const requests = new AbortController();
  // Each of many concurrent requests adds a listener.
  setMaxListeners(0, requests.signal);
  const client = await connect(flags, context, {
    signal: requests.signal,
    // A login cannot wait for a rate limit.
    pause: 'never',
    retryLimits: {
      firstWait: 100,
      longestWait: 1000,
      patience,
      firstPatience: patience,
      pauses: 0,
      longestPause: 0,
    },
  });
  context.onEnd(() => requests.abort(new InterruptedError()));
  return client;
}

/**
 * Throws if the ids or the journal belong to other users. If the service cannot be reached, continues: each login asks
 * it.
 */
async function requireUsers(
  list: UserList | undefined,
  migrated: readonly MigratedUser[],
  service: LoginService,
) {
  try {
    if (list !== undefined) await requireIds(list, service);
    await requireSameUsers(migrated, service);
  } catch (error) {
    if (error instanceof IdportError && error.code.startsWith('jit:')) throw error;
  }
}

/** Returns what receivers may share: who has migrated, whose password is being written, and wrong passwords. */
function shareState(
  shared: SharedState | undefined,
  migrated: Migrated,
  clock: Clock,
): Pick<ReceiverParts, 'migrated' | 'alone' | 'byUser' | 'byAddress'> {
  const byUser = createGuessLimits(clock, userRule);
  const byAddress = createGuessLimits(clock, addressRule);
  if (shared === undefined) return { migrated, alone: (_, work) => work(), byUser, byAddress };
  return {
    migrated: shared.migrated(migrated),
    alone: (userId, work) => shared.alone(userId, work),
    byUser: shared.limits(byUser, 'user', userRule),
    byAddress: shared.limits(byAddress, 'address', addressRule),
  };
}

/** Concurrent first logins per thread. A check and a hash take about 60 ms each, and a call has 1.8 seconds. */
const maxPerThread = 8;

/** How long a login name is remembered (ms). Not longer, because a login name can be given to another user. */
const loginNamesFor = 10 * 60_000;

/**
 * Maximum bytes of log lines that wait for a slow reader of standard output. Further lines are dropped, so that logins go
 * on.
 */
const maxBufferedBytes = 1024 * 1024;

function createLog({ clock, stdout }: CommandContext): (line: object) => void {
  return (line) => {
    if (stdout.writableLength > maxBufferedBytes) return;
    const text = `${printable(JSON.stringify({ at: new Date(clock.now()).toISOString(), ...line }))}\n`;
    // A reader that has closed the output must not stop logins.
    print(stdout, text).catch(() => undefined);
  };
}

/** Throws `UsageError` if passwords would travel without TLS, or a verifier may take the whole time of a login. */
function readListenOptions(flags: JitServeFlags, context: CommandContext) {
  if (flags.verifierTimeout >= flags.answerWithin) {
    throw new UsageError(
      '--verifier-timeout has to be shorter than --answer-within',
      'Otherwise one verifier that does not answer takes all the time of a login.',
    );
  }
  const { host, port } = readAddress(flags.listen);
  const tls = openTls(flags, context);
  if (tls === undefined && !isLoopback(host) && !flags.plainHttp) {
    throw new UsageError(
      `--listen ${flags.listen}: passwords would travel without TLS`,
      'Pass --tls-cert and --tls-key, listen on 127.0.0.1 behind a proxy that has TLS, or pass --plain-http.',
    );
  }
  return { host, port, tls };
}

function readAddress(text: string) {
  const [, host = '', digits = ''] = /^(.*):(\d{1,5})$/s.exec(text) ?? [];
  const port = digits === '' ? Number.NaN : Number(digits);
  if (host !== '' && port <= 65_535) return { host: host.replace(/^\[(.*)\]$/, '$1'), port };
  throw new UsageError(`--listen ${text}: not an address`, 'For example 127.0.0.1:9600.');
}

function openTls({ tlsCert, tlsKey }: JitServeFlags, { cwd }: CommandContext) {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new UsageError('--tls-cert and --tls-key belong together');
  }
  return () => ({ cert: readText(tlsCert, cwd), key: readText(tlsKey, cwd) });
}

/** Switches off Node's diagnostic reports, which contain the command line and the environment. */
function disableNodeReports() {
  const { report } = process;
  report.reportOnFatalError = false;
  report.reportOnUncaughtException = false;
  report.reportOnSignal = false;
}

/** Reports whether a crash may write the memory of this process, with passwords, to a file. Only Linux tells. */
export function mayDumpCore(limitsFile = '/proc/self/limits') {
  try {
    // proc(5): the name of the limit, then its soft and its hard value.
    const [, soft = '0'] = /^Max core file size\s+(\S+)/m.exec(readFileSync(limitsFile, 'utf8')) ?? [];
    return soft !== '0';
  } catch {
    return false;
  }
}

/** Minimum time between two reports of problems of the store (ms). */
const betweenReportsMs = 10_000;

/** Returns undefined without `--shared-state`. `onProblem` receives the code of an error. */
async function openSharedState(
  { sharedState }: SharedStateFlags,
  service: string,
  context: CommandContext,
  onProblem: (code: string) => void,
) {
  const { clock, onEnd } = context;
  let toldAt = -Infinity;
  const tell = (code: string) => {
    if (clock.monotonic() - toldAt < betweenReportsMs) return;
    toldAt = clock.monotonic();
    onProblem(code);
  };
  const store = await openStoreOf('shared-state', sharedState, context, tell);
  if (store === undefined) return undefined;
  const state = createSharedState(store, { service, clock, onProblem: tell });
  onEnd(() => state.close());
  return state;
}

/**
 * Reads each migrated user of the journal and of the shared state once. Resolves to their ids. Throws `jit:journal`, and
 * `shared-state:unreachable` if the shared state cannot be read.
 */
export async function readAllMigrated(
  flags: SharedStateFlags & { readonly journal: string },
  { client, service }: { readonly client: Client; readonly service: LoginService },
  context: CommandContext,
  each?: (user: MigratedUser) => void,
) {
  const seen = createIdSet();
  const first: MigratedUser[] = [];
  const once = (user: MigratedUser) => {
    if (seen.has(user.id)) return;
    seen.add(user.id);
    if (first.length < sampleSize) first.push(user);
    each?.(user);
  };
  await readMigratedUsers(resolve(context.cwd, flags.journal), once);
  let problem = '';
  const shared = await openSharedState(flags, client.url, context, (code) => (problem = code));
  try {
    await shared?.readMigrated(once);
  } catch (cause) {
    throw new IdportError(
      'shared-state:unreachable',
      `the shared state cannot be read: ${problem || codeOf(cause)}`,
      'Check the address, or leave --shared-state out to see the journal of this machine alone.',
    );
  }
  await requireSameUsers(first, service);
  return seen;
}
