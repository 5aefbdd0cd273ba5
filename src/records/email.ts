/**
 * Checks whether the target can parse an address. It uses Go's `net/mail.ParseAddress` and refuses display names. The
 * client checks before sending, the reference server after receiving.
 */
import { isIP } from 'node:net';
import { trimOf } from '../lib/strings.ts';

/**
 * Returns what is wrong with an address, or undefined if the target accepts it. Surrounding white space and one pair of
 * angle brackets are allowed.
 */
export function checkAddress(text: string) {
  const trimmed = trimOf(text, ' \t\r\n');
  if (trimmed === '') return 'empty';
  if (isAddress(trimmed)) return undefined;
  if (!trimmed.endsWith('>')) return isCommented(trimmed) ? 'has a display name' : 'invalid';
  const open = trimmed.lastIndexOf('<');
  if (open === -1 || !isAddress(trimmed.slice(open + 1, -1))) return 'invalid';
  return open === 0 ? undefined : 'has a display name';
}

const atom = "[\\p{L}\\p{N}!#$%&'*+/=?^_`{|}~\\u{80}-\\u{10ffff}-]+";
const dotAtom = `${atom}(?:\\.${atom})*`;
const quoted = '"(?:[^"\\\\\\r\\n\\0-\\x08\\x0e-\\x1f\\x7f]|\\\\[\\x20-\\x7e\\t])*"';
const addressPattern = new RegExp(`^(?:${dotAtom}|${quoted})@(?:${dotAtom}|\\[([\\da-f:.]+)\\])$`, 'iu');

function isAddress(text: string) {
  const found = text.isWellFormed() ? addressPattern.exec(text) : null;
  if (found === null) return false;
  const [, literal] = found;
  return literal === undefined || isIP(literal) !== 0;
}

function isCommented(text: string) {
  const open = text.indexOf('(');
  return open > 0 && text.endsWith(')') && isAddress(text.slice(0, open).trimEnd());
}
