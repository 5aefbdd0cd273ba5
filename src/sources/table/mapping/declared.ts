/** Compiles hashes of a table of the user's own: salt, key and costs stand in columns, as the mapping declares. */
import { type DeclaredHash, decodeDeclared, type SaltAndKey } from '../../../records/hash-forms/declared.ts';
import type { Decoded } from '../../../records/hash-forms/decoded.ts';
import type { Scope } from './paths.ts';
import { MappingProblem } from './problem.ts';
import type { PasswordMapping, Value } from './schema.ts';
import type { Setting } from './paths.ts';
import { compileText } from './values.ts';

export type Decode = (scope: Scope) => Decoded;
/** By the paths in the mapping. */
export type Secrets = Readonly<Record<string, Uint8Array>>;

export const declaredKinds = ['pbkdf2', 'scrypt', 'argon2', 'md5'] as const;

/** The answer for a user without a hash. */
export const emptyHash: Decoded = { code: 'password:none', detail: 'the field is empty' };

type Count = number | { readonly from: Value; readonly default?: number | undefined };

/** A number of the mapping or of a column; NaN where the column holds none. */
function compileCount(count: Count, place: string, setting: Setting): (scope: Scope) => number {
  if (typeof count === 'number') return () => count;
  const read = compileText(count.from, place, setting);
  const { default: fallback = Number.NaN } = count;
  return (scope) => {
    const text = read(scope).trim();
    if (text === '') return fallback;
    return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  };
}

/** Throws `MappingProblem`. */
export function compileDeclared(mapping: PasswordMapping, setting: Setting, secrets: Secrets): Decode {
  const { pbkdf2: pbkdf2Form, scrypt, argon2, md5 } = mapping;
  const count = (value: Count, name: string): ((scope: Scope) => number) =>
    compileCount(value, `password.${name}`, setting);
  if (pbkdf2Form !== undefined) {
    const { digest } = pbkdf2Form;
    const rounds = count(pbkdf2Form.rounds, 'pbkdf2.rounds');
    return declare(pbkdf2Form, 'pbkdf2', setting, secrets, (scope) => ({
      kind: 'pbkdf2',
      digest,
      rounds: rounds(scope),
    }));
  }
  if (scrypt !== undefined) {
    const [cost, blockSize, parallelization] = [
      count(scrypt.cost, 'scrypt.cost'),
      count(scrypt.blockSize, 'scrypt.blockSize'),
      count(scrypt.parallelization, 'scrypt.parallelization'),
    ];
    return declare(scrypt, 'scrypt', setting, secrets, (scope) => ({
      kind: 'scrypt',
      cost: cost(scope),
      blockSize: blockSize(scope),
      parallelization: parallelization(scope),
    }));
  }
  if (argon2 !== undefined) {
    const [memory, time, threads] = [
      count(argon2.memoryKiB, 'argon2.memoryKiB'),
      count(argon2.time, 'argon2.time'),
      count(argon2.threads, 'argon2.threads'),
    ];
    return declare(argon2, 'argon2', setting, secrets, (scope) => ({
      kind: 'argon2',
      variant: argon2.variant,
      memory: memory(scope),
      time: time(scope),
      threads: threads(scope),
    }));
  }
  return compileMd5(md5!, setting, secrets);
}

type KeyedForm = NonNullable<
  PasswordMapping['pbkdf2'] | PasswordMapping['scrypt'] | PasswordMapping['argon2']
>;
type Costs = DeclaredHash extends infer Hash
  ? Hash extends SaltAndKey
    ? Omit<Hash, 'salt' | 'key' | 'packed' | 'saltSecret'>
    : never
  : never;

/** Adds salt and key to the costs. */
function declare(
  form: KeyedForm,
  kind: string,
  setting: Setting,
  secrets: Secrets,
  costs: (scope: Scope) => Costs,
): Decode {
  const { salt, key, packed, saltSecret } = form;
  const secret =
    saltSecret === undefined
      ? {}
      : { saltSecret: { bytes: secrets[saltSecret.file]!, place: saltSecret.place } };
  if (packed !== undefined) {
    const read = compileText(packed.from, `password.${kind}.packed.from`, setting);
    const { encoding, 'strip-prefix': front = '' } = packed;
    const layout = packed.layout.map((part) => {
      const [[name, bytes]] = Object.entries(part) as [['salt' | 'key' | 'skip', number | 'rest']];
      return { part: name, bytes };
    });
    return (scope) => {
      const text = read(scope).trim();
      if (text === '') return emptyHash;
      const value = text.startsWith(front) ? text.slice(front.length) : text;
      return decodeDeclared({
        ...costs(scope),
        packed: { value, encoding, layout },
        ...secret,
      });
    };
  }
  if (salt === undefined || key === undefined) {
    throw new MappingProblem(`password.${kind}`, 'it needs salt and key, or packed');
  }
  const readSalt = compileText(salt.from, `password.${kind}.salt`, setting);
  const readKey = compileText(key.from, `password.${kind}.key`, setting);
  return (scope) => {
    const found = readKey(scope).trim();
    if (found === '') return emptyHash;
    return decodeDeclared({
      ...costs(scope),
      salt: { value: readSalt(scope), encoding: salt.encoding ?? 'text' },
      key: { value: found, encoding: key.encoding ?? 'hex' },
      ...secret,
    });
  };
}

function compileMd5(
  { digest, around, salt, saltSecret }: NonNullable<PasswordMapping['md5']>,
  setting: Setting,
  secrets: Secrets,
): Decode {
  const read = compileText(digest.from, 'password.md5.digest', setting);
  const readSalt = salt === undefined ? () => '' : compileText(salt.from, 'password.md5.salt', setting);
  const secret =
    saltSecret === undefined
      ? {}
      : { saltSecret: { bytes: secrets[saltSecret.file]!, place: saltSecret.place } };
  if (salt !== undefined && around === undefined) {
    throw new MappingProblem(
      'password.md5',
      'with a salt it must say where the password stands',
      "Add around: '{SALT}{PASSWORD}' or '{PASSWORD}{SALT}'.",
    );
  }
  return (scope) => {
    const value = read(scope).trim();
    if (value === '') return emptyHash;
    return decodeDeclared({
      kind: 'digest',
      name: 'md5',
      digest: { value, encoding: digest.encoding ?? 'hex' },
      around: around ?? '{PASSWORD}',
      salt: readSalt(scope),
      ...secret,
    });
  };
}
