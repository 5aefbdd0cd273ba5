/** Makes the JSON schema of a mapping file, which goes into the package for editors. */
import { z } from 'zod';
import { mappingSchema } from '../src/sources/table/mapping/schema.ts';

export function formatMappingSchema(): string {
  const { $schema, ...schema } = z.toJSONSchema(mappingSchema, { io: 'input' });
  return `${JSON.stringify({ $schema, title: 'Mapping of idport', ...schema }, null, 2)}\n`;
}
