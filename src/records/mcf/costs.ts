/** Which hashes are too costly to work with: one check of them would stop a machine, the target's as well as this one. */
import type { HashDescription, VerifierName } from './algorithm.ts';

/**
 * Far above what login systems use, by the names of `HashParameters`. Of scrypt, `size` is N × r × p: 512 MiB. Argon2
 * may use 512 MiB as well. PBKDF2 runs in native code, which ends late when its thread is ended: a few seconds of work.
 */
const highest: Readonly<Partial<Record<VerifierName, Readonly<Record<string, number>>>>> = {
  argon2: { time: 64, memory: 524_288, threads: 64 },
  bcrypt: { cost: 18 },
  drupal7: { iterations: 2 ** 24 },
  pbkdf2: { rounds: 5_000_000 },
  phpass: { rounds: 24 },
  scrypt: { size: 2 ** 22 },
  sha2: { rounds: 10_000_000 },
};

/** `time 4294967295 is beyond 64`; undefined for a hash that can be checked. */
export function tooCostly({
  verifier,
  parameters,
}: Pick<HashDescription, 'verifier' | 'parameters'>): string | undefined {
  const { ln = 0, r = 0, p = 0 } = parameters;
  const costs: Readonly<Record<string, number>> =
    verifier === 'scrypt' ? { size: 2 ** ln * r * p } : parameters;
  for (const [name, most] of Object.entries(highest[verifier] ?? {})) {
    const cost = costs[name] ?? 0;
    if (!(cost <= most)) return `${name} ${cost} is beyond ${most}`;
  }
  return undefined;
}
