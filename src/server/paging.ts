/** Paging and the `details` of lists. */
import type { z } from 'zod';
import type { listDetails, ListQuery } from '../wire/details.ts';
import { grpcCodes } from '../wire/errors.ts';
import { formatTimestamp } from '../wire/scalars.ts';
import type { ServerState } from './context.ts';
import { refusal } from './errors.ts';

export const maxPage = 1000;

export interface Page {
  readonly offset: number;
  readonly limit: number;
  readonly ascending: boolean;
}

/** Version 1 has no limit of its own, version 2 gives 100; more than 1,000 at a time is refused. */
export function pageOf(query: ListQuery | undefined, defaultLimit = Infinity): Page {
  const limit = query?.limit ?? 0;
  if (limit > maxPage) throw refusal(grpcCodes.invalidArgument, 'QUERY-4M0fs', 'Errors.Query.LimitExceeded');
  return {
    offset: Number(query?.offset ?? 0),
    limit: limit === 0 ? defaultLimit : limit,
    ascending: query?.asc === true,
  };
}

export function takePage<T>(items: readonly T[], page: Page): T[] {
  return items.slice(page.offset, page.offset + page.limit);
}

export function listDetailsOf(state: ServerState, total: number): z.input<typeof listDetails> {
  return {
    totalResult: String(total),
    processedSequence: String(state.store.users.size),
    viewTimestamp: formatTimestamp(state.settings.clock.now()),
  };
}
