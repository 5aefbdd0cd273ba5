import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { formatApiErrorsPage } from '../../scripts/api-errors-page.ts';

it('docs/api-errors.md says what the tables of the client say (else: npm run docs)', () => {
  const page = readFileSync(new URL('../../docs/api-errors.md', import.meta.url), 'utf8');
  expect(page).toBe(formatApiErrorsPage());
});
