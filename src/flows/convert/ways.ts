/** Compares the ways to import: what each would send, and whom it lets sign in. */
import type { Comparison } from '../../records/sections.ts';
import { countMessages, noMessageCounts, type Route, sumEmails } from '../../records/messages.ts';
import { type Prospects, signInBy } from '../../records/sign-in.ts';
import { count, type Counts, type Tally } from '../../records/tally.ts';
import type { UserKind } from './batch.ts';

export class Ways {
  readonly #single = noMessageCounts();
  readonly #bulk = noMessageCounts();
  #newIds = 0;
  /** Rejected, because only the bulk import takes them. */
  #onlyBulk = 0;
  /** Users who have no way in, and of whom the export has no password. */
  #unknown = 0;

  /** Users who are written, by what they have in common. */
  add({ newId, prospects, codes }: UserKind, users: number): void {
    if (newId) this.#newIds += users;
    if (prospects === undefined) return;
    if (withoutPassword.has(prospects.signIn) && codes.some((code) => noneCodes.has(code)))
      this.#unknown += users;
    count(this.#single.signIn, signInBy('one-call', prospects), users);
    this.#addToBulk(prospects, users);
  }

  /** A user whom the route that was chosen rejects, and the bulk import does not. */
  addInBulk(prospects: Prospects): void {
    this.#onlyBulk += 1;
    this.#addToBulk(prospects, 1);
  }

  #addToBulk(prospects: Prospects, users: number): void {
    count(this.#bulk.signIn, signInBy('import', prospects), users);
    countMessages(this.#bulk, prospects.messages, users);
  }

  /** Puts the counts of the chosen one into the tally. */
  choose(route: Route, tally: Tally): void {
    Object.assign(tally, route === 'import' ? this.#bulk : this.#single);
  }

  compare(isOlder = false): Comparison {
    const single = this.#single.signIn;
    const later = sum(single, withoutPassword);
    // An export without any password does not say who has none.
    const hasPasswords = sum(single, ['password']) + later > this.#unknown;
    return {
      single: sum(single, ['password']),
      bulk: sum(this.#bulk.signIn, ['password']),
      onlyBulk: sum(single, ['only-bulk']) + this.#onlyBulk,
      newIds: this.#newIds,
      later: hasPasswords ? later - this.#unknown : later,
      isOlder,
      emails: sumEmails(this.#bulk),
      sms: this.#bulk.sms,
    };
  }
}

const noneCodes: ReadonlySet<string> = new Set(['password:none', 'password:never']);

const sum = (counts: Counts, names: Iterable<string>) =>
  [...names].reduce((all, name) => all + (counts.get(name) ?? 0), 0);

/** Kinds of users whose old password `idport jit` might check. */
const withoutPassword: ReadonlySet<string> = new Set([
  'first-login',
  'old-system',
  'placeholder',
  'set-password',
  'refused-hash',
  'locked-out',
]);
