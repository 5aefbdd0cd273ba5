/**
 * A text in, an equal one out that does not keep a longer text in memory: V8 lets a piece of a text point into it.
 * For what is remembered longer than the text lives that it was cut out of.
 */
export function flattenString(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
