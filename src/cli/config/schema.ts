/** The schema of a configuration file, made from the flags of the program. */
import { z } from 'zod';
import type { FlagShape, VerbShape } from '../shape.ts';
import { settable, sharedFlags, verbsWithSettings } from './rules.ts';

/** With `named`, only these verbs are known, because the schema of all verbs takes longer to make than most runs. */
export function configSchema(program: VerbShape, named?: readonly string[]) {
  const verbs = verbsWithSettings(program).filter(({ name }) => named?.includes(name) ?? true);
  return z
    .strictObject(
      {
        $schema: z.optional(text.describe('where this schema lies')),
        shared: objectOf([...sharedFlags(program)], valueOf).describe('for every verb that has the flag'),
        verbs: objectOf(byName(verbs), flagsOf).describe('by verb; more than what is shared'),
      },
      anObject,
    )
    .describe('Settings of idport: flags by their name without dashes. docs/config.md says more.');
}

export type Config = z.output<ReturnType<typeof configSchema>>;

/** Returns the JSON schema that `npm run docs` writes for editors. */
export function jsonSchemaOf(program: VerbShape) {
  const { $schema, ...schema } = z.toJSONSchema(configSchema(program));
  return `${JSON.stringify({ $schema, title: 'idport.config.json', ...schema }, null, 2)}\n`;
}

const byName = <Named extends { readonly name: string }>(all: readonly Named[]) =>
  all.map((one) => [one.name, one] as const);

const flagsOf = (verb: VerbShape) => objectOf(byName(settable(verb)), valueOf).describe(verb.description);

/** Values that are expected, for messages. */
const anObject = 'an object is expected';
const aText = 'a text in quotes';
const aBoolean = 'true or false';
const text = z.string(`${aText} is expected`);

function objectOf<Row, Schema extends z.ZodType>(
  rows: readonly (readonly [name: string, row: Row])[],
  schemaOf: (row: Row) => Schema,
) {
  const shape = Object.fromEntries(rows.map(([name, row]) => [name, z.optional(schemaOf(row))]));
  return z.optional(z.strictObject(shape as Record<string, z.ZodOptional<Schema>>, anObject));
}

function valueOf(flag: FlagShape): z.ZodType {
  return typeOf(flag).describe(flag.help);
}

function typeOf({ takes, list, numeric, choices = [] }: FlagShape): z.ZodType {
  const bool = z.boolean(`${aBoolean} is expected`);
  if (takes === 'none') return bool;
  if (choices.length > 0) return z.enum(choices, `one of ${choices.join(', ')} is expected`);
  if (takes === 'optional') return z.union([bool, text], `${aBoolean} or ${aText} is expected`);
  const several = z.array(text).min(1, 'one text or more is expected');
  if (list !== undefined) return z.union([text, several], `${aText} or a list of texts is expected`);
  return numeric ? z.union([text, z.number()], `${aText} or a number is expected`) : text;
}
