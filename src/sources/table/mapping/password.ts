/** Compiles the password part of a mapping: which columns hold a hash, and how it was made. */
import { nameOf, peppered, prehashed, unsupported } from '../../../records/mcf/algorithm.ts';
import { recodePbkdf2 } from '../../../records/mcf/keyed.ts';
import { asTyped, decodeHash, hidesAlterations } from '../../../records/hash-forms/decode.ts';
import { type Decoded, isPlain, isRefused } from '../../../records/hash-forms/form.ts';
import type { StoredHash } from '../../../records/hash-forms/explain-mismatch.ts';
import { hashDecoders } from '../../../records/hash-forms/decoders.ts';
import type { HashDecoder, HashParts } from '../../../records/hash-forms/row.ts';
import type { Secrets } from '../../../records/hash-forms/verify-form.ts';
import { addNote, addPlain, type UserRecord } from '../../../records/user.ts';
import { isObject } from '../../../lib/json-value.ts';
import { nearest } from '../../../lib/nearest.ts';
import type { TableOptions, PasswordMapping } from './schema.ts';
import { compileCondition, compileText, compileValue } from './values.ts';
import { checkFormula, compileDeclared, type Decode, declaredKinds, emptyHash } from './declared.ts';
import type { Fill } from './factors.ts';
import { MappingProblem, compileCell, containerOf, type Scope, type Setting, textOf } from './paths.ts';

/** Throws `MappingProblem`. */
export function compilePassword(mapping: PasswordMapping, setting: Setting, options: TableOptions): Fill {
  const fills = [mapping, ...(mapping.also ?? [])].map((one) =>
    compileOne(one, setting, options, mapping.also !== undefined),
  );
  const isWithout = compileCondition(mapping.never ?? false, 'password.never', setting);
  return (draft, scope) => {
    if (isWithout(scope)) addNote(draft, 'password:never');
    else fills.forEach((fill) => fill(draft, scope));
  };
}

function compileOne(
  mapping: PasswordMapping,
  setting: Setting,
  { plaintext, pbkdf2Encoding, secrets }: TableOptions,
  isOneOfSeveral: boolean,
): Fill {
  const why = mapping.none;
  if (why !== undefined && mapping.from === undefined)
    return (draft) => addNote(draft, 'password:not-given', why);
  const decode = compileAltered(mapping, setting, secrets);
  const values = compileValue(mapping.from ?? [], 'password.from', setting);
  const isDoubtful = mapping.pepper === 'unknown' || mapping.prehash === 'unknown';
  return (draft, scope) => {
    noteOthers(draft, values(scope));
    const decoded = decode(scope);
    const isKnown = draft.passwordHash + draft.plainPassword !== '';
    if (isRefused(decoded)) {
      if (isKnown || (isOneOfSeveral && decoded.code === 'password:none')) return;
      if (why !== undefined && decoded.code === 'password:none')
        return addNote(draft, 'password:not-given', why);
      draft.sourceForm = decoded.form;
      return addNote(draft, decoded.code, decoded.detail);
    }
    if (isPlain(decoded)) {
      if (decoded.plain === '' || isKnown) return;
      return addPlain(draft, decoded.plain, plaintext);
    }
    const written = (mcf: string) => recodePbkdf2(mcf, pbkdf2Encoding);
    const hash = written(decoded.mcf);
    if (isKnown) {
      if (hash !== draft.passwordHash) addNote(draft, 'password:extra');
      return;
    }
    draft.passwordHash = hash;
    draft.otherHashes = decoded.others?.map(written);
    if ((isDoubtful && hidesAlterations(decoded.mcf)) || decoded.doubt !== undefined)
      addNote(draft, 'password:peppered-or-prehashed', decoded.doubt);
  };
}

/** A user has one password at the target. Notes how many other values there were. */
function noteOthers(draft: UserRecord, values: unknown) {
  if (!Array.isArray(values)) return;
  const others = new Set(values).size - 1;
  if (others > 0) addNote(draft, 'password:extra', String(others));
}

/** Returns a function that reads the parts of the hash from a row, and what the mapping makes of them. */
export function compileStored(
  mapping: PasswordMapping,
  setting: Setting,
  secrets: Secrets,
): (scope: Scope) => StoredHash {
  if (mapping.none !== undefined && mapping.from === undefined) return () => ({});
  const decode = compileAltered(mapping, setting, secrets);
  const { digest } = mapping;
  const from = mapping.from ?? digest?.key?.from;
  const salt = mapping.salt ?? digest?.salt?.from;
  const parts = compileParts({ ...mapping, salt }, setting, secrets);
  const hash = from === undefined ? undefined : compileValue(from, 'password.from', setting);
  return (scope) => ({
    decoded: decode(scope),
    parts: hash && { ...parts(scope), hash: hashText(hash(scope), scope) },
  });
}

