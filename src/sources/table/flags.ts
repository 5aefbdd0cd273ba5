/** The flags of files with a mapping, as a user or the library gives them. */
import type { Paths } from '../entry.ts';

export interface TableFlags {
  readonly users: Paths;
  /** The mapping file. */
  readonly map?: string;
  readonly printMap?: boolean;
  /** `name=path` */
  readonly table?: Paths;
}
