/** The schema of values and conditions: where a field stands in a row, what is done to it, and what a rule asks of it. */
import { z } from 'zod';

/** A column, or a place inside of one: `email`, `meta.locale`, `emails[0].address`, `["cognito:username"]`. */
export type Path = string;

export const plainSteps = [
  'allauth-recovery-codes',
  'base64-to-base32',
  'base64-to-text',
  'bytes-to-base32',
  'digits',
  'hex-to-base32',
  'html-unescape',
  'json',
  'keys',
  'lower',
  'pg-array',
  'php-unserialize',
  'rdn',
  'trim',
  'upper',
  'uuid',
  'uuid-le',
] as const;
export type PlainStep = (typeof plainSteps)[number];

export interface StepObject {
  readonly prefix?: string | undefined;
  readonly suffix?: string | undefined;
  readonly 'strip-prefix'?: string | undefined;
  readonly 'strip-suffix'?: string | undefined;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly split?: string | undefined;
  readonly take?: number | undefined;
  readonly join?: string | undefined;
  readonly default?: string | undefined;
  readonly 'url-param'?: string | undefined;
  readonly replace?: readonly [string, string] | undefined;
}
export type Step = PlainStep | StepObject;

export interface ValueObject {
  readonly from?: Path | readonly Value[] | undefined;
  readonly prefix?: string | undefined;
  readonly then?: readonly Step[] | undefined;
  readonly map?: Readonly<Record<string, string>> | undefined;
  readonly default?: string | undefined;
  readonly value?: string | number | boolean | undefined;
  readonly template?: string | undefined;
  readonly extract?: string | undefined;
  readonly first?:
    | { readonly of: Path; readonly where?: Condition | undefined; readonly take: Value }
    | undefined;
  readonly all?:
    | { readonly of: Path; readonly where?: Condition | undefined; readonly take: Value }
    | undefined;
  readonly when?: Condition | undefined;
}
/** A path, several of which the first that is not empty counts, or an object that says more. */
export type Value = Path | readonly Value[] | ValueObject;

export interface ConditionObject {
  readonly present?: Path | undefined;
  readonly absent?: Path | undefined;
  readonly column?: Path | undefined;
  readonly is?: readonly (string | number | boolean)[] | undefined;
  readonly true?: readonly (string | number | boolean)[] | undefined;
  readonly future?: Path | undefined;
  readonly past?: Path | undefined;
  readonly same?: Path | undefined;
  readonly split?: string | undefined;
  readonly bit?: number | undefined;
  readonly by?: string | undefined;
  readonly all?: readonly Condition[] | undefined;
  readonly any?: readonly Condition[] | undefined;
  readonly not?: Condition | undefined;
}
export type Condition = boolean | ConditionObject;

export const pathSchema = z.string().min(1).max(500);
const words = z.array(z.union([z.string(), z.number(), z.boolean()])).min(1);
export const textSchema = z.string().max(10_000);

const stepSchema: z.ZodType<Step> = z.union([
  z.enum(plainSteps),
  z.strictObject({
    prefix: textSchema.optional(),
    suffix: textSchema.optional(),
    'strip-prefix': textSchema.optional(),
    'strip-suffix': textSchema.optional(),
    before: textSchema.min(1).optional(),
    after: textSchema.min(1).optional(),
    split: textSchema.min(1).optional(),
    take: z.number().int().optional(),
    join: textSchema.optional(),
    default: textSchema.optional(),
    'url-param': textSchema.min(1).optional(),
    replace: z.tuple([textSchema.min(1), textSchema]).optional(),
  }),
]);

export const conditionSchema: z.ZodType<Condition> = z
  .lazy(() =>
    z.union([
      z.boolean(),
      z.strictObject({
        present: pathSchema.optional().describe('the column has something in it'),
        absent: pathSchema.optional(),
        column: pathSchema.optional().describe('compared with `is` or `true`; alone: it says yes'),
        is: words.optional(),
        true: words.optional(),
        future: pathSchema.optional().describe('a time that is still to come'),
        past: pathSchema.optional(),
        same: pathSchema.optional().describe('a second column: the two are equal'),
        split: textSchema.min(1).optional().describe('with `same`: one of the parts of the first column is'),
        bit: z.number().int().positive().optional().describe('the number in the column has this bit'),
        by: z.string().optional().describe('by more than this: 1d, 2h'),
        all: z.array(conditionSchema).min(1).optional(),
        any: z.array(conditionSchema).min(1).optional(),
        not: conditionSchema.optional(),
      }),
    ]),
  )
  .meta({ id: 'condition' });

export const valueSchema: z.ZodType<Value> = z
  .lazy(() =>
    z.union([
      pathSchema,
      z.array(valueSchema).min(1),
      z.strictObject({
        from: z.union([pathSchema, z.array(valueSchema).min(1)]).optional(),
        prefix: textSchema.optional(),
        // oxlint-disable-next-line unicorn/no-thenable -- a key of mappings; nothing awaits this object.
        then: z.array(stepSchema).max(20).optional(),
        map: z.record(z.string(), textSchema).optional(),
        default: textSchema.optional(),
        value: z.union([textSchema, z.number(), z.boolean()]).optional(),
        template: textSchema.min(1).optional(),
        extract: textSchema.min(1).optional(),
        first: z
          .strictObject({ of: pathSchema, where: conditionSchema.optional(), take: valueSchema })
          .optional(),
        all: z
          .strictObject({ of: pathSchema, where: conditionSchema.optional(), take: valueSchema })
          .optional()
          .describe('the same of every element, as a list'),
        when: conditionSchema.optional().describe('else it is empty'),
      }),
    ]),
  )
  .meta({ id: 'value' });
