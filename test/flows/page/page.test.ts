import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { stoppedReport } from '../../../src/commands/record-run.ts';
import { addPart, toPart } from '../../../src/flows/page/parts.ts';
import type { Report } from '../../../src/flows/page/read-report.ts';
import { maxRows } from '../../../src/flows/page/rows.ts';
import type { ReportEntry } from '../../../src/flows/report/conversion-report.ts';
import { undoReport } from '../../../src/flows/report/undo-report.ts';
import { emptyTally } from '../../../src/records/tally.ts';
import { entry, exampleFacts, pageOf, reportAs, tallyOf } from '../../support/reports.ts';

function dataOf(page: string) {
  const json = (id: string): unknown =>
    JSON.parse(new RegExp(`id="${id}">(.*?)</script>`, 's').exec(page)?.[1] ?? '');
  return { rows: json('rows') as unknown[][], names: json('names') as { total: number; orgs: string[] } };
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
  expect(html.match(/<\/script>/g)).toHaveLength(3);
  expect(html).not.toContain('<img');
  expect(html).not.toMatch(/[\u2028\u2029\u202e]/);
  expect(dataOf(html).rows[0]?.slice(2, 5)).toEqual([evil, evil, evil]);
});

it('the page shows commands in messages as code and escapes their text', async () => {
  const ways = { single: 9, bulk: 4, onlyBulk: 0, newIds: 2, later: 0, isOlder: false, emails: 0, sms: 0 };
  const [single, bulk] = [{ requests: 9 }, { requests: 1 }];
  const forecast = { profile: 'hosted', bytes: 10, bulk, single, ways };
  const tally = emptyTally();
  tally.aliases.set('`<b>`', 1);
  const { html } = await pageOf({ entries: [], tally, forecast });
  expect(html).toContain('; <code>import-users --id-prefix=app-</code> makes 7 into app-7');
  expect(html).toContain('<code>&lt;b&gt;</code>');
});

it('the page lists rejected users first and counts all users', async () => {
  const entries = Array.from({ length: maxRows + 10 }, (_, at) =>
    at === maxRows + 5 ? entry(at, { outcome: 'rejected' }) : entry(at),
  );
  const { rows, names } = dataOf((await pageOf({ entries })).html);
  expect(rows).toHaveLength(maxRows);
  expect(rows[0]?.[2]).toBe(`user${maxRows + 5}`);
  expect(names.total).toBe(maxRows + 10);
});

/** Of a check that has read this file. */
const checkOf = (name: string, digit: string) => ({
  verb: 'check',
  facts: { inputs: [{ name, sha256: digit.repeat(64) }], outputs: [] },
});

it('the page joins reports by their files and names missing steps', async () => {
  const { words } = await pageOf(checkOf('elsewhere/body.json', 'b'), {});
  expect(words).toContain('Cutover report');
  expect(words).toContain('import not run verify not run undo not run');
  expect(words).toContain('verify: not run. Nothing here shows what is at the target.');
});

it('the page reports a body that changed between two steps, and refuses another cutover', async () => {
  expect((await pageOf({}, checkOf('body.json', 'c'))).words).toContain(
    'body.json has changed between migrate keycloak and check.',
  );
  await expect(pageOf({}, checkOf('other.json', 'd'))).rejects.toThrow(
    /1\.json is not of the same cutover as \S+0\.json$/,
  );
});

