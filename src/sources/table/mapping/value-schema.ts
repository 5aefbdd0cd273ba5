/** The schema of values and conditions: where a field is in a row, what is done to it, and what a rule requires of it. */
import { z } from 'zod';
import { plainSteps } from './steps.ts';

/** A column, or a place inside it: `email`, `meta.locale`, `emails[0].address`, `["cognito:username"]`. */
export const pathSchema = z.string().min(1).max(500);
export const textSchema = z.string().max(10_000);
/** A text that is not empty. */
export const someText = textSchema.min(1);
/** A list that is not empty. */
export const some = <Item extends z.ZodType>(item: Item) => z.array(item).min(1);

const stepSchema = z.union([
  z.enum(Object.keys(plainSteps) as (keyof typeof plainSteps)[]),
  z
    .strictObject({
      prefix: textSchema,
      suffix: textSchema,
      'strip-prefix': textSchema,
      'strip-suffix': textSchema,
      before: someText,
      after: someText,
      split: someText,
      take: z.number().int(),
      join: textSchema,
      default: textSchema,
      'url-param': someText,
      replace: z.tuple([someText, textSchema]),
    })
    .partial(),
]);

const plainCondition = z
  .strictObject({
    present: pathSchema.describe('the column has something in it'),
    absent: pathSchema,
    has: pathSchema.describe('the record has this column, also with nothing in it'),
    column: pathSchema.describe('compared with `is`; alone: it says yes'),
    is: z
      .union([z.literal('no'), some(z.union([z.string(), z.number(), z.boolean()]))])
      .describe('one of these; `no`: every way to say so'),
    keys: some(z.string()).describe('it is an object with no other keys'),
    contains: someText.describe('it contains this text'),
    future: pathSchema.describe('a time that is still to come'),
    past: pathSchema,
    locked: pathSchema.describe('all its hashes are marked as locked, as in /etc/shadow'),
    same: pathSchema.describe('a second column: the two are equal'),
    split: someText.describe('with `same`: one of the parts of the first column is'),
    bit: z.number().int().positive().describe('the number in the column has this bit'),
    by: z.string().describe('by more than this: 1d, 2h'),
  })
  .partial();

const conditionObject = plainCondition.extend({
  get all() {
    return z.array(conditionSchema).min(1).optional();
  },
  get any() {
    return z.array(conditionSchema).min(1).optional();
  },
  get not() {
    return conditionSchema.optional();
  },
});

export const conditionSchema = z.union([z.boolean(), conditionObject]).meta({ id: 'condition' });

const plainValue = z
  .strictObject({
    prefix: textSchema,
    // oxlint-disable-next-line unicorn/no-thenable -- a key of mappings; nothing awaits this object.
    then: z.array(stepSchema).max(20),
    map: z.record(z.string(), textSchema),
    default: textSchema,
    value: z.union([textSchema, z.number(), z.boolean()]),
    template: someText,
    extract: someText,
    when: conditionSchema.describe('else it is empty'),
  })
  .partial();

const valueObject = plainValue.extend({
  get from() {
    return z.union([pathSchema, listSchema]).optional();
  },
  get first() {
    return eachSchema.optional();
  },
  get all() {
    return eachSchema.optional().describe('the same of every element, as a list');
  },
});

const oneSchema = z.union([pathSchema, valueObject]);
/** A list of values. It may contain lists, because an alias of YAML may put one into another. */
const listSchema = z.array(z.union([oneSchema, z.array(oneSchema).min(1)])).min(1);

/** A path, a list of which the first that is not empty counts, or an object that says more. */
export const valueSchema = z.union([pathSchema, listSchema, valueObject]).meta({ id: 'value' });

const eachSchema = z.strictObject({ of: pathSchema, where: conditionSchema.optional(), take: valueSchema });

export type Condition = z.output<typeof conditionSchema>;
export type ConditionObject = z.output<typeof conditionObject>;
export type Value = z.output<typeof valueSchema>;
export type ValueObject = z.output<typeof valueObject>;
export type Step = z.output<typeof stepSchema>;
