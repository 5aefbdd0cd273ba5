/** Sixteen bytes in, which of them matter inside a text of JSON out, as bits: for the programs that read texts. */
import { bytes16, type Code, type Variable } from './wasm-code.ts';

/** Quotes, backslashes and control characters. */
export function marksOf(part: Variable): Code {
  const isQuote = bytes16.areEqual(part.get, bytes16.filled(0x22));
  const isBackslash = bytes16.areEqual(part.get, bytes16.filled(0x5c));
  const isControl = bytes16.areLess(part.get, bytes16.filled(0x20));
  return bytes16.bits(bytes16.or(bytes16.or(isQuote, isBackslash), isControl));
}
