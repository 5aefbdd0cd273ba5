/** Draws docs/report-page.png: the report page of the demo's migration, in Chromium. `npm run report-picture` */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createReferenceServer } from '../src/server/index.ts';
import { openBrowser } from '../test/support/browser.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'idport-picture-'));
const server = createReferenceServer({ orgId: '1', tokens: { iamOwner: 'demo' } });

try {
  const { url } = await server.listen({ port: 0 });
  writeFileSync(join(folder, 'logins.csv'), 'user,password\nada,harbour-lights-1\nben,ben-2-the-bench\n');
  const realm = join(root, 'fixtures/keycloak/typical/realm.json');
  const commands = [
    [
      'migrate',
      'keycloak',
      '--org=1',
      `--realm=${realm}`,
      '--target-profile=hosted',
      '--report=migrate.json',
    ],
    [
      'check',
      'importBody.json',
      `--url=${url}`,
      '--target-profile=hosted',
      '--allow-emails',
      '--report=check.json',
    ],
    ['import-users', 'importBody.json', '--org=1', '--allow-emails', '--report=import.json'],
    ['verify', 'importBody.json', '--login-sample=logins.csv', '--report=verify.json'],
    ['report', 'migrate.json', 'check.json', 'import.json', 'verify.json', '--output=page.html'],
  ];
  const env = { ...process.env, IDPORT_URL: url, IDPORT_TOKEN: 'demo' };
  for (const command of commands) {
    await promisify(execFile)(process.execPath, [join(root, 'bin/idport.js'), ...command], {
      cwd: folder,
      env,
    });
  }
  const browser = await openBrowser();
  const page = await browser.newPage({ viewport: { width: 960, height: 1120 }, colorScheme: 'light' });
  await page.goto(pathToFileURL(join(folder, 'page.html')).href);
  await page.locator('.row').first().waitFor();
  await page.screenshot({ path: join(root, 'docs/report-page.png') });
  await browser.close();
} finally {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}
