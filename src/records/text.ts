/** Texts of a source, changed only as far as the target cannot store them. */
import { trimOf } from '../lib/strings.ts';
import { countCharacters } from './field-rules.ts';

/** NUL is removed, a lone surrogate becomes U+FFFD: the target can store neither. All else stays. */
export function sanitize(text: string): string {
  return text.isWellFormed() && !text.includes('\0') ? text : text.toWellFormed().replaceAll('\0', '');
}

/** Line ends, tabs and escapes of terminals: a name with one of them could pass for something else on a screen. */
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/** What of a name is stored: a blank takes the place of such characters, and none at its ends. A name without them keeps all its blanks. */
export function onOneLine(name: string): string {
  const clean = sanitize(name);
  const line = clean.replace(controls, ' ');
  return line === clean ? clean : trimBlanks(line);
}

/** The service compares names of users, projects and applications without regard to case. */
export const foldName = (name: string): string => name.trim().toLowerCase();

/** Whole bytes in hexadecimal digits, and at least one. */
export function isHex(text: string): boolean {
  return text.length % 2 === 0 && /^[0-9a-f]+$/i.test(text);
}

/** Unicode `White_Space`. */
const blanks =
  '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';

/** Without the blanks at both ends, as the target removes them from user names and addresses (Go `strings.TrimSpace`). */
export const trimBlanks = (text: string): string => trimOf(text, blanks);

/** The text before the last word, and that word; undefined where there is one word only. */
export function splitLastWord(text: string): readonly [before: string, word: string] | undefined {
  const trimmed = trimBlanks(text);
  for (let at = trimmed.length - 1; at > 0; at--) {
    if (blanks.includes(trimmed.charAt(at))) return [trimBlanks(trimmed.slice(0, at)), trimmed.slice(at + 1)];
  }
  return undefined;
}

/** Cuts to `max` code points; never splits a pair of surrogates. */
export function cut(text: string, max: number): string {
  if (text.length <= max || countCharacters(text) <= max) return text;
  let end = 0;
  for (let characters = 0; characters < max; characters++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}
