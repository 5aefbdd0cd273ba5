/** Reads YAML files, whole. Users are a list, or an object with user names as keys. */
import { isObject, objectOf } from '../../../lib/json-value.ts';
import type { RawElements } from '../../source.ts';
import type { FormRequest, OpenRows } from './form.ts';
import type { Document } from 'yaml';
import { InputError } from '../../../errors.ts';
import { isColumnName } from '../../../lib/redact.ts';
import { textsOf } from '../../encoding.ts';

const maxMegabytes = 4;

export function openYaml(request: FormRequest): OpenRows {
  return { batches: readUsers(request) };
}

async function* readUsers({ input, blocks, source }: FormRequest): AsyncGenerator<RawElements> {
  const documents = await readYaml(input.name, blocks, maxMegabytes);
  for (const document of documents)
    yield { form: 'values', values: usersOf(listIn(document, source.list), documents.length > 1) };
}

/** Returns a list, or the members of an object with users by name. One of several documents is a user itself. */
function usersOf(found: unknown, isOneOfSeveral: boolean) {
  if (Array.isArray(found)) return found;
  if (!isObject(found)) return [];
  if (isOneOfSeveral) return [found];
  return Object.entries(found).map(([key, value]) => (isObject(value) ? { '@name': key, ...value } : value));
}

/** Returns the value at the place that the mapping names, in `users`, or the only list of the document. */
function listIn(document: unknown, place: string | undefined) {
  if (!isObject(document)) return document;
  if (place !== undefined) return place.split('.').reduce((at: unknown, key) => objectOf(at)[key], document);
  const [only, ...others] = Object.values(document);
  return document['users'] ?? (Array.isArray(only) && others.length === 0 ? only : document);
}

/**
 * Reads all documents of a file of at most `maxMegabytes`, because in memory they take a hundred times their size. Throws
 * `InputError`.
 */
export async function readYaml(
  input: string,
  blocks: AsyncIterable<Uint8Array>,
  maxMegabytes: number,
): Promise<unknown[]> {
  const { parseAllDocuments, visit } = await import('yaml');
  let text = '';
  for await (const part of textsOf(input, blocks)) {
    text += part;
    if (text.length <= maxMegabytes * 1024 * 1024) continue;
    const problem = `a YAML file of more than ${maxMegabytes} MB cannot be read`;
    throw new InputError('input:element-too-large', input, problem, 'Give the users as a list in JSON.');
  }
  // The library's warnings quote data. Its check for duplicate keys is quadratic and can take minutes.
  const options = { logLevel: 'error', uniqueKeys: false } as const;
  const read = (document: Document): unknown => {
    const [error] = document.errors;
    const [start] = error?.linePos ?? [];
    if (error !== undefined)
      throw notYaml(input, { offset: error.pos[0], line: start?.line, column: start?.col });
    visit(document, {
      // 0123 and +41 are not numbers, and long numbers would be rounded.
      Scalar(_, scalar) {
        if (typeof scalar.value === 'number' && String(scalar.value) !== scalar.source)
          scalar.value = scalar.source;
      },
      Map(_, { items }) {
        refuseSameKeys(
          input,
          items.map(({ key }) => String(key)),
        );
      },
    });
    return document.toJS({ maxAliasCount: 100 });
  };
  try {
    return parseAllDocuments(text, options).map(read);
  } catch (cause) {
    if (cause instanceof InputError) throw cause;
    if (cause instanceof RangeError) throw notYaml(input);
    const problem = 'its aliases (*name, <<) are undefined, not maps, or expand too far';
    const hint = 'Replace the aliases by their values, or give JSON.';
    throw new InputError('input:syntax', input, problem, hint, cause);
  }
}

function notYaml(input: string, position?: InputError['position']) {
  const problem = 'invalid YAML';
  return new InputError('input:syntax', input, problem, 'Fix the file at this place.', undefined, position);
}

function refuseSameKeys(input: string, keys: readonly string[]) {
  const seen = new Set<string>();
  for (const key of keys) {
    const what = isColumnName(key) ? `the key ${key}` : 'a key';
    if (seen.has(key))
      throw new InputError('input:duplicate-key', input, `${what} appears twice`, 'Keep one of the two.');
    seen.add(key);
  }
}
