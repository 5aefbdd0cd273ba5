/**
 * Copies a string so that it does not keep a longer string in memory: in V8 a substring refers to the string that it
 * was cut out of. For substrings that are kept longer than the original.
 */
export function flattenString(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
