/** The list of `migrate --jit-list`: no old system is needed. */
import type { HashThreads } from '../../hashing/hash-threads.ts';
import { AttemptError, type Verifier } from '../verifier.ts';

/** Tasks of one thread, the one that runs included: with bcrypt about half a second. */
const mostAtOne = 8;

export function hashes(threads: HashThreads): Omit<Verifier, 'name'> {
  return {
    async check({ listed, password }) {
      if (listed?.form === undefined) return 'unknown';
      if (threads.underWay >= mostAtOne) throw new AttemptError('too many passwords are being checked');
      const result = await threads.run({ do: 'verify', form: listed.form, password });
      if ('matches' in result) return result.matches ? 'right' : 'wrong';
      throw new AttemptError(result.problem);
    },
    close: async () => {},
  };
}
