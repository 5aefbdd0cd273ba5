/**
 * The schema of a mapping: which columns of a table become which field of a user. It is checked before the first record
 * is read, and published for editors.
 */
import { z } from 'zod';
import { encodingNames } from '../../encoding.ts';
import {
  conditionSchema,
  some,
  someText,
  type Value,
  valueSchema,
  pathSchema,
  textSchema,
} from './value-schema.ts';
import type { Secrets } from '../../../records/hash-forms/verify-form.ts';
import type { UserOptions } from '../../../records/user.ts';
import type { SharedOptions } from '../../source.ts';

const positive = z.number().int().positive();
const encodings = z.enum(['text', 'hex', 'base64']);
const partSchema = z.strictObject({ from: valueSchema, encoding: encodings.optional() });
const countSchema = z.union([positive, z.strictObject({ from: valueSchema, default: positive.optional() })]);
const formulaSchema = someText.max(500);
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
const saltAndKey = z
  .strictObject({
    salt: partSchema,
    key: partSchema,
    packed: packedSchema,
    salted: formulaSchema.describe('what was hashed as the salt: salt + secret'),
  })
  .partial();

const placeSchema = z
  .strictObject({
    from: valueSchema,
    format: z.union([
      someText,
      z.strictObject({
        column: pathSchema,
        map: z.record(z.string(), z.string()),
        default: z.string().optional(),
      }),
    ]),
    else: someText.describe('format for what the first cannot read'),
    salt: valueSchema,
    algorithm: valueSchema,
    rounds: valueSchema,
    options: pathSchema,
    secret: z.strictObject({ file: someText }),
    pbkdf2: saltAndKey.extend({
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
    }),
    scrypt: saltAndKey.extend({
      cost: countSchema,
      blockSize: countSchema,
      parallelization: countSchema,
    }),
    argon2: saltAndKey.extend({
      variant: z.enum(['i', 'id', 'd']),
      memoryKiB: countSchema,
      time: countSchema,
      threads: countSchema,
    }),
    digest: saltAndKey.extend({
      of: formulaSchema.describe('how it was made: sha1(salt + password)'),
      again: formulaSchema.optional().describe('what follows the last digest in every further round'),
      rounds: countSchema.optional(),
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

const texts = z.array(z.string());

const linkSchema = z.strictObject({
  each: pathSchema
    .optional()
    .describe(
      'a table, a list or an object: a link for each; absent, or a plain column: one link of the row',
    ),
  where: conditionSchema.optional(),
  alias: valueSchema.describe('name of the identity provider, for --idp; of a list the first that has one'),
  externalUserId: valueSchema,
  displayName: valueSchema.optional(),
});

/**
 * Has an explicit type, like roles, because the inferred type of the whole schema would be longer than the compiler
 * writes.
 */
export interface Keyed {
  readonly each: string;
  readonly key: Value;
  readonly roles?: Value | undefined;
}

const keyedSchema: z.ZodType<Keyed> = z.strictObject({
  each: pathSchema.describe('a list or an object'),
  key: valueSchema.describe('of the organization or the application'),
  roles: valueSchema.optional().describe('a role in it, or a list of them'),
});

const otpSchema = z
  .strictObject({
    each: pathSchema.describe('a table, a list or an object: the first usable one counts'),
    encoding: z.enum(['base32', 'hex', 'base64', 'text']),
    when: conditionSchema,
    algorithm: valueSchema,
    digits: valueSchema,
    period: valueSchema,
    order: pathSchema.describe('when it was made: the oldest goes first'),
  })
  .partial()
  .extend({ from: valueSchema });

interface RolesMapping {
  readonly from: Value;
  readonly split?: string | undefined;
}

const rolesSchema: z.ZodType<RolesMapping | Keyed> = z.union([
  z.strictObject({ from: valueSchema, split: someText.optional() }),
  keyedSchema.describe('roles as `key:role`; the key alone where it has none'),
]);

const userSchema = z
  .strictObject({
    id: valueSchema,
    userName: valueSchema,
    email: valueSchema,
    emailVerified: z.union([conditionSchema, z.literal('unknown')]),
    givenName: valueSchema,
    familyName: valueSchema,
    fullName: valueSchema,
    nickName: valueSchema,
    displayName: valueSchema,
    language: valueSchema,
    gender: valueSchema,
    phone: valueSchema,
    phoneRegion: valueSchema.describe(
      'country of a number without a prefix (CH, US, ...), before --default-region',
    ),
    phoneVerified: conditionSchema,
    contacts: some(valueSchema).describe(
      'all addresses and phone numbers: a note names those that are not migrated',
    ),
    state: z
      .strictObject({
        inactive: conditionSchema,
        active: conditionSchema,
        until: valueSchema.describe('a time in the next ten years: when a lock ends, for a note'),
      })
      .partial(),
    requiredActions: valueSchema.describe(
      'what the user still had to do at the source, for the note required-action:not-migrated',
    ),
    links: z.union([linkSchema, some(linkSchema)]),
    otp: z.union([otpSchema, some(otpSchema)]),
    recoveryCodes: z.strictObject({
      from: valueSchema,
      split: someText.optional(),
      when: conditionSchema.optional(),
    }),
    otherFactors: valueSchema.describe('names of factors that cannot move, for a note of each'),
    organization: valueSchema.describe('its key, or a list of keys: for --org-by=organization'),
    memberships: z.union([keyedSchema, some(keyedSchema)]).describe('the same, with the roles in each'),
    roles: z.union([rolesSchema, some(rolesSchema)]),
    metadata: z.record(someText.max(200), valueSchema),
  })
  .partial();

/** A column, or several of which the first that is not empty counts. */
const namesSchema = z.union([pathSchema, some(pathSchema)]);
const marksSchema = some(z.union([some(someText), someText]));

const tableSchema = z
  .strictObject({
    from: someText.describe('its name in a dump: * in front stands for anything, | between names for either'),
    on: valueSchema.describe('the column of the user that it is compared with; absent: that of the id'),
    into: z.string().describe('the other table into whose rows it is joined, by what these have in on'),
    where: conditionSchema.describe(
      'which rows belong to it; with it, the file of the users may hold them, too',
    ),
    titles: some(z.string()).describe('columns of its file without a row of titles'),
    parameters: z
      .array(someText)
      .describe('lines of a name and a value before the titles: columns of every row'),
    many: z.boolean().describe('all rows of a user, as a list'),
    optional: z.boolean().describe('most systems lack it: no note if it is missing'),
    pivot: z
      .strictObject({ name: namesSchema, value: namesSchema.optional() })
      .describe('a row is a name and a value; without value, the row itself is it'),
    recognise: marksSchema.describe('the same of a file of this table, or of its columns in a dump'),
  })
  .partial()
  .extend({ key: valueSchema.describe('the column that holds the key of the user') });

const ruleSchema = z.strictObject({
  skip: someText.max(60).optional().describe('leave the row out; the word is the reason in the report'),
  machine: z.literal(true).optional().describe('write it as a service account'),
  when: conditionSchema,
});

export const mappingSchema = z
  .strictObject({
    $schema: z.string(),
    name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/),
    title: z.string().max(100),
    about: z
      .strictObject({
        export: texts.describe('how to export'),
        tables: z.record(z.string(), z.string()),
        traps: texts.describe('what looks right and is not'),
        cannot: texts.describe('what cannot move'),
        before: texts.describe('what to do before the cutover'),
        jit: z.string().describe('verifier of idport jit that can ask this source'),
        proven: z
          .enum(['export', 'sample', 'fixture'])
          .describe(
            'converted in tests: a real export; a sample of others or made; only a fixture of our own',
          ),
        versions: texts.describe(
          'programs whose own exports, or only hashes where `proven` is no export, were imported, and whose users then logged in',
        ),
      })
      .partial(),
    recognise: marksSchema.describe(
      'keys, or columns and the name of their table, that only this source has together; or a ' +
        'regular expression, for hashes that only it has; any is enough',
    ),
    source: z
      .strictObject({
        format: z.enum(['csv', 'json', 'sql', 'ldif', 'yaml']),
        delimiter: z.string().length(1),
        escape: z.literal('\\').describe('quotes, delimiters and line ends follow a backslash'),
        encoding: z.enum(encodingNames),
        null: texts.describe('words of a CSV that mean nothing: NULL'),
        comment: someText.describe('what lines begin with that are no rows'),
        titles: some(z.string()).describe('columns of a file without a row of titles'),
        lengths: some(z.number().int().min(1)).describe(
          'how many cells rows without titles may have, where older files have fewer columns',
        ),
        list: someText.describe('path of the list of users in a document of JSON or YAML'),
        table: someText.describe('table of the users in a dump'),
        columns: z.enum(['required', 'optional']),
      })
      .partial(),
    tables: z
      .record(z.string().regex(/^[A-Za-z_][\w-]*$/), tableSchema)
      .refine(
        (tables) =>
          Object.values(tables).every(
            ({ into, on }, at) =>
              into === undefined ||
              (on !== undefined &&
                Object.keys(tables).slice(0, at).includes(into) &&
                tables[into]!.pivot?.value === undefined),
          ),
        'into names a table above it that has no value in pivot, and needs on',
      ),
    where: z.array(ruleSchema),
    password: passwordSchema,
    unused: texts.describe('columns that are left behind on purpose'),
  })
  .partial()
  .extend({ idport: z.literal(1).describe('version of this format'), user: userSchema });

export type Mapping = z.output<typeof mappingSchema>;
export type UserMapping = Mapping['user'];
export type PasswordMapping = NonNullable<Mapping['password']>;
export type OtpMapping = z.output<typeof otpSchema>;
export type LinkMapping = z.output<typeof linkSchema>;
export type TableMapping = z.output<typeof tableSchema>;

export interface TableOptions
  extends UserOptions, Pick<SharedOptions, 'plaintext' | 'pbkdf2Encoding' | 'now'> {
  readonly mapping: Mapping;
  /** Name of the mapping in messages: a file, or a built-in source. */
  readonly mappingName: string;
  /** False for built-in mappings. */
  readonly isOwnMapping: boolean;
  /** Contents of secret files, by their paths in the mapping. */
  readonly secrets: Secrets;
}
