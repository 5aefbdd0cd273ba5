/** When to stop a run because too many users fail: `--max-errors`. */
import { IdportError } from '../../errors.ts';

const enoughForShare = 100;
const enoughToBeHopeless = 30;

export class ErrorLimit {
  readonly #most: number;
  /** Part of the users that were sent, from 0 to 1. */
  readonly #share: number;
  readonly #hopeless: number;
  #failed = 0;
  #sent = 0;

  /** Without either, a run stops when its first users are all refused. */
  constructor({ most, share }: { most?: number; share?: number }) {
    this.#most = most ?? Infinity;
    this.#share = share ?? Infinity;
    this.#hopeless = most === undefined && share === undefined ? enoughToBeHopeless : Infinity;
  }

  arrived(): void {
    this.#sent += 1;
  }

  /** Throws where the run is to stop. */
  failed(detail: string): void {
    this.#sent += 1;
    this.#failed += 1;
    if (this.#failed > this.#most) {
      throw tooMany(`more users have failed than --max-errors=${this.#most} allows`, detail);
    }
    if (this.#sent >= enoughForShare && this.#failed > this.#share * this.#sent) {
      throw tooMany(`${this.#failed} of ${this.#sent} users have failed`, detail);
    }
    if (this.#failed === this.#sent && this.#sent >= this.#hopeless) {
      throw tooMany(`the first ${this.#sent} users have all failed`, detail);
    }
  }
}

function tooMany(what: string, last: string): IdportError {
  return new IdportError(
    'import:too-many-errors',
    `${what}, the last one with: ${last}`,
    'Find out why first; `idport check` tells what the target accepts. --resume does not send refused users again: import them from the file of --rejects.',
  );
}
