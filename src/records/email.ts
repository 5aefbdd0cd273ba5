/**
 * Says whether the target can parse an address: it uses Go's `net/mail.ParseAddress` and refuses display names.
 * The client asks before sending, the reference server after receiving.
 */
import { isIP } from 'node:net';
import { trimOf } from '../lib/trim.ts';

export type AddressProblem = 'empty' | 'invalid' | 'has a display name';

/** Undefined when the target takes the address. White space round it and one pair of angle brackets are accepted. */
export function checkAddress(text: string): AddressProblem | undefined {
  if (isPlainAddress(text)) return undefined;
  const trimmed = trimOf(text, ' \t\r\n');
  if (trimmed === '') return 'empty';
  if (isAddress(trimmed)) return undefined;
  if (!trimmed.endsWith('>')) return isCommented(trimmed) ? 'has a display name' : 'invalid';
  const open = trimmed.lastIndexOf('<');
  if (open === -1 || !isAddress(trimmed.slice(open + 1, -1))) return 'invalid';
  return open === 0 ? undefined : 'has a display name';
}

/** The common case in one pass: letters, digits, `.`, `_`, `-`, `+` and exactly one `@`, dots well placed. */
function isPlainAddress(text: string): boolean {
  let at = -1;
  let before = 0x2e;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x40) {
      if (at !== -1 || before === 0x2e) return false;
      at = i;
      before = 0x2e;
      continue;
    }
    if (unit === 0x2e) {
      if (before === 0x2e) return false;
    } else if (!isWordUnit(unit)) {
      return false;
    }
    before = unit;
  }
  return at > 0 && before !== 0x2e;
}

function isWordUnit(unit: number): boolean {
  return (
    (unit >= 0x61 && unit <= 0x7a) ||
    (unit >= 0x30 && unit <= 0x39) ||
    (unit >= 0x41 && unit <= 0x5a) ||
    unit === 0x2d ||
    unit === 0x5f ||
    unit === 0x2b
  );
}

const atom = "[\\p{L}\\p{N}!#$%&'*+/=?^_`{|}~\\u{80}-\\u{10ffff}-]+";
const dotAtom = `${atom}(?:\\.${atom})*`;
const quoted = '"(?:[^"\\\\\\r\\n\\0-\\x08\\x0e-\\x1f\\x7f]|\\\\[\\x20-\\x7e\\t])*"';
const addressPattern = new RegExp(`^(?:${dotAtom}|${quoted})@(?:${dotAtom}|\\[([\\da-f:.]+)\\])$`, 'iu');

function isAddress(text: string): boolean {
  const found = text.isWellFormed() ? addressPattern.exec(text) : null;
  if (found === null) return false;
  const [, literal] = found;
  return literal === undefined || isIP(literal) !== 0;
}

function isCommented(text: string): boolean {
  const open = text.indexOf('(');
  return open > 0 && text.endsWith(')') && isAddress(text.slice(0, open).trimEnd());
}
