/** Writes a page of reports: one HTML file that opens anywhere and asks for nothing. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { type Html, html, scriptJson } from '../../lib/html.ts';
import type { Input } from '../../lib/input.ts';
import { readOwnFile } from '../../lib/own-files.ts';
import { formatCount, formatCounted } from '../../lib/quantity.ts';
import { outcomeRows, verifyOutcomes } from '../../records/outcomes.ts';
import { signInLines } from '../../records/sign-in.ts';
import type { Sink } from '../../lib/sink.ts';
import { pageGenerator } from '../report/report.ts';
import { patterns } from './charts.ts';
import { type Cutover, joinParts } from './join.ts';
import { addsUp, type Part, toPart } from './parts.ts';
import { readReport } from './read-report.ts';
import { mostRows, packRows } from './rows.ts';
import { runsSection, stepList, timeSection } from './run-sections.ts';
import {
  arrivedSections,
  countsOf,
  reportOf,
  section,
  signInOf,
  sumSection,
  undoSection,
  userSections,
} from './sections.ts';

/**
 * One report is the page of a run, several are joined to that of a cutover. Reads each report twice, in constant memory.
 * Throws `InputError` for what is no report, `UsageError` for reports of different cutovers.
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
  const { script, style } = readAssets();
  await sink.write(
    `${formatHead(titleOf(cutover, isJoined), script, style)}${formatBody(cutover, isJoined).text}`,
  );
  const shown = [...cutover.last.values()];
  const rows = packRows(shown.map((part) => ({ part, input: byPart.get(part)! })));
  await sink.write('<script type="application/json" id="rows">[\n');
  for await (const text of rows.text()) await sink.write(text);
  await sink.write(
    `]</script>\n<script type="application/json" id="names">${scriptJson(rows.names())}</script>\n`,
  );
  await sink.write(`<script>${script}</script>\n</body>\n</html>\n`);
  return cutover;
}

/** Built by scripts/build.js from src/page/. From source, those of the last build. */
function readAssets(): { readonly script: string; readonly style: string } {
  const folder = import.meta.url.endsWith('.ts') ? '../../../dist/report-page/' : './report-page/';
  const read = (name: string): string => readOwnFile(new URL(`${folder}${name}`, import.meta.url)).trim();
  return { script: read('page.js'), style: read('style.css') };
}

function titleOf({ parts }: Cutover, isJoined: boolean): string {
  const [first] = parts;
  return isJoined ? 'idport: report of a cutover' : `idport ${first?.verb}: report`;
}

