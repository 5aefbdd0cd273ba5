/** Two ranges of bytes in, whether they hold the same out. For short ones: no view is made of them. */
export function sameBytes(
  one: Uint8Array,
  start: number,
  end: number,
  other: Uint8Array,
  otherStart: number,
  otherEnd: number,
): boolean {
  const length = end - start;
  if (length !== otherEnd - otherStart) return false;
  for (let i = 0; i < length; i++) if (one[start + i] !== other[otherStart + i]) return false;
  return true;
}
