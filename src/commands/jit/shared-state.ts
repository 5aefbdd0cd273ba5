/** Opens what receivers share: `--shared-state`, or the variable, which no process list shows. */
import { resolve } from 'node:path';
import { IdportError } from '../../errors.ts';
import { IdSet, type MigratedUser, readMigratedUsers } from '../../flows/jit/migrated-users.ts';
import { createSharedState, type SharedState } from '../../flows/jit/shared-state.ts';
import { codeOf, openSharedStore } from '../../storage/redis.ts';
import type { CommandContext } from '../context.ts';

export interface SharedStateFlags {
  /** `redis://...` or `valkey://...`. */
  readonly sharedState?: string;
}

/** A store that is away is told so often at most (ms). */
const tellEvery = 10_000;

/** Undefined where none is given. `onProblem` gets the code of an error. */
export async function openSharedState(
  { sharedState }: SharedStateFlags,
  service: string,
  { clock, emit, env }: CommandContext,
  onProblem: (code: string) => void,
): Promise<SharedState | undefined> {
  const address = sharedState ?? env['IDPORT_SHARED_STATE'] ?? '';
  if (address === '') return undefined;
  if (/^\w+:\/\/[^/]*@/.test(sharedState ?? '')) {
    emit({
      type: 'notice',
      level: 'warning',
      code: 'shared-state:visible',
      text: 'A password in --shared-state can be seen by other users of this machine: use IDPORT_SHARED_STATE.',
    });
  }
  let toldAt = Number.NEGATIVE_INFINITY;
  const tell = (code: string): void => {
    if (clock.monotonic() - toldAt < tellEvery) return;
    toldAt = clock.monotonic();
    onProblem(code);
  };
  const store = await openSharedStore('--shared-state', address, { onProblem: tell });
  return createSharedState(store, service, tell);
}

/** Of the journal, and of all receivers where they share their state: each user once. */
export async function readAllMigrated(
  flags: SharedStateFlags & { readonly journal: string },
  service: string,
  context: CommandContext,
  each: (user: MigratedUser) => void,
): Promise<void> {
  const seen = new IdSet();
  const once = (user: MigratedUser): void => {
    if (seen.has(user.id)) return;
    seen.add(user.id);
    each(user);
  };
  await readMigratedUsers(resolve(context.cwd, flags.journal), once);
  let problem = '';
  const shared = await openSharedState(flags, service, context, (code) => (problem = code));
  try {
    await shared?.readMigrated(once);
  } catch (cause) {
    throw new IdportError(
      'shared-state:unreachable',
      `the shared state cannot be read: ${problem || codeOf(cause)}`,
      {
        hint: 'Check the address, or leave --shared-state out to see the journal of this machine alone.',
      },
    );
  } finally {
    shared?.close();
  }
}
