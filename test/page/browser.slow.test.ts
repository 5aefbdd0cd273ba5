import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pathToFileURL } from 'node:url';
import { browserPath, openBrowser } from '../support/browser.ts';
import { createTestFolder } from '../support/folder.ts';
import { entry, pageOf, tallyOf } from '../support/reports.ts';

// On a busy machine a browser takes its time.
const patience = 180_000;

describe.skipIf(browserPath === undefined)('the page (needs chromium)', { timeout: patience }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  }, patience);
  afterAll(() => browser.close(), patience);

  /** Opens a page; whatever it would load, and whatever it reports as an error, fails the test at its end. */
  async function open(path: string, work: (page: Page) => Promise<void>, width = 1100) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, acceptDownloads: true });
    context.setDefaultTimeout(patience);
    const page = await context.newPage();
    const troubles: string[] = [];
    page.on('console', (message) => troubles.push(message.text()));
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('dialog', (dialog) => {
      troubles.push('a dialog');
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (!request.url().startsWith('file:') && !request.url().startsWith('blob:'))
        troubles.push(request.url());
    });
    await page.goto(pathToFileURL(path).href);
    await page.waitForFunction("document.querySelector('#count').textContent !== ''");
    await work(page);
    expect(troubles).toEqual([]);
    await context.close();
  }

  const count = (page: Page) => page.locator('#count').textContent();
  const until = (page: Page, text: string) => page.locator('#count', { hasText: text }).waitFor();

  async function examplePage() {
    const entries = Array.from({ length: 300 }, (_, at) => entry(at));
    entries[7] = entry(7, {
      outcome: 'rejected',
      reasons: [{ code: 'target:hash', detail: 'no `address`, no <i>`' }],
    });
    entries[8] = entry(8, {
      userName: '=1+1',
      reasons: [{ code: 'role:not-migrated', detail: '\u202e2 roles' }],
    });
    return (await pageOf({ entries })).path;
  }

  it('searches, filters, shows a user in full, and exports the matches', async () => {
    await open(await examplePage(), async (page) => {
      expect(await count(page)).toBe('300 users.');
      expect(await page.locator('.row').first().textContent()).toContain('user7');
      await page.fill('#search', 'user29');
      await until(page, '11 of 300');
      await page.fill('#search', '');
      await page.selectOption('#reason', 'target:hash');
      await until(page, '1 of 300');
      await page.locator('.row').click();
      const detail = await page.locator('#detail').textContent();
      expect(detail).toContain(
        'The target does not take the password hash (target:hash): no address, no <i>`',
      );
      expect(await page.locator('#detail code').allTextContents()).toContain('address');
      expect(await page.locator('#detail dd').last().textContent()).not.toContain('`');
      expect(detail).toContain('realm.json #8');
      await page.selectOption('#reason', '');
      await page.selectOption('#outcome', 'noted');
      await until(page, '299 of 300');
      await page.selectOption('#reason', 'role:not-migrated');
      await until(page, '1 of 300');
      const started = page.waitForEvent('download');
      await page.click('#export');
      const saved = join(createTestFolder(), 'users.csv');
      await (await started).saveAs(saved);
      const [head, user, ...others] = parse(readFileSync(saved), { bom: true });
      expect(others).toEqual([]);
      expect(Object.fromEntries(head!.map((name, at) => [name, user![at]]))).toMatchObject({
        user_name: "'=1+1",
        detail: '\\u202e2 roles',
        outcome: 'noted',
        organization: '1',
      });
    });
  });

  it('draws only the visible rows, to the end and with keys', async () => {
    await open(await examplePage(), async (page) => {
      const view = page.locator('#rows-view');
      await view.focus();
      await page.keyboard.press('End');
      await page.locator('.row.current', { hasText: 'user299' }).waitFor();
      expect(await page.locator('.row').count()).toBeLessThan(40);
      await page.keyboard.press('Enter');
      expect(await page.locator('#detail').textContent()).toContain('user299@example.org');
      await view.evaluate((element) => (element.scrollTop = 58 * 150));
      await page.locator('.row', { hasText: 'user152' }).selectText();
      await view.evaluate((element) => (element.scrollTop += 29));
      await page.locator('.row', { hasText: 'user160' }).waitFor();
      expect(await page.evaluate('String(getSelection())')).toContain('user152');
    });
  });

  it('fits a telephone and paper, and its charts have names', async () => {
    const path = await examplePage();
    await open(
      path,
      async (page) => {
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
        for (const table of await page.locator('.wide').all())
          expect(await table.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
        for (const name of await page.locator('th[scope=row]').all())
          expect((await name.boundingBox())?.width ?? 999).toBeGreaterThan(48);
        await page.locator('.row').first().click();
        expect(await page.locator('#detail').isVisible()).toBe(true);
      },
      390,
    );
    await open(path, async (page) => {
      const charts = page.locator('svg[role=img]');
      expect(await charts.count()).toBe(2);
      for (const chart of await charts.all()) {
        expect(await chart.getAttribute('aria-label')).toMatch('migrate keycloak');
        expect(await chart.locator('title').count()).toBe(1);
        expect(await chart.locator('desc').count()).toBe(1);
      }
      expect((await page.pdf()).subarray(0, 5).toString()).toBe('%PDF-');
      await page.evaluate("dispatchEvent(new Event('beforeprint'))");
      await page.emulateMedia({ media: 'print' });
      expect(await page.locator('#rows-print tr').count()).toBe(301);
      expect(await page.locator('#rows-view').isVisible()).toBe(false);
    });
  });

  it('is safe with any names', async () => {
    const evil = [
      '</script><script>alert(1)</script>',
      '<img src=x onerror=alert(1)>',
      '\u2028\u202eturned',
      '=cmd|x',
      '${alert(1)}',
    ];
    const entries = evil.map((text, at) =>
      entry(at, {
        origin: { input: text, index: at, id: text },
        userName: text,
        email: text,
        reasons: [{ code: 'idp:unmapped-alias', detail: text }],
      }),
    );
    const tally = tallyOf(entries);
    for (const text of evil) tally.aliases.set(text, 1);
    const facts = {
      command: evil.join(' '),
      organizations: [evil[1]!],
      inputs: [{ name: evil[0]! }],
    };
    const { path } = await pageOf({ entries, tally, facts });
    await open(path, async (page) => {
      expect(await count(page)).toBe('5 users.');
      const names = await page.locator('.row .who .first').allTextContents();
      expect(names).toEqual([...evil.slice(0, 2), 'U+2028U+202Eturned', ...evil.slice(3)]);
      for (const row of await page.locator('.row').all()) await row.click();
      expect(await page.locator('img, iframe, a, link').count()).toBe(0);
      expect(await page.locator('script').count()).toBe(3);
    });
  });

  it('opens with 100,000 users and tells where the others are', async () => {
    const entries = Array.from({ length: 100_020 }, (_, at) => entry(at));
    const { path } = await pageOf({ entries });
    await open(path, async (page) => {
      expect(await count(page)).toMatch(
        /^100,000 users\. Here are the first 100,000 entries, those who cannot sign in first; all 100,020 are in .*0\.json\.$/,
      );
      expect(await page.locator('.row').count()).toBeLessThan(40);
      await page.fill('#search', 'user99999@');
      await until(page, '1 of 100,000');
      expect(await page.locator('.row').textContent()).toContain('user99999');
    });
  });
});
