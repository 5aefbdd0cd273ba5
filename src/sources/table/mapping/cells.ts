/** Lists and objects that databases and applications write into one cell. */

/** `{a,"b c"}` of Postgres; a text that is no such list stays as it is. */
export function readPgArray(text: string): unknown {
  const plain = text.trim();
  if (!plain.startsWith('{') || !plain.endsWith('}')) return text;
  const items: string[] = [];
  for (const [, quoted, bare] of plain.slice(1, -1).matchAll(/"((?:[^"\\]|\\.|\\$)*)(?:"|$)|([^,"]+)/gs)) {
    if (quoted !== undefined) items.push(quoted.replace(/\\(.)/gs, '$1'));
    else if (bare !== undefined && bare !== 'NULL') items.push(bare);
  }
  return items;
}

/** Deeper ones are hostile. */
const deepest = 20;

/** `a:1:{i:0;s:5:"admin";}` of PHP: scalars, lists and arrays; a text that is none, or holds an object, stays as it is. */
export function unserialize(text: string): unknown {
  const bytes = Buffer.from(text, 'utf8');
  const reader = new PhpReader(bytes);
  const value = reader.value(0);
  return reader.failed ? text : value;
}

class PhpReader {
  failed = false;
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  value(depth: number): unknown {
    const type = String.fromCharCode(this.#bytes[this.#at] ?? 0);
    this.#at += 2;
    if (type === 'N') return null;
    if (depth > deepest || !'idbsa'.includes(type)) return this.#fail();
    if (type === 's') return this.#text();
    if (type === 'a') return this.#array(depth);
    const number = Number(this.#until(';'));
    return type === 'b' ? number === 1 : number;
  }

  #text(): unknown {
    const length = Number(this.#until(':'));
    const start = this.#at + 1;
    if (!Number.isInteger(length) || length < 0 || start + length + 2 > this.#bytes.length)
      return this.#fail();
    this.#at = start + length + 2;
    return this.#bytes.toString('utf8', start, start + length);
  }

  #array(depth: number): unknown {
    const count = Number(this.#until(':'));
    if (!Number.isInteger(count) || count < 0 || count > this.#bytes.length) return this.#fail();
    this.#at++;
    const entries: [string, unknown][] = [];
    for (let n = 0; n < count && !this.failed; n++)
      entries.push([String(this.value(depth + 1)), this.value(depth + 1)]);
    this.#at++;
    return entries.every(([key], at) => key === String(at))
      ? entries.map(([, value]) => value)
      : Object.fromEntries(entries);
  }

  #until(mark: string): string {
    const end = this.#bytes.indexOf(mark, this.#at);
    if (end === -1) return String(this.#fail());
    const text = this.#bytes.toString('latin1', this.#at, end);
    this.#at = end + 1;
    return text;
  }

  #fail(): undefined {
    this.failed = true;
    return undefined;
  }
}
