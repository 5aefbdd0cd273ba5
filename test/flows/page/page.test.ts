import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { mostRows } from '../../../src/flows/page/rows.ts';
import { createTestFolder } from '../../support/folder.ts';
import {
  entry,
  exampleFacts,
  tallyOf,
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

it('says the same numbers as the report in JSON and in Markdown', async () => {
  const folder = createTestFolder();
  const entries = [
    entry(0),
    entry(1, { outcome: 'rejected', reasons: [{ code: 'user-name:missing' as never }] }),
    entry(2, { outcome: 'skipped', reasons: [{ code: 'user-skipped:disabled' }] }),
  ].slice(0, 1);
  const tally = { ...tallyOf(entries, 41), sms: 5, otp: 7, plain: 2 };
  tally.passwords.set('bcrypt', 30).set('none', 12);
  tally.dropped.set('argon2id', 4);
  tally.emails.set('init-unverified', 9);
  const path = writeReport(folder, 'a.json', { entries, tally });
  const page = text(read(await writePageOf(folder, [path])));
  const markdown = read(writeReport(folder, 'a.md', { entries, tally }));
  const { summary, run } = JSON.parse(read(path)) as {
    summary: Record<string, unknown>;
    run: typeof exampleFacts;
  };
  expect(summary).toMatchObject({
    read: 42,
    written: 41,
    withNotes: 1,
    rejected: 0,
    skipped: 0,
    sms: 5,
    otp: 7,
  });
  expect(summary['hashes']).toEqual([
    { algorithm: 'bcrypt', before: 28, after: 30 },
    { algorithm: 'none', before: 8, after: 12 },
    { algorithm: 'argon2id', before: 4, after: 0 },
    { algorithm: 'plain text', before: 2, after: 0 },
  ]);
  expect(page).toContain('migrate keycloak: 42 users read = 42 written + 0 rejected + 0 skipped.');
  expect(page).toContain(
    'initialization email: the email address is not verified 9 SMS with a code: the phone is not verified (if the service sends SMS) 5',
  );
  expect(page).toContain('TOTP, migrated 7');
  for (const [algorithm, before, after] of [
    ['bcrypt', 28, 30],
    ['argon2id', 4, 0],
    ['plain text', 2, 0],
  ] as const) {
    expect(markdown).toContain(`| ${algorithm} | ${before} | ${after} |`);
    expect(page).toContain(`${algorithm} ${before} ${after}`);
  }
  expect(markdown).toMatch(/## 42 users read.*\| written \(1 with notes\) \| 42 \|/s);
  expect(run).toEqual(exampleFacts);
  for (const words of [
    '| requests | 21 |',
    '| requests sent again | 2 |',
    '| responses with status 429 | 1 |',
  ])
    expect(markdown).toContain(words);
  expect(page).toContain('migrate keycloak 1.0 s 21 2 1 rate-limit 1 times, 3.0 s');
  for (const file of [...run.inputs, ...run.outputs]) {
    expect(markdown).toContain(file.sha256);
    expect(page).toContain(file.sha256);
  }
});

/** The words of a page, as one reads them. */
function text(page: string): string {
  return page
    .replaceAll(/<(style|script)[^>]*>.*?<\/\1>|<svg.*?<\/svg>/gs, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
}

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

it('refuses a copy, and tells of runs that went to different organizations', async () => {
  const folder = createTestFolder();
  const migrated = writeReport(folder, 'migrate.json', { entries: [] });
  const copy = writeReport(folder, 'copy.json', { entries: [] });
  await expect(writePageOf(folder, [migrated, copy])).rejects.toThrow(
    `${copy} is the same report as ${migrated}`,
  );
  const facts = { ...exampleFacts, organizations: ['2'] };
  const checked = writeReport(folder, 'check.json', { verb: 'check', entries: [], facts });
  expect(text(read(await writePageOf(folder, [migrated, checked])))).toContain(
    'The runs went to different organizations: migrate keycloak to 1, check to 2.',
  );
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
  expect(await verdicts(3)).not.toContain('has compared');
  expect(await verdicts(2, 1)).toContain('Look verify: 2 same, 1 the same, but cannot sign in');
  expect(await verdicts(2)).toContain('Look verify has compared 2 users, and the import has created 3.');
  expect(await verdicts(0)).toContain('Look verify: 0 same');
});

it('names the organization of a user, else the one of the run', async () => {
  const folder = createTestFolder();
  const entries = [entry(0, { orgId: '7' }), entry(1)];
  const { rows, names } = dataOf(
    read(await writePageOf(folder, [writeReport(folder, 'a.json', { entries, tally: tallyOf(entries) })])),
  );
  expect(rows.map((row) => names.orgs[Number(row[5])])).toEqual(['7', '1']);
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
