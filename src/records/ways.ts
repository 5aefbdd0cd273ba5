/** The ways to import: what each takes, what it sends, and whom it lets sign in. */
import { formatBytes, formatCount, formatCounted, formatSeconds } from '../lib/quantity.ts';
import type { Row, Section } from './sections.ts';

/** How many requests, how many seconds and what they cost, where that can be known. */
export interface Way {
  readonly requests: number;
  readonly seconds?: number | undefined;
  readonly cost?: number | undefined;
}

/** Users, by what the ways to import make of them. */
export interface Comparison {
  /** Who can sign in right away, after `import-users` and after the bulk import. */
  readonly single: number;
  readonly bulk: number;
  /** Whom `import-users` rejects, and whose id it does not keep. */
  readonly onlyBulk: number;
  readonly newIds: number;
  /** Whose old password might be checked at the first login. */
  readonly later: number;
  /** The service does not know CreateUser: `import-users` creates users as the bulk import does, and under new ids. */
  readonly isOlder: boolean;
  /** That the bulk import would send. */
  readonly emails: number;
  readonly sms: number;
}

export interface Forecast {
  /** The bulk import: bodies within the limits of the target. */
  readonly bulk: Way;
  /** `import-users`, with the calls for state and grants. */
  readonly single: Way;
  /** Of all requests in bulk, as the service counts them. */
  readonly bytes: number;
  readonly ways?: Comparison | undefined;
}

/** What each costs, as far as it can be known; no rows where that is nothing. */
export function waysSection(forecast: Forecast | undefined): Section {
  return { title: 'Ways to import, best first', rows: waysToImport(forecast) };
}

function waysToImport(forecast: Forecast | undefined): Row[] {
  if (forecast?.ways === undefined || forecast.single.requests === 0) return [];
  const { ways } = forecast;
  const { newIds, onlyBulk, later, emails, sms } = ways;
  const some = (count: number, text: string): string[] =>
    count === 0 ? [] : [`${formatCounted(count, 'user')} ${text}`];
  const atOnce = (count: number): string => `${formatCount(count)} can sign in right away`;
  const messages = `${formatCounted(emails, 'email')} and ${formatCount(sms)} SMS`;
  const oneCall = {
    text: `idport import-users: ${formatRoute(forecast.single)}`,
    remarks: [
      `${atOnce(ways.single)}, no email, ${newIds === 0 ? 'ids and TOTP' : 'TOTP'} kept`,
      ...some(newIds, 'with a new id: plain numbers, which --id-prefix keeps'),
      ...some(onlyBulk, 'rejected (recovery codes, long hash, invalid TOTP): import these in bulk'),
    ],
  };
  const firstLogin = {
    text: 'idport import-users --jit, then idport jit: as many requests, and a service to run until all have logged in',
    remarks: [`up to ${formatCount(later)} more can sign in with their old password, at their first login`],
  };
  const size = `${formatBytes(forecast.bytes)} as the service counts`;
  const inBulk = {
    text: `idport import (bulk): ${formatRoute(forecast.bulk)}, ${size}`,
    remarks: [`${atOnce(ways.bulk)}, ${messages}, ids and TOTP kept`],
  };
  if (ways.isOlder) {
    const text = `idport import-users: at least ${formatRoute(forecast.single)}`;
    return [inBulk, { text, remarks: [`${atOnce(ways.bulk)}, ${messages}, new ids, no TOTP`] }];
  }
  return [oneCall, ...(later === 0 ? [] : [firstLogin]), inBulk];
}

function formatRoute({ requests, seconds, cost }: Way): string {
  const parts = [formatCounted(requests, 'request')];
  if (seconds !== undefined) parts.push(`about ${formatSeconds(Math.ceil(seconds))}`);
  if (cost !== undefined) parts.push(`at a price of ${formatCost(cost)}`);
  return parts.join(', ');
}

/** Cents; of less than one, the first two digits that say something. */
function formatCost(cost: number): string {
  return cost === 0 || cost >= 0.1 ? cost.toFixed(2) : String(Number(cost.toPrecision(2)));
}
