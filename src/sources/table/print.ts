/** The mapping of a source as text. */
import { UsageError } from '../../errors.ts';
import { readOwnFile } from '../../lib/own-files.ts';
import { builtInNames } from './built-in-names.ts';

/** Editors complete and check a mapping by it. */
export const schemaComment =
  '# yaml-language-server: $schema=./node_modules/idport/schema/idport.mapping.schema.json\n';

/** Throws `UsageError` for a source that is read without one. */
export function mappingText(name: string): string {
  const text = builtInText(name === 'ldif' ? 'ldap' : name);
  if (text !== undefined) return schemaComment + text;
  throw new UsageError(`${name} has no mapping to print`, {
    hint: 'docs/mapping.md shows one; `idport migrate devise --print-map` prints one for a table of users.',
  });
}

/** As it stands in maps/, which the build copies into the package; undefined for other sources. */
export function builtInText(name: string): string | undefined {
  const isBuiltIn = (builtInNames as readonly string[]).includes(name);
  return isBuiltIn ? readOwnFile(new URL(`./maps/${name}.yaml`, import.meta.url)) : undefined;
}
