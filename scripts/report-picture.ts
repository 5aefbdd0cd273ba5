/** Draws docs/report-page.png with Chromium: the report page of `idport demo`. `npm run report-picture` */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openBrowser } from '../test/support/browser.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'idport-picture-'));

try {
  execFileSync(process.execPath, [join(root, 'bin/idport.js'), 'demo', '--page=page.html'], { cwd: folder });
  const browser = await openBrowser();
  const page = await browser.newPage({ viewport: { width: 960, height: 1120 }, colorScheme: 'light' });
  await page.goto(pathToFileURL(join(folder, 'page.html')).href);
  await page.locator('.row').first().waitFor();
  await page.screenshot({ path: join(root, 'docs/report-page.png') });
  await browser.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
