/** One decoder, and what pages and mappings say about it. */
import type { Decoded, HashParts } from './decoded.ts';
import { decodeOnly } from './direct.ts';

/** A part beside the hash that a decoder reads. */
export type PartName = Exclude<keyof HashParts, 'hash'>;

export interface HashDecoder {
  /** Whose form it is, for pages and messages. */
  readonly title: string;
  /** What it reads beside the hash. */
  readonly parts: readonly PartName[];
  /** What becomes a hash string of the target. Empty where nothing does. */
  readonly converts: string;
  /** What is refused because no password could match. */
  readonly refuses: string;
  /** True where the text does not show whether the password was altered, and the source is not known. */
  readonly asksForAlterations?: true;
  readonly decode: (parts: HashParts) => Decoded;
}

export function decoder(
  title: string,
  decode: HashDecoder['decode'],
  converts: string,
  refuses = '',
  parts: readonly PartName[] = [],
): HashDecoder {
  return { title, decode, converts, refuses, parts };
}

/** A form that many applications share: what they do before hashing has to be declared. */
export function shared(title: string, converts: string, decode: HashDecoder['decode']): HashDecoder {
  return { ...decoder(title, decode, converts), asksForAlterations: true };
}

/** Only hash strings that begin with one of these. */
export const only =
  (title: string, ...beginnings: string[]) =>
  ({ hash }: HashParts): Decoded =>
    decodeOnly(hash, beginnings, title);
