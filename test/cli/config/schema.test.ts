import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { settable, sharedFlags, verbsWithSettings } from '../../../src/cli/config/rules.ts';
import { configSchema, jsonSchemaOf } from '../../../src/cli/config/schema.ts';
import { shapeOfProgram } from '../../support/tree.ts';

const program = shapeOfProgram();
const published = JSON.parse(jsonSchemaOf(program)) as z.core.JSONSchema.JSONSchema;

interface Objects {
  readonly additionalProperties: boolean;
  readonly properties: Readonly<Record<string, Objects>>;
}

it('the published schema knows exactly the settings that a file may have', () => {
  const { properties, additionalProperties } = published as unknown as Objects;
  expect(additionalProperties).toBe(false);
  expect(Object.keys(properties['shared']?.properties ?? {})).toEqual([...sharedFlags(program).keys()]);
  for (const verb of verbsWithSettings(program)) {
    const own = properties['verbs']?.properties[verb.name];
    expect(Object.keys(own?.properties ?? {})).toEqual(settable(verb).map(({ name }) => name));
    expect(own?.additionalProperties).toBe(false);
  }
});

it('the published schema takes and refuses the same files as the program', () => {
  const fromPublished = z.fromJSONSchema(published);
  const own = configSchema(program);
  const value = fc.oneof(
    fc.constantFrom('skip', 'keep', 'a.json', '-'),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.constantFrom<unknown>('a', 1), { maxLength: 2 }),
  );
  const verb = fc.constantFrom(...verbsWithSettings(program));
  const flags = verb.chain(({ name, flags }) =>
    fc
      .tuple(fc.constantFrom(...flags.map((flag) => flag.name), 'ulr'), value)
      .map(([flag, value]) => ({ [name]: { [flag]: value } })),
  );
  const file = fc.record(
    {
      verbs: fc.oneof({ weight: 5, arbitrary: flags }, value),
      shared: fc.dictionary(fc.constantFrom(...sharedFlags(program).keys(), 'nonsense'), value, {
        maxKeys: 2,
      }),
      $schema: value,
    },
    { requiredKeys: [] },
  );
  let taken = 0;
  fc.assert(
    fc.property(file, (content) => {
      const { success } = own.safeParse(content);
      if (success) taken++;
      expect(fromPublished.safeParse(content).success).toBe(success);
    }),
    { numRuns: 500 },
  );
  expect(taken).toBeGreaterThan(10);
});
