/**
 * The placeholder password: a bcrypt hash that no password has. Users whose old password is checked at their first
 * login get it, because some login pages ask only those for a password who have one. Its salt and its digest are
 * readable text: nothing was hashed to make them, and it would take some 2^184 tries to find a password for them. It
 * is the same for all users and runs, so that a conversion can be repeated, and every reader knows it.
 */

/** For those who import without it. */
export const loginPagesHint =
  'The login pages of the service (Login V2) ask only users who have a password: for them, convert with --jit-list and --jit-placeholder.';

/** 22 characters of salt and 31 of the digest. */
const text = 'idport.placeholder....this.is.not.a.hash.of.anything.';
const length = '$2b$10$'.length + text.length;

/** `cost` is that of bcrypt. */
export function placeholderHash(cost: number): string {
  return `$2b$${String(cost).padStart(2, '0')}$${text}`;
}

export function isPlaceholder(hash: string): boolean {
  return hash.length === length && hash.endsWith(text);
}

/** Of a password of the user. */
export const isRealHash = (hash: string): boolean => hash !== '' && !isPlaceholder(hash);

/** Whether a text, of a body for example, has a placeholder password in it. */
export function hasPlaceholder(body: string): boolean {
  return body.includes(text);
}
