import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { mostRows } from '../../../src/flows/page/rows.ts';
import { createTestFolder } from '../../support/folder.ts';
import {
  entry,
  exampleFacts,
  tallyOf,
  wordsOf as text,
  writePageOf,
  writeReport,
  writeVerifyReport,
} from '../../support/reports.ts';

const read = (path: string): string => readFileSync(path, 'utf8');

/** What the page's script reads. */
interface PageData {
  readonly rows: unknown[][];
  readonly names: { readonly total: number; readonly orgs: readonly string[] };
}

function dataOf(page: string): PageData {
  const json = (id: string): unknown =>
    JSON.parse(new RegExp(`id="${id}">(.*?)</script>`, 's').exec(page)?.[1] ?? '');
  return { rows: json('rows') as unknown[][], names: json('names') as PageData['names'] };
}

it('is one file that asks for nothing: no address in it is loaded, and its policy allows one script', async () => {
  const folder = createTestFolder();
  const entries = [entry(0)];
  const page = read(
    await writePageOf(folder, [writeReport(folder, 'a.json', { entries, tally: tallyOf(entries) })]),
  );
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1];
  expect(policy).toMatch(
    /^default-src &#39;none&#39;; script-src &#39;sha256-[\w+/=]{44}&#39;; style-src &#39;sha256-[\w+/=]{44}&#39;; base-uri/,
  );
  expect(page).not.toMatch(/ (?:src|href|action|style|onclick|onload)=/);
  expect(page).not.toMatch(/@import|url\(["']?(?!#)/);
});

it('holds names that end a script, begin a tag or turn a line round as text', async () => {
  const folder = createTestFolder();
  const evil = '</script><script>alert(1)</script><img src=x>\u2028\u202e=1+1';
  const reasons = [{ code: 'group:not-migrated', detail: evil }] as const;
  const origin = { input: evil, index: 0, id: evil };
  const entries = [entry(0, { origin, userName: evil, email: evil, reasons })];
  const facts = { ...exampleFacts, command: evil, profile: evil, target: evil, organizations: [evil] };
  const tally = tallyOf(entries);
  tally.aliases.set(evil, 1);
  tally.reasons.set('idp:unmapped-alias', 1);
  const report = writeReport(folder, 'a.json', {
    entries,
    tally,
    facts: { ...facts, inputs: [{ name: evil }] },
  });
  const page = read(await writePageOf(folder, [report]));
  expect(page.match(/<script[ >]/g)).toHaveLength(3);
  expect(page.match(/<\/script>/g)).toHaveLength(3);
  expect(page).not.toContain('<img');
  expect(page).not.toMatch(/[\u2028\u2029\u202e]/);
  expect(dataOf(page).rows[0]?.slice(2, 5)).toEqual([evil, evil, evil]);
});

it('puts users in trouble before those who arrived, and says how many there are', async () => {
  const folder = createTestFolder();
  const entries = Array.from({ length: mostRows + 10 }, (_, at) =>
    at === mostRows + 5 ? entry(at, { outcome: 'rejected' }) : entry(at),
  );
  const report = writeReport(folder, 'a.json', { entries, tally: tallyOf(entries) });
  const { rows, names } = dataOf(read(await writePageOf(folder, [report])));
  expect(rows).toHaveLength(mostRows);
  expect(rows[0]?.[2]).toBe(`user${mostRows + 5}`);
  expect(names.total).toBe(mostRows + 10);
});

it('joins reports by the files that they read and wrote, and names what is missing', async () => {
  const folder = createTestFolder();
  const migrated = writeReport(folder, 'migrate.json', { entries: [] });
  const body = { name: 'elsewhere/body.json', bytes: 34, sha256: 'b'.repeat(64) };
  const facts = { ...exampleFacts, inputs: [body], outputs: [] };
  const checked = writeReport(folder, 'check.json', { verb: 'check', entries: [], facts });
  const page = text(read(await writePageOf(folder, [checked, migrated])));
  expect(page).toContain('Report of a cutover');
  expect(page).toContain('import not run verify not run undo not run');
  expect(page).toContain('verify: not run. Nothing here shows what is at the target.');
});

it('tells of a body that was changed between two steps, and refuses the report of another cutover', async () => {
  const folder = createTestFolder();
  const migrated = writeReport(folder, 'migrate.json', { entries: [] });
  const changed = { ...exampleFacts, inputs: [{ name: 'body.json', sha256: 'c'.repeat(64) }], outputs: [] };
  const checked = writeReport(folder, 'check.json', { verb: 'check', entries: [], facts: changed });
  expect(text(read(await writePageOf(folder, [migrated, checked])))).toContain(
    'body.json has changed between migrate keycloak and check.',
  );
  const other = { ...exampleFacts, inputs: [{ name: 'other.json', sha256: 'd'.repeat(64) }], outputs: [] };
  const strange = writeReport(folder, 'other.json', { verb: 'check', entries: [], facts: other });
  await expect(writePageOf(folder, [migrated, strange])).rejects.toThrow(
    `${strange} is not of the same cutover as ${migrated}`,
  );
});

it('refuses a copy, and tells of runs with different organizations or profiles', async () => {
  const folder = createTestFolder();
  const migrated = writeReport(folder, 'migrate.json', { entries: [] });
  const copy = writeReport(folder, 'copy.json', { entries: [] });
  await expect(writePageOf(folder, [migrated, copy])).rejects.toThrow(
    `${copy} is the same report as ${migrated}`,
  );
  const facts = { ...exampleFacts, organizations: ['2'], profile: 'self-hosted' };
  const checked = writeReport(folder, 'check.json', { verb: 'check', entries: [], facts });
  const page = text(read(await writePageOf(folder, [migrated, checked])));
  expect(page).toContain('The runs went to different organizations: migrate keycloak to 1, check to 2.');
  expect(page).toContain(
    'The runs used different target profiles: migrate keycloak hosted, check self-hosted.',
  );
});

it('compares the ways to import, and calls it not good that one of them rejects users', async () => {
  const folder = createTestFolder();
  const tally = tallyOf([], 3);
  tally.signIn.set('password', 2).set('only-bulk', 1);
  const ways = { single: 2, bulk: 1, onlyBulk: 1, newIds: 0, later: 0, isOlder: false, emails: 2, sms: 0 };
  const way = { requests: 3, seconds: undefined };
  const forecast = { profile: 'hosted', bytes: 10, bulk: { ...way, requests: 1 }, single: way, ways };
  const report = writeReport(folder, 'migrate.json', { entries: [], tally, forecast });
  const shown = text(read(await writePageOf(folder, [report])));
  expect(shown).toContain('Look 2 of 3 can sign in right away');
  expect(shown).toContain('Emails that the import would send None.');
  expect(shown).toContain(
    'idport import-users: 3 requests. 2 can sign in right away, no email, ids and TOTP kept',
  );
  expect(shown).toContain('1 can sign in right away, 2 emails and 0 SMS, ids and TOTP kept');
});

it('calls a comparison good only where it compared whom the import created', async () => {
  const folder = createTestFolder();
  const imported = writeReport(folder, 'import.json', {
    verb: 'import-users',
    entries: [],
    tally: tallyOf([], 3),
  });
  const verdicts = async (same: number, blocked = 0): Promise<string> => {
    const verified = writeVerifyReport(folder, 'verify.json', same, blocked);
    return text(read(await writePageOf(folder, [imported, verified])));
  };
  expect(await verdicts(3)).toContain('Good verify: 3 same');
  expect(await verdicts(3)).toContain('Ready to switch');
  expect(await verdicts(3)).not.toContain('has compared');
  expect(await verdicts(2, 1)).toContain('Look verify: 2 same, 1 the same, but cannot sign in');
  expect(await verdicts(2, 1)).toContain('Look 2 of 3 can sign in right away');
  expect(await verdicts(2, 1)).toContain('Not ready: 1 of 3 users cannot sign in on day one');
  expect(await verdicts(2)).toContain(
    'Not ready: verify has compared 2 users, and the import has created 3.',
  );
  expect(await verdicts(2)).toContain('Look verify has compared 2 users, and the import has created 3.');
  expect(await verdicts(0)).toContain('Look verify: 0 same');
});

it.each([
  ['{"users":[]}', 'it is not a report of idport'],
  ['[1]', 'it is not a report of idport'],
  ['{"format":"__proto__"}', 'it is not a report of idport'],
  ['{"format":"idport-report","version":1}', 'it does not have the shape of a report'],
  ['{"format":"idport-report","version":2}', 'it is a report of a newer version of idport'],
  ['{"format":', 'JSON'],
])('refuses %s', async (content, problem) => {
  const folder = createTestFolder();
  const path = join(folder, 'x.json');
  writeFileSync(path, content);
  await expect(writePageOf(folder, [path])).rejects.toThrow(problem === 'JSON' ? basename(path) : problem);
});
