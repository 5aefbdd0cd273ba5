/** Forecasts the requests and the time of an import, and compares the ways: what each would send, and who could sign in. */
import type { Forecast, Way, Comparison } from '../../records/sections.ts';
import type { TargetProfile } from '../../wire/profile.ts';
import { countMessages, noMessageCounts, type Route } from '../../records/messages.ts';
import { type Prospects, signInBy } from '../../records/sign-in.ts';
import { count, type Counts, sumOf, type Tally } from '../../records/tally.ts';
import type { UserKind } from './batch.ts';

/** Speed of the hosted service's bulk import: "around 5,000 users" in five minutes, as its migration guides say. */
const hostedUsersPerSecond = 5000 / 300;

export type Forecaster = ReturnType<typeof createForecaster>;

export interface ForecastOptions {
  /** Price of one request, in any currency. */
  readonly price?: number | undefined;
  /** What a body has besides users: the number of user grants, and the bytes of all entries. */
  readonly beside?: { readonly grants: number; readonly bytes: number };
  /** Whether the service was asked and does not have CreateUser. */
  readonly isOlder?: boolean;
}

export function createForecaster(
  { requests: limits, rate }: TargetProfile,
  { price, beside = { grants: 0, bytes: 0 } }: ForecastOptions = {},
) {
  const hosted = rate !== null;
  let bulk = 0;
  let users = 0;
  let bytes = 0;
  let all = 0;
  let allBytes = 0;
  let calls = beside.grants;
  const full = (more: number) =>
    bytes + more > limits.maxBytes ||
    users === limits.maxUsers ||
    (limits.maxSeconds !== null && (users + 1) / hostedUsersPerSecond > limits.maxSeconds);

  return {
    /** Adds a record of the body with its size as protobuf, and the calls that it takes one by one. */
    add(size: number, single: number) {
      if (bulk === 0 || full(size)) {
        bulk++;
        users = 0;
        bytes = 0;
      }
      users++;
      bytes += size;
      all++;
      allBytes += size;
      calls += single;
    },
    finish(): Forecast {
      // These entries follow the users, whose last request has room for some.
      const further = Math.max(0, beside.bytes - (bulk === 0 ? 0 : limits.maxBytes - bytes));
      return {
        bulk: way(
          bulk + Math.ceil(further / limits.maxBytes),
          hosted ? all / hostedUsersPerSecond : undefined,
        ),
        single: way(calls, hosted ? calls / rate.clientPerSecond : undefined),
        bytes: allBytes + beside.bytes,
      };
    },
  };

  /** One by one, each call costs; in bulk, each body. */
  function way(count: number, seconds: number | undefined): Way {
    return { requests: count, seconds, cost: price && count * price };
  }
}

export type Ways = ReturnType<typeof createWays>;

export function createWays() {
  const single = noMessageCounts();
  const bulk = noMessageCounts();
  let newIds = 0;
  /** Number of users rejected because only the bulk import accepts them. */
  let onlyBulk = 0;
  /** Numbers of users who have no way in, by whether the export lacks their password, or they never had one. */
  let none = 0;
  let never = 0;
  const addToBulk = (prospects: Prospects, users: number) => {
    count(bulk.signIn, signInBy('import', prospects), users);
    countMessages(bulk, prospects.messages, users);
  };
  return {
    /** Adds written users of one kind. */
    add({ newId, prospects, codes }: UserKind, users: number) {
      if (newId) newIds += users;
      if (prospects === undefined) return;
      if (withoutPassword.has(prospects.signIn)) {
        if (codes.includes('password:never')) never += users;
        else if (codes.includes('password:none')) none += users;
      }
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
        later: later - never - (withPassword + later > none + never ? none : 0),
        isOlder,
        emails: sumOf(bulk.emails),
        sms: bulk.sms,
      };
    },
  };
}

const sum = (counts: Counts, names: Iterable<string>) =>
  [...names].reduce((all, name) => all + (counts.get(name) ?? 0), 0);

/** Kinds of users whose old password `idport jit` might check. */
const withoutPassword = new Set([
  'first-login',
  'old-system',
  'placeholder',
  'set-password',
  'refused-hash',
  'locked-out',
]);
