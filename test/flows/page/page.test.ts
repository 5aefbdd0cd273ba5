import { expect, it } from 'vitest';
import { stoppedReport } from '../../../src/commands/record-run.ts';
import { addPart, toPart, type Report } from '../../../src/flows/page/parts.ts';
import { maxRows } from '../../../src/flows/page/write-page.ts';
import { undoReport } from '../../../src/flows/report/contents.ts';
import { lengthen } from '../../../src/page/rows.ts';
import { casesIn, proveTexts } from '../../support/cases.ts';
import { entry, exampleFacts, pageOf, reportAs, tallyOf } from '../../support/reports.ts';

function dataOf(page: string) {
  const json = (id: string): unknown =>
    JSON.parse(new RegExp(`id="${id}">(.*?)</script>`, 's').exec(page)?.[1] ?? '');
  return { rows: lengthen(json('rows') as unknown[][]), names: json('names') as { total: number } };
}

it('the page loads no address, and its policy allows one script', async () => {
  const { html } = await pageOf({ entries: [entry(0)] });
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1];
  expect(policy).toMatch(
    /^default-src &#39;none&#39;; script-src &#39;sha256-[\w+/=]{44}&#39;; style-src &#39;sha256-[\w+/=]{44}&#39;; base-uri/,
  );
  expect(html).not.toMatch(/ (?:src|href|action|style|onclick|onload)=/);
  expect(html).not.toMatch(/@import|url\(["']?(?!#)/);
});

it('the page escapes names that end a script, begin a tag or reverse the text', async () => {
  const evil = '</script><script>alert(1)</script><img src=x>\u2028\u202e=1+1';
  const reasons = [{ code: 'group:not-migrated', detail: evil }] as const;
  const origin = { input: evil, index: 0, id: evil };
  const entries = [entry(0, { origin, userName: evil, email: evil, reasons })];
  const tally = tallyOf(entries);
  tally.aliases.set(evil, 1);
  tally.reasons.set('idp:unmapped-alias', 1);
  const facts = {
    command: evil,
    profile: evil,
    target: evil,
    organizations: [evil],
    inputs: [{ name: evil }],
  };
  const { html } = await pageOf({ entries, tally, facts });
  expect(html.match(/<script[ >]/g)).toHaveLength(3);
  expect(html).not.toContain('<img');
  expect(html).not.toMatch(/[\u2028\u2029\u202e]/);
  expect(dataOf(html).rows[0]?.slice(2, 5)).toEqual([evil, evil, evil]);
});

it('the page lists rejected users first and counts all users', async () => {
  const entries = Array.from({ length: maxRows + 10 }, (_, at) =>
    at === maxRows + 5 ? entry(at, { outcome: 'rejected' }) : entry(at),
  );
  const { html } = await pageOf({ entries });
  const { rows, names } = dataOf(html);
  expect(rows).toHaveLength(maxRows);
  // Each row is short: what is the same in the row before is left out.
  expect(html.length).toBeLessThan(100 * maxRows);
  expect(rows[0]?.[2]).toBe(`user${maxRows + 5}`);
  expect(names.total).toBe(maxRows + 10);
});

it('addPart adds the counts of two runs but not the format version', () => {
  const undone = (created: number) =>
    toPart('undo.json', {
      format: 'idport-undo-report',
      version: 1,
      startedAt: '2026-01-01T00:00:00Z',
      seconds: 1,
      summary: { created },
    } as Report);
  expect(addPart(undone(2), undone(3), false).report).toMatchObject({ version: 1, summary: { created: 5 } });
});

const journal = { journal: 'a.journal', url: 'https://a.example' };
const startOf = (day: number) => ({ startedAt: Date.UTC(2026, 0, day) });

/** A report as `fixtures/pages.yaml` describes it: that of a rollback, of a run that ended early, of a comparison or of another run. */
function reportOf(given: any) {
  if (typeof given === 'string') return given;
  const {
    day,
    dryRun = false,
    deleted,
    gone,
    stopped,
    refused,
    signIn = {},
    aliases = {},
    written,
    entries,
    ...more
  } = given;
  const end = { dryRun, seconds: 1 };
  if (deleted !== undefined) {
    const users = { created: 3, deleted, gone, foreign: 0, changed: 3 - deleted - gone, refused: 0 };
    return reportAs(
      'a.json',
      undoReport,
      { ...journal, ...startOf(day) },
      [],
      { ...end, users, stopped },
      exampleFacts,
    );
  }
  if (refused !== undefined) {
    const head = { verb: 'import-users', ...startOf(day) };
    const facts = { ...exampleFacts, inputs: [{ name: refused }] };
    return reportAs(
      'a.json',
      stoppedReport,
      head,
      [],
      { ...end, stopped: 'Nothing was sent.', exitCode: 0 },
      facts,
    );
  }
  const counts = new Map<any, number>(Object.entries(signIn));
  if ('same' in given) return { ...more, ...(counts.size > 0 && { signIn: counts }) };
  const listed = entries?.map(({ index, ...changed }: any) => entry(index, changed));
  const tally = {
    ...tallyOf(listed ?? [], written),
    signIn: counts,
    aliases: new Map(Object.entries(aliases)),
  };
  return { ...more, day, entries: listed, ...(written !== undefined && { tally }) };
}

const pages = casesIn('pages').map(([what, { reports, ...expected }]) => [
  what,
  reports.map(reportOf),
  expected,
]);

it.each(pages)('the page %s', async (_, reports, { says, hides, html: parts, listed }) => {
  const refused = ({ message }: Error) => ({ html: '', words: message });
  const { html, words } = await pageOf(...reports).catch(refused);
  const [code, shown] = [html, words].map((text) => text.replaceAll(/[^\s"]*(?=\/\d\.json)/g, ''));
  proveTexts(shown!, says, hides);
  proveTexts(code!, parts);
  expect(listed && dataOf(html).rows.map((row) => row[2])).toEqual(listed);
});
