/** Writes a page of reports: one HTML file that opens anywhere and loads nothing else. */
import { formatNames } from '../../lib/format.ts';
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { indexIn } from '../../lib/group-by.ts';
import { html, prose, scriptJson } from '../../lib/html.ts';
import type { Input } from '../../lib/input.ts';
import { readOwnFile } from '../../lib/own-files.ts';
import { isLoopback } from '../../lib/private-address.ts';
import type { Sink } from '../../lib/sink.ts';
import { pageGenerator, type ListedUser, mildOutcomes } from '../report/report.ts';
import { patterns } from './charts.ts';
import { type Cutover, joinParts, targetsOf } from './join.ts';
import { type Part, toPart, readReport, readItems, type Report, type ReportItem } from './parts.ts';
import {
  runsSection,
  stepList,
  timeSection,
  arrivedSections,
  countsOf,
  section,
  sumSection,
  undoSection,
  userSections,
} from './sections.ts';
import { headline, type Verdict, verdictsOf, blockingReasons } from './verdicts.ts';
import { type ReasonCode, reasons } from '../../records/reasons.ts';
import { ofOne, signInKinds, signInText } from '../../records/sign-in.ts';
import { shorten, type PackedRow, type RowNames } from '../../page/rows.ts';
import { listConverted, listKept, listCompared } from '../report/contents.ts';

/**
 * Writes one report as the page of a run, or joins several to the page of a cutover. Reads each report twice, in constant memory.
 * Throws `InputError` for a file that is not a report, `UsageError` for reports of different cutovers.
 */
export async function writePage(inputs: readonly Input[], sink: Sink) {
  const parts: Part[] = [];
  for (const input of inputs) parts.push(toPart(input.name, await readReport(input)));
  const cutover = joinParts(parts);
  const isJoined = inputs.length > 1;
  const title = isJoined ? 'idport: report of a cutover' : `idport ${parts[0]?.verb}: report`;
  const { script, style } = readAssets();
  await sink.write(`${formatHead(title, script, style)}${formatBody(cutover, isJoined).text}`);
  const rows = packRows(cutover, (part) => inputs[parts.indexOf(part)]!);
  await sink.write('<script type="application/json" id="rows">[\n');
  for await (const text of rows.text()) await sink.write(text);
  await sink.write(
    `]</script>\n<script type="application/json" id="names">${scriptJson(rows.names())}</script>\n`,
  );
  await sink.write(`<script>${script}</script>\n</body>\n</html>\n`);
  return cutover;
}

/** Reads what scripts/build.js built from src/page/. When run from source, reads the last build. */
function readAssets() {
  const folder = import.meta.url.endsWith('.ts') ? '../../../dist/report-page/' : './report-page/';
  const read = (name: string) => readOwnFile(new URL(`${folder}${name}`, import.meta.url)).trim();
  return { script: read('page.js'), style: read('style.css') };
}

/** The hashes allow only this script and this style. */
function formatHead(title: string, script: string, style: string) {
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const head = html`<meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="referrer" content="no-referrer" />
    <meta name="color-scheme" content="light dark" />
    <meta name="generator" content="${pageGenerator}" />
    <title>${title}</title>`;
  return `<!doctype html>\n<html lang="en">\n<head>\n${head.text}\n<style>${style}</style>\n</head>\n<body>\n`;
}

function hashOf(text: string) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function formatBody(cutover: Cutover, isJoined: boolean) {
  const isCounted = countsOf(cutover) !== undefined || cutover.last.has('import');
  const verdicts = verdictsOf(cutover, isJoined);
  return html`
    ${patterns}
    <main>
      <header>
        <p class="mark">idport</p>
        <h1>${subjectOf(cutover, isJoined)}</h1>
        <p class="about">${aboutOf(cutover)}</p>
        ${isJoined ? formatVerdict('p', headline(cutover, verdicts)) : undefined}
        ${isJoined ? stepList(cutover) : undefined}
        <ul class="verdicts">
          ${verdicts.map((verdict) => formatVerdict('li', verdict))}
        </ul>
        ${isJoined ? signOff : undefined}
      </header>
      ${section('Users that need attention', listFrame(cutover))}
      ${cutover.parts.some(({ sum }) => sum !== undefined) ? sumSection(cutover) : undefined}
      ${isJoined || cutover.last.has('verify') ? arrivedSections(cutover) : undefined} ${undoSection(cutover)}
      ${isJoined || isCounted ? userSections(cutover) : undefined} ${timeSection(cutover)}
      ${runsSection(cutover)}
    </main>
  `;
}

/** A service on this machine means a rehearsal. */
function subjectOf({ parts }: Cutover, isJoined: boolean) {
  if (!isJoined) return `Report of ${parts[0]?.verb}`;
  const targets = targetsOf(parts);
  const isLocal =
    targets.length > 0 && targets.every((url) => URL.canParse(url) && isLoopback(new URL(url).hostname));
  return isLocal ? 'Rehearsal report' : 'Cutover report';
}

function formatVerdict(tag: 'p' | 'li', { isGood, text }: Verdict) {
  const style = isGood ? 'good' : 'look';
  if (tag === 'p') return html`<p class="headline ${style}">${prose(text)}</p>`;
  return html`<li class="${style}"><b>${isGood ? 'Good' : 'Check'}</b> ${prose(text)}</li>`;
}

