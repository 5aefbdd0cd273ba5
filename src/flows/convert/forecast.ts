/** Forecasts the requests and the time of an import, in bulk and one by one. */
import type { Route } from '../../events.ts';
import type { TargetProfile } from '../../wire/profile.ts';

export interface Forecast {
  /** The bulk import: bodies within the limits of the target. */
  readonly bulk: Route;
  /** `import-users`, with the calls for state and grants. */
  readonly single: Route;
  readonly bytes: number;
}

/** The bulk import of the hosted service: "around 5,000 users" in five minutes, as its migration guides say. */
const hostedUsersPerSecond = 5000 / 300;

export interface Forecaster {
  /** Adds a record of the body with its size as protobuf, and the calls that it takes one by one. */
  add(bytes: number, calls: number): void;
  finish(): Forecast;
}

export interface ForecastOptions {
  /** Of one request, in any currency. */
  readonly price?: number | undefined;
  /** Of a body, in a list of their own. */
  readonly grants?: number | undefined;
  /** The service was asked, and does not know CreateUser. */
  readonly isOlder?: boolean;
}

export function createForecaster(
  { requests: limits, rate }: TargetProfile,
  { price, grants = 0 }: ForecastOptions = {},
): Forecaster {
  const hosted = rate !== null;
  let bulk = 0;
  let users = 0;
  let bytes = 0;
  let all = 0;
  let allBytes = 0;
  let calls = grants;
  const full = (more: number): boolean =>
    bytes + more > limits.maxBytes ||
    users === limits.maxUsers ||
    (limits.maxSeconds !== null && (users + 1) / hostedUsersPerSecond > limits.maxSeconds);

  return {
    add(size, single) {
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
    finish: () => ({
      bulk: route(bulk, hosted ? all / hostedUsersPerSecond : undefined),
      single: route(calls, hosted ? calls / rate.clientPerSecond : undefined),
      bytes: allBytes,
    }),
  };

  /** The one-by-one route pays for each call, the bulk route for each body. */
  function route(count: number, seconds: number | undefined): Route {
    return { requests: count, seconds, cost: price && count * price };
  }
}
