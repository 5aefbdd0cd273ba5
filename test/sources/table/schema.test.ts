import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { formatMappingSchema } from '../../../scripts/mapping-schema.ts';
import { builtInNames } from '../../../src/sources/table/built-in-names.ts';
import { readMapping } from '../../../src/sources/table/mapping/read.ts';
import { builtInText, mappingText, schemaComment } from '../../../src/sources/table/built-in-mappings.ts';

const text = formatMappingSchema();
const schema = z.fromJSONSchema(JSON.parse(text));

describe('the published schema of mappings', () => {
  it.each(['auth0', ...builtInNames])('accepts the mapping %s of the package', async (name) => {
    const text = builtInText(name)!;
    const mapping = await readMapping(text, name);
    expect(schema.safeParse(mapping).error).toBeUndefined();
    expect(parse(text, { stringKeys: true })).toEqual(mapping);
  });

  it.each([
    'idport: 2\nuser: {}',
    'idport: 1\nuser: { emial: x }',
    'idport: 1\nuser: { email: { from: x, then: [trimm] } }',
    'idport: 1\nuser: { state: { inactive: { presnt: x } } }',
  ])('refuses %j', (mapping) => {
    expect(schema.safeParse(parse(mapping)).success).toBe(false);
  });

  it('is named in the first line of a printed mapping', () => {
    expect(schemaComment).toContain('idport.mapping.schema.json');
    expect(mappingText('laravel').startsWith(schemaComment)).toBe(true);
  });
});
