/** Builds the sections of a page: pure functions of the contents of reports. */
import { type Html, html, type HtmlValue, prose } from '../../lib/html.ts';
import { formatCount, formatCounted, formatSeconds } from '../../lib/format.ts';
import { undoSection as undoRows, verifySections } from '../../records/outcomes.ts';
import {
  factorSection,
  lossSections,
  messageSection,
  otherSection,
  passwordSection,
  refusalSection,
  type Row,
  type Section,
  waysSection,
} from '../../records/sections.ts';
import { wordsOf } from '../../records/summary.ts';
import { countLogins, loginRows } from '../report/contents.ts';
import { bar, stackedBar, timeChart } from './charts.ts';
import type { Cutover } from './join.ts';
import { addsUp, type Part, steps } from './parts.ts';
import { listFacts, waitText } from '../report/report.ts';

/** Returns the report whose counts describe the conversion: of migrate, which knows the source, else of an import or check. */
export const countsOf = ({ reports }: Cutover) => reports.migrate ?? reports.import ?? reports.check;

/** Returns the sign-in counts of verify or import, which know what arrived, else those forecast. */
export const signInOf = ({ verify, import: imported, check, migrate }: Cutover['reports']) =>
  (verify ?? imported ?? check ?? migrate)?.summary.signIn;

export function section(title: string, ...content: readonly HtmlValue[]) {
  return html`<section>
    <h2>${title}</h2>
    ${content}
  </section>`;
}

const number = (count: number) => html`<td class="number">${formatCount(count)}</td>`;
const head = (...names: readonly string[]) =>
  html`<thead>
    <tr>
      ${names.map((name, at) => html`<th scope="col" class="${at === 0 ? '' : 'number'}">${name}</th>`)}
    </tr>
  </thead>`;
const wide = (table: Html) => html`<div class="wide" tabindex="0">${table}</div>`;

export function sumSection({ last }: Cutover) {
  const summed = [...last.values()].filter(({ sum }) => sum !== undefined);
  const rows = summed.map(({ verb, sum }) => {
    const { read, written, withNotes, rejected, skipped } = sum!;
    const chart = stackedBar(`Users of ${verb}`, [
      { name: 'written', count: written, pattern: 'solid' },
      { name: 'rejected', count: rejected, pattern: 'hatched' },
      { name: 'skipped', count: skipped, pattern: 'dotted' },
    ]);
    return html`<tr>
        <th scope="row">${verb} ${addsUp(sum!) ? undefined : html`<b class="bad">does not add up</b>`}</th>
        ${number(read)}${number(written)}${number(withNotes)}${number(rejected)}${number(skipped)}
      </tr>
      <tr class="chart-row">
        <td colspan="6">${chart}</td>
      </tr>`;
  });
  const names = ['', 'read', 'written', 'of these with notes', 'rejected', 'skipped'];
  return section(
    'The sum: read = written + rejected + skipped',
    wide(
      html`<table class="sum">
        ${head(...names)}
        <tbody>
          ${rows}
        </tbody>
      </table>`,
    ),
    html`<p class="legend">
      <svg class="key"><rect class="solid" width="14" height="14" /></svg> written
      <svg class="key"><rect class="hatched" width="14" height="14" /></svg> rejected
      <svg class="key"><rect class="dotted" width="14" height="14" /></svg> skipped. In check, “written” means
      “would be written”; users who existed before an import count as skipped.
    </p>`,
  );
}

/** Builds a section of counts with their bars, or of sentences. Shows `empty` if there are no rows. */
function shown({ title, rows }: Section, empty = 'None.') {
  if (rows.length === 0) return section(title, html`<p>${empty}</p>`);
  const counts = rows.flatMap(({ count = [], before = [] }) => [count, before].flat());
  if (counts.length === 0) {
    return section(
      title,
      html`<ul>
        ${rows.map(({ text, remarks = [] }) => html`<li>${prose([text, ...remarks].join('. '))}</li>`)}
      </ul>`,
    );
  }
  const most = Math.max(...counts);
  const isCompared = rows.some(({ before }) => before !== undefined);
  const cells = (count: number | undefined, pattern: 'solid' | 'hatched') =>
    count === undefined
      ? undefined
      : html`${number(count)}
          <td>${bar(count, most, pattern)}</td>`;
  const below = (...texts: readonly string[]) =>
    html`<tr class="remark">
      <td colspan="${isCompared ? 5 : 3}">${prose(texts.join('. '))}</td>
    </tr>`;
  const line = ({ count, before, text, remarks = [] }: Row) =>
    count === undefined
      ? below(text, ...remarks)
      : html`<tr>
            <th scope="row">${prose(text)}</th>
            ${cells(before, 'hatched')} ${cells(count, 'solid')}
          </tr>
          ${remarks.length === 0 ? undefined : below(...remarks)}`;
  const table = html`<table class="bars">
    ${isCompared ? head('', 'in the source', '', 'as written', '') : undefined}
    <tbody>
      ${rows.map(line)}
    </tbody>
  </table>`;
  return section(title, wide(table));
}

const filled = (all: readonly Section[]) =>
  all.filter(({ rows }) => rows.length > 0).map((one) => shown(one));

export function arrivedSections({ reports: { verify: verified } }: Cutover) {
  if (verified === undefined) return [section('What arrived', html`<p>verify: not run.</p>`)];
  const { summary, logins, requests, seconds } = verified;
  const tried = countLogins(logins);
  const found = verifySections({ ...summary, users: summary, logins: tried, requests, seconds });
  const failedFirst = logins.toSorted((a, b) => Number(a.succeeded) - Number(b.succeeded));
  const who = { title: 'Test logins', rows: loginRows(failedFirst.slice(0, 20)) };
  return [...filled(found), shown(who, 'No test login was tried (verify --login-sample).')];
}

