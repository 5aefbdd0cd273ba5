/** Cleans texts of a source so that they can be stored and compared. */
import { countCharacters } from './field-rules.ts';

/**
 * Trims, makes one space of every run of white space and control characters, removes NUL,
 * and replaces lone surrogates (JSON can carry them, UTF-8 cannot) by U+FFFD.
 */
export function tidy(text: string): string {
  return isTidy(text) ? text : clean(text);
}

/** True where `tidy` would do more than trim or fold white space: characters were lost. */
export function losesCharacters(text: string): boolean {
  return text.includes('\0') || !text.isWellFormed();
}

/** The common case, decided without a copy: no control characters, no surrogates, single inner spaces only. */
function isTidy(text: string): boolean {
  const last = text.length - 1;
  let spaceBefore = true;
  for (let i = 0; i <= last; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x20) {
      if (spaceBefore || i === last) return false;
      spaceBefore = true;
      continue;
    }
    if (unit < 0x20 || unit === 0x7f || (unit >= 0x80 && mayNeedCare(unit))) return false;
    spaceBefore = false;
  }
  return true;
}

/** C1 controls, Unicode white space and surrogates go the slow way. */
function mayNeedCare(unit: number): boolean {
  if (unit <= 0xa0) return true;
  if (unit < 0x1680) return false;
  return (
    unit === 0x1680 ||
    (unit >= 0x2000 && unit <= 0x200a) ||
    (unit >= 0x2028 && unit <= 0x202f) ||
    unit === 0x205f ||
    unit === 0x3000 ||
    unit === 0xfeff ||
    (unit >= 0xd800 && unit <= 0xdfff)
  );
}

function clean(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\0', '')
    .replace(/[\s\u0001-\u001f\u007f-\u009f]+/gu, ' ')
    .trim();
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
