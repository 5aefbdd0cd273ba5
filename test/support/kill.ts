/** A run that is killed at one of its requests, while the process of the test continues. */
import type { Send } from '../../src/api/send.ts';
import { defer } from './jit.ts';

/**
 * A service that stops to exist for its client at request number `at`, which it `isSeen` or not; `keep` saves what is on
 * disk at that moment.
 */
export function killAt(at: number, isSeen: boolean, exchange: Send, keep: () => void) {
  const { promise: killed, resolve: kill } = defer<'killed'>();
  const never = new Promise<never>(() => {});
  let sent = 0;
  let dead = false;
  const send: Send = async (request) => {
    if (dead) return never;
    const isLast = sent++ === at;
    dead ||= isLast;
    const answer = isLast && !isSeen ? undefined : await exchange(request);
    if (isLast) {
      keep();
      kill('killed');
    }
    return dead || answer === undefined ? never : answer;
  };
  return { send, killed };
}