/** Returns what the written users have, and which messages they get. */
export function userSections(cutover: Cutover) {
  const { last, reports } = cutover;
  const converted = countsOf(cutover)?.summary;
  const sent = reports.import?.summary;
  const judged = sent ?? reports.check?.summary;
  const messages = judged ?? converted;
  const { otp = 0, notMigrated = [], hashes = [] } = converted ?? {};
  // What the one-by-one import leaves out of the users that it creates.
  const left = (sent?.notes ?? [])
    .filter(({ code }) => code.startsWith('single:'))
    .map(({ code, cause, count }) => ({ codes: [code], kind: cause, count }));
  const staysBehind = left.some(({ codes }) => codes.includes('single:otp'));
  const [losses, aliases] = lossSections({
    notMigrated: [...notMigrated, ...left],
    aliases: converted?.aliases ?? [],
    notes: converted?.notes ?? [],
  });
  const { taken, emails } = wordsOf(sent === undefined ? 'check' : 'import');
  const counted = [
    messageSection(emails, messages ?? noMessages),
    factorSection({ otp: staysBehind ? 0 : otp, notMigrated }),
    passwordSection(hashes),
    losses,
  ];
  // The ways to import matter only until users are imported.
  const ways = last.has('import') ? undefined : (reports.check ?? reports.migrate)?.forecast;
  const others = [
    otherSection(judged?.others, taken),
    refusalSection(converted?.refusals ?? []),
    aliases,
    waysSection(ways),
  ];
  return [
    ...counted.map((one) => shown(one, messages === undefined ? notCounted : undefined)),
    ...filled(others),
  ];
}

const noMessages = { emails: [], sms: 0 };
const notCounted = 'Not counted: there is no report of migrate, check or import.';

export function undoSection({ reports: { undo: undone } }: Cutover) {
  if (undone === undefined) return undefined;
  const { summary, dryRun, seconds } = undone;
  if (!dryRun) return shown(undoRows(summary, formatSeconds(seconds)));
  const created = formatCounted(summary.created, 'user');
  return section('Rollback', html`<p>A dry run: nothing was deleted. The import had created ${created}.</p>`);
}

export function timeSection({ parts }: Cutover) {
  const charts = parts.map(({ verb, report }) => timeChart(verb, report.run?.timeline ?? []));
  const rows = parts.map(({ verb, report }) => {
    const { run } = report;
    const waited = run?.waits.map((wait) => `${wait.reason} ${waitText(wait)}`);
    const counts = [run?.requests, run?.retries, run?.tooManyRequests];
    return html`<tr>
      <th scope="row">${verb}</th>
      <td class="number">${formatSeconds(report.seconds)}</td>
      ${counts.map((count) => (count === undefined ? html`<td class="number">not known</td>` : number(count)))}
      <td class="number">${waited?.join('; ') || 'none'}</td>
    </tr>`;
  });
  const names = ['', 'time', 'requests', 'sent again', 'rate limited', 'waits'];
  return section(
    'Time, rate and requests',
    wide(
      html`<table>
        ${head(...names)}
        <tbody>
          ${rows}
        </tbody>
      </table>`,
    ),
    charts.some((chart) => chart !== undefined) ? charts : html`<p>The runs were too short for a chart.</p>`,
  );
}

export function runsSection({ parts, counted }: Cutover) {
  return section(
    'The runs',
    parts.map((part) => describeRun(part, counted.includes(part))),
  );
}

function describeRun({ verb, startedAt, file, report, stopped }: Part, isCounted: boolean) {
  const { run } = report;
  const facts: (readonly [name: string, value: HtmlValue])[] = [
    ['started', new Date(startedAt).toISOString()],
    ...(stopped === undefined ? [] : [['stopped', prose(stopped)] as const]),
    ...(run === undefined ? [] : listFacts({ ...run, inputs: run.inputs.slice(0, 50) })),
    // Notices about the inputs as a whole.
    ...(report.format === 'idport-report' ? report.notices : []).map(
      ({ text }) => ['notice', prose(text)] as const,
    ),
    ['report', file],
  ];
  return html`<details class="run" ${isCounted ? html` open` : undefined}>
    <summary>${verb}${isCounted ? undefined : ' (its numbers are not above)'}</summary>
    <dl>
      ${facts.map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value}</dd>`,
      )}
    </dl>
  </details>`;
}

export function stepList({ last, parts }: Cutover) {
  const items = steps.map((step) => {
    const part = last.get(step);
    const isOlder = parts.some((one) => one.step === step);
    const state = part === undefined ? `not run${isOlder ? ' since the last import' : ''}` : stateOf(part);
    const verb = step === 'import' ? (part?.verb ?? step) : step;
    return html`<li class="${part === undefined ? 'absent' : ''}"><b>${verb}</b><span>${state}</span></li>`;
  });
  return html`<ol class="steps">
    ${items}
  </ol>`;
}

function stateOf({ startedAt, stopped, report }: Part) {
  const time = new Date(startedAt).toISOString().replace('T', ' ').slice(0, 16);
  const end = stopped === undefined ? 'done' : 'stopped';
  return `${'dryRun' in report && report.dryRun ? 'dry run' : end} ${time} UTC, ${formatSeconds(report.seconds)}`;
}
