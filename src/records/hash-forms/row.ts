/** One form of a stored password as a row of data: which texts it reads, and how the hash in them was made. */
import type { JsonObject } from '../../lib/json-value.ts';
import type { McfProblem } from '../mcf/algorithm.ts';
import type { TextEncoding } from './encodings.ts';
import type { Bytes } from './form.ts';
import type { Pattern } from './pattern.ts';

/** What a source has of one password. Texts as the source has them; nothing is decoded yet. */
export interface HashParts {
  /** The hash, or the full text with parameters, salt and hash. */
  readonly hash: string;
  readonly salt?: string;
  /** The way of hashing, where the source keeps it next to the hash: its method, type or hasher. */
  readonly algorithm?: string;
  readonly rounds?: string;
  /** Parameters that the source keeps as an object. */
  readonly options?: JsonObject;
  /** What the operator knows and the export does not have: a pepper, the key of a site. */
  readonly secret?: Uint8Array;
}

/**
 * The values that a row reads, by name: the columns (`hash` without blanks around it, `raw` with them, `salt`,
 * `algorithm`, `rounds`, `secret`), the members of `options` (`.cost`, `.hash.value`), the named groups of the patterns.
 */
export type Inputs = Readonly<Record<string, string | Uint8Array | Exclude<Bytes, string> | undefined>>;

/**
 * What the row reads, besides what it names in formulas:
 * `mcf`: `text`, else `hash` · `plain`: `text`, else `raw` · `pbkdf2`: digest, rounds, salt, key · `scrypt`: n or ln, r, p,
 * salt, key · `argon2`: variant, version, m (KiB), t, p, salt, key · `digest`: key, rounds · `apr1`, `des`: salt, key ·
 * `firebase`: memCost, rounds, salt, separator, signerKey, key. `key` is `hash` where there is none.
 */
export type Kdf = 'mcf' | 'plain' | 'pbkdf2' | 'scrypt' | 'argon2' | 'digest' | 'apr1' | 'des' | 'firebase';

export type Read = (text: (name: string) => string) => Inputs | McfProblem;

export interface HashRow {
  /** The texts that the row reads; named groups are inputs. Every text where it is absent. */
  readonly hash?: Pattern;
  /** The way of hashing that the row is about. */
  readonly algorithm?: Pattern;
  /** The same for other inputs; an absent one is an empty text. */
  readonly when?: Readonly<Record<string, Pattern>>;
  /** Absent in rows that only refuse or hand over. */
  readonly kdf?: Kdf;
  /** Inputs where the source gives none; `<name>` stands for another input. Of several the first that is there. */
  readonly set?: Readonly<Record<string, string | readonly string[]>>;
  /** How the salt is written: `text` where it is absent. */
  readonly salt?: TextEncoding;
  /** How the key, the digest or the whole of `layout` is written: `hex` where it is absent. */
  readonly key?: TextEncoding;
  /** The key is several things in one: bytes by name, in their order. All but salt and key are numbers. */
  readonly layout?: readonly (readonly [name: string, bytes: number | 'digest' | 'rest'])[];
  /** A formula of the salt that was hashed. */
  readonly salted?: string;
  /** The formula of a digest; `<name>` stands for a text among the inputs. Several: any of them. */
  readonly of?: string | readonly string[];
  /** The digest is made `rounds` times, with what this formula gives appended to the last one. */
  readonly again?: string;
  /** The name of the secret that the operator knows; without it, no secret is needed. */
  readonly secret?: string;
  /** How messages call a digest. */
  readonly title?: string;
  /** A formula of what was hashed instead of the password. */
  readonly typed?: string;
  /** Why the target verifies none. Absent together with `typed`: it does, because only some passwords are altered. */
  readonly refuse?: McfProblem;
  /** Why it is not known whether the password was altered. */
  readonly doubt?: string;
  /** Other rows read `hash` as these inputs have it. */
  readonly as?: readonly HashRow[];
  /** What no pattern can say: makes inputs of the texts of others. */
  readonly read?: Read;
}

/** The forms of one source, and what pages and mappings say about them. The first row that fits reads the hash. */
export interface HashDecoder {
  /** Whose form it is, for pages and messages. */
  readonly title: string;
  readonly rows: readonly HashRow[];
  /** What becomes a hash string of the target. Empty where nothing does. */
  readonly converts: string;
  /** What is refused because no password could match. */
  readonly refuses?: string;
  /** True where the text does not show whether the password was altered, and the source is not known. */
  readonly asksForAlterations?: true;
  /** The hash is an object: why there is none. */
  readonly object?: McfProblem;
}

/** Empty for what is not a text. */
export function textOf(inputs: Inputs, name: string): string {
  const value = inputs[name];
  return typeof value === 'string' ? value : '';
}
