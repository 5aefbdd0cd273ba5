/** Finds the first syntax error in a JSON text, and says it in the words of Go's JSON scanner. */

const space = new Set([0x20, 0x09, 0x0a, 0x0d]);
const literals: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };

type Scan = { readonly bytes: Uint8Array; at: number };

/** What is wrong with the first JSON value of the bytes, or undefined; `unexpected EOF` where it just stops. */
export function jsonSyntaxError(bytes: Uint8Array): string | undefined {
  const scan: Scan = { bytes, at: 0 };
  const stack: ('object' | 'array')[] = [];
  for (;;) {
    const problem = scanValueStart(scan, stack);
    if (problem !== undefined) return problem;
    if (stack.length > 10_000) {
      return `invalid character '${stack.at(-1) === 'object' ? '{' : '['}' exceeded max depth`;
    }
    const ended = scanAfterValue(scan, stack);
    if (ended === 'end') return undefined;
    if (ended !== 'next') return ended;
  }
}

/** Reads up to where a value has ended; objects and arrays that open are pushed, empty ones end at once. */
function scanValueStart(scan: Scan, stack: ('object' | 'array')[]): string | undefined {
  for (;;) {
    const byte = next(scan);
    if (byte === undefined) return 'unexpected EOF';
    if (byte === 0x7b) {
      stack.push('object');
      if (peek(scan) === 0x7d) return undefined;
      const problem = scanKey(scan);
      if (problem !== undefined) return problem;
    } else if (byte === 0x5b) {
      stack.push('array');
      if (peek(scan) === 0x5d) return undefined;
    } else {
      return scanScalar(scan, byte);
    }
    if (stack.length > 10_000) return undefined;
  }
}

function scanScalar(scan: Scan, byte: number): string | undefined {
  if (byte === 0x22) return scanString(scan);
  if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) return scanNumber(scan, byte);
  const word = literals[String.fromCharCode(byte)];
  if (word === undefined) return invalid(byte, 'looking for beginning of value');
  for (let i = 1; i < word.length; i++) {
    const found = scan.bytes[scan.at++];
    if (found === undefined) return 'unexpected EOF';
    if (found !== word.charCodeAt(i))
      return invalid(found, `in literal ${word} (expecting '${word.charAt(i)}')`);
  }
  return undefined;
}

function scanKey(scan: Scan): string | undefined {
  const quote = next(scan);
  if (quote === undefined) return 'unexpected EOF';
  if (quote !== 0x22) return invalid(quote, 'looking for beginning of object key string');
  const problem = scanString(scan);
  if (problem !== undefined) return problem;
  const colon = next(scan);
  if (colon === undefined) return 'unexpected EOF';
  return colon === 0x3a ? undefined : invalid(colon, 'after object key');
}

function scanAfterValue(scan: Scan, stack: ('object' | 'array')[]): string {
  for (;;) {
    const inside = stack.at(-1);
    if (inside === undefined) return 'end';
    const byte = next(scan);
    if (byte === undefined) return 'unexpected EOF';
    if (byte === 0x2c) return inside === 'object' ? (scanKey(scan) ?? 'next') : 'next';
    if (byte !== (inside === 'object' ? 0x7d : 0x5d)) {
      return invalid(byte, inside === 'object' ? 'after object key:value pair' : 'after array element');
    }
    stack.pop();
  }
}

function scanString(scan: Scan): string | undefined {
  for (;;) {
    const byte = scan.bytes[scan.at++];
    if (byte === undefined) return 'unexpected EOF';
    if (byte === 0x22) return undefined;
    if (byte < 0x20) return invalid(byte, 'in string literal');
    if (byte !== 0x5c) continue;
    const escape = scan.bytes[scan.at++];
    if (escape === undefined) return 'unexpected EOF';
    if (escape === 0x75) {
      for (let i = 0; i < 4; i++) {
        const digit = scan.bytes[scan.at++];
        if (digit === undefined) return 'unexpected EOF';
        if (!/[0-9a-fA-F]/.test(String.fromCharCode(digit)))
          return invalid(digit, 'in \\u hexadecimal character escape');
      }
    } else if (!'"\\/bfnrt'.includes(String.fromCharCode(escape))) {
      return invalid(escape, 'in string escape code');
    }
  }
}

function scanNumber(scan: Scan, first: number): string | undefined {
  let byte: number | undefined = first;
  const digit = (code: number | undefined): boolean => code !== undefined && code >= 0x30 && code <= 0x39;
  const take = (): number | undefined => scan.bytes[scan.at++];
  if (byte === 0x2d) {
    byte = take();
    if (!digit(byte)) return wrongDigit(byte, 'in numeric literal');
  }
  if (byte === 0x30) byte = take();
  else while (digit(byte)) byte = take();
  if (byte === 0x2e) {
    byte = take();
    if (!digit(byte)) return wrongDigit(byte, 'after decimal point in numeric literal');
    while (digit(byte)) byte = take();
  }
  if (byte === 0x65 || byte === 0x45) {
    byte = take();
    if (byte === 0x2b || byte === 0x2d) byte = take();
    if (!digit(byte)) return wrongDigit(byte, 'in exponent of numeric literal');
    while (digit(byte)) byte = take();
  }
  scan.at--;
  return undefined;
}

const wrongDigit = (byte: number | undefined, where: string): string =>
  byte === undefined ? 'unexpected EOF' : invalid(byte, where);

function peek(scan: Scan): number | undefined {
  while (space.has(scan.bytes[scan.at] ?? -1)) scan.at++;
  return scan.bytes[scan.at];
}

function next(scan: Scan): number | undefined {
  const byte = peek(scan);
  if (byte !== undefined) scan.at++;
  return byte;
}

const named: Readonly<Record<number, string>> = {
  0x27: `'\\''`,
  0x22: `'"'`,
  0x5c: `'\\\\'`,
  0x0a: `'\\n'`,
  0x09: `'\\t'`,
  0x0d: `'\\r'`,
};

/** Go quotes the byte as if it were a character. */
function invalid(byte: number, where: string): string {
  const plain = byte >= 0x20 && byte !== 0x7f && !(byte >= 0x80 && byte < 0xa1) && byte !== 0xad;
  const shown = plain ? `'${String.fromCharCode(byte)}'` : `'\\x${byte.toString(16).padStart(2, '0')}'`;
  return `invalid character ${named[byte] ?? shown} ${where}`;
}
