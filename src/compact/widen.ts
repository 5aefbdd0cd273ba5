/** The same words with zeros behind them: at least `length`, and so many more that growing step by step costs little. */
export function widen(words: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  const wider = new Uint32Array(Math.max(length, minimum, Math.ceil(1.5 * words.length)));
  wider.set(words);
  return wider;
}

const minimum = 1024;