function compileAltered(mapping: PasswordMapping, setting: Setting, secrets: Secrets): Decode {
  const decode = compileDecode(mapping, setting, secrets);
  const alter = compileAlterations(mapping, secrets);
  return (scope) => alter(decode(scope));
}

/** Refuses hashes of altered passwords: the target would accept them, but no user could log in. */
function compileAlterations(
  { pepper = 'none', prehash = 'none', secret: file }: PasswordMapping,
  secrets: Secrets,
): (decoded: Decoded) => Decoded {
  const secret = file && secrets[file.file];
  const isPeppered = pepper !== 'none' && pepper !== 'unknown';
  if (prehash !== 'none' && prehash !== 'unknown') {
    const refuse = prehashed(`the mapping says that passwords were hashed as ${prehash} first`);
    if (prehash === 'other') return (decoded) => ('mcf' in decoded ? refuse : decoded);
    checkFormula(prehash, 'password.prehash', 'password');
    if (isPeppered) throw new MappingProblem('password', 'there is both pepper and prehash', pepperHint);
    return (decoded) => asTyped({ typed: prehash, refuse, secret: 'pepper' }, decoded, { secret });
  }
  if (!isPeppered) return (decoded) => decoded;
  const typed = pepper === 'prefix' ? 'secret + password' : 'password + secret';
  const refuse = peppered('the mapping says that a secret was added to the password');
  return (decoded) => asTyped({ typed, refuse, secret: 'pepper' }, decoded, { secret });
}

const pepperHint =
  'Write pepper: none, and the secret in the formula: prehash: hex(sha256(password + secret)).';

function compileDecode(mapping: PasswordMapping, setting: Setting, secrets: Secrets): Decode {
  const { format } = mapping;
  const kinds = declaredKinds.filter((kind) => mapping[kind] !== undefined);
  const isRowByRow = typeof format === 'object' && formatNames(format).includes(declaredName);
  const named = [...(format === undefined || isRowByRow ? [] : ['format']), ...kinds];
  if (named.length > 1) throw new MappingProblem('password', `there is both ${named.join(' and ')}`);
  const [kind] = kinds;
  const secret = mapping.secret && secrets[mapping.secret.file];
  const declared = kind && compileDeclared(mapping, kind, setting, secret);
  if (isRowByRow && declared === undefined)
    throw new MappingProblem(
      'password.format',
      `it names ${declaredName}, but there is no ${declaredKinds.join(', ')}`,
    );
  if (format !== undefined) return compileFormat(mapping, setting, secrets, declared);
  if (declared !== undefined) return declared;
  throw new MappingProblem(
    'password',
    'it does not say how the hashes were made',
    `Add format: auto, or the name of a form; ${formsPage}`,
  );
}

/** Name in `format: { map }` for the form that the mapping declares. */
const declaredName = 'declared';
const formsPage = 'docs/passwords.md lists them.';

function formatNames(format: NonNullable<PasswordMapping['format']>) {
  return typeof format === 'string' ? [format] : [...Object.values(format.map), format.default ?? []].flat();
}

function compileFormat(
  mapping: PasswordMapping,
  setting: Setting,
  secrets: Secrets,
  declared: Decode | undefined,
): Decode {
  const { format, from, else: otherwise } = mapping;
  if (from === undefined) throw new MappingProblem('password', 'it names no column: from is missing');
  const parts = compileParts(mapping, setting, secrets);
  const read = compileValue(from, 'password.from', setting);
  const choose = compileChoice(format!, setting, declared);
  const other = otherwise === undefined ? undefined : findDecoder(otherwise, 'password.else');
  return (scope) => {
    const decoder = choose(scope);
    if (typeof decoder === 'function') return decoder(scope);
    const values = read(scope);
    if (values === '' || values === undefined || values === null) return emptyHash;
    if (typeof decoder === 'string')
      return hashText(values, scope) === ''
        ? emptyHash
        : unsupported(`the way of hashing is ${nameOf(decoder)}`);
    const found = parts(scope);
    const decodeOne = (hash: string) => {
      const decoded = decodeHash(decoder, { ...found, hash });
      // A hash that is refused with its form was recognised. Another decoder could only mistake it for one of its own.
      return other !== undefined && isRefused(decoded) && decoded.form === undefined && hash !== ''
        ? decodeHash(other, { ...found, hash })
        : decoded;
    };
    return Array.isArray(values) && values.length > 1
      ? bestOf(values.map((value) => decodeOne(hashText(value, scope))))
      : decodeOne(hashText(values, scope));
  };
}

