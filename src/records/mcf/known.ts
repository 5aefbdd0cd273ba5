/** What was found out about hash strings: those of a run have few beginnings, and differ in salt and key alone. */
import { flattenString } from '../../lib/flatten-string.ts';
import type { HashAlgorithm, Recognised } from './algorithm.ts';

type Tail = NonNullable<HashAlgorithm<never>['tail']>;

/** By what stands before salt and key. */
const known = new Map<string, { readonly found: Recognised; readonly tail: Tail }>();
const mostKnown = 1000;

/** A hash that was just written or read: the check against the target asks next. */
let latest: Recognised | undefined;

/** The hash string of parts, and what it is. Those with the same beginning have the very same parameters. */
export function describeParts<Parts>(
  { encode, describe, tail }: HashAlgorithm<Parts>,
  parts: Parts,
): Recognised {
  const mcf = encode(parts);
  const beginning = tail === undefined ? '' : mcf.slice(0, tail.start(mcf));
  const like = known.get(beginning);
  const { algorithm, verifier, parameters } = like?.found ?? describe(parts);
  latest = { mcf, algorithm, verifier, parameters };
  if (tail !== undefined && like === undefined && known.size < mostKnown)
    known.set(flattenString(beginning), { found: latest, tail });
  return latest;
}

/** Undefined for what has to be read. */
export function findKnown(text: string): Recognised | undefined {
  if (latest?.mcf === text) return latest;
  const last = text.lastIndexOf('$');
  // Salt and key are two parts of most.
  return findTail(text, text.lastIndexOf('$', last - 1) + 1) ?? findTail(text, last + 1);
}

function findTail(text: string, start: number): Recognised | undefined {
  const like = known.get(text.slice(0, start));
  if (like === undefined || !like.tail.isCanonical(text.slice(start))) return undefined;
  const { algorithm, verifier, parameters } = like.found;
  return (latest = { mcf: text, algorithm, verifier, parameters });
}
