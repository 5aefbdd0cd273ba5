/** Fields of CSV files (RFC 4180) that may be opened in a spreadsheet, which evaluates text that looks like a formula. */

/** Puts an apostrophe before text that looks like a formula, and quotes around it if needed. */
function quoteField(text: string) {
  const shown = looksLikeFormula(text) ? `'${text}` : text;
  return /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}

/** Returns a row with its line feed. */
export const encodeRow = (cells: readonly string[]) => `${cells.map(quoteField).join(',')}\n`;

/** Returns the text that `encodeRow` was given. `text` is its field without the quotes. */
export function readField(text: string) {
  return text.startsWith("'") && looksLikeFormula(text) ? text.slice(1) : text;
}

/**
 * Reports whether text looks like a formula, even after apostrophes, so that each field can be read back. A phone number is only
 * a number.
 */
function looksLikeFormula(text: string) {
  return /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(text) && !/^'*\+\d{6,15}$/.test(text);
}
