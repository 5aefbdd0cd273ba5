/** Compiles hashes in a table of the user's own, whose salt, key and costs are in columns that the mapping declares. */
import { decodeRow } from '../../../records/hash-forms/decode.ts';
import type { Decoded } from '../../../records/hash-forms/form.ts';
import { namesIn, parseFormula } from '../../../records/hash-forms/formula.ts';
import { type HashRow, type Inputs, textOf } from '../../../records/hash-forms/row.ts';
import { malformed, none } from '../../../records/mcf/algorithm.ts';
import { isRounded, MappingProblem, type Scope, type Setting } from './paths.ts';
import type { PasswordMapping } from './schema.ts';
import { compileText, type ReadText } from './values.ts';

export type Decode = (scope: Scope) => Decoded;

export const declaredKinds = ['pbkdf2', 'scrypt', 'argon2', 'digest'] as const;

/** Result for a user without a hash. */
export const emptyHash: Decoded = none('the field is empty');

/** Keys of the mapping whose inputs have other names in rows. */
const inputNames: Readonly<Record<string, string>> = {
  cost: 'n',
  blockSize: 'r',
  parallelization: 'p',
  memoryKiB: 'm',
  time: 't',
  threads: 'p',
  packed: 'key',
};

/** Compiles how to read a hash. `secret` is what formulas call so. Throws `MappingProblem`. */
export function compileDeclared(
  mapping: PasswordMapping,
  kind: (typeof declaredKinds)[number],
  setting: Setting,
  secret: Uint8Array | undefined,
): Decode {
  const { salted, of, again, ...inputs } = { of: undefined, again: undefined, ...mapping[kind]! };
  const { salt, key, packed } = inputs;
  const readers: [name: string, read: ReadText][] = [];
  const set: Record<string, string> = {};
  for (const [place, value] of Object.entries(inputs)) {
    const name = inputNames[place] ?? place;
    if (typeof value === 'object')
      readers.push([name, compileText(value.from, `password.${kind}.${place}`, setting)]);
    const fixed = typeof value === 'object' ? (value as { readonly default?: number }).default : value;
    if (fixed !== undefined) set[name] = String(fixed);
  }
  const isKeyed = packed !== undefined || (key !== undefined && (salt !== undefined || kind === 'digest'));
  if (!isKeyed) {
    const needed = kind === 'digest' ? 'key' : 'salt and key';
    throw new MappingProblem(`password.${kind}`, `it needs ${needed}, or packed`);
  }
  // Without a formula for further rounds, the digest alone is digested again.
  const isRepeated = kind === 'digest' && 'rounds' in inputs && again === undefined;
  const row: HashRow = {
    kdf: kind,
    set,
    secret: 'pepper',
    ...(salt?.encoding && { salt: salt.encoding }),
    key: packed?.encoding ?? key?.encoding ?? 'hex',
    ...(packed && { layout: packed.layout.map((part) => Object.entries(part)[0]!) }),
    ...(salted && { salted: checkFormula(salted, `password.${kind}.salted`) }),
    ...(of && { of: checkFormula(of, `password.${kind}.of`, 'password') }),
    ...(isRepeated && { again: '' }),
    ...(again && { again: checkFormula(again, `password.${kind}.again`) }),
  };
  const front = packed?.['strip-prefix'] ?? '';
  return (scope) => {
    const found: Record<string, Inputs[string]> = { secret };
    for (const [name, readText] of readers)
      found[name] = name === 'salt' ? readText(scope) : readText(scope).trim();
    const text = textOf(found, 'key');
    if (text === '') return emptyHash;
    if (isRounded(textOf(found, 'salt'))) return malformed('the salt was rounded by a spreadsheet');
    if (text.startsWith(front)) found['key'] = text.slice(front.length);
    return decodeRow(row, found) ?? emptyHash;
  };
}

const knownNames = ['password', 'salt', 'secret'];

/** Returns the formula. Throws `MappingProblem` if it is invalid, or lacks the password although `needed` is set. */
export function checkFormula(source: string, place: string, needed?: 'password') {
  const formula = parseFormula(source);
  if (typeof formula === 'string') throw new MappingProblem(place, `${source}: ${formula}`, formulaHint);
  const names = namesIn(formula);
  const unknown = names.find((name) => !knownNames.includes(name));
  if (unknown !== undefined)
    throw new MappingProblem(place, `${source}: there is no ${unknown}`, formulaHint);
  if (needed !== undefined && !names.includes(needed)) {
    throw new MappingProblem(place, `${source}: the password is not in it`, formulaHint);
  }
  if (place === 'password.digest.of' && !('digest' in formula || 'hmac' in formula)) {
    throw new MappingProblem(place, `${source} is not a digest`, formulaHint);
  }
  return source;
}

const formulaHint = 'Write it as in sha1(salt + password); docs/mapping.md explains formulas.';
