/**
 * The form of a Keycloak input, and where its realms and users are, in JSON and in YAML. The first bytes show the form;
 * version and file name do not matter.
 */
import { InputError } from '../../errors.ts';
import { peekShape } from '../../json/shape.ts';
import { type ScanOptions, scanJson } from '../../json/scan.ts';
import type { RawBatch } from '../source.ts';
import { firstText, isObject, type JsonObject, objectOf, objectsIn } from '../../lib/json-value.ts';
import { type KeycloakContext, type KeycloakOptions, unknownRealm } from './options.ts';
import { readYaml } from '../table/forms/yaml.ts';

type Form =
  /** One realm object, or the users' part of a folder export. */
  | 'realm'
  /** A list of realm objects, from an export without `--realm`. */
  | 'realms'
  /** A list of users, as the REST API returns it. */
  | 'users'
  /** A list of lists of users. */
  | 'pages'
  /** A single user, or one user after the other (a rejects file has one per line). */
  | 'sequence'
  /** YAML, or custom resources of the operator as JSON, which is YAML too. */
  | 'yaml';

const yamlStart = /^(?:\s|#[^\n]*\n|---[^\n]*\n)*(?:- *)?["']?[A-Za-z][\w.-]*["']?\s*:\s/;

/** Throws `InputError`. */
export function recogniseForm(head: Uint8Array, input: string): Form {
  const { root, keys } = peekShape(head);
  const isUser = keys.includes('username') && !keys.includes('users');
  if (root === 'pages') return 'pages';
  if (root === 'array') return isUser ? 'users' : 'realms';
  if (root === 'object') {
    if (isUser) return 'sequence';
    return keys.includes('apiVersion') || keys.includes('kind') ? 'yaml' : 'realm';
  }
  const text = Buffer.from(head.subarray(0, 4096)).toString('latin1');
  if (yamlStart.test(text)) return 'yaml';
  if (text.trim() === '') return 'realm';
  const hint =
    'Give a realm export of `kc.sh export`. Name a running database with --database; for a table, `idport map` drafts a mapping.';
  throw new InputError('input:syntax', input, 'it is neither JSON nor YAML', hint);
}

/** Path to a realm, for each form that has realms. */
const realmPaths = { realm: [], realms: ['*'] } as const;
export type ListForm = keyof typeof realmPaths | 'users' | 'pages';

/** Returns where lists, names of realms and these `members` are. All members are lists, except for the roles. */
function layoutOf(form: ListForm, members: readonly string[]): ScanOptions {
  if (form === 'users' || form === 'pages') return { arrays: [form === 'users' ? [] : ['*']], records: true };
  const at = (...names: readonly string[]) => names.map((name) => [...realmPaths[form], name]);
  const records = ['users', 'federatedUsers'];
  const isList = (name: string) => name !== 'roles';
  return {
    arrays: at(...records, 'organizations', ...members.filter(isList)),
    fields: at('realm'),
    values: at(...members.filter((name) => !isList(name))),
    repeats: true,
    records,
  };
}

/**
 * Yields the users and these `members` of a document, each with its position in a list of realms (or else 0), the name
 * of its realm (empty until the file has named it) and the name of the member. Throws `InputError`.
 */
export async function* walk(
  input: string,
  blocks: AsyncIterable<Uint8Array>,
  form: ListForm,
  members: readonly string[] = [],
  limits: Pick<ScanOptions, 'maxElementBytes'> = {},
) {
  let [root, realm, name] = [0, '', ''];
  for await (const item of scanJson(input, blocks, { ...layoutOf(form, members), ...limits })) {
    if ('root' in item && item.root !== root) [root, realm] = [item.root, ''];
    if ('path' in item) name = item.path.at(-1) ?? '';
    if (item.kind === 'field') realm = String(item.value);
    yield { item, root, realm, name };
  }
}

const maxMegabytes = 16;

export async function* readYamlUsers(
  input: string,
  blocks: AsyncIterable<Uint8Array>,
  options: KeycloakOptions,
  onOrganizations: (organizations: readonly JsonObject[]) => void,
): AsyncGenerator<RawBatch<KeycloakContext>> {
  for await (const realm of readYamlRealms(input, blocks)) {
    const name = firstText(realm, 'realm');
    if (options.realmName !== undefined && name !== options.realmName) {
      throw unknownRealm(input, [name], options.realmName);
    }
    const { users, organizations } = realm;
    if (Array.isArray(organizations)) onOrganizations(objectsIn(organizations));
    if (!Array.isArray(users) || users.length === 0) continue;
    yield {
      input,
      elements: { form: 'values', values: users },
      context: { realm: name, federated: false },
    };
  }
}

/** Yields the realm objects of all documents. Throws `InputError`. */
export async function* readYamlRealms(
  input: string,
  blocks: AsyncIterable<Uint8Array>,
): AsyncGenerator<JsonObject> {
  for (const document of await readYaml(input, blocks, maxMegabytes)) yield* realmsIn(document);
}

/** Returns the realms in a document. Users alone are a realm without a name. */
function realmsIn(document: unknown): readonly JsonObject[] {
  if (Array.isArray(document))
    return 'username' in objectOf(document[0]) ? [{ users: document }] : document.flatMap(realmsIn);
  if (!isObject(document)) return [];
  // `kubectl get` prints a list of items. Before Keycloak 20, the operator had a resource for each user.
  const { spec, items } = document;
  const { realm, user } = objectOf(spec);
  if (items !== undefined) return realmsIn(items);
  if (user !== undefined) return [{ users: [user] }];
  return [isObject(realm) ? realm : document];
}
