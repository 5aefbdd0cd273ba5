/** The options of a conversion with a mapping. */
import type { Base64Encoding } from '../../records/mcf/base64.ts';
import type { UserOptions } from '../../records/build-user.ts';
import type { Mapping } from './mapping/schema.ts';

export interface TableOptions extends UserOptions {
  readonly mapping: Mapping;
  /** As messages call it: a file, or the name of a built-in source. */
  readonly mappingName: string;
  /** False for built-in ones. */
  readonly isOwnMapping: boolean;
  readonly plaintext: 'hash' | 'skip';
  readonly pbkdf2Encoding: Base64Encoding;
  /** By the paths in the mapping. */
  readonly secrets: Readonly<Record<string, Uint8Array>>;
  /** For times in the future and in the past, in milliseconds. */
  readonly now: number;
}
