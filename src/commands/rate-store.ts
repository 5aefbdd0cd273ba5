/** `--rate-store`: shares the rate limits of a run with other processes through Redis or Valkey. */
import { createSharedRate, type SharedRate } from '../api/shared-rate.ts';
import { parseBase } from '../api/url.ts';
import { IdportError, UsageError } from '../errors.ts';
import type { Shard } from '../flows/source/shard.ts';
import { codeOf, openSharedStore, type SharedStore } from '../storage/redis.ts';
import type { ConnectionFlags, ShardFlags, SpeedFlags } from '../flags/connection.ts';
import { connect, requireUrl } from './connect.ts';
import type { CommandContext } from './context.ts';
import { chooseProfile, rateOf, speedOptions } from './service-limits.ts';
import { warning } from '../events.ts';

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
): Promise<SharedRate | undefined> {
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
): Promise<SharedStore | undefined> {
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
