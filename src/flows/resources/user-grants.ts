/**
 * Reads user grants that the service lists, and finds those that a bulk import wrote: by organization, user, project and roles.
 */
import { hash } from 'node:crypto';
import { type Client, searchPages } from '../../api/client.ts';
import { type FoundJournal, readAttempts } from '../../journal/load.ts';
import { isInRanges, rangesOf } from '../../journal/lines.ts';
import type { BodyUserGrant } from '../../sources/org-data/projects.ts';
import { listUserGrantsResponse, type ListUserGrantsResponse } from '../../wire/user.ts';

export type UserGrant = ListUserGrantsResponse['result'][number];
/**
 * Yields the pages of grants to users of an organization, of one project or to one user if these are given. `details` of a page
 * say up to when the list is current.
 */
export const listUserGrantPages = (client: Client, org: string, projectId?: string, userId?: string) =>
  searchPages(client, '/management/v1/users/grants/_search', listUserGrantsResponse, {
    org,
    body: {
      queries: [
        ...(userId === undefined ? [] : [{ userIdQuery: { userId } }]),
        ...(projectId === undefined ? [] : [{ projectIdQuery: { projectId } }]),
      ],
    },
  });

type Grant = Pick<BodyUserGrant, 'org' | 'userId' | 'projectId' | 'roleKeys'>;

/** Does not depend on the order of the roles. */
export function fingerprintGrant({ org, userId, projectId, roleKeys }: Grant) {
  const text = JSON.stringify([org, userId, projectId, roleKeys.toSorted()]);
  return hash('sha256', text, 'base64url').slice(0, 16);
}

/** Returns those of the fingerprints whose grants the service created in the run of a journal. */
export async function findWritten({ path, header }: FoundJournal, sought: ReadonlySet<string>) {
  const written = new Set<string>();
  const ranges = rangesOf(header).filter(({ list }) => list === 'userGrants');
  for await (const { intent, outcome } of readAttempts(path)) {
    const { entries, grants = [] } = intent;
    const created = new Set(outcome?.created);
    const numbers = entries.filter((entry) => isInRanges(ranges, entry));
    for (const [at, fingerprint] of grants.entries()) {
      if (created.has(numbers[at] ?? -1) && sought.has(fingerprint)) written.add(fingerprint);
    }
  }
  return written;
}
