/** The values of one password that a row reads: as texts, as bytes, and in formulas. */
import { isObject, tryParseJson } from '../../lib/json-value.ts';
import { readBytesText } from '../../lib/strings.ts';
import { malformed, type McfProblem, nameOf, unsupported } from '../mcf/algorithm.ts';
import { type Bytes, digestBytes } from './form.ts';
import { decodeText, type TextEncoding, toCount, toText } from './encodings.ts';
import { fillFormula, joinBytes, literal, literalOf, parseFormula } from './formula.ts';
import { type HashParts, type HashRow, type Inputs, textOf } from './row.ts';

/** Returns the inputs of a row. An empty column counts as absent, so that the source's default applies. */
export function inputsOf({ hash, options, ...columns }: HashParts): Inputs {
  // The argon2 module of OpenLDAP 2.5 ends its hashes with NUL.
  const text = hash.replace(/(?<!\0)\0+$/, '').trim();
  const inputs: Record<string, Inputs[string]> = { hash: readBytesText(text), raw: hash };
  for (const [name, value] of Object.entries(columns)) if (value !== '') inputs[name] = value;
  const object = options ?? (/^\s*\{\s*"/.test(hash) ? tryParseJson(hash) : undefined);
  if (isObject(object)) {
    inputs['.'] = `{${Object.keys(object).join(',')}}`;
    addMembers(inputs, '', object);
  }
  return inputs;
}

function addMembers(inputs: Record<string, Inputs[string]>, path: string, value: unknown) {
  if (typeof value !== 'object' || value === null) inputs[path] = toText(value);
  else for (const [name, inner] of Object.entries(value)) addMembers(inputs, `${path}.${name}`, inner);
}

export function withDefaults({ set }: HashRow, given: Inputs): Inputs {
  if (set === undefined) return given;
  const inputs: Record<string, Inputs[string]> = { ...given };
  for (const [name, values] of Object.entries(set)) {
    if (isGiven(inputs[name])) continue;
    for (const value of typeof values === 'string' ? [values] : values) {
      inputs[name] = fillText(value, inputs);
      if (inputs[name] !== undefined) break;
    }
  }
  return inputs;
}

export const isGiven = (value: Inputs[string]) =>
  value !== undefined && !('length' in Object(value) && (value as string).length === 0);
const placeholder = /<([\w.]+)>/g;

/** Returns undefined if an input is missing. The cost of bcrypt is written with two digits. */
function fillText(template: string, inputs: Inputs) {
  if (!template.includes('<')) return template;
  const names = Array.from(template.matchAll(placeholder), ([, name = '']) => name);
  if (!names.every((name) => isGiven(inputs[name]))) return undefined;
  return template.replaceAll(placeholder, (_, name: string) =>
    textOf(inputs, name).padStart(name === 'cost' ? 2 : 0, '0'),
  );
}

/** Fills in the texts of a source. They are only shown if they are short and plain. */
export function describe({ code, detail }: McfProblem, inputs: Inputs): McfProblem {
  return { code, detail: detail.replaceAll(placeholder, (_, name: string) => nameOf(textOf(inputs, name))) };
}

/** Splits a key that contains several values. */
export function unpack(row: HashRow, inputs: Inputs): Inputs {
  const { layout } = row;
  if (layout === undefined) return inputs;
  const blob = keyOf(row, inputs);
  const parts: Record<string, Buffer | string> = {};
  let at = 0;
  for (const [name, bytes] of layout) {
    const size = bytes === 'digest' ? sizeOfDigest(row, inputs) : bytes;
    const end = size === 'rest' ? blob.length : at + size;
    const part = blob.subarray(at, end);
    parts[name] = name === 'rounds' && part.length === 4 ? String(part.readUInt32BE()) : part;
    at = end;
  }
  if (at === blob.length && parts['key']?.length !== 0) return { ...inputs, ...parts };
  throw new Unreadable(malformed(`the hash has ${blob.length} bytes, which do not fit its layout`));
}

/** Sources also write `SHA-256`. */
const digestName = (text: string) => text.toLowerCase().replace('sha-', 'sha');

function sizeOfDigest({ of }: HashRow, inputs: Inputs) {
  const formula = of === undefined ? '<digest>' : ([of].flat()[0] ?? '');
  const name = digestName(fillText(formula, inputs) ?? '').split('(')[0];
  return Object.entries(digestBytes).find(([digest]) => digest === name)?.[1] ?? 0;
}

/** Returns undefined if the text is not in its encoding. */
export function bytesOf(value: Inputs[string], encoding: TextEncoding) {
  if (value instanceof Uint8Array) return Buffer.from(value);
  if (typeof value === 'object') return literalOf(value);
  return value === undefined || value === '' ? Buffer.alloc(0) : decodeText(value, encoding);
}

/** Thrown if a part of a hash or of its form cannot be read, or a secret is missing. */
export class Unreadable extends Error {
  readonly problem: McfProblem;

  constructor(problem: McfProblem) {
    super(problem.detail);
    this.problem = problem;
  }
}

function readBytes(what: string, value: Inputs[string], encoding: TextEncoding) {
  const bytes = bytesOf(value, encoding);
  if (bytes === undefined)
    throw new Unreadable(malformed(`the ${what} is not ${encoding.replaceAll('-', ' ')}`));
  return bytes;
}

export const saltOf = ({ salt = 'text' }: HashRow, inputs: Inputs) => readBytes('salt', inputs['salt'], salt);

/** Returns the bytes of the key, of the digest, or of everything that a layout splits. */
export const keyOf = ({ key = 'hex' }: HashRow, inputs: Inputs) =>
  readBytes('hash', inputs['key'] ?? inputs['hash'], key);

/** Returns a formula with the values of one user. `password` stands for what is typed. */
export function fill(row: HashRow, formula: string, inputs: Inputs, password: Bytes = 'password'): Bytes {
  const text = formula.replaceAll(placeholder, (_, name: string) => digestName(textOf(inputs, name)));
  const parsed = parseFormula(text);
  if (typeof parsed === 'string') throw new Unreadable(unsupported('unknown digest'));
  const valueOf = (name: string) => {
    const value = name === 'salt' ? saltOf(row, inputs) : inputs[name];
    if (name === 'password') return password;
    if (name === 'secret' && value === undefined && row.secret !== undefined) return { secret: row.secret };
    if (typeof value === 'object' && !(value instanceof Uint8Array)) return joinBytes([value]);
    return literal(bytesOf(value, 'text') ?? Buffer.alloc(0));
  };
  return fillFormula(parsed, valueOf, textOf(inputs, 'mcf'));
}

export const countOf = (inputs: Inputs, name: string) => toCount(textOf(inputs, name));
