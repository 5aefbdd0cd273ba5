/** Reads the operator's KeycloakRealmImport (or a realm) as YAML, as one batch. */
import type { RawBatch } from '../source.ts';
import { isObject, type JsonObject } from '../../lib/json-value.ts';
import type { KeycloakContext, KeycloakOptions } from './options.ts';
import { readYaml } from '../yaml.ts';
import { unknownRealm } from './realm-choice.ts';

const mostMegabytes = 16;

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
  for (const document of await readYaml(input, blocks, mostMegabytes)) {
    if (!isObject(document)) continue;
    const { spec } = document;
    yield isObject(spec) && isObject(spec['realm']) ? spec['realm'] : document;
  }
}