/** To be filled in by hand. */
const signOff = html`<p class="sign-off"><span>Signed off by</span> <span>Date</span></p>`;

function aboutOf({ parts }: Cutover) {
  const targets = new Set(targetsOf(parts));
  const orgs = new Set(parts.flatMap(({ report }) => report.run?.organizations ?? []));
  const start = new Date(parts[0]?.startedAt ?? 0).toISOString().slice(0, 10);
  const end = new Date(parts.at(-1)?.startedAt ?? 0).toISOString().slice(0, 10);
  return [
    start === end ? start : `${start} to ${end}`,
    ...targets,
    ...(orgs.size === 0 ? [] : [`organization ${formatNames([...orgs])}`]),
  ].join(' · ');
}

/** Frame that the page's script fills. */
function listFrame({ counted }: Cutover) {
  const files = counted.map(({ file }) => basename(file));
  return html`<noscript><p>The list needs scripts. All users are in ${files.join(', ')}.</p></noscript>
    <div id="list" data-most="${maxRows}" hidden>
      <form class="tools" role="search">
        <label class="search"
          >Search <input type="search" id="search" autocomplete="off" placeholder="name, email, id, detail"
        /></label>
        <label
          >Run
          <select id="part"></select
        ></label>
        <label
          >Outcome
          <select id="outcome"></select
        ></label>
        <label
          >Reason
          <select id="reason"></select
        ></label>
        <label
          >Organization
          <select id="org"></select
        ></label>
        <button type="button" id="export">Export as CSV</button>
      </form>
      <p id="count" role="status"></p>
      <div id="rows-view" role="table" aria-label="Users that need attention" tabindex="0">
        <div role="rowgroup" id="rows-space"></div>
      </div>
      <div id="detail" aria-live="polite" hidden></div>
      <div id="rows-print"></div>
    </div>`;
}

/** Up to this number, a browser still scrolls, searches and opens without delay. */
export const maxRows = 100_000;

/**
 * Yields the rows as text of a JSON array, users in trouble first. Then `names()` explains the numbers in them. Memory holds the
 * reasons, never a user.
 */
function packRows({ counted, repaired }: Cutover, inputOf: (part: Part) => Input) {
  /** Reasons with their remedies, numbered in the order in which they first come. */
  const codes = new Map<string, number>();
  let total = 0;
  let shown = 0;
  let last: PackedRow | undefined;

  const pack = (
    { outcome, userName, email, id, org, input, index, ...row }: ListedUser,
    part: number,
  ): PackedRow => [
    part,
    outcome,
    userName,
    email,
    id,
    org,
    index === undefined ? input : `${input} #${index + 1}`,
    row.reasons.map(({ code, detail, remedy }) => [indexIn(codes, `${code}\n${remedy}`), detail]),
  ];

  return {
    async *text() {
      for (const level of ['trouble', 'mild'] as const) {
        for (const [at, part] of counted.entries()) {
          for await (const items of readItems(inputOf(part), part.report)) {
            const rows = items
              .map((item) => toRow(item, part.report))
              .filter(({ outcome }) => !(repaired.has(part) && outcome === 'rejected'));
            if (level === 'trouble') total += rows.length;
            const lines: string[] = [];
            for (const row of rows) {
              if (isInTrouble(row) !== (level === 'trouble') || shown === maxRows) continue;
              const packed = pack(row, at);
              lines.push(`${shown === 0 ? '' : ','}${scriptJson(shorten(packed, last))}\n`);
              last = packed;
              shown += 1;
            }
            if (lines.length > 0) yield lines.join('');
            if (level === 'mild' && shown === maxRows) return;
          }
        }
        if (shown === total || shown === maxRows) return;
      }
    },
    names: (): RowNames => ({
      total,
      parts: counted.map(({ verb }) => verb),
      files: counted.map(({ file }) => file),
      reasons: [...codes.keys()].map((text) => {
        const [code = '', remedy = ''] = text.split('\n');
        return [code, remedy, titleOf(code)];
      }),
      barring: blockingReasons,
    }),
  };
}

const barring = new Set(blockingReasons);

/** Reports whether the user cannot sign in, or unintentionally did not arrive. */
const isInTrouble = ({ outcome, reasons }: ListedUser) =>
  reasons.some(({ code }) => barring.has(code)) || !(mildOutcomes.has(outcome) || outcome === 'skipped');

/** Returns the meaning of a code in a few words. Text that is not a code is returned as it is. */
function titleOf(code: string) {
  const cause = reasons[code as ReasonCode]?.cause.split(/[.,:;]/, 1)[0];
  const kind = signInKinds.find((one) => code === `sign-in:${one}`);
  return cause ?? (kind === undefined ? code : `The user ${ofOne(signInText(kind))}`);
}

/** Functions that convert the users of each kind of report. */
const listUser: { readonly [F in Report['format']]: (item: ReportItem<F>) => ListedUser } = {
  'idport-report': listConverted,
  'idport-verify-report': listCompared,
  'idport-undo-report': listKept,
  'idport-stopped-report': (user) => user,
};

/** A user without an organization gets the run's organization, if there is only one. */
function toRow(item: ReportItem, { format, run }: Report) {
  const user = (listUser[format] as (item: ReportItem) => ListedUser)(item);
  const [org = '', ...others] = run?.organizations ?? [];
  return user.org === '' && others.length === 0 ? { ...user, org } : user;
}
