import { expect, it } from 'vitest';
import { settable, sharedFlags, verbsWithSettings } from '../../../src/cli/config/rules.ts';
import { jsonSchemaOf } from '../../../src/cli/config/schema.ts';
import { shapeOfProgram } from '../../support/tree.ts';

const program = shapeOfProgram();

interface Objects {
  readonly additionalProperties: boolean;
  readonly properties: Readonly<Record<string, Objects>>;
}

it('the published schema has exactly the settings of a configuration file', () => {
  const { properties, additionalProperties } = JSON.parse(jsonSchemaOf(program)) as Objects;
  expect(additionalProperties).toBe(false);
  expect(Object.keys(properties['shared']?.properties ?? {})).toEqual([...sharedFlags(program).keys()]);
  for (const verb of verbsWithSettings(program)) {
    const own = properties['verbs']?.properties[verb.name];
    expect(Object.keys(own?.properties ?? {})).toEqual(settable(verb).map(({ name }) => name));
    expect(own?.additionalProperties).toBe(false);
  }
});
