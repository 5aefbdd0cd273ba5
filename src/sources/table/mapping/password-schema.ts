/** The schema of `password` in a mapping: where a hash is, and how it was made. */
import { z } from 'zod';
import { conditionSchema, pathSchema, someText, textSchema, valueSchema } from './value-schema.ts';

const positive = z.number().int().positive();
const encodings = z.enum(['text', 'hex', 'base64']);
const partSchema = z.strictObject({ from: valueSchema, encoding: encodings.optional() });
const countSchema = z.union([positive, z.strictObject({ from: valueSchema, default: positive.optional() })]);
const formulaSchema = z.string().min(1).max(500);
const length = z.union([positive, z.literal('rest')]);
const packedSchema = z.strictObject({
  from: valueSchema,
  encoding: encodings,
  'strip-prefix': textSchema.optional(),
  layout: z
    .array(
      z.union([
        z.strictObject({ salt: length }),
        z.strictObject({ key: length }),
        z.strictObject({ skip: positive }),
      ]),
    )
    .min(2),
});
const saltAndKey = {
  salt: partSchema.optional(),
  key: partSchema.optional(),
  packed: packedSchema.optional(),
  salted: formulaSchema.optional().describe('what was hashed as the salt: salt + secret'),
};

const placeSchema = z
  .strictObject({
    from: valueSchema,
    format: z.union([
      z.string().min(1),
      z.strictObject({
        column: pathSchema,
        map: z.record(z.string(), z.string()),
        default: z.string().optional(),
      }),
    ]),
    else: z.string().min(1).describe('format for what the first cannot read'),
    salt: valueSchema,
    algorithm: valueSchema,
    rounds: valueSchema,
    options: pathSchema,
    secret: z.strictObject({ file: z.string().min(1) }),
    pbkdf2: z.strictObject({
      digest: z.enum([
        'sha1',
        'sha224',
        'sha256',
        'sha384',
        'sha512',
        'sha3-224',
        'sha3-256',
        'sha3-384',
        'sha3-512',
      ]),
      rounds: countSchema,
      ...saltAndKey,
    }),
    scrypt: z.strictObject({
      cost: countSchema,
      blockSize: countSchema,
      parallelization: countSchema,
      ...saltAndKey,
    }),
    argon2: z.strictObject({
      variant: z.enum(['i', 'id', 'd']),
      memoryKiB: countSchema,
      time: countSchema,
      threads: countSchema,
      ...saltAndKey,
    }),
    digest: z.strictObject({
      of: formulaSchema.describe('how it was made: sha1(salt + password)'),
      again: formulaSchema.optional().describe('what follows the last digest in every further round'),
      rounds: countSchema.optional(),
      ...saltAndKey,
    }),
    pepper: z.enum(['none', 'unknown', 'password', 'prefix', 'suffix']),
    prehash: formulaSchema.describe(
      'none, unknown, other, or what was hashed instead of the password: hex(md5(password))',
    ),
    never: conditionSchema.describe(
      'the old system has no password for such a user, and idport jit cannot ask it for one',
    ),
    none: someText.describe('why the source gives no hashes; beside `from`: why some exports have none'),
  })
  .partial();

export const passwordSchema = placeSchema.extend({
  get also() {
    return z
      .array(passwordSchema)
      .min(1)
      .optional()
      .describe('further places of a password, each as this one; the first that can be used counts');
  },
});
