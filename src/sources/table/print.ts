/** The mapping of a source as text. */
import { UsageError } from '../../errors.ts';

/** Editors complete and check a mapping by it. */
export const schemaComment =
  '# yaml-language-server: $schema=./node_modules/idport/schema/idport.mapping.schema.json\n';

/** Throws `UsageError` for a source that is read without one. */
export async function mappingText(name: string): Promise<string> {
  const { builtInTexts } = await import('./built-in-maps.ts');
  const text = builtInTexts[name === 'ldif' ? 'ldap' : name];
  if (text !== undefined) return schemaComment + text;
  throw new UsageError(`${name} has no mapping to print`, {
    hint: 'docs/mapping.md shows one; `idport migrate devise --print-map` prints one for a table of users.',
  });
}
