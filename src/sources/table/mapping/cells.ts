/** Lists and objects that databases and applications write into one cell. */
import { createHmac } from 'node:crypto';
import { isObject } from '../../../lib/json-value.ts';

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

/** How many codes django-allauth makes of a seed, and how many digits each has, where its settings do not say. */
const allauth = { codes: 10, digits: 8 };

/**
 * The recovery codes of `allauth.mfa` that are left: it keeps a seed, and a bit for each code that was used; those that it took
 * over from elsewhere as they are. Source: django-allauth 65, mfa/recovery_codes/internal/auth.py.
 */
export function allauthCodes(value: unknown): unknown {
  if (!isObject(value)) return '';
  const { seed, used_mask: used, migrated_codes: migrated } = value;
  if (Array.isArray(migrated)) return migrated;
  if (typeof seed !== 'string' || typeof used !== 'number') return '';
  const codes: string[] = [];
  let message = '';
  for (let at = 0; at < allauth.codes; at++) {
    message += `${String(at).padStart(3)},`;
    const number = createHmac('sha1', seed).update(message).digest().readUInt32BE(0);
    const code = String(number % 10 ** allauth.digits).padStart(allauth.digits, '0');
    if (((used >> at) & 1) === 0) codes.push(code);
  }
  return codes;
}
