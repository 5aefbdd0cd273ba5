/** Completes a user's first and last name, which the target requires, from what the source has. */
import { fieldRules } from './field-rules.ts';
import { cut, splitLastWord } from './text.ts';
import type { UserRecord } from './user.ts';

/** What replaces a missing name; `skip` leaves the user out. */
export const nameFallbacks = ['username', 'email-local', 'dash', 'full-name', 'skip'] as const;
export type NameFallback = (typeof nameFallbacks)[number];

type Named = Pick<UserRecord, 'givenName' | 'familyName' | 'fullName' | 'userName' | 'email' | 'notes'>;

/** False where a name is missing and the fallback is `skip`. Names of blanks only must be empty by now. */
export function completeNames(user: Named, fallback: NameFallback): boolean {
  if ((user.givenName === '' || user.familyName === '') && !fillNames(user, fallback)) return false;
  const { givenName, familyName } = user;
  user.givenName = cut(givenName, fieldRules.firstName.max);
  user.familyName = cut(familyName, fieldRules.lastName.max);
  const isCut = user.givenName.length < givenName.length || user.familyName.length < familyName.length;
  if (isCut) user.notes.push({ code: 'field:truncated', detail: 'name' });
  return true;
}

function fillNames(user: Named, fallback: NameFallback): boolean {
  const { fullName, notes } = user;
  if (fallback !== 'full-name' && fullName !== '') {
    const [before, word] = splitLastWord(fullName) ?? [fullName, ''];
    user.givenName ||= before;
    user.familyName ||= word;
  }
  const missing = [user.givenName === '' && 'first', user.familyName === '' && 'last'].filter(Boolean);
  if (missing.length === 0) return true;
  const substitute = substitutes[fallback](user);
  if (substitute === undefined) return false;
  user.givenName ||= substitute;
  user.familyName ||= substitute;
  notes.push({ code: 'name:filled', detail: `${missing.join(' and ')} name` });
  return true;
}

const substitutes: Readonly<Record<NameFallback, (user: Named) => string | undefined>> = {
  username: (user) => user.userName,
  'email-local': (user) => user.email.slice(0, user.email.lastIndexOf('@')) || user.userName,
  dash: () => '-',
  'full-name': (user) => user.fullName || user.email || user.userName,
  skip: () => undefined,
};
