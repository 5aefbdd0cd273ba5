/** Reads YAML files of users: a list, or an object whose keys are the user names. Such files are small. */
import { isColumnName } from '../column-name.ts';
import { InputError } from '../../../errors.ts';
import { isObject } from '../../../lib/json-value.ts';
import type { RawElements } from '../../source.ts';
import { textsOf } from '../../utf8.ts';
import type { FormRequest, OpenRows } from './form.ts';

/** YAML is read whole, and takes a hundred times its size in memory. */
const maxLength = 4 * 1024 * 1024;

export function openYaml(request: FormRequest): OpenRows {
  return { batches: readYaml(request) };
}

async function* readYaml({ input, blocks, source }: FormRequest): AsyncGenerator<RawElements> {
  const yaml = await import('yaml');
  let text = '';
  for await (const part of textsOf(input.name, blocks)) {
    text += part;
    if (text.length > maxLength)
      throw new InputError('input:syntax', input.name, 'a YAML file of more than 4 MB cannot be read', {
        hint: 'Give the users as JSON lines.',
      });
  }
  const documents = parseDocuments(input.name, text, yaml);
  for (const document of documents)
    yield { form: 'values', values: usersOf(listIn(document, source.list), documents.length > 1) };
}

/** Without a list, an object has the users by their names; one of several documents is a user. */
function usersOf(found: unknown, isOneOfSeveral: boolean): readonly unknown[] {
  if (Array.isArray(found)) return found;
  if (!isObject(found)) return [];
  if (isOneOfSeveral) return [found];
  return Object.entries(found).map(([key, value]) => (isObject(value) ? { '@name': key, ...value } : value));
}

/** Where the mapping says, in `users`, or in the only list of the document. */
function listIn(document: unknown, place: string | undefined): unknown {
  if (!isObject(document)) return document;
  if (place !== undefined)
    return place.split('.').reduce((at: unknown, key) => (isObject(at) ? at[key] : undefined), document);
  const [only, ...others] = Object.values(document);
  return document['users'] ?? (Array.isArray(only) && others.length === 0 ? only : document);
}

function parseDocuments(name: string, text: string, yaml: typeof import('yaml')): readonly unknown[] {
  try {
    // Its own check of keys compares each with each, which takes minutes.
    const options = { prettyErrors: true, logLevel: 'error', uniqueKeys: false } as const;
    return yaml.parseAllDocuments(text, options).map((document) => {
      yaml.visit(document, {
        Map: (_, { items }) =>
          refuseSameKeys(
            name,
            items.map(({ key }) => String(key)),
          ),
      });
      for (const error of document.errors) throw error;
      return document.toJS({ maxAliasCount: 100 }) as unknown;
    });
  } catch (cause) {
    if (cause instanceof InputError) throw cause;
    const line = cause instanceof yaml.YAMLParseError ? cause.linePos?.[0].line : undefined;
    const where = line === undefined ? '' : `line ${line}: `;
    throw new InputError('input:syntax', name, `${where}this is no YAML that can be read`, {
      cause,
      hint: 'Fix the file.',
    });
  }
}

function refuseSameKeys(name: string, keys: readonly string[]): void {
  const seen = new Set<string>();
  for (const key of keys) {
    if (seen.has(key))
      throw new InputError(
        'input:duplicate-key',
        name,
        `${isColumnName(key) ? `the key ${key}` : 'a key'} is there twice`,
        {
          hint: 'Keep one of the two.',
        },
      );
    seen.add(key);
  }
}
