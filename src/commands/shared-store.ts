/** Opens the Redis or Valkey of a flag or of its variable, which process lists do not show. */
import { warning } from '../events.ts';
import { openSharedStore, type SharedStore } from '../storage/redis.ts';
import type { CommandContext } from './context.ts';

interface StoreFlag {
  /** `--rate-store`; its variable is `IDPORT_RATE_STORE`. */
  readonly flag: '--rate-store' | '--shared-state';
  readonly given: string | undefined;
}

/** Undefined if none is given. `onProblem` gets the code of an error. */
export async function openStoreOf(
  { flag, given }: StoreFlag,
  { emit, env }: CommandContext,
  onProblem: (code: string) => void,
): Promise<SharedStore | undefined> {
  const name = flag === '--rate-store' ? 'rate-store' : 'shared-state';
  const variable = `IDPORT_${name.toUpperCase().replaceAll('-', '_')}`;
  const address = given ?? env[variable] ?? '';
  if (address === '') return undefined;
  if (/^\w+:\/\/[^/]*@/.test(given ?? '')) {
    emit(
      warning(
        `${name}:visible`,
        `A password in ${flag} can be seen by other users of this machine: use ${variable}.`,
      ),
    );
  }
  return openSharedStore(flag, address, { onProblem });
}
