/** The summary at the end of a run, whatever it was. */
import type { IdportEvent, Route } from '../events.ts';
import { formatBytes, formatCount, formatCounted, formatSeconds } from '../lib/quantity.ts';
import { importSections, nameOfList, undoSection, verifySections } from '../records/outcomes.ts';
import { reasonSections, runSections, type Row, type Section } from '../records/sections.ts';
import { summarize } from '../records/summary.ts';
import { afterImport, afterUndo, afterVerify, nextSteps } from './next.ts';
import { noPaint, type Paint } from './paint.ts';
import type { Forecast, RunState, WrittenFile } from './run-state.ts';
import { formatSections } from './sections.ts';

type EndOf<Type extends IdportEvent['type']> = Extract<IdportEvent, { type: Type }>;
type ExportEnd = EndOf<'export:end'>;
export type RunEnd = EndOf<'run:end' | 'import:end' | 'verify:end' | 'undo:end'> | ExportEnd;
type Ended = Pick<RunState, 'files'> & Partial<Pick<RunState, 'forecast' | 'flags'>>;

/** Nothing of a rollback that deleted every user of the run. An empty section is left out, never shown as zeros. */
export function formatEnd(end: RunEnd, state: Ended, width: number, paint: Paint = noPaint): string[] {
  if (end.type === 'undo:end' && end.users.deleted === end.users.created) return [];
  const { sections, next } = describeEnd(end, state);
  const files = { title: 'Files', rows: state.files.map(fileRow) };
  const steps = { title: 'Next', rows: next.map((text) => ({ text })) };
  return formatSections([...sections, files, steps], width, paint);
}

function describeEnd(
  end: RunEnd,
  { files, flags = [], forecast }: Ended,
): { readonly sections: readonly Section[]; readonly next: readonly string[] } {
  switch (end.type) {
    case 'run:end': {
      const { verb, tally, seconds } = end;
      const summary = summarize(tally, flags);
      const ways = { title: 'Ways to import, best first', rows: waysToImport(forecast) };
      return {
        sections: [...runSections(summary, verb, seconds), ...reasonSections(summary), ways],
        next: nextSteps({ verb, summary, files, flags }),
      };
    }
    case 'import:end':
      return { sections: importSections(end), next: afterImport(end, files) };
    case 'export:end':
      return { sections: exportSections(end), next: [] };
    case 'verify:end':
      return { sections: verifySections(end), next: afterVerify(end, files) };
    case 'undo:end': {
      const time = `${formatSeconds(end.seconds)}, ${formatCounted(end.requests, 'request')}`;
      return { sections: [undoSection(end.users, time)], next: afterUndo(end) };
    }
  }
}

function exportSections({ orgs, lost, seconds }: ExportEnd): Section[] {
  const users = orgs.reduce((sum, { counts }) => sum + (counts['humanUsers'] ?? 0), 0);
  const title = `${formatCounted(orgs.length, 'organization')}, ${formatCounted(users, 'user')} in ${formatSeconds(seconds)}`;
  const rows = orgs.map(({ orgId, name, counts, passwords, otp }) => ({
    text: `${name === '' ? orgId : `${name} (${orgId})`}: ${contents(counts, passwords, otp)}`,
  }));
  const notExported = lost.map((text) => ({ text }));
  return [
    { title, rows },
    { title: 'Not in the export', tone: 'warning', rows: notExported },
  ];
}

function contents(counts: Readonly<Record<string, number>>, passwords: number, otp: number): string {
  const parts = Object.entries(counts).map(
    ([list, count]) => `${formatCount(count)} ${nameOfList(list, count)}`,
  );
  if (passwords > 0) parts.push(formatCounted(passwords, 'password hash', 'password hashes'));
  if (otp > 0) parts.push(formatCounted(otp, 'TOTP secret'));
  return parts.length === 0 ? 'empty' : parts.join(', ');
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
