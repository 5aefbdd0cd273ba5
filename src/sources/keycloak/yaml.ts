/** Reads the operator's KeycloakRealmImport (or a realm) as YAML, as one batch. Such files are small. */
import { InputError } from '../../errors.ts';
import type { RawBatch } from '../source.ts';
import { isObject, type JsonObject } from '../../lib/json-value.ts';
import type { KeycloakContext, KeycloakOptions } from './options.ts';
import { unknownRealm } from './realm-choice.ts';

/** YAML is read whole, and takes some 70 times its size in memory; an export of more users comes as JSON. */
const maxBytes = 16 * 1024 * 1024;

export async function* readYamlUsers(
  input: string,
  blocks: AsyncIterable<Uint8Array>,
  options: KeycloakOptions,
  onOrganizations: (organizations: readonly JsonObject[]) => void,
): AsyncGenerator<RawBatch<KeycloakContext>> {
  for await (const realm of readYamlRealms(input, blocks)) {
    const name = typeof realm['realm'] === 'string' ? realm['realm'] : '';
    if (options.realmName !== undefined && name !== options.realmName) {
      throw unknownRealm(input, [name], options.realmName);
    }
    const { users, organizations } = realm;
    if (Array.isArray(organizations)) onOrganizations(organizations.filter(isObject));
    if (!Array.isArray(users) || users.length === 0) continue;
    yield {
      input,
      elements: { form: 'values', values: users },
      context: { realm: name, federated: false },
    };
  }
}

/** The realm objects of all documents. Throws `InputError`. */
export async function* readYamlRealms(
  input: string,
  blocks: AsyncIterable<Uint8Array>,
): AsyncGenerator<JsonObject> {
  const { parseAllDocuments } = await import('yaml');
  const text = await readText(input, blocks);
  // Warnings of the library quote what they warn of, and go to standard error.
  for (const document of parseAllDocuments(text, { logLevel: 'error' })) {
    const [error] = document.errors;
    if (error !== undefined) {
      const [start] = error.linePos ?? [];
      throw new InputError('input:syntax', input, 'this is not YAML that can be read', {
        position: {
          offset: error.pos[0],
          line: start?.line,
          column: start?.col,
        },
        hint: 'Fix the file at this place.',
      });
    }
    const realm = findRealm(toValue(input, () => document.toJS({ maxAliasCount: 100 })));
    if (realm !== undefined) yield realm;
  }
}

/** What only shows when the document becomes a value; the library throws plain errors then. */
function toValue(input: string, convert: () => unknown): unknown {
  try {
    return convert();
  } catch (error) {
    const problem = 'its aliases (*name, <<) lead nowhere, to something else than a map, or to far too much';
    throw new InputError('input:syntax', input, problem, {
      cause: error,
      hint: 'Write the values out where the aliases stand, or give the realm as JSON.',
    });
  }
}

function findRealm(value: unknown): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  const spec = value['spec'];
  if (isObject(spec) && isObject(spec['realm'])) return spec['realm'];
  return value;
}

async function readText(input: string, blocks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const block of blocks) {
    bytes += block.length;
    if (bytes > maxBytes) {
      throw new InputError('input:element-too-large', input, 'YAML over 16 MiB is not read', {
        hint: 'Give the realm as JSON.',
      });
    }
    parts.push(Buffer.from(block));
  }
  return Buffer.concat(parts).toString('utf8');
}
