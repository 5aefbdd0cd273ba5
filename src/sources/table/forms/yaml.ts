/** Reads YAML files of users: a list, or an object whose keys are the user names. Such files are small. */
import { InputError } from '../../../errors.ts';
import { isObject } from '../../../lib/json-value.ts';
import type { RawElements } from '../../source.ts';
import type { FormRequest, OpenRows } from './form.ts';

/** YAML is read whole, and takes a hundred times its size in memory. */
const maxBytes = 4 * 1024 * 1024;

export function openYaml(request: FormRequest): OpenRows {
  return { batches: readYaml(request) };
}

async function* readYaml({ input, blocks, source }: FormRequest): AsyncGenerator<RawElements> {
  const { parse } = await import('yaml');
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const block of blocks) {
    length += block.length;
    if (length > maxBytes)
      throw new InputError('input:syntax', input.name, 'a YAML file of more than 4 MB cannot be read', {
        hint: 'Give the users as JSON lines.',
      });
    parts.push(new Uint8Array(block));
  }
  const document = parseText(input.name, Buffer.concat(parts).toString('utf8'), parse);
  const users = listIn(document, source.list);
  if (Array.isArray(users)) yield { form: 'values', values: users };
  else if (isObject(users)) {
    yield {
      form: 'values',
      values: Object.entries(users).map(([key, value]) =>
        isObject(value) ? { '@name': key, ...value } : value,
      ),
    };
  }
}

/** Where the mapping says, in `users`, or in the only list of the document. */
function listIn(document: unknown, place: string | undefined): unknown {
  if (!isObject(document)) return document;
  if (place !== undefined)
    return place.split('.').reduce((at: unknown, key) => (isObject(at) ? at[key] : undefined), document);
  const [only, ...others] = Object.values(document);
  return document['users'] ?? (Array.isArray(only) && others.length === 0 ? only : document);
}

function parseText(name: string, text: string, parse: typeof import('yaml').parse): unknown {
  try {
    return parse(text, { maxAliasCount: 100, logLevel: 'error' }) as unknown;
  } catch (cause) {
    throw new InputError('input:syntax', name, 'this is no YAML that can be read', {
      cause,
      hint: 'Fix the file.',
    });
  }
}
