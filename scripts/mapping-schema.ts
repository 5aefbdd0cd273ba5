/** The JSON schema of a mapping file, for editors; it goes into the package with the build. */
import { z } from 'zod';
import { mappingSchema } from '../src/sources/table/mapping/schema.ts';

export function formatMappingSchema(): string {
  const { $schema, ...schema } = z.toJSONSchema(mappingSchema, { io: 'input' });
  return `${JSON.stringify({ $schema, title: 'Mapping of idport', ...schema }, null, 2)}\n`;
}
