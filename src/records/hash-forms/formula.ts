/**
 * Formulas say how a source computes what it stores, as tables and mappings write it: `sha1(salt + password)`.
 * `hex(...)` and `base64(...)` around a digest turn it into text. Texts are in double quotes.
 */
import { isObject } from '../../lib/json-value.ts';
import { memoized } from '../../lib/strings.ts';
import { readText } from './encodings.ts';
import { type Bytes, digestNames, type Made, type TextStep, textSteps } from './form.ts';

/** Bytes in which names stand for the values of one user. */
type Formula = Made<{ readonly name: string }>;

const token = /\s*(?:([A-Za-z][\w-]*)|"([^"]*)"|([(),+]))\s*/y;

/** Returns the formula, or a text that says what is wrong with it. */
export const parseFormula = memoized(parse);

function parse(source: string): Formula | string {
  let at = 0;
  const next = () => {
    token.lastIndex = at;
    const found = token.exec(source);
    if (found === null) return undefined;
    at = token.lastIndex;
    return found;
  };
  const accept = (mark: string) => {
    const before = at;
    if (next()?.[3] === mark) return true;
    at = before;
    return false;
  };
  const readTerm = (): Formula | string => {
    const [, name, text] = next() ?? [];
    if (text !== undefined) return { text };
    if (name === undefined)
      return at < source.length ? `${source.slice(at, at + 20)} is not known` : 'it is cut off';
    if (!accept('(')) return { name };
    const values: Formula[] = [];
    do {
      const value = readSum();
      if (typeof value === 'string') return value;
      values.push(value);
    } while (accept(','));
    return accept(')') ? call(name, values) : `a ) is missing after ${name}(`;
  };
  const readSum = (): Formula | string => {
    const join: Formula[] = [];
    do {
      const term = readTerm();
      if (typeof term === 'string') return term;
      join.push(term);
    } while (accept('+'));
    return join.length === 1 ? join[0]! : { join };
  };
  const formula = readSum();
  if (typeof formula === 'string' || at === source.length) return formula;
  return `nothing can follow ${source.slice(0, at).trim()}`;
}

function call(name: string, [first, second, ...more]: readonly Formula[]): Formula | string {
  const hmac = name.startsWith('hmac-') ? findDigest(name.slice('hmac-'.length)) : undefined;
  if (first === undefined || more.length > 0 || (second === undefined) !== (hmac === undefined)) {
    return `${name}() takes ${hmac === undefined ? 'one value' : 'a key and a value'}`;
  }
  if (hmac === 'md4') return `there is no ${name}()`;
  if (hmac !== undefined && second !== undefined) return { hmac, key: first, of: second };
  const digest = findDigest(name);
  if (digest !== undefined) return { digest, of: first };
  const step = textSteps.find((one): one is TextStep => one === name);
  if (step !== undefined) return { step, of: first };
  if (name === 'bcrypt') return { bcryptLike: '', of: first };
  if (name !== 'hex' && name !== 'base64') return `there is no ${name}()`;
  return 'digest' in first || 'hmac' in first ? { ...first, as: name } : `${name}() takes a digest`;
}

const findDigest = (name: string) => digestNames.find((one) => one === name);

/** Returns the names in a formula, including `password`. */
export function namesIn(formula: Formula): readonly string[] {
  if ('name' in formula) return [formula.name];
  return Object.values(formula as object).flatMap((part: unknown) => {
    if (Array.isArray(part)) return part.flatMap((one: Formula) => namesIn(one));
    return isObject(part) ? namesIn(part as unknown as Formula) : [];
  });
}

/** Replaces the names with the values of one user. `hash` is the bcrypt hash whose cost and salt `bcrypt()` uses. */
export function fillFormula(formula: Formula, valueOf: (name: string) => Bytes, hash = ''): Bytes {
  const fill = (part: Formula) => fillFormula(part, valueOf, hash);
  if ('name' in formula) return valueOf(formula.name);
  if ('text' in formula) return formula;
  if ('join' in formula) return joinBytes(formula.join.map(fill));
  if ('hmac' in formula) return { ...formula, key: fill(formula.key), of: fill(formula.of) };
  if ('bcryptLike' in formula) return { bcryptLike: hash, of: fill(formula.of) };
  if ('step' in formula) return { ...formula, of: fill(formula.of) };
  const { again, of, ...digest } = formula;
  return { ...digest, of: fill(of), ...(again !== undefined && { again: fill(again) }) };
}

/**
 * Returns the bytes of a valid formula of the password and of secrets that the operator keeps. Throws `TypeError` if it
 * is not valid.
 */
export function bytesOfFormula(source: string): Bytes {
  const formula = parseFormula(source);
  if (typeof formula === 'string') throw new TypeError(`${source}: ${formula}`);
  return fillFormula(formula, (name) => (name === 'password' ? name : { secret: name }));
}

/** Returns bytes as text if they are text, because only a text can be the salt of an MD5 hash of the target. */
export function literal(bytes: Uint8Array): Bytes {
  const text = readText(bytes);
  return text === undefined ? { base64: Buffer.from(bytes).toString('base64') } : { text };
}

/** Returns undefined if the bytes depend on the password or on a secret. */
export function literalOf(bytes: Bytes) {
  if (typeof bytes === 'string') return undefined;
  if ('text' in bytes) return Buffer.from(bytes.text);
  return 'base64' in bytes ? Buffer.from(bytes.base64, 'base64') : undefined;
}

/** Joins pieces. Adjacent known pieces are merged, and empty ones are left out. */
export function joinBytes(pieces: readonly Bytes[]) {
  const join: Bytes[] = [];
  for (const piece of pieces.flatMap((one) =>
    typeof one === 'object' && 'join' in one ? one.join : [one],
  )) {
    const known = literalOf(piece);
    const last = join.at(-1);
    const before = last && literalOf(last);
    if (known?.length === 0) continue;
    if (known !== undefined && before !== undefined)
      join[join.length - 1] = literal(Buffer.concat([before, known]));
    else join.push(piece);
  }
  return join.length === 1 ? join[0]! : { join };
}

/** Returns the bytes of a text that has `{PASSWORD}` exactly once, or undefined. */
export function aroundPassword(text: string): Exclude<Bytes, string> | undefined {
  const [before = '', after, ...more] = text.split('{PASSWORD}');
  if (after === undefined || more.length > 0) return undefined;
  return { join: [{ text: before }, 'password', { text: after }] };
}
