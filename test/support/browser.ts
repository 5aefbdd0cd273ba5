/** A headless Chromium for tests, where the distribution has one. */
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const paths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Undefined where there is none; tests then show themselves as skipped. */
export const browserPath = paths.find((path) => existsSync(path));

/** The network is switched off in it: pages of tests are files. */
export function openBrowser() {
  return chromium.launch({
    ...(browserPath !== undefined && { executablePath: browserPath }),
    timeout: 120_000,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
