/** The flags of files with a mapping, as a user or the library gives them. */
import { type Given, on, text } from '../../lib/flag.ts';
import type { Paths } from '../entry.ts';

export const tableFlags = {
  map: text('<file>', 'mapping of columns to fields (YAML or JSON)'),
  printMap: { ...on('print the built-in mapping, to take over and change'), alone: true as const },
};

export interface TableFlags extends Given<typeof tableFlags> {
  readonly users: Paths;
  /** `name=path` */
  readonly table?: Paths;
}
