/** Reads a configuration file by a schema made from the flags, and describes an error in it in one sentence with its position. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { readText } from '../../commands/read-text.ts';
import { UsageError } from '../../errors.ts';
import { checkJson } from '../../json/scan.ts';
import { pathText } from '../../lib/json-value.ts';
import { nearest } from '../../lib/nearest.ts';
import { isSecretName } from '../../lib/redact.ts';
import {
  type FlagShape,
  settable,
  sharedFlags,
  type VerbShape,
  verbsWithSettings,
  secretFlags,
} from '../shape.ts';

/** Throws `UsageError` if the file is invalid, and `InputError` if it cannot be read. */
export function loadConfig(name: string, cwd: string, program: VerbShape) {
  return { file: resolve(cwd, name), config: parseConfig(readText(name, cwd), name, program) };
}

/** `file` is the name in messages. Throws `UsageError`, which never shows a value, because it may be a secret. */
export function parseConfig(text: string, file: string, program: VerbShape): Config {
  const bytes = Buffer.from(text);
  const flaw = checkJson(bytes);
  if (flaw !== undefined) {
    const before = bytes.subarray(0, flaw.offset).toString().split('\n');
    const place = `${before.length}:${(before.at(-1) ?? '').length + 1}`;
    throw new UsageError(`${file}:${place}: a configuration file is JSON, and this is not: ${flaw.problem}`);
  }
  const twice = repeatedKey(text);
  if (twice !== undefined) throw new UsageError(`${file}: one object has ${twice} twice`);
  const content: unknown = JSON.parse(text);
  const { verbs } = (content ?? {}) as { readonly verbs?: object | null };
  const checked = configSchema(program, Object.keys(verbs ?? {})).safeParse(content);
  if (checked.success) return checked.data;
  throw complain(file, checked.error.issues, program);
}

/** Returns a key, in quotes, that an object of valid JSON has twice. `JSON.parse` would silently take the last value. */
function repeatedKey(text: string) {
  const objects: Set<string>[] = [];
  for (const [token, key = ''] of text.matchAll(/("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (token === '{') objects.push(new Set());
    else if (token === '}') objects.pop();
    else if (key !== '' && objects.at(-1)?.has(key)) return key;
    else objects.at(-1)?.add(key);
  }
  return undefined;
}

/** Reports the first problem, but a secret before any other. */
function complain(file: string, issues: readonly z.core.$ZodIssue[], program: VerbShape) {
  const unknown = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => ({ path: issue.path, key })) : [],
  );
  const secret = unknown.find(
    ({ key }) => secretFlags.has(key) || (isSecretName(key) && !/file$/i.test(key)),
  );
  if (secret !== undefined)
    return new UsageError(
      `${file}: ${pathText([...secret.path, secret.key])} would be a secret, which this file must not hold`,
      'Name a file with token-file or key-file, or set IDPORT_TOKEN. Revoke a token that was in this file.',
    );
  const [first] = unknown;
  if (first !== undefined) return refuseKey(file, first.path, first.key, program);
  const [issue] = issues;
  const place = issue!.path.length === 0 ? '' : `${pathText(issue!.path)}: `;
  return new UsageError(
    `${file}: ${place}${issue!.message}`,
    'docs/config.md shows a whole file; it names flags without their dashes.',
  );
}

function refuseKey(file: string, path: readonly PropertyKey[], key: string, program: VerbShape) {
  const known = keysAt(path, program);
  const words = key
    .replace(/^--/, '')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase();
  const near = nearest(words, known, (word, name) => word.length > 2 && name.split(' ').includes(word));
  const kind = path.length === 1 && path[0] === 'verbs' ? 'verb' : 'setting';
  if (path.length === 0 && sharedFlags(program).has(words)) near.push(`shared.${words}`);
  const meant = near.length === 0 ? `There are: ${known.join(', ')}.` : `Did you mean ${near.join(' or ')}?`;
  return new UsageError(`${file}: ${pathText([...path, key])} is not a ${kind}`, meant);
}

function keysAt([part, verb]: readonly PropertyKey[], program: VerbShape) {
  if (part === undefined) return ['$schema', 'shared', 'verbs'];
  if (part === 'shared') return [...sharedFlags(program).keys()];
  const verbs = verbsWithSettings(program);
  if (verb === undefined) return verbs.map(({ name }) => name);
  const found = verbs.find(({ name }) => name === verb);
  return found === undefined ? [] : settable(found).map(({ name }) => name);
}

/** With `named`, only these verbs are known, because the schema of all verbs takes longer to make than most runs. */
function configSchema(program: VerbShape, named?: readonly string[]) {
  const verbs = verbsWithSettings(program).filter(({ name }) => named?.includes(name) ?? true);
  return z
    .strictObject(
      {
        $schema: z.optional(text.describe('location of this schema')),
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

const flagsOf = (verb: VerbShape) => objectOf(byName(settable(verb)), valueOf).describe(verb.row.description);

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