/**
 * Chooses among several values of one password, which a directory may hold: those that a target can verify, else plain
 * text, else the first.
 */
function bestOf(decoded: readonly Decoded[]) {
  const [first, ...others] = decoded.filter((one) => 'mcf' in one);
  if (first === undefined) return decoded.find(isPlain) ?? decoded[0]!;
  return { ...first, others: others.map(({ mcf }) => mcf) };
}

/**
 * Returns a function that chooses a decoder, or what the mapping declares. If neither fits, it returns the word in the
 * column.
 */
function compileChoice(
  format: NonNullable<PasswordMapping['format']>,
  setting: Setting,
  declared: Decode | undefined,
): (scope: Scope) => HashDecoder | Decode | string {
  if (typeof format === 'string') {
    const decoder = findDecoder(format, 'password.format');
    return () => decoder;
  }
  const read = compileText(format.column, 'password.format.column', setting);
  const find = (name: string, place: string) =>
    name === declaredName && declared !== undefined
      ? declared
      : findDecoder(name, `password.format.${place}`);
  const byWord = new Map(Object.entries(format.map).map(([word, name]) => [word, find(name, `map.${word}`)]));
  const fallback = format.default === undefined ? undefined : find(format.default, 'default');
  return (scope) => {
    const word = read(scope);
    return byWord.get(word) ?? fallback ?? word;
  };
}

function findDecoder(name: string, place: string) {
  const found = hashDecoders.get(name);
  if (found !== undefined) return found;
  const near = nearest(name, hashDecoders.keys());
  throw new MappingProblem(
    place,
    `there is no form of hashes named ${name}`,
    near.length === 0 ? formsPage : `Did you mean ${near.join(' or ')}?`,
  );
}

/** Compiles the parts of a hash that are in other columns, and its secret. */
function compileParts(
  { options, secret, ...columns }: PasswordMapping,
  setting: Setting,
  secrets: Secrets,
): (scope: Scope) => Omit<HashParts, 'hash'> {
  const texts = (['salt', 'algorithm', 'rounds'] as const).flatMap((name) => {
    const value = columns[name];
    return value === undefined ? [] : { name, read: compileText(value, `password.${name}`, setting) };
  });
  const object = options === undefined ? undefined : compileCell(options, 'password.options', setting);
  const bytes = secret === undefined ? undefined : secrets[secret.file];
  return (scope) => {
    const parts: { -readonly [Key in keyof HashParts]?: HashParts[Key] } = {};
    for (const { name, read } of texts) parts[name] = read(scope);
    const inside = object === undefined ? undefined : containerOf(object(scope));
    if (isObject(inside)) parts.options = inside;
    if (bytes !== undefined) parts.secret = bytes;
    return parts;
  };
}

/** Returns a hash as text. An object becomes its JSON, so that its decoder reads or refuses it, and the user is kept. */
function hashText(value: unknown, scope: Scope) {
  return isObject(value) && Object.keys(value).length > 0
    ? JSON.stringify(value)
    : textOf(value, scope, 'password.from');
}

/** Returns the paths of the secret files that the mapping names. */
export function secretFiles({ secret, also = [] }: PasswordMapping): readonly string[] {
  return [secret?.file ?? [], ...also.map(secretFiles)].flat();
}

/** Throws `MappingProblem` if a mapping of the user's own lacks a pepper or prehash that its form of hashes needs. */
export function checkAlterations(mapping: PasswordMapping) {
  const { format, also = [] } = mapping;
  also.forEach(checkAlterations);
  const names = format === undefined ? [] : formatNames(format);
  const asks = [...names, mapping.else ?? ''].some(
    (name) => hashDecoders.get(name)?.asksForAlterations === true,
  );
  const missing = (['pepper', 'prehash'] as const).filter((key) => mapping[key] === undefined);
  if (missing.length === 0 || !(asks || mapping.argon2 !== undefined)) return;
  throw new MappingProblem(
    'password',
    `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not declared; a hash does not show whether the application altered passwords first`,
    'Look for a pepper in the settings of the application, and for a digest in the code that sets passwords; then write pepper: none and prehash: none. Or write unknown, and prove a password: `idport migrate --prove=<user>`.',
  );
}
