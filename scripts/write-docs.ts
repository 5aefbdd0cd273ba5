/** Writes the pages of docs/ that are made from tables in the code, and those for machines, which are made from pages. */
import { writeFileSync } from 'node:fs';
import { writeMaps } from './compile-maps.ts';
import { formatApiErrorsPage } from './api-errors-page.ts';
import { formatFlagsPage } from './flags-page.ts';
import { formatHashFormsPage } from './hash-forms-page.ts';
import { formatLlms, formatSkill, skillPath } from './machine-pages.ts';
import { formatReasonsPage } from './reasons-page.ts';

writeFileSync(new URL('../docs/reasons.md', import.meta.url), formatReasonsPage());
writeFileSync(new URL('../docs/api-errors.md', import.meta.url), formatApiErrorsPage());
writeFileSync(new URL('../docs/flags.md', import.meta.url), formatFlagsPage());

writeFileSync(new URL('../docs/hash-forms.md', import.meta.url), formatHashFormsPage());
await writeMaps();
writeFileSync(new URL('../llms.txt', import.meta.url), formatLlms());
writeFileSync(new URL(`../${skillPath}`, import.meta.url), formatSkill());
