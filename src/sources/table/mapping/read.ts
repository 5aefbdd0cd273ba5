/** Reads a mapping file, and describes an error in it in one sentence. */
import { z } from 'zod';
import { UsageError } from '../../../errors.ts';
import { pathText } from '../../../lib/json-value.ts';
import { nearest } from '../../../lib/nearest.ts';
import { type Mapping, mappingSchema } from './schema.ts';

/** Maximum length of a mapping in characters: it is a page of text and never a data file. */
const maxLength = 256 * 1024;

/** `file` is its name in messages. Throws `UsageError`. */
export async function readMapping(text: string, file: string): Promise<Mapping> {
  if (text.length > maxLength) {
    throw new UsageError(
      `${file}: it is ${text.length} characters long, too long for a mapping`,
      'Name the mapping with --map, and the users with --users.',
    );
  }
  const yaml = await import('yaml');
  try {
    return checkMapping(file, parseYaml(text.replace(/^\ufeff/, ''), file, yaml));
  } catch (error) {
    if (error instanceof RangeError)
      throw new UsageError(`${file}: it is nested too deeply`, undefined, error);
    throw error;
  }
}

type Yaml = typeof import('yaml');

/** Parses YAML, of which JSON is a part. */
function parseYaml(text: string, file: string, { parseDocument, LineCounter }: Yaml) {
  const lineCounter = new LineCounter();
  // Keys are words: `null:` and `true:` are keys of a mapping.
  const options = { lineCounter, prettyErrors: false, uniqueKeys: true, stringKeys: true };
  const document = parseDocument(text, options);
  const [error] = document.errors;
  if (error !== undefined) {
    if (error.code === 'RESOURCE_EXHAUSTION') throw new UsageError(`${file}: it is nested too deeply`);
    const { line, col } = lineCounter.linePos(error.pos[0]);
    throw new UsageError(`${file}:${line}:${col}: invalid YAML: ${error.message.split('\n')[0]}`);
  }
  try {
    return document.toJS({ maxAliasCount: 50 }) as unknown;
  } catch (cause) {
    throw new UsageError(
      `${file}: it cannot be read as YAML`,
      'Write out what its aliases (*name) stand for.',
      cause,
    );
  }
}

type Issue = z.core.$ZodIssue;

function checkMapping(file: string, value: unknown): Mapping {
  // The message of an unknown key is the keys that its place has.
  const error = ({ code, inst }: z.core.$ZodRawIssue) =>
    code === 'unrecognized_keys' ? Object.keys((inst as z.ZodObject).shape).join(' ') : undefined;
  const checked = mappingSchema.safeParse(value, { error });
  if (checked.success) return checked.data;
  const [issue] = checked.error.issues;
  throw complain(file, innermost(issue!));
}

/**
 * Returns the issue of the alternative in a union that was probably meant, which is the issue that lies deepest. A wrong
 * key lies deeper than a missing one.
 */
function innermost(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const candidates = issue.errors
    .flat()
    .map((inner) => innermost({ ...inner, path: [...issue.path, ...inner.path] }))
    .filter((inner) => inner.path.length > issue.path.length || inner.code === 'unrecognized_keys');
  const depth = ({ path, code }: Issue) => path.length + (code === 'unrecognized_keys' ? 1.5 : 0);
  return candidates.sort((one, other) => depth(other) - depth(one))[0] ?? issue;
}

function complain(file: string, issue: Issue) {
  const place = pathText(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const near = nearest(key, issue.message.split(' '));
    const hint =
      near.length === 0 ? 'docs/mapping-reference.md lists the keys.' : `Did you mean ${near.join(' or ')}?`;
    return new UsageError(`${file}: ${pathText([...issue.path, key])}: there is no such key`, hint);
  }
  return new UsageError(
    `${file}: ${place === '' ? '' : `${place}: `}${expectation(issue)}`,
    'docs/mapping.md shows a whole mapping, docs/mapping-reference.md all keys.',
  );
}

function expectation(issue: Issue) {
  const expected = [...new Set(expectedBy(issue))];
  return expected.length === 0 ? issue.message.toLowerCase() : `${expected.join(' or ')} is expected`;
}

function expectedBy(issue: Issue): string[] {
  if (issue.code === 'invalid_value') return issue.values.map(String);
  if (issue.code === 'invalid_type') return [articles[issue.expected] ?? issue.expected];
  if (issue.code !== 'invalid_union') return [];
  return issue.errors.flat().flatMap((inner) => (inner.path.length === 0 ? expectedBy(inner) : []));
}

const articles: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object with keys',
};
