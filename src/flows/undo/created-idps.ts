/** Finds the identity providers that a run of `create-idps` has made. */
import type { Client } from '../../api/client.ts';
import { readAttempts } from '../../journal/load.ts';
import { kinds } from '../resources/kinds.ts';
import type { CreatedPart } from './created-resources.ts';
import type { UndoRun } from './may-delete.ts';

/** Those of the journal that are still there. Throws `ApiError`. */
export async function findMade(
  client: Client,
  { path, journal: { header, open } }: Pick<UndoRun, 'path' | 'journal'>,
): Promise<CreatedPart[]> {
  const { creates = [], orgs } = header;
  const ids = new Map<number, string>();
  for await (const { outcome } of readAttempts(path)) {
    for (const [entry, id] of outcome?.ids ?? []) ids.set(entry, id);
  }
  const [org = ''] = orgs;
  const there = await kinds.idp.list(client, { org, parent: '' });
  // The answer was lost: it is the one with the name that was created since.
  for (const { entries, at } of open) {
    const [entry = 0] = entries;
    const name = creates[entry]?.[3];
    const found = there.find((idp) => idp.name === name && idp.createdAt >= at - clockStep);
    if (found !== undefined) ids.set(entry, found.id);
  }
  return [...ids].flatMap(([entry, id]): CreatedPart[] => {
    const name = creates[entry]?.[3] ?? '';
    const isThere = there.some((idp) => idp.id === id && idp.isOfInstance === false);
    return isThere ? [{ kind: 'idp', org, parent: '', id, name }] : [];
  });
}

/** The service's `Date` has whole seconds. */
const clockStep = 1000;
