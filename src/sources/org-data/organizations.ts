/**
 * Reads files of organizations: what `migrate` writes and the import accepts, and what the service exports. Yields one
 * organization after the other with the requested lists and members, in file order.
 */
import { InputError } from '../../errors.ts';
import type { ElementBatch, LongElement } from '../../json/element-batches.ts';
import { scanJson, type ScanOptions } from '../../json/scan.ts';
import { batchMemory } from '../../lib/batch-memory.ts';
import type { Input } from '../../lib/input.ts';
import { firstText, isObject } from '../../lib/json-value.ts';
import { memberText, snakeCase } from '../../wire/member-names.ts';
import { entryKinds, kindOf } from '../../wire/org-entries.ts';
import { elementsOf, parseBatch, releaseElements } from '../elements.ts';
import { warning } from '../../notice.ts';

/** `body` is what `migrate` writes and the import accepts. `export` is what the service exports, or a part of it. */
export type BodyForm = 'body' | 'body-v1' | 'export';

type Path = readonly string[];

/** Each form with the path to an organization, in both styles of keys. */
const roots: readonly (readonly [BodyForm, Path])[] = [
  ['body', ['dataOrgs', 'orgs', '*']],
  ['body', ['data_orgs', 'orgs', '*']],
  ['body-v1', ['dataOrgsv1', 'orgs', '*']],
  ['body-v1', ['data_orgsv1', 'orgs', '*']],
  ['export', ['orgs', '*']],
  // A list of organizations, and a single organization. They come last, because every path begins like them.
  ['export', ['*']],
  ['export', []],
];

export const memberNames = entryKinds.flatMap(({ members }) => members ?? []);
export const listNames = entryKinds.filter(({ members }) => members === undefined).map(({ name }) => name);

/** Returns the group that a member belongs to. */
export const groupOf = (member: string) =>
  entryKinds.find(({ members }) => members?.includes(member) === true)?.name ?? '';

const variants = (name: string) => [...new Set([name, snakeCase(name)])];

/** Names in lowerCamelCase by the forms that a file may have. */
const names = new Map(
  [...listNames, ...memberNames, 'orgId'].flatMap((name) =>
    variants(name).map((variant) => [variant, name] as const),
  ),
);

/** Returns the paths of these names in an organization, in every form and style. */
const pathsOf = (requested: Path): Path[] =>
  roots.flatMap(([, root]) => requested.flatMap(variants).map((name) => [...root, name]));

const formOf = (path: Path) => roots.find(([, root]) => root.every((key, depth) => path[depth] === key))![0];

interface Organization {
  /** Position in the file, from 0. */
  readonly index: number;
  /** Empty until the file has named it. */
  orgId: string;
  /** Empty if the file has no name. The service can create an organization that has a name. */
  name: string;
  readonly domains: string[];
  /** Whether other organizations may have the same user names: a domain is added to each. */
  ownNames?: boolean;
  isInactive?: boolean;
}

/**
 * Fields next to the organizations: the timeout of a body, and ids of organizations that are missing in an export
 * because the service could not export them.
 */
const beside = ['timeout', 'lost'] as const;
type Beside = (typeof beside)[number];
const isBeside = (name: string): name is Beside => beside.some((one) => one === name);

/** Returns a warning about organizations that an export lacks, if there are any. */
export const describeLost = (input: string, lost: unknown) =>
  typeof lost !== 'string' || lost === ''
    ? []
    : [
        warning(
          'copy:lost',
          `${input} lacks organizations that its source could not export: ${lost}. Their users are neither imported nor compared.`,
        ),
      ];

/** What an organization says of itself, besides its id. */
const { members: ofOrg = [] } = kindOf('org');
/** In the rejects file of a body. The service never gets it, as the organization is there already. */
export const aboutOrg = 'idport:org';
const ownNames = /"user_?login_?must_?be_?domain"\s*:\s*true/i;

const noOrg = (index: number): Organization => ({
  index,
  orgId: '',
  name: '',
  domains: [],
});

type OrgItem = { readonly org: Organization } & (
  | { readonly kind: 'open'; readonly list: string }
  /** Entries of a list. */
  | ({ readonly kind: 'batch'; readonly list: string } & ElementBatch)
  /** Only with the option `records`. */
  | ({ readonly kind: 'long'; readonly list: string } & LongElement)
  /** A member that is not a list, as text of the file. */
  | { readonly kind: 'member'; readonly name: string; readonly text: string }
  | { readonly kind: 'end'; readonly form: BodyForm }
  | { readonly kind: Beside; readonly value: unknown }
);

interface OrgOptions extends Pick<ScanOptions, 'batchBytes' | 'maxElementBytes' | 'records'> {
  readonly lists: readonly string[];
  readonly members?: readonly string[];
}

