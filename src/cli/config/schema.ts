/** The schema of a configuration file, made from the flags of the program. */
import { z } from 'zod';
import type { FlagShape, VerbShape } from '../shape.ts';
import { settable, sharedFlags, verbsWithSettings } from './rules.ts';

/** With `named`, only these verbs are known: the schema of all takes longer to make than most runs. */
export function configSchema(program: VerbShape, named?: readonly string[]) {
  const verbs = verbsWithSettings(program).filter(({ name }) => named?.includes(name) ?? true);
  const shared = Array.from(sharedFlags(program), ([name, flag]) => [name, z.optional(valueOf(flag))]);
  return z
    .strictObject({
      $schema: z.optional(z.string().describe('where this schema lies')),
      shared: z
        .optional(z.strictObject(Object.fromEntries(shared) as Record<string, z.ZodOptional>))
        .describe('for every verb that has the flag'),
      verbs: z
        .optional(z.strictObject(Object.fromEntries(verbs.map((verb) => [verb.name, flagsOf(verb)]))))
        .describe('by verb; more than what is shared'),
    })
    .describe('Settings of idport: flags by their name without dashes. docs/config.md says more.');
}

export type Config = z.output<ReturnType<typeof configSchema>>;

/** What `npm run docs` writes, for editors. */
export function jsonSchemaOf(program: VerbShape): string {
  const { $schema, ...schema } = z.toJSONSchema(configSchema(program));
  return `${JSON.stringify({ $schema, title: 'idport.config.json', ...schema }, null, 2)}\n`;
}

function flagsOf(verb: VerbShape) {
  const entries = settable(verb).map((flag) => [flag.name, z.optional(valueOf(flag))]);
  return z
    .optional(z.strictObject(Object.fromEntries(entries) as Record<string, z.ZodOptional>))
    .describe(verb.description);
}

function valueOf(flag: FlagShape): z.ZodType {
  return typeOf(flag).describe(flag.help);
}

function typeOf({ takes, list, numeric, choices = [] }: FlagShape): z.ZodType {
  if (takes === 'none') return z.boolean();
  const [first, ...others] = choices;
  if (first !== undefined) return z.enum([first, ...others]);
  if (takes === 'optional') return z.union([z.boolean(), z.string()]);
  if (list !== undefined) return z.union([z.string(), z.array(z.string()).min(1)]);
  return numeric ? z.union([z.string(), z.number()]) : z.string();
}
