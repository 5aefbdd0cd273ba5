/** Finds the first syntax error in a JSON text, in the recorded wording of Go's JSON scanner. */

const token = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:]/y;
const partOfText = /[^"\\\0-\x1f]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const space = /[ \t\n\r]*/y;

const deepest = 10_000;

/** What is wrong with the first JSON value of the bytes, or undefined; `unexpected EOF` where the text ends early. */
export function jsonSyntaxError(bytes: Uint8Array): string | undefined {
  // Go names the byte as if it were a character.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const read = (pattern: RegExp, from: number): string => {
    pattern.lastIndex = from;
    return pattern.exec(text)?.[0] ?? '';
  };
  const open: string[] = [];
  let place: Place = 'value';
  let before = '';
  for (let at = 0; ; at += before.length) {
    at += read(space, at).length;
    if (at >= text.length) return 'unexpected EOF';
    let found = read(token, at);
    if (text[at] === '"') {
      // Part by part: one pattern for the whole string overflows the stack, or takes too long if it is not closed.
      let end = at + 1;
      for (let part; (part = read(partOfText, end)) !== '';) end += part.length;
      found = text.slice(at, end + 1);
      const [wrong, where] = text[end] === '\\' ? [text[end + 1], 'escape code'] : [text[end], 'literal'];
      if (wrong === undefined) return 'unexpected EOF';
      if (text[end] !== '"') return invalid(wrong, `in string ${where}`);
    }
    const next = follow(place, found, open, before);
    if (next === undefined) return invalid(text[at]!, places[place](open.at(-1)));
    if (open.length > deepest) return invalid(found, 'exceeded max depth');
    if (next === 'end') return undefined;
    place = next;
    before = found;
  }
}

type Place = 'value' | 'key' | 'colon' | 'comma';

const places: Readonly<Record<Place, (inside: string | undefined) => string>> = {
  value: () => 'looking for beginning of value',
  key: () => 'looking for beginning of object key string',
  colon: () => 'after object key',
  comma: (inside) => (inside === '{' ? 'after object key:value pair' : 'after array element'),
};

/** What must follow the token; undefined where the token is not allowed. Keeps track of open brackets. */
function follow(place: Place, found: string, open: string[], before: string): Place | 'end' | undefined {
  const inside = open.at(-1);
  const mayClose = place === 'comma' || before === inside;
  if (mayClose && found === (inside === '{' ? '}' : ']')) {
    open.pop();
    return open.length === 0 ? 'end' : 'comma';
  }
  if (place === 'colon') return found === ':' ? 'value' : undefined;
  if (place === 'comma') return found === ',' ? afterComma(inside) : undefined;
  if (place === 'key') return found.startsWith('"') ? 'colon' : undefined;
  if (found === '{' || found === '[') {
    open.push(found);
    return afterComma(found);
  }
  if (found === '' || /^[\]},:]/.test(found)) return undefined;
  return inside === undefined ? 'end' : 'comma';
}

const afterComma = (inside: string | undefined): Place => (inside === '{' ? 'key' : 'value');

const named: Readonly<Record<string, string>> = {
  "'": `'\\''`,
  '\\': `'\\\\'`,
  '\n': `'\\n'`,
  '\t': `'\\t'`,
  '\r': `'\\r'`,
};

function invalid(letter: string, where: string): string {
  const hidden = /[\0-\x1f\x7f-\xa0\xad]/.test(letter);
  const shown = hidden ? `'\\x${letter.charCodeAt(0).toString(16).padStart(2, '0')}'` : `'${letter}'`;
  return `invalid character ${named[letter] ?? shown} ${where}`;
}
