/** Says in words what moves from a built-in source, for the help and the pages. */
import { hashDecoders } from '../../records/hash-forms/decoders.ts';
import type { Mapping } from './mapping/schema.ts';

export function movesOf(user: Mapping['user']) {
  const moved = [
    ['id', 'ids'],
    ['email', 'email addresses'],
    ['phone', 'phone numbers'],
    ['state', 'disabled users'],
    ['links', 'linked logins'],
    ['otp', 'TOTP'],
    ['recoveryCodes', 'recovery codes'],
    ['organization', 'organizations (`--org-by=organization`)'],
    ['memberships', 'organizations (`--org-by=organization`)'],
    ['memberships', 'roles in them (`--roles`)'],
    ['roles', 'roles (`--roles`)'],
    ['metadata', 'metadata'],
  ] as const;
  return [...new Set(moved.flatMap(([field, title]) => (user[field] === undefined ? [] : title)))];
}

/** Reports whether no export of the source has a hash. */
export function givesNone(password: Mapping['password']) {
  return password?.none !== undefined && password.from === undefined;
}

export function passwordsOf(password: Mapping['password']) {
  if (password === undefined) return 'none';
  if (givesNone(password)) return password.none!;
  const name = typeof password.format === 'string' ? password.format : 'auto';
  const { converts = '', refuses = '' } = hashDecoders.get(name) ?? {};
  const parts = [converts || 'none can move', refuses && `refused: ${refuses}`];
  return parts.filter(Boolean).join('; ');
}
