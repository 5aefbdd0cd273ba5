import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { formatFlagsPage } from '../../scripts/flags-page.ts';

it('docs/flags.md says what the tables of flags say (else: npm run docs)', () => {
  const page = readFileSync(new URL('../../docs/flags.md', import.meta.url), 'utf8');
  expect(page).toBe(formatFlagsPage());
});