it('the page counts records that were rejected, fixed and read again', async () => {
  const entries = [entry(0), entry(1, { outcome: 'rejected' }), entry(2, { outcome: 'rejected' })];
  const rejecting = { entries, tally: tallyOf(entries, 2), facts: { rejects: 'out/rejects.ndjson' } };
  const again = (entries: readonly ReportEntry[], written: number) => ({
    entries,
    tally: tallyOf(entries, written),
    facts: { inputs: [{ name: 'rejects.ndjson' }], outputs: [{ name: 'second.json' }] },
  });
  const imported = (name: string, written: number) => ({
    verb: 'import-users',
    tally: tallyOf([], written),
    facts: { inputs: [{ name }], outputs: [] },
  });
  const both = await pageOf(
    rejecting,
    imported('body.json', 3),
    again([entry(0, { userName: 'again', outcome: 'rejected' })], 1),
    imported('second.json', 1),
  );
  expect(both.words).toContain('migrate keycloak: 5 users read = 4 written + 1 rejected + 0 skipped.');
  expect(both.words).toContain('import-users: 4 users read = 4 written + 0 rejected + 0 skipped.');
  expect(dataOf(both.html).rows.map((row) => row[2])).toEqual(['again', 'user0']);
  const part = await pageOf(rejecting, again([], 1));
  expect(part.words).toContain('5 users read = 4 written + 1 rejected + 0 skipped.');
  expect(dataOf(part.html).rows.map((row) => row[2])).toEqual(['user1', 'user2', 'user0']);
  const more = await pageOf(rejecting, again([], 3));
  expect(more.words).toContain('6 users read = 6 written + 0 rejected + 0 skipped.');
  const anew = await pageOf(rejecting, again([], 2), { tally: tallyOf([], 6) });
  expect(anew.words).toContain('6 users read = 6 written + 0 rejected + 0 skipped.');
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

it('the page refuses a copied report, and names differing organizations or profiles', async () => {
  await expect(pageOf({}, {})).rejects.toThrow(/1\.json is the same report as \S+0\.json$/);
  const facts = { organizations: ['2'], profile: 'self-hosted' };
  const { words } = await pageOf({}, { verb: 'check', facts });
  expect(words).toContain('The runs went to different organizations: migrate keycloak to 1, check to 2.');
  expect(words).toContain(
    'The runs used different target profiles: migrate keycloak hosted, check self-hosted.',
  );
});

it('the page does not call users ready who depend on idport jit', async () => {
  const wordsWith = async (...counts: readonly (readonly ['first-login' | 'set-password', number])[]) => {
    const signIn = new Map([['password', 1] as const, ...counts]);
    return (await pageOf({ verb: 'import-users', tally: tallyOf([], 3) }, { same: 3, signIn })).words;
  };
  const words = await wordsWith(['first-login', 2]);
  expect(words).toContain(
    'Ready if idport jit runs, which was not checked: 2 of 3 users sign in only through it',
  );
  expect(words).toContain(
    'Check 1 of 3 can sign in right away with their old password; 2 can sign in through idport jit at their first login. Whether idport jit runs was not checked.',
  );
  expect(await wordsWith(['first-login', 1], ['set-password', 1])).toContain(
    'Not ready: 1 of 3 users cannot sign in on day one, and 1 only while idport jit runs',
  );
});

it('the page compares both import verbs, and flags rejected users of one', async () => {
  const tally = tallyOf([], 3);
  tally.signIn.set('password', 2).set('only-bulk', 1);
  const ways = { single: 2, bulk: 1, onlyBulk: 1, newIds: 0, later: 0, isOlder: false, emails: 2, sms: 0 };
  const way = { requests: 3, seconds: undefined };
  const forecast = { profile: 'hosted', bytes: 10, bulk: { ...way, requests: 1 }, single: way, ways };
  const { words } = await pageOf({ tally, forecast });
  expect(words).toContain('Check 2 of 3 can sign in right away');
  expect(words).toContain('Emails that the import would send None.');
  expect(words).toContain(
    'idport import-users: 3 requests. 2 can sign in right away, no email, ids and TOTP kept',
  );
  expect(words).toContain('1 can sign in right away, 2 emails and 0 SMS, ids and TOTP kept');
});

it('the page is ready only if verify compared all created users', async () => {
  const wordsWith = async (same: number, blocked = 0) =>
    (await pageOf({ verb: 'import-users', tally: tallyOf([], 3) }, { same, blocked })).words;
  const all = await wordsWith(3);
  expect(all).toContain('Good verify: 3 same');
  expect(all).toContain('Ready to switch');
  expect(all).not.toContain('has compared');
  const barred = await wordsWith(2, 1);
  expect(barred).toContain('Check verify: 2 same, 1 the same, but cannot sign in');
  expect(barred).toContain('Check 2 of 3 can sign in right away');
  expect(barred).toContain('Not ready: 1 of 3 users cannot sign in on day one');
  const fewer = await wordsWith(2);
  expect(fewer).toContain('Not ready: verify has compared 2 users, and the import has created 3.');
  expect(fewer).toContain('Check verify has compared 2 users, and the import has created 3.');
  expect(await wordsWith(0)).toContain('Check verify: 0 same');
});

const importedOn = (day: number) => ({ verb: 'import-users', tally: tallyOf([], 3), day });
function undoneOn(day: number, deleted: number, gone: number, dryRun = false, stopped?: string) {
  const head = { journal: 'a.journal', url: 'https://a.example', startedAt: Date.UTC(2026, 0, day) };
  const users = { created: 3, deleted, gone, foreign: 0, changed: 3 - deleted - gone, refused: 0 };
  return reportAs('a.json', undoReport, head, [], { users, dryRun, seconds: 1, stopped }, exampleFacts);
}

const stoppedOn = (day: number, dryRun: boolean, input: string) =>
  reportAs(
    'a.json',
    stoppedReport,
    { verb: 'import-users', startedAt: Date.UTC(2026, 0, day) },
    [],
    { stopped: 'Nothing was sent.', exitCode: 0, dryRun, seconds: 1 },
    { ...exampleFacts, inputs: [{ name: input }] },
  );
const ofOther = (flags: string) => ({
  ...importedOn(0.5),
  facts: { command: `idport import-users second.json${flags}`, inputs: [{ name: 'second.json' }] },
});

it.each([
  ['another import', [importedOn(4)], 'Not ready: verify: not run after the last import.'],
  ['an import that was refused', [stoppedOn(4, false, 'realm.json')], 'Ready to switch<'],
  ['a dry run of another import', [stoppedOn(4, true, 'realm.json')], 'Ready to switch<'],
  ['an import of another body that sent nothing', [stoppedOn(-1, false, 'second.json')], 'Ready to switch<'],
  ['the dry run of a rollback', [undoneOn(4, 0, 0, true)], 'Ready to switch<'],
  [
    'an import of another body',
    [ofOther('')],
    'Not ready: /0.json is not counted, because /2.json is a later import, of other inputs. Make a page of each.<',
  ],
  ['an import of what has changed', [ofOther(' --since-journal=a')], 'Ready to switch<'],
  ['an import of another body after a rollback', [undoneOn(0.2, 3, 0), ofOther('')], 'Ready to switch<'],
  ['a rollback', [undoneOn(4, 2, 1)], 'Rolled back<'],
  ['a rollback and a dry run', [undoneOn(4, 3, 0), undoneOn(5, 0, 3, true)], 'Rolled back<'],
  ['a rollback of a part', [undoneOn(4, 1, 1)], 'Rolled back: 1 user stayed<'],
  ['a rollback that stopped', [undoneOn(4, 1, 0, false, 'interrupted')], 'Rollback stopped: 2 users stayed<'],
  ['a rollback and another import', [undoneOn(4, 3, 0), importedOn(5)], 'Not ready: verify: not run after'],
  ['a rollback and another import before it', [undoneOn(1, 3, 0), importedOn(2)], 'Ready to switch<'],
])('the page orders a comparison and %s by their start time', async (_, others, headline) => {
  const { path, html } = await pageOf(importedOn(0), { same: 3 }, ...others);
  expect(html.replaceAll(dirname(path), '')).toContain(
    `<p class="headline ${headline.startsWith('Ready') ? 'good' : 'look'}">${headline}`,
  );
});

it('the page shows the last of two dry runs, and a comparison older than the import', async () => {
  const { words } = await pageOf(
    importedOn(4),
    { same: 3 },
    undoneOn(5, 0, 0, true),
    undoneOn(6, 0, 0, true),
  );
  expect(words).toContain('verify not run since the last import undo dry run 2026-01-06');
});

it.each([
  ['{"users":[]}', 'it is not a report of idport'],
  ['[1]', 'it is not a report of idport'],
  ['{"format":"__proto__"}', 'it is not a report of idport'],
  ['{"format":"idport-report","version":1}', 'it does not have the shape of a report'],
  [
    '{"format":"idport-stopped-report","version":1,"startedAt":"2026-01-02T00:00:00Z","seconds":1e300,"verb":"migrate","users":[],"stopped":"x","exitCode":1}',
    'it does not have the shape of a report at seconds',
  ],
  ['{"format":"idport-report","version":2}', 'it is a report of a newer version of idport'],
  ['{"format":', '0.json'],
])('the page refuses the report %s', async (content, problem) => {
  await expect(pageOf(content)).rejects.toThrow(problem);
});
