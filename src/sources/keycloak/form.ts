/**
 * The form of a Keycloak input, and where its realms with their users and other members are, in JSON and in YAML. The
 * first bytes show the form; version and file name do not matter.
 */
import { InputError } from '../../errors.ts';
import { peekShape } from '../../json/shape.ts';
import { type ScanItem, type ScanOptions, scanJson } from '../../json/scan.ts';
import { firstText, isObject, type JsonObject, objectOf } from '../../lib/json-value.ts';
import { type Input, withHead } from '../../lib/input.ts';
import { parseBatch, recordsOf, releaseElements } from '../elements.ts';
import type { RawElements } from '../source.ts';
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
  /** A realm in a custom resource of the operator, as JSON. */
  | 'resource'
  /** YAML, or other custom resources of the operator as JSON, which is YAML too. */
  | 'yaml';

/** Throws `InputError`. */
export function recogniseForm(head: Uint8Array, input: string): Form {
  const { root, keys } = peekShape(head);
  const isUser = keys.includes('username') && !keys.includes('users');
  if (root === 'pages') return 'pages';
  if (root === 'array') return isUser ? 'users' : 'realms';
  const text = Buffer.from(head.subarray(0, 4096)).toString('latin1');
  if (root === 'object') {
    if (isUser) return 'sequence';
    if (keys.includes('spec') && /"kind"\s*:\s*"KeycloakRealmImport"/.test(text)) return 'resource';
    return keys.includes('apiVersion') || keys.includes('kind') ? 'yaml' : 'realm';
  }
  if (/^(?:- )?[\w"'.-]+\s*:\s/m.test(text)) return 'yaml';
  if (text.trim() === '') return 'realm';
  throw new InputError(
    'input:syntax',
    input,
    'it is neither JSON nor YAML',
    'Give a realm export of `kc.sh export`. Name a running database with --database; for a table, `idport map` drafts a mapping.',
  );
}

/** Path to a realm, for each form of JSON that has realms. */
const realmPaths = { realm: [], realms: ['*'], resource: ['spec', 'realm'] } as const;
export type ListForm = Exclude<Form, 'sequence'>;

export const records = ['users', 'federatedUsers'];

/** Returns where lists, names of realms and these `members` are. All members are lists, except for the roles. */
function layoutOf(form: Exclude<ListForm, 'yaml'>, members: readonly string[]): ScanOptions {
  if (form === 'users' || form === 'pages') return { arrays: [form === 'users' ? [] : ['*']], records: true };
  const at = (...names: readonly string[]) => names.map((name) => [...realmPaths[form], name]);
  return {
    arrays: at(...records, 'organizations', ...members.filter((name) => name !== 'roles')),
    fields: at('realm'),
    values: at(...members.filter((name) => name === 'roles')),
    repeats: true,
    records,
  };
}

interface Found {
  /** Position in a list of realms or documents, or else 0. */
  readonly root: number;
  /** Name of the realm. Empty until the file has named it. */
  readonly realm: string;
  /** Name of the member. `realm` is the name itself. */
  readonly name: string;
  /** The member, or some elements of a list. */
  readonly elements?: RawElements | undefined;
  /** What is there in place of a list. */
  readonly instead?: (ScanItem & { kind: 'absent' })['found'] | undefined;
}

/** Yields the users, the organizations and these `members` of realms, in the order of the file. Throws `InputError`. */
export async function* walk(
  input: string,
  blocks: AsyncIterable<Uint8Array>,
  form: ListForm,
  members: readonly string[] = [],
  limits: Pick<ScanOptions, 'maxElementBytes'> = {},
): AsyncGenerator<Found> {
  if (form === 'yaml') return yield* walkYaml(input, blocks, members);
  let [root, realm, name] = [0, '', ''];
  for await (const item of scanJson(input, blocks, { ...layoutOf(form, members), ...limits })) {
    if ('root' in item && item.root !== root) [root, realm] = [item.root, ''];
    if ('path' in item) name = item.path.at(-1) ?? '';
    if (item.kind === 'field') realm = String(item.value);
    yield {
      root,
      realm,
      name,
      elements: elementsIn(item),
      instead: item.kind === 'absent' ? item.found : undefined,
    };
  }
}

function elementsIn(item: ScanItem): RawElements | undefined {
  if (item.kind === 'batch' || item.kind === 'long') return recordsOf(item);
  if (item.kind !== 'value') return undefined;
  return { form: 'elements', bytes: item.bytes, offset: item.offset, cuts: [], count: 1 };
}

const maxMegabytes = 16;

async function* walkYaml(
  input: string,
  blocks: AsyncIterable<Uint8Array>,
  members: readonly string[],
): AsyncGenerator<Found> {
  const documents = await readYaml(input, blocks, maxMegabytes);
  for (const [root, found] of documents.flatMap(realmsIn).entries()) {
    const realm = firstText(found, 'realm');
    yield { root, realm, name: 'realm' };
    for (const name of ['organizations', ...records, ...members]) {
      const values = name === 'roles' ? [found[name]] : found[name];
      if (Array.isArray(values) && values.length > 0)
        yield { root, realm, name, elements: { form: 'values', values } };
    }
  }
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

/** `value` is a member of a realm, or some elements of a list. Users are left out of it. */
interface RealmItem extends Pick<Found, 'root' | 'realm' | 'name'> {
  readonly value: unknown;
}

/** About the longest string in JavaScript. A client, or a group with all its subgroups, must fit into it. */
const maxElementBytes = 512 * 1000 * 1000;

/** Yields the organizations and these `members` of realms, and whether there are users. Throws `InputError`. */
export async function* realmItems(input: Input, members: readonly string[]): AsyncGenerator<RealmItem> {
  const { head, blocks } = await withHead(input.blocks());
  const form = recogniseForm(head, input.name);
  // Lists of users contain nothing else.
  if (form === 'sequence' || form === 'users' || form === 'pages')
    return void (await blocks.return(undefined));
  for await (const { elements, ...place } of walk(input.name, blocks, form, members, { maxElementBytes })) {
    const { name, realm } = place;
    if (name === 'realm') yield { ...place, value: realm };
    if (elements === undefined) continue;
    const values = records.includes(name) ? [] : [...parseBatch({ input: input.name, elements })];
    yield { ...place, value: name === 'roles' ? values[0] : values };
    releaseElements(elements);
  }
}