/** The hashes allow this script and this style, and nothing else. */
function formatHead(title: string, script: string, style: string): string {
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

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function formatBody(cutover: Cutover, isJoined: boolean): Html {
  const isCounted = countsOf(cutover) !== undefined || cutover.last.has('import');
  return html`
    ${patterns}
    <main>
      <header>
        <p class="mark">idport</p>
        <h1>${isJoined ? 'Report of a cutover' : `Report of ${cutover.parts[0]?.verb}`}</h1>
        <p class="about">${aboutOf(cutover)}</p>
        ${isJoined ? stepList(cutover) : undefined}
        <ul class="verdicts">
          ${verdictsOf(cutover, isJoined)}
        </ul>
      </header>
      ${cutover.parts.some(({ sum }) => sum !== undefined) ? sumSection(cutover) : undefined}
      ${isJoined || cutover.last.has('verify') ? arrivedSections(cutover) : undefined} ${undoSection(cutover)}
      ${isJoined || isCounted ? userSections(cutover) : undefined} ${timeSection(cutover)}
      ${section('Users that need attention', listFrame(cutover))} ${runsSection(cutover)}
    </main>
  `;
}

function aboutOf({ parts }: Cutover): string {
  const targets = new Set(parts.flatMap(({ report }) => report.run?.target ?? []));
  const orgs = new Set(parts.flatMap(({ report }) => report.run?.organizations ?? []));
  const start = new Date(parts[0]?.startedAt ?? 0).toISOString().slice(0, 10);
  const end = new Date(parts.at(-1)?.startedAt ?? 0).toISOString().slice(0, 10);
  return [
    start === end ? start : `${start} to ${end}`,
    ...targets,
    ...(orgs.size === 0 ? [] : [`organization ${[...orgs].slice(0, 5).join(', ')}`]),
  ].join(' · ');
}

function verdict(isGood: boolean, text: string): Html {
  return html`<li class="${isGood ? 'good' : 'look'}"><b>${isGood ? 'Good' : 'Look'}</b> ${text}</li>`;
}

/** Who of these users is to sign in, and cannot. */
const blocked: ReadonlySet<string> = new Set([
  'answer-email',
  'several-links',
  'set-password',
  'locked-out',
  'refused-hash',
  'only-bulk',
  'missing',
]);

/** Notices of a test login on the finished body. */
const proofs: ReadonlySet<string> = new Set(['password:proved', 'password:not-proved']);

function verdictsOf({ last, warnings }: Cutover, isJoined: boolean): Html[] {
  const verdicts: Html[] = [];
  const signIn = signInOf({ last });
  if (signIn !== undefined && signIn.counts.length > 0) {
    const barred = reportOf(last.get('verify'), 'idport-verify-report')?.summary.blocked ?? 0;
    const isGood =
      barred === 0 && signIn.counts.every(({ kind, count }) => count === 0 || !blocked.has(kind));
    verdicts.push(verdict(isGood, `${signInLines(signIn.counts, signIn.done).join('; ')}.`));
  }
  for (const { verb, sum, stopped } of last.values()) {
    if (stopped !== undefined) verdicts.push(verdict(false, `${verb} stopped before its end: ${stopped}`));
    if (sum === undefined) continue;
    const { read, written, rejected, skipped } = sum;
    const text = `${verb}: ${formatCounted(read, 'user')} read = ${formatCount(written)} written + ${formatCount(rejected)} rejected + ${formatCount(skipped)} skipped.`;
    verdicts.push(
      verdict(
        addsUp(sum) && rejected === 0 && read > 0,
        addsUp(sum) ? text : `${text} The counts do not add up.`,
      ),
    );
  }
  for (const { code, text } of reportOf(last.get('migrate'), 'idport-report')?.notices ?? []) {
    if (proofs.has(code)) verdicts.push(verdict(code === 'password:proved', `migrate --prove: ${text}.`));
  }
  const verified = reportOf(last.get('verify'), 'idport-verify-report');
  if (verified !== undefined) {
    const { same, blocked: barred, missing, differs, unknown } = verified.summary;
    const found = outcomeRows(verifyOutcomes, verified.summary);
    const text = `verify: ${found.map(({ count = 0, text }) => `${formatCount(count)} ${text}`).join(', ')}.`;
    const compared = same + barred + missing + differs + unknown;
    const created = createdBy(last);
    verdicts.push(verdict(compared > 0 && compared === same, text));
    if (compared < created) {
      const fewer = `verify has compared ${formatCounted(compared, 'user')}, and the import has created ${formatCount(created)}.`;
      verdicts.push(verdict(false, fewer));
    }
    const failed = verified.logins.filter(({ succeeded }) => !succeeded).length;
    const tried = verified.logins.length;
    if (tried > 0) {
      const logins = `logins: ${formatCount(tried - failed)} of ${formatCounted(tried, 'test user')} signed in.`;
      verdicts.push(verdict(failed === 0, logins));
    }
  } else if (isJoined)
    verdicts.push(verdict(false, 'verify: not run. Nothing here shows what is at the target.'));
  const undone = reportOf(last.get('undo'), 'idport-undo-report');
  if (undone !== undefined) {
    const { deleted, created } = undone.summary;
    const text = undone.dryRun
      ? 'a dry run, nothing was deleted.'
      : `${formatCount(deleted)} of ${formatCounted(created, 'user')} deleted.`;
    verdicts.push(verdict(undone.dryRun || deleted === created, `undo: ${text}`));
  }
  return [...verdicts, ...warnings.map((text) => verdict(false, text))];
}

/** Users that the import has created; of service accounts `verify` may know nothing. */
function createdBy(last: Cutover['last']): number {
  const part = last.get('import');
  const users = reportOf(part, 'idport-report')?.summary;
  if (users !== undefined) return users.written + users.withNotes - users.machines;
  const lists = reportOf(part, 'idport-import-report')?.summary.lists ?? [];
  return lists.find(({ list }) => list === 'humanUsers')?.created ?? 0;
}

/** Filled by the page's script. */
function listFrame({ last }: Cutover): Html {
  const files = [...last.values()].map(({ file }) => basename(file));
  return html`<noscript><p>The list needs scripts. All users are in ${files.join(', ')}.</p></noscript>
    <div id="list" data-most="${mostRows}" hidden>
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
