/** The `password` of a mapping: where a hash stands, and how it was made. */
import { z } from 'zod';
import { pathSchema, textSchema, valueSchema } from './value-schema.ts';

const encodings = z.enum(['text', 'hex', 'base64', 'base64url', 'ab64']);
const partSchema = z.strictObject({ from: valueSchema, encoding: encodings.optional() });
const countSchema = z.union([
  z.number().int().positive(),
  z.strictObject({ from: valueSchema, default: z.number().int().positive().optional() }),
]);
const secretSchema = z.strictObject({ file: z.string().min(1), place: z.enum(['before', 'after']) });
const packedSchema = z.strictObject({
  from: valueSchema,
  encoding: encodings,
  'strip-prefix': textSchema.optional(),
  layout: z
    .array(
      z.union([
        z.strictObject({ salt: z.union([z.number().int().positive(), z.literal('rest')]) }),
        z.strictObject({ key: z.union([z.number().int().positive(), z.literal('rest')]) }),
        z.strictObject({ skip: z.number().int().positive() }),
      ]),
    )
    .min(2),
});
const saltAndKey = {
  salt: partSchema.optional(),
  key: partSchema.optional(),
  packed: packedSchema.optional(),
  saltSecret: secretSchema.optional(),
};

export const passwordSchema = z.strictObject({
  from: valueSchema.optional(),
  format: z
    .union([
      z.string().min(1),
      z.strictObject({
        column: pathSchema,
        map: z.record(z.string(), z.string()),
        default: z.string().optional(),
      }),
    ])
    .optional(),
  else: z.string().min(1).optional().describe('format for what the first cannot read'),
  salt: valueSchema.optional(),
  algorithm: valueSchema.optional(),
  rounds: valueSchema.optional(),
  options: pathSchema.optional(),
  secret: z.strictObject({ file: z.string().min(1) }).optional(),
  pbkdf2: z
    .strictObject({
      digest: z.enum(['sha1', 'sha224', 'sha256', 'sha384', 'sha512']),
      rounds: countSchema,
      ...saltAndKey,
    })
    .optional(),
  scrypt: z
    .strictObject({ cost: countSchema, blockSize: countSchema, parallelization: countSchema, ...saltAndKey })
    .optional(),
  argon2: z
    .strictObject({
      variant: z.enum(['i', 'id']),
      memoryKiB: countSchema,
      time: countSchema,
      threads: countSchema,
      ...saltAndKey,
    })
    .optional(),
  md5: z
    .strictObject({
      digest: partSchema,
      around: textSchema.min(1).optional(),
      salt: z.strictObject({ from: valueSchema }).optional(),
      saltSecret: secretSchema.optional(),
    })
    .optional(),
  pepper: z.enum(['none', 'unknown', 'password', 'prefix', 'suffix']).optional(),
  prehash: z
    .enum([
      'none',
      'unknown',
      'md5',
      'sha1',
      'sha256',
      'sha256-base64',
      'sha512',
      'sha512-base64',
      'hmac',
      'other',
    ])
    .optional(),
  none: textSchema
    .min(1)
    .optional()
    .describe('why the source gives no hashes; beside `from`: why some exports have none'),
});
