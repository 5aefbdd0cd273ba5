import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { formatApiErrorsPage } from '../../scripts/api-errors-page.ts';
import { remedies } from '../../src/api/remedies.ts';
import { allFlags, flagsIn } from '../support/all-flags.ts';

it('docs/api-errors.md says what the tables of the client say (else: npm run docs)', () => {
  const page = readFileSync(new URL('../../docs/api-errors.md', import.meta.url), 'utf8');
  expect(page).toBe(formatApiErrorsPage());
});

it('flags that the hints name exist', () => {
  const known = allFlags();
  const refusal = { method: 'POST', path: '/admin/v1/import', message: '' };
  for (const { remedy } of remedies) {
    for (const text of [remedy(refusal), remedy({ ...refusal, org: '1' })]) {
      expect(flagsIn(text).filter((flag) => !known.has(flag))).toEqual([]);
    }
  }
});
