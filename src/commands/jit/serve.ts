/** `idport jit serve`: the receiver of login-time migration, until it is stopped. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { ExitCode, UsageError } from '../../errors.ts';
import { readSigningKeys } from '../../flows/actions/signing-keys.ts';
import { addressRule, createGuessLimits, userRule } from '../../flows/jit/guess-limits.ts';
import { createHashPool } from '../../flows/jit/hash-pool.ts';
import { createMetrics } from '../../flows/jit/metrics.ts';
import { openMigratedUsers } from '../../flows/jit/migrated-users.ts';
import { startReceiver } from '../../flows/jit/receiver.ts';
import { createLoginService } from '../../flows/jit/service.ts';
import { createVerifierChain } from '../../flows/jit/verifier.ts';
import { isLoopback } from '../../lib/loopback.ts';
import { inputProblem } from '../../storage/input-problem.ts';
import { print } from '../../storage/stream-sink.ts';
import { readDuration } from '../values.ts';
import { connect, type ConnectionFlags } from '../connect.ts';
import type { Action, CommandContext } from '../context.ts';
import { readSecrets } from './secrets.ts';
import { openVerifiers, type VerifierFlags } from './verifiers.ts';

export interface JitServeFlags extends ConnectionFlags, VerifierFlags {
  /** `<host>:<port>` */
  readonly listen: string;
  readonly signingKeyFile: readonly string[];
  readonly journal: string;
  readonly answerWithin: string;
  readonly verifierTimeout: string;
  readonly requireChange?: boolean;
  readonly anyUser?: boolean;
  readonly secret?: readonly string[];
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly plainHttp?: boolean;
}

export const serveJit: Action<JitServeFlags> = async (flags, context) => {
  const { clock, cwd, stdout, signal } = context;
  const { host, port } = readAddress(flags.listen);
  const tls = readTls(flags, context);
  if (tls === undefined && !isLoopback(host) && flags.plainHttp !== true) {
    throw new UsageError(`--listen ${flags.listen}: passwords would travel without TLS`, {
      hint: 'Give --tls-cert and --tls-key, listen on 127.0.0.1 behind a proxy that has TLS, or say --plain-http.',
    });
  }
  const answerWithin = readDuration('--answer-within', flags.answerWithin);
  const timeout = readDuration('--verifier-timeout', flags.verifierTimeout);
  const client = await connect(flags, context);
  const pool = await createHashPool(availableParallelism(), {
    secrets: readSecrets(flags.secret ?? [], context),
  });
  const closing: (() => unknown)[] = [() => client.close(), () => pool.close()];
  try {
    const { verifiers, list } = await openVerifiers(flags, { cwd, clock, pool });
    if (list !== undefined) closing.push(() => list.close());
    if (list === undefined && flags.anyUser !== true) {
      throw new UsageError('it is not said which users may be asked about', {
        hint: 'Give the list of migrate --jit-hashes with --users, or --any-user for all without a password.',
      });
    }
    const migrated = await openMigratedUsers(resolve(cwd, flags.journal));
    closing.push(() => migrated.close());
    const metrics = createMetrics({ migrated: () => migrated.size, listed: () => list?.size ?? 0 });
    const log = (line: object): void => {
      void print(stdout, `${JSON.stringify({ at: new Date(clock.now()).toISOString(), ...line })}\n`);
    };
    const chain = createVerifierChain(verifiers, {
      clock,
      timeout,
      onResult: (...result) => metrics.verified(...result),
      onProblem: (verifier, problem) => log({ type: 'verifier', verifier, problem }),
    });
    closing.push(() => chain.close());
    const receiver = await startReceiver({
      service: createLoginService(client),
      list,
      migrated,
      verifiers: chain,
      byUser: createGuessLimits(clock, userRule),
      byAddress: createGuessLimits(clock, addressRule),
      hash: async (password) => {
        const result = await pool.run({ do: 'hash', password });
        if ('hash' in result) return result.hash;
        throw new Error('the password was not hashed');
      },
      requireChange: flags.requireChange ?? false,
      clock,
      host,
      port,
      tls,
      keys: () => readSigningKeys(flags.signingKeyFile, cwd),
      answerWithin,
      isReady: async () => {
        await readSigningKeys(flags.signingKeyFile, cwd);
        return (await client.attempt({ method: 'GET', path: '/debug/healthz', anonymous: true })).ok;
      },
      metrics,
      onDecision: (decision) => log({ type: 'login', ...decision }),
      onRefused: (reason) => log({ type: 'refused', reason }),
      signal,
    });
    log({ type: 'listening', url: receiver.url, verifiers: verifiers.map(({ name }) => name) });
    await receiver.stopped;
    return ExitCode.done;
  } finally {
    for (const close of closing.toReversed()) await close();
  }
};

function readAddress(text: string): { readonly host: string; readonly port: number } {
  const [, host = '', digits = ''] = /^(.*):(\d{1,5})$/s.exec(text) ?? [];
  const port = digits === '' ? Number.NaN : Number(digits);
  if (host !== '' && port <= 65_535) return { host: host.replace(/^\[(.*)\]$/, '$1'), port };
  throw new UsageError(`--listen ${text}: not an address`, { hint: 'For example 127.0.0.1:9600.' });
}

function readTls({ tlsCert, tlsKey }: JitServeFlags, { cwd }: CommandContext) {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new UsageError('--tls-cert and --tls-key belong together');
  }
  const read = (file: string): string => {
    const path = resolve(cwd, file);
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      throw inputProblem(file, error, path);
    }
  };
  return { cert: read(tlsCert), key: read(tlsKey) };
}
