/** Opens the Redis or Valkey of a flag or of its variable, which process lists do not show. */
import { warning } from '../events.ts';
import { openSharedStore, type SharedStore } from '../storage/redis.ts';
import type { CommandContext } from './context.ts';

/** Undefined if none is given. The variable of `--rate-store` is `IDPORT_RATE_STORE`. `onProblem` gets the code of an error. */
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
