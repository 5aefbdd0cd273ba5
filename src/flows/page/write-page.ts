/** Writes a page of reports: one HTML file that opens anywhere and loads nothing else. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { html, prose, scriptJson } from '../../lib/html.ts';
import type { Input } from '../../lib/input.ts';
import { readOwnFile } from '../../lib/own-files.ts';
import { isLoopback } from '../../lib/private-address.ts';
import type { Sink } from '../../lib/sink.ts';
import { pageGenerator } from '../report/report.ts';
import { patterns } from './charts.ts';
import { type Cutover, joinParts, targetsOf } from './join.ts';
import { type Part, toPart } from './parts.ts';
import { readReport } from './read-report.ts';
import { maxRows, packRows } from './rows.ts';
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
import { headline, type Verdict, verdictsOf } from './verdicts.ts';

/**
 * Writes one report as the page of a run, or joins several to the page of a cutover. Reads each report twice, in constant memory.
 * Throws `InputError` for a file that is not a report, `UsageError` for reports of different cutovers.
 */
export async function writePage(inputs: readonly Input[], sink: Sink): Promise<Cutover> {
  const parts: Part[] = [];
  const byPart = new Map<Part, Input>();
  for (const input of inputs) {
    const part = toPart(input.name, await readReport(input));
    parts.push(part);
    byPart.set(part, input);
  }
  const cutover = joinParts(parts);
  const isJoined = inputs.length > 1;
  const title = isJoined ? 'idport: report of a cutover' : `idport ${parts[0]?.verb}: report`;
  const { script, style } = readAssets();
  await sink.write(`${formatHead(title, script, style)}${formatBody(cutover, isJoined).text}`);
  const { counted, repaired } = cutover;
  const rows = packRows(
    counted.map((part) => ({ part, input: byPart.get(part)!, isRepaired: repaired.has(part) })),
  );
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
    ...(orgs.size === 0 ? [] : [`organization ${[...orgs].slice(0, 5).join(', ')}`]),
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
