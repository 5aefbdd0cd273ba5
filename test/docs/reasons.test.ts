import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { formatReasonsPage } from '../../scripts/reasons-page.ts';

it('docs/reasons.md says what the table of reason codes says (else: npm run docs)', () => {
  const page = readFileSync(new URL('../../docs/reasons.md', import.meta.url), 'utf8');
  expect(page).toBe(formatReasonsPage());
});
