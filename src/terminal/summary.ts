/** The summary of a conversion, a check or an import of users. */
import type { IdportEvent, Route } from '../events.ts';
import { formatBytes, formatCount, formatCounted, formatSeconds } from '../lib/quantity.ts';
import {
  type CountedReason,
  nothingToDo,
  summarize,
  type Summary,
  type VerbWords,
  wordsOf,
} from '../records/summary.ts';
import { signInLines, signInRemedy } from '../records/sign-in.ts';
import { nextSteps } from './next.ts';
import { noPaint, type Paint } from './paint.ts';
import type { Forecast, RunState, WrittenFile } from './run-state.ts';
import { formatSections, type Row, type Section } from './sections.ts';

type RunEnd = Extract<IdportEvent, { type: 'run:end' }>;

/** `state` gives the files that were written. An empty section is left out, never shown as zeros. */
export function formatSummary(
  end: RunEnd,
  state: Pick<RunState, 'files'> & Partial<Pick<RunState, 'forecast' | 'flags'>>,
  width: number,
  paint: Paint = noPaint,
): string[] {
  const { files, flags = [], forecast } = state;
  const summary = summarize(end.tally, flags);
  const words = wordsOf(end.verb);
  return formatSections(
    [
      signIn(summary, words),
      counts(summary, end.seconds, words),
      { title: 'Passwords', rows: summary.passwords.map(passwordRow) },
      refusals(summary),
      notMigrated(summary),
      { title: 'Rejected', tone: 'bad', rows: summary.rejections.map(reasonRow) },
      { title: 'Skipped', rows: summary.skips.map(reasonRow) },
      { title: 'Notes', rows: otherNotes(summary).map(reasonRow) },
      emails(summary, words),
      { title: 'Ways to import, best first', rows: waysToImport(state.forecast) },
      { title: 'Files', rows: state.files.map(fileRow) },
      {
        title: 'Next',
        rows: nextSteps({ verb: end.verb, summary, files, flags, profile: forecast?.profile }).map(
          (text) => ({ text }),
        ),
      },
    ],
    width,
    paint,
  );
}

function counts(summary: Summary, seconds: number, { taken }: VerbWords): Section {
  const { read, written, withNotes, rejected, skipped } = summary;
  const parts: readonly (readonly [number, string])[] = [
    [written + withNotes, withNotes === 0 ? taken : `${taken} (${formatCount(withNotes)} with notes)`],
    [rejected, 'rejected'],
    [skipped, 'skipped'],
  ];
  const rows: Row[] = parts.map(([count, text]) => ({ count, text }));
  const sum = parts.map(([count]) => formatCount(count)).join(' + ');
  const verdict: Row = summary.addsUp
    ? { text: `The counts add up: ${sum} = ${formatCount(read)}.`, tone: 'good' }
    : {
        text: `The counts do not add up: ${sum} is not ${formatCount(read)}. Please report this.`,
        tone: 'bad',
      };
  return {
    title: `${formatCounted(read, 'user')} read in ${formatSeconds(seconds)}`,
    rows: [...rows.slice(0, 1), ...extras(summary), ...rows.slice(1), verdict],
  };
}

/** Of those written. */
function extras(summary: Summary): Row[] {
  const parts: readonly (readonly [number, string])[] = [
    [summary.machines, 'machine users'],
    [summary.inactive, 'inactive'],
    [summary.otp, 'with TOTP'],
    [summary.links, 'identity provider links'],
    [summary.metadata, 'metadata entries'],
  ];
  return parts.filter(([count]) => count > 0).map(([count, text]) => ({ count, text: `of these: ${text}` }));
}

function passwordRow({ algorithm, count }: Summary['passwords'][number]): Row {
  return { count, text: algorithm === 'none' ? 'without a password hash' : algorithm };
}

/** The answer first. */
function signIn({ signIn }: Summary, { done }: VerbWords): Section {
  const remarksOf = (at: number): string[] => {
    const kind = signIn[at]?.kind ?? 'password';
    return kind === 'password' || kind === 'disabled' ? [] : [signInRemedy(kind)];
  };
  const rows = signInLines(signIn, done).map((text, at) => ({ text, remarks: remarksOf(at) }));
  return { title: 'Who can sign in', rows };
}

function refusals(summary: Summary): Section {
  return {
    title: 'Password hashes that the target would refuse',
    tone: 'warning',
    rows: summary.refusals.map(({ count, algorithm, problem, remedy }) => ({
      count,
      text: `${algorithm}: ${problem}`,
      remarks: [remedy],
    })),
  };
}

function notMigrated(summary: Summary): Section {
  return {
    title: 'Not migrated (users)',
    rows: summary.notMigrated.map(({ count, kind, codes }) => ({
      count,
      text: `${kind} (${codes.join(', ')})`,
      remarks: codes.includes('idp:unmapped-alias') ? [listAliases(summary)] : [],
    })),
  };
}

/** Aliases shown; the report has them all. */
const shownAliases = 20;

function listAliases({ aliases }: Summary): string {
  const shown = aliases.slice(0, shownAliases).map(({ alias, count }) => `${alias} ${formatCount(count)}`);
  const more = aliases.length - shown.length;
  return `without a counterpart: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function reasonRow({ count, code, cause, remedy }: CountedReason): Row {
  return { count, text: `${code}: ${cause}`, remarks: remedy === nothingToDo ? [] : [remedy] };
}

/** Notes that no other section shows. */
function otherNotes(summary: Summary): readonly CountedReason[] {
  const shown = new Set(summary.notMigrated.flatMap(({ codes }) => codes));
  for (const { code } of summary.refusals) shown.add(code);
  return summary.notes.filter(({ code }) => !shown.has(code));
}

function emails(summary: Summary, words: VerbWords): Section {
  const rows: Row[] = summary.emails.map(({ count, cause }) => ({ count, text: cause }));
  if (summary.sms > 0) {
    rows.push({
      count: summary.sms,
      text: 'SMS with a code: the phone is not verified (if the service sends SMS)',
    });
  }
  return { title: words.emails, tone: 'warning', rows };
}

/** What each costs, as far as it can be known. */
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
      ...some(newIds, 'get new ids: plain numbers, which --id-prefix keeps'),
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

function formatRoute({ requests, seconds, cost }: Route): string {
  const parts = [formatCounted(requests, 'request')];
  if (seconds !== undefined) parts.push(`about ${formatSeconds(Math.ceil(seconds))}`);
  if (cost !== undefined) parts.push(`at a price of ${formatCost(cost)}`);
  return parts.join(', ');
}

/** Cents; of less than one, the first two digits that say something. */
function formatCost(cost: number): string {
  return cost === 0 || cost >= 0.1 ? cost.toFixed(2) : String(Number(cost.toPrecision(2)));
}

function fileRow({ path, what, bytes }: WrittenFile): Row {
  const where = path === '-' ? 'standard output' : path;
  return { text: `${where} (${what}, ${formatBytes(bytes)})` };
}
