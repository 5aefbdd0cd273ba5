/** Texts of a source, changed only as far as the target cannot store them. */
import { trimOf } from '../lib/strings.ts';

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
  const [, before, word] = lastWord.exec(trimBlanks(text)) ?? [];
  return before === undefined ? undefined : [trimBlanks(before), word!];
}

const lastWord = new RegExp(`^(.*)[${blanks}](.*)$`, 's');

/** Cuts to `max` code points; never splits a pair of surrogates. */
export const cut = (text: string, max: number): string =>
  text.length <= max
    ? text
    : Array.from(text.slice(0, 2 * max))
        .slice(0, max)
        .join('');
