/** The hash string that was written or read last: the check against the target asks for it next. */
import type { HashAlgorithm, Recognised } from './algorithm.ts';

let latest: Recognised | undefined;

/** The hash string of parts, and what it is. */
export function remember<Parts>({ encode, describe }: HashAlgorithm<Parts>, parts: Parts): Recognised {
  return (latest = { mcf: encode(parts), ...describe(parts) });
}

/** Undefined for any other. */
export const recall = (mcf: string): Recognised | undefined => (latest?.mcf === mcf ? latest : undefined);
