/** Fields of CSV files (RFC 4180) that may be opened in a spreadsheet, which calculates what looks like a formula. */

/** With an apostrophe before what looks like a formula, and in quotes where it has to be. */
export function quoteField(text: string): string {
  const shown = looksLikeFormula(text) ? `'${text}` : text;
  return /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}

/** The text of a field, without its quotes, as it was given to `quoteField`. */
export function readField(text: string): string {
  return text.startsWith("'") && looksLikeFormula(text) ? text.slice(1) : text;
}

/** Also with apostrophes before it, so that each field can be read back. A phone number is only a number. */
function looksLikeFormula(text: string) {
  return /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(text) && !/^'*\+\d{6,15}$/.test(text);
}
