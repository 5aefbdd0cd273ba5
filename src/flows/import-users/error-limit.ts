/** When to stop a run because too many users fail: `--max-errors`. */
import { IdportError } from '../../errors.ts';

const enoughForShare = 100;
const enoughToBeHopeless = 30;

export type ErrorLimit = ReturnType<typeof createErrorLimit>;

/** `share`: part of the users that were sent, from 0 to 1. Without either, a run stops when its first users are all refused. */
export function createErrorLimit({ most = Infinity, share = Infinity }: { most?: number; share?: number }) {
  const hopeless = most === Infinity && share === Infinity ? enoughToBeHopeless : Infinity;
  let failed = 0;
  let sent = 0;
  return {
    arrived() {
      sent += 1;
    },
    /** Throws where the run is to stop. */
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
