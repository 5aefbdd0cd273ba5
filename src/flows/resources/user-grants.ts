/** The user grants that the service lists, and those that a bulk import has written: by organization, user, project and roles. */
import type { Input } from '../../wire/message.ts';
import { hash } from 'node:crypto';
import type { Client } from '../../api/client.ts';
import { searchPages } from '../../api/search.ts';
import { readLines } from '../../journal/load.ts';
import type { BodyUserGrant } from '../../sources/org-data/projects.ts';
import type * as grants from '../../wire/user-grant.ts';
import { listUserGrantsResponse, type ListUserGrantsResponse } from '../../wire/user-grant.ts';

export type UserGrant = ListUserGrantsResponse['result'][number];
type Queries = NonNullable<Input<typeof grants.listUserGrantsRequest>['queries']>;

/** One page after the other; its `details` say up to when the list shows what was written. */
export const listUserGrantPages = (
  client: Client,
  org: string,
  queries: Queries,
): AsyncGenerator<ListUserGrantsResponse> =>
  searchPages(client, '/management/v1/users/grants/_search', listUserGrantsResponse, {
    org,
    body: { queries },
  });

export async function* listUserGrants(
  client: Client,
  org: string,
  queries: Queries,
): AsyncGenerator<UserGrant> {
  for await (const { result } of listUserGrantPages(client, org, queries)) yield* result;
}

type Grant = Pick<BodyUserGrant, 'org' | 'userId' | 'projectId' | 'roleKeys'>;

/** In any order of the roles. */
export function fingerprintGrant({ org, userId, projectId, roleKeys }: Grant): string {
  const text = JSON.stringify([org, userId, projectId, roleKeys.toSorted()]);
  return hash('sha256', text, 'base64url').slice(0, 16);
}

/** Those of the fingerprints whose grants the service has created in the run of a journal. */
export async function findWritten(path: string, sought: ReadonlySet<string>): Promise<Set<string>> {
  const written = new Set<string>();
  const open = new Map<number, Map<number, string>>();
  let range = { from: 0, end: 0 };
  for await (const { line } of readLines(path)) {
    if (line.kind === 'header') range = rangeOf(line.header.plan);
    if (line.kind === 'intent') {
      const { attempt, entries, grants = [] } = line.intent;
      if (grants.length === 0) continue;
      const numbers = entries.filter((entry) => entry >= range.from && entry < range.end);
      open.set(attempt, new Map(numbers.map((entry, at) => [entry, grants[at] ?? ''])));
    }
    if (line.kind !== 'outcome') continue;
    const { attempt, created } = line.outcome;
    const ofAttempt = open.get(attempt);
    open.delete(attempt);
    for (const entry of ofAttempt === undefined ? [] : created) {
      const fingerprint = ofAttempt?.get(entry) ?? '';
      if (sought.has(fingerprint)) written.add(fingerprint);
    }
  }
  return written;
}

function rangeOf(plan: readonly (readonly [list: string, count: number])[]) {
  let from = 0;
  for (const [list, count] of plan) {
    if (list === 'userGrants') return { from, end: from + count };
    from += count;
  }
  return { from, end: from };
}
