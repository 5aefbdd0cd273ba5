/** Writes the section on the forms of hashes in docs/passwords.md from the table of decoders. */
import { hashDecoders } from '../src/records/hash-forms/decoders.ts';

const begin = '<!-- The table is written by `npm run docs` from src/records/hash-forms/decoders.ts. -->';
const end = '<!-- The end of the table. -->';

export function formatHashForms(): string {
  const rows = [...hashDecoders].map(([name, { title, converts, refuses }]) =>
    ['', `\`${name}\``, title, converts || '-', refuses || '-', ''].join(' | ').trim(),
  );
  return [begin, '', '| Name | Whose | Converted | Refused |', '|---|---|---|---|', ...rows, '', end].join(
    '\n',
  );
}

/** The page with the table as it is in the code. */
export function withHashForms(page: string): string {
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from)
    throw new Error('docs/passwords.md has lost the marks around its table of forms');
  return page.slice(0, from) + formatHashForms() + page.slice(to + end.length);
}
