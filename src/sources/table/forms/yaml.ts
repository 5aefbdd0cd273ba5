/** Reads YAML files of users: a list, or an object whose keys are the user names. */
import { isObject } from '../../../lib/json-value.ts';
import type { RawElements } from '../../source.ts';
import { readYaml } from '../../yaml.ts';
import type { FormRequest, OpenRows } from './form.ts';

const mostMegabytes = 4;

export function openYaml(request: FormRequest): OpenRows {
  return { batches: readUsers(request) };
}

async function* readUsers({ input, blocks, source }: FormRequest): AsyncGenerator<RawElements> {
  const documents = await readYaml(input.name, blocks, mostMegabytes);
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
