/** Takes a command line apart: its words, and its flags with the values that follow them. */

export type Part =
  | { readonly word: string }
  /** `isJoined`: the value stands behind an equals sign. */
  | { readonly flag: string; readonly values: readonly string[]; readonly isJoined: boolean };

/** `valueOf` says what the help shows behind a flag: `<file>`, `[bool]`, `<path...>`; undefined where it takes nothing. */
export function* splitWords(
  words: readonly string[],
  valueOf: (flag: string) => string | undefined,
): Generator<Part> {
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word === '--') {
      for (const rest of words.slice(at + 1)) yield { word: rest };
      return;
    }
    if (!isFlag(word)) {
      yield { word };
      continue;
    }
    const [flag = '', joined] = word.split(/=(.*)/s);
    const value = joined === undefined ? (valueOf(flag) ?? '') : '';
    const values = joined === undefined ? [] : [joined];
    // What has to be there may look like a flag.
    if (value.startsWith('<') && at + 1 < words.length) values.push(words[++at]!);
    const most = value.endsWith('...>') ? Infinity : Number(value.startsWith('['));
    while (values.length < most && at + 1 < words.length && !isFlag(words[at + 1]!))
      values.push(words[++at]!);
    yield { flag, values, isJoined: joined !== undefined };
  }
}

const isFlag = (word: string): boolean => /^-[^\d]/.test(word);
