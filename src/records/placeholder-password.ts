/**
 * The placeholder password: a bcrypt hash that no password matches. Users whose old password is checked at their first
 * login get it, because some login pages only ask users who have a password. Its salt and digest are readable text:
 * nothing was hashed to make them, and finding a password for them would take about 2^184 tries. It is the same for all
 * users and runs, so conversions are repeatable, and every reader recognizes it.
 */

/** Hint for imports without the placeholder. */
export const loginPagesHint =
  'The login pages of the service (Login V2) ask only users who have a password: for them, convert with --jit-list and --jit-placeholder.';

/** 22 characters of salt and 31 of the digest. */
const text = 'idport.placeholder....this.is.not.a.hash.of.anything.';
const length = '$2b$10$'.length + text.length;

/** `cost` is the bcrypt cost. */
export function placeholderHash(cost: number) {
  return `$2b$${String(cost).padStart(2, '0')}$${text}`;
}

export function isPlaceholder(hash: string) {
  return hash.length === length && hash.endsWith(text);
}

/** Reports whether a hash was made from a password of the user. */
export const isRealHash = (hash: string) => hash !== '' && !isPlaceholder(hash);

/** Reports whether a text, such as a body, contains a placeholder password. */
export function hasPlaceholder(body: string) {
  return body.includes(text);
}