/** Throws `InputError` if the input is not JSON, if a list is something else, or if an id is not a text. */
export async function* organizationsIn(
  input: string,
  blocks: AsyncIterable<Uint8Array>,
  { lists, members = [], ...options }: OrgOptions,
): AsyncGenerator<OrgItem> {
  let org = noOrg(0);
  let list = '';
  let text = '';
  let isEmpty = true;
  const layout: ScanOptions = {
    ...options,
    // Lists that are not requested are split as well, which is faster than validating them.
    arrays: pathsOf(listNames),
    ends: roots.map(([, root]) => root),
    fields: [...beside.map((name) => [name]), ...pathsOf(['orgId'])],
    values: pathsOf([aboutOrg, ...ofOrg, ...members]),
  };
  for await (const item of scanJson(input, blocks, layout)) {
    if (item.kind === 'batch' || item.kind === 'long') {
      if (lists.includes(list)) yield { ...item, org, list };
      if (item.kind === 'long') continue;
      if (list === 'domains') org.domains.push(...domainsIn(input, item));
      else if (!lists.includes(list)) batchMemory.release(item.bytes.buffer);
      continue;
    }
    const last = item.path.at(-1) ?? '';
    const name = names.get(last) ?? last;
    if (item.kind !== 'absent' && item.kind !== 'end' && !isBeside(name)) isEmpty = false;
    switch (item.kind) {
      case 'field':
        if (isBeside(name)) yield { kind: name, org, value: item.value };
        else if (typeof item.value === 'string') org.orgId = item.value;
        else
          throw new InputError(
            'input:org',
            input,
            'the id of an organization is not a text',
            'Ids are texts in quotes, because they are longer than numbers can be.',
          );
        break;
      case 'open':
        list = name;
        if (lists.includes(list)) yield { kind: 'open', org, list };
        break;
      case 'value':
        text = Buffer.from(item.bytes).toString('utf8');
        if (name === 'org') org.name = nameIn(input, text);
        if (name === 'orgState' || name === aboutOrg) org.isInactive = /INACTIVE|2/.test(text);
        org.ownNames ||= ownNames.test(text);
        if (members.includes(name)) yield { kind: 'member', org, name, text };
        break;
      case 'absent':
        if (lists.includes(name)) refuseOther(input, name, item.found);
        break;
      case 'end':
        // Every file ends like a single organization without a list around it.
        if (item.path.length > 0 || !isEmpty) {
          yield { kind: 'end', org, form: formOf(item.path) };
          org = noOrg(org.index + 1);
          isEmpty = true;
        }
        break;
      case 'close':
        break;
    }
  }
}

function refuseOther(input: string, name: string, found: string) {
  if (found === 'missing' || found === 'null') return;
  const article = /^[aeiou]/.test(found) ? 'an' : 'a';
  throw new InputError('input:org', input, `${name} is ${article} ${found}, not a list`);
}

/** Yields the entries of a batch and then releases its memory for other batches. Throws `InputError`. */
export function* entriesIn(input: string, batch: ElementBatch) {
  const elements = elementsOf(batch);
  for (const entry of parseBatch({ input, elements })) if (isObject(entry)) yield entry;
  releaseElements(elements);
}

const domainsIn = (input: string, batch: ElementBatch) =>
  [...entriesIn(input, batch)].map((entry) => memberText(entry, 'domainName')).filter(Boolean);

function nameIn(input: string, text: string) {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? firstText(value, 'name') : '';
  } catch {
    throw new InputError('input:syntax', input, 'org of an organization is not JSON');
  }
}

export interface RawEntry {
  /** Position of the organization in the file, from 0. */
  readonly org: number;
  readonly list: string;
  /** JSON as in the file. For a group, an object of its members. */
  readonly text: string;
}

/**
 * Yields entries in file order, groups at the end of their organization. `requested` are names of
 * `wire/org-entries.ts`.
 */
export async function* readEntries(input: Input, requested: readonly string[]): AsyncGenerator<RawEntry> {
  const groups = requested.map(kindOf).filter(({ members }) => members !== undefined);
  const lists = requested.filter((name) => listNames.includes(name));
  const members = groups.flatMap(({ members = [] }) => members);
  // One element per batch, because each is sent as its own text.
  const items = organizationsIn(input.name, input.blocks(), { lists, members, batchBytes: 1 });
  const found = new Map<string, string>();
  for await (const item of items) {
    const org = item.org.index;
    if (item.kind === 'batch') yield { org, list: item.list, text: Buffer.from(item.bytes).toString('utf8') };
    if (item.kind === 'member' && item.text !== 'null') found.set(item.name, item.text);
    if (item.kind !== 'end') continue;
    for (const { name: list, members = [] } of groups) {
      const parts = [...found].filter(([name]) => members.includes(name));
      const text = parts.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',');
      if (text !== '') yield { org, list, text: `{${text}}` };
    }
    found.clear();
  }
}

/** Maps ids of the body to new IDs. */
export type OrgIds = ReadonlyMap<string, string>;

/**
 * Returns the input with new ids, or the same input if no id changes. Texts of users stay as they are: in JSON, a text
 * cannot contain such quotes.
 */
export function withOrgIds(input: Input, ids: OrgIds): Input {
  if (ids.size === 0) return input;
  const { name, size, repeatable } = input;
  return {
    name,
    size,
    repeatable,
    taken: () => input.taken(),
    blocks: (rewrite) => replaceIds(input.blocks(rewrite), ids),
  };
}

const idPattern =
  /((?:orgId|grantedOrgId|org_id|granted_org_id|projectId|project_id|appId|app_id)"\s*:\s*")([^"\\]{1,200})(?=")/g;
/** Longer than any key with its id, which may be split between two blocks. */
const longest = 300;

async function* replaceIds(blocks: AsyncIterable<Uint8Array>, ids: OrgIds) {
  // In latin1, one character is one byte.
  const replace = (text: string): Uint8Array =>
    Buffer.from(
      text.replace(idPattern, (all, key: string, id: string) => {
        const found = ids.get(id);
        return found === undefined ? all : `${key}${found}`;
      }),
      'latin1',
    );
  let rest = '';
  for await (const block of blocks) {
    const text = rest + Buffer.from(block).toString('latin1');
    const end = Math.max(text.length - longest, 0);
    const from = Math.max(end - longest, 0);
    // Do not cut inside a key with its ID. It is complete here, because `longest` characters follow.
    const split = [...text.slice(from).matchAll(idPattern)].find(
      ({ 0: { length }, index }) => from + index < end && end <= from + index + length,
    );
    const cut = split === undefined ? end : from + split.index;
    rest = text.slice(cut);
    if (cut > 0) yield replace(text.slice(0, cut));
  }
  if (rest !== '') yield replace(rest);
}
