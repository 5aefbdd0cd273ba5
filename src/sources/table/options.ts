/** The options of a conversion with a mapping. */
import type { UserOptions } from '../../records/build-user.ts';
import type { SharedOptions } from '../source.ts';
import type { Mapping } from './mapping/schema.ts';

export interface TableOptions
  extends UserOptions, Pick<SharedOptions, 'plaintext' | 'pbkdf2Encoding' | 'now'> {
  readonly mapping: Mapping;
  /** As messages call it: a file, or the name of a built-in source. */
  readonly mappingName: string;
  /** False for built-in ones. */
  readonly isOwnMapping: boolean;
  /** By the paths in the mapping. */
  readonly secrets: Readonly<Record<string, Uint8Array>>;
}
