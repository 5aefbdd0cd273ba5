/** The place of a number or a literal in JSON in, the place behind it out; -1 for what is none. */
const broken = -1;

const literals = ['true', 'false', 'null'].map((word) => Buffer.from(word, 'latin1'));

export function skipLiteral(bytes: Uint8Array, at: number): number {
  for (const word of literals) {
    let same = 0;
    while (same < word.length && bytes[at + same] === word[same]) same++;
    if (same === word.length) return at + same;
  }
  return broken;
}

export function skipNumber(bytes: Uint8Array, from: number): number {
  const { length } = bytes;
  let at = bytes[from] === 0x2d ? from + 1 : from;
  if (at < length && bytes[at] === 0x30) at++;
  else at = skipDigits(bytes, at);
  if (at !== broken && at < length && bytes[at] === 0x2e) at = skipDigits(bytes, at + 1);
  if (at === broken || at === length || (bytes[at]! | 0x20) !== 0x65) return at;
  const sign = at + 1 < length ? bytes[at + 1] : 0;
  return skipDigits(bytes, sign === 0x2b || sign === 0x2d ? at + 2 : at + 1);
}

/** At least one. */
function skipDigits(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at]! >= 0x30 && bytes[at]! <= 0x39) at++;
  return at === from ? broken : at;
}
