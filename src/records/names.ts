/** Completes a user's first and last name, which the target requires, from what the source has. */
import { fieldRules } from './field-rules.ts';
import { cut, splitLastWord } from './text.ts';

/** What stands in for a missing name; `skip` leaves the user out. */
export const nameFallbacks = ['username', 'email-local', 'dash', 'full-name', 'skip'] as const;
export type NameFallback = (typeof nameFallbacks)[number];

/** Absent texts, and those of blanks only, are empty. */
export interface KnownNames {
  readonly given: string;
  readonly family: string;
  /** A full name (`name`, `displayName`, `cn`) to split or to fall back on. */
  readonly full: string;
  readonly userName: string;
  readonly email: string;
}

export interface CompleteNames {
  readonly given: string;
  readonly family: string;
  /** Which of the two had to be made up. */
  readonly filled: '' | 'first name' | 'last name' | 'first and last name';
  readonly truncated: boolean;
}

/** Undefined when a name is missing and the fallback is `skip`. */
export function completeNames(known: KnownNames, fallback: NameFallback): CompleteNames | undefined {
  if (known.given !== '' && known.family !== '') return limit(known.given, known.family, '');
  let { given, family } = known;
  if (fallback !== 'full-name' && known.full !== '') {
    const [before, word] = splitLastWord(known.full) ?? [known.full, ''];
    if (given === '') given = before;
    if (family === '') family = word;
  }
  const filled = describeFilled(given === '', family === '');
  if (filled === '') return limit(given, family, '');
  const substitute = substitutes[fallback](known);
  return substitute === undefined ? undefined : limit(given || substitute, family || substitute, filled);
}

function limit(given: string, family: string, filled: CompleteNames['filled']): CompleteNames {
  const first = cut(given, fieldRules.firstName.max);
  const last = cut(family, fieldRules.lastName.max);
  const truncated = first.length < given.length || last.length < family.length;
  return { given: first, family: last, filled, truncated };
}

const substitutes: Readonly<Record<NameFallback, (known: KnownNames) => string | undefined>> = {
  username: (known) => known.userName,
  'email-local': (known) => known.email.slice(0, known.email.lastIndexOf('@')) || known.userName,
  dash: () => '-',
  'full-name': (known) => known.full || known.email || known.userName,
  skip: () => undefined,
};

function describeFilled(given: boolean, family: boolean): CompleteNames['filled'] {
  if (given) return family ? 'first and last name' : 'first name';
  return family ? 'last name' : '';
}
