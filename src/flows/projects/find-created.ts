/** Finds what a request that was refused would have created. */
import type { ApiError } from '../../api/api-error.ts';
import { pauseForList, type ListContext } from '../reconcile/list-lag.ts';

const conflict = 409;

/**
 * An answer that was lost may have created it, or another shard. Lists lag behind writes, so where the service says that
 * it is there, it is waited for. Throws the refusal.
 */
export async function findCreated<Found>(
  context: ListContext,
  refusal: ApiError,
  find: () => Promise<Found | undefined>,
): Promise<Found> {
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (refusal.status !== conflict || context.wait.left <= 0) throw refusal;
    await pauseForList(context, 1000);
  }
}
