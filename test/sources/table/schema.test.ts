import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { formatMappingSchema } from '../../../scripts/mapping-schema.ts';
import { builtInTexts } from '../../../src/sources/table/built-in-maps.ts';
import { readMapping } from '../../../src/sources/table/mapping/read.ts';
import { mappingText, schemaComment } from '../../../src/sources/table/print.ts';

const text = formatMappingSchema();
const schema = z.fromJSONSchema(JSON.parse(text));

describe('the published schema of a mapping', () => {
  it.each(Object.entries(builtInTexts))('takes the mapping %s', async (name, mapping) => {
    expect(schema.safeParse(await readMapping(mapping, name)).error).toBeUndefined();
  });

  it.each([
    'idport: 2\nuser: {}',
    'idport: 1\nuser: { emial: x }',
    'idport: 1\nuser: { email: { from: x, then: [trimm] } }',
    'idport: 1\nuser: { state: { inactive: { presnt: x } } }',
  ])('refuses %j', (mapping) => {
    expect(schema.safeParse(parse(mapping)).success).toBe(false);
  });

  it('is named in the first line of a printed mapping', async () => {
    expect(schemaComment).toContain('idport.mapping.schema.json');
    expect((await mappingText('laravel')).startsWith(schemaComment)).toBe(true);
  });
});
