/** Limits that stand in the pages in words are those of the code. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { mostWaiting } from '../../src/flows/import-users/send-users.ts';
import { defaultMaxBytes } from '../../src/webhooks/handler.ts';
import { longestTimeout } from '../../src/wire/actions.ts';

it.each([
  ['import-users.md', `up to ${mostWaiting.toLocaleString('en')} users wait at a time`],
  ['webhooks.md', `up to ${longestTimeout}s`],
  ['webhook-receiver.md', `largest body; ${defaultMaxBytes / 1024 / 1024} MiB by default`],
])('%s says: %s', (page, words) => {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
  expect(text.replaceAll(/\s+/g, ' ')).toContain(words);
});
