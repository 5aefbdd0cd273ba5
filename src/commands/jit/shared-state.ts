/** Opens the state that receivers share: `--shared-state`. */
import { resolve } from 'node:path';
import { IdportError } from '../../errors.ts';
import {
  createIdSet,
  type MigratedUser,
  readMigratedUsers,
  sampleSize,
} from '../../flows/jit/migrated-users.ts';
import { requireSameUsers } from '../../flows/jit/listed-users.ts';
import type { LoginService } from '../../flows/jit/service.ts';
import type { Client } from '../../api/client.ts';
import { createSharedState, type SharedState } from '../../flows/jit/shared-state.ts';
import { codeOf } from '../../storage/redis.ts';
import type { SharedStateFlags } from '../../flags/jit.ts';
import type { CommandContext } from '../context.ts';
import { openStoreOf } from '../rate-store.ts';

/** Minimum time between two reports of problems of the store (ms). */
const betweenReportsMs = 10_000;

/** Returns undefined without `--shared-state`. `onProblem` receives the code of an error. */
export async function openSharedState(
  { sharedState }: SharedStateFlags,
  service: string,
  context: CommandContext,
  onProblem: (code: string) => void,
): Promise<SharedState | undefined> {
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
