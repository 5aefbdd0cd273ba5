/** `--rate-store`: the limits of a run, kept together with other processes through a Redis or Valkey. */
import type { Client } from '../api/client.ts';
import { createSharedRate, type SharedRate } from '../api/shared-rate.ts';
import { parseBase } from '../api/url.ts';
import { IdportError, UsageError } from '../errors.ts';
import type { Shard } from '../flows/source/shard.ts';
import { codeOf } from '../storage/redis.ts';
import type { TargetProfile } from '../wire/profile.ts';
import type { ConnectionFlags, ShardFlags, SpeedFlags } from '../flags/connection.ts';
import { connect } from './connect.ts';
import type { CommandContext } from './context.ts';
import { speedOptions } from './service-limits.ts';
import { openStoreOf } from './shared-store.ts';

type Flags = Pick<ShardFlags, 'rateStore'> & SpeedFlags & ConnectionFlags & { readonly concurrency: number };

/** A client that also closes the store. Without a store, each shard gets its part of the rate. */
export async function connectAtRate(
  flags: Flags,
  profile: TargetProfile,
  context: CommandContext,
  shard: Shard | undefined,
): Promise<Client> {
  const whole = speedOptions(flags, profile);
  const shared = await openSharedRate(flags, whole, context);
  const speed = shared === undefined ? speedOptions(flags, profile, shard?.count) : { ...whole, shared };
  return connect(flags, context, { ...speed, connections: flags.concurrency });
}

async function openSharedRate(
  { rateStore, url }: Flags,
  { limits = [] }: ReturnType<typeof speedOptions>,
  context: CommandContext,
): Promise<SharedRate | undefined> {
  const address = url ?? context.env['IDPORT_URL'] ?? '';
  // `connect` reports the missing address.
  if (address === '') return undefined;
  let problem = '';
  const store = await openStoreOf('rate-store', rateStore, context, (code) => (problem = code));
  if (store === undefined) return undefined;
  try {
    if (limits.length === 0) {
      throw new UsageError('--rate-store without a rate', {
        hint: 'Give the rate of all processes: --rate 45/s.',
      });
    }
    await store.send('PING').catch((cause: unknown) => {
      throw new IdportError(
        'rate-store:unreachable',
        `the store of --rate-store, ${store.host}, cannot be used: ${problem || codeOf(cause)}`,
        {
          hint: 'Check the address, the password, and that the store runs.',
        },
      );
    });
  } catch (error) {
    store.close();
    throw error;
  }
  const service = parseBase(address);
  const rate = createSharedRate({
    send: (...command) => store.send(...command),
    service,
    limits,
    clock: context.clock,
  });
  const close = (): void => {
    rate.close();
    store.close();
  };
  return { ...rate, close };
}
