/** Forecasts the requests and the time of an import, in bulk and one by one. */
import type { Forecast, Way } from '../../records/sections.ts';
import type { TargetProfile } from '../../wire/profile.ts';

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
        bulk: route(
          bulk + Math.ceil(further / limits.maxBytes),
          hosted ? all / hostedUsersPerSecond : undefined,
        ),
        single: route(calls, hosted ? calls / rate.clientPerSecond : undefined),
        bytes: allBytes + beside.bytes,
      };
    },
  };

  /** The one-by-one route pays for each call, the bulk route for each body. */
  function route(count: number, seconds: number | undefined): Way {
    return { requests: count, seconds, cost: price && count * price };
  }
}
