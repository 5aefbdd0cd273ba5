/** Compares the ways to import: what each would send, and who could sign in. */
import type { Comparison } from '../../records/sections.ts';
import { countMessages, noMessageCounts, type Route, sumEmails } from '../../records/messages.ts';
import { type Prospects, signInBy } from '../../records/sign-in.ts';
import { count, type Counts, type Tally } from '../../records/tally.ts';
import type { UserKind } from './batch.ts';

export type Ways = ReturnType<typeof createWays>;

export function createWays() {
  const single = noMessageCounts();
  const bulk = noMessageCounts();
  let newIds = 0;
  /** Number of users rejected because only the bulk import accepts them. */
  let onlyBulk = 0;
  /** Number of users who have no way in, and whose password the export does not have. */
  let unknown = 0;
  const addToBulk = (prospects: Prospects, users: number) => {
    count(bulk.signIn, signInBy('import', prospects), users);
    countMessages(bulk, prospects.messages, users);
  };
  return {
    /** Adds written users of one kind. */
    add({ newId, prospects, codes }: UserKind, users: number) {
      if (newId) newIds += users;
      if (prospects === undefined) return;
      if (withoutPassword.has(prospects.signIn) && codes.some((code) => noneCodes.has(code)))
        unknown += users;
      count(single.signIn, signInBy('one-call', prospects), users);
      addToBulk(prospects, users);
    },
    /** Adds a user whom the chosen route rejects but the bulk import accepts. */
    addInBulk(prospects: Prospects) {
      onlyBulk += 1;
      addToBulk(prospects, 1);
    },
    /** Puts the counts of the chosen route into the tally. */
    choose: (route: Route, tally: Tally) => void Object.assign(tally, route === 'import' ? bulk : single),
    compare(isOlder = false): Comparison {
      const later = sum(single.signIn, withoutPassword);
      const withPassword = sum(single.signIn, ['password']);
      return {
        single: withPassword,
        bulk: sum(bulk.signIn, ['password']),
        onlyBulk: sum(single.signIn, ['only-bulk']) + onlyBulk,
        newIds,
        // An export without any passwords does not show who has none.
        later: withPassword + later > unknown ? later - unknown : later,
        isOlder,
        emails: sumEmails(bulk),
        sms: bulk.sms,
      };
    },
  };
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
