/** Decides when to stop a run because too many users fail: `--max-errors`. */
import { IdportError } from '../../errors.ts';

const enoughForShare = 100;
const enoughToBeHopeless = 30;

export type ErrorLimit = ReturnType<typeof createErrorLimit>;

/**
 * `share` is a part of the users sent, from 0 to 1. Without `most` and `share`, a run stops if its first users are all refused.
 */
export function createErrorLimit({ most = Infinity, share = Infinity }: { most?: number; share?: number }) {
  const hopeless = most === Infinity && share === Infinity ? enoughToBeHopeless : Infinity;
  let failed = 0;
  let sent = 0;
  return {
    arrived() {
      sent += 1;
    },
    /** Throws `import:too-many-errors` if the run is to stop. */
    failed(detail: string) {
      sent += 1;
      failed += 1;
      if (failed > most) throw tooMany(`more users have failed than --max-errors=${most} allows`, detail);
      if (sent >= enoughForShare && failed > share * sent) {
        throw tooMany(`${failed} of ${sent} users have failed`, detail);
      }
      if (failed === sent && sent >= hopeless) {
        throw tooMany(`the first ${sent} users have all failed`, detail);
      }
    },
  };
}

function tooMany(what: string, last: string) {
  return new IdportError(
    'import:too-many-errors',
    `${what}, the last one with: ${last}`,
    'Find out why first; `idport check` tells what the target accepts. --resume does not send refused users again: import them from the file of --rejects.',
  );
}
