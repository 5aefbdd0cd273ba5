/** Splits a refused request into the parts to send instead. */
import type { Entry } from './entry.ts';

export function halve(entries: readonly Entry[]): Entry[][] {
  const middle = Math.ceil(entries.length / 2);
  return [entries.slice(0, middle), entries.slice(middle)].filter((half) => half.length > 0);
}

/**
 * The service says where it found the first fault (`Orgs[0]`, `HumanUsers[3]`): that entry alone, what stands before
 * it, and what stands behind it. Where it does not say, two halves: sooner or later the guilty one stands alone.
 */
export function cutOut(entries: readonly Entry[], text: string): Entry[][] {
  const suspect = findSuspect(entries, text);
  if (suspect === -1) return halve(entries);
  return [entries.slice(0, suspect), entries.slice(suspect, suspect + 1), entries.slice(suspect + 1)].filter(
    (part) => part.length > 0,
  );
}

/** The place in `entries`, or -1. Organizations stand in the request in the order in which they first come up. */
function findSuspect(entries: readonly Entry[], text: string): number {
  const org = /\.Orgs\[(\d+)\]/.exec(text)?.[1];
  const item = /\bDataOrg\.([A-Z]\w*)\[(\d+)\]/.exec(text);
  if (org === undefined || item === null) return -1;
  const orgIds = [...new Set(entries.map(({ orgId }) => orgId))];
  const orgId = orgIds[Number(org)];
  const list = item[1]!.charAt(0).toLowerCase() + item[1]!.slice(1);
  let left = Number(item[2]);
  return entries.findIndex((entry) => entry.orgId === orgId && entry.list === list && left-- === 0);
}
