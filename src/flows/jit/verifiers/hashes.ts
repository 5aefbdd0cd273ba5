/** The list of `migrate --jit-hashes`: no old system is needed. */
import { VerifierError, type Verifier } from '../verifier.ts';
import type { HashPool } from '../hash-pool.ts';

export function hashes(pool: HashPool): Omit<Verifier, 'name'> {
  return {
    async check({ listed, password }) {
      if (listed === undefined) return 'unknown';
      const result = await pool.run({ do: 'verify', form: listed.form, password });
      if ('matches' in result) return result.matches ? 'right' : 'wrong';
      throw new VerifierError('problem' in result ? result.problem : 'the hash was not checked');
    },
    close: async () => {},
  };
}
