/**
 * Joins metadata and links that an import body has in separate lists with their users, so that a user is created whole. The lists
 * are read once. From 2 MB on, their entries are on disk. User grants are sent after all users; here they show whether roles have
 * changed, and go to the rejects file.
 */
import type { Input } from '../../lib/input.ts';
import { firstText, type JsonObject, parseObject } from '../../lib/json-value.ts';
import { fieldRules, fits, metadataValueBytes } from '../../lib/field-rules.ts';
import type { AcceptedRecord } from '../../records/user.ts';
import type { BodyOptions } from '../../sources/body.ts';
import { readEntries } from '../../sources/org-data/organizations.ts';
import { readUserGrant, type BodyUserGrant } from '../../sources/org-data/projects.ts';
import { RowStore } from '../../compact/row-store.ts';
import { grantKey, type TargetIds } from '../resources/create.ts';
import { memberText } from '../../wire/member-names.ts';
import { openSpillFile } from '../../storage/spill-file.ts';

const ownedLists = ['userMetadata', 'userLinks'] as const;
const listsOfUser = [...ownedLists, 'userGrants'] as const;
type UserList = (typeof listsOfUser)[number];

export type OwnedEntries = Awaited<ReturnType<typeof joinOwned>>;

/** Yields every entry, with the id of the user it belongs to. */
export async function* readOwned(inputs: readonly Input[], lists: readonly UserList[] = ownedLists) {
  for (const input of inputs) {
    for await (const { list, text } of readEntries(input, lists)) {
      const owner = memberText(parseObject(text), list === 'userMetadata' ? 'id' : 'userId');
      yield { list, owner, text };
    }
  }
}

export async function joinOwned(inputs: readonly Input[], options: BodyOptions) {
  const idps = new Map(Object.entries(options.idps ?? {}));
  const rows = new RowStore(openSpillFile);
  let isEmpty = true;
  let grants = 0;
  for await (const { list, owner, text } of readOwned(inputs, listsOfUser)) {
    rows.add(`${list} ${text}`, owner);
    isEmpty = false;
    if (list === 'userGrants') grants += 1;
  }
  return {
    isEmpty,
    /** Number of user grants. */
    grants,
    /**
     * Adds all entries of the lists to the user. Entries that the service would refuse are noted and left out. Links get the ids
     * that identity providers have at the target.
     */
    join(record: AcceptedRecord) {
      if (!isEmpty) addEntries(record, rows.find(record.id, Infinity));
      for (const link of record.kind === 'human' ? record.links : [])
        link.configId = idps.get(link.configId) ?? link.configId;
    },
    /** Returns all entries of the user by list, as in the body. Grants name the project and its grant at the target. */
    entriesOf(id: string, org: string, { projects, grants }: TargetIds) {
      const lists = byList(rows.find(id, Infinity));
      for (const grant of lists.userGrants ?? []) {
        const projectId = memberText(grant, 'projectId');
        const projectGrantId = grants.get(grantKey(org, projectId));
        Object.assign(grant, { projectId: projects.get(projectId) ?? projectId });
        if (projectGrantId !== undefined) Object.assign(grant, { projectGrantId });
      }
      return lists;
    },
    close: () => rows.close(),
  };
}

/** Parses rows: the name of a list, a blank, the entry. */
function byList(rows: readonly string[]): Partial<Record<UserList, JsonObject[]>> {
  const lists: Partial<Record<UserList, JsonObject[]>> = {};
  for (const row of rows) {
    const end = row.indexOf(' ');
    (lists[row.slice(0, end) as UserList] ??= []).push(parseObject(row.slice(end)));
  }
  return lists;
}

/** Returns a line that differs if a grant has another project or other roles. */
export const rolesText = ({ projectId, roleKeys }: Pick<BodyUserGrant, 'projectId' | 'roleKeys'>) =>
  [projectId, ...roleKeys.toSorted()].join(' ');

function addEntries(record: AcceptedRecord, rows: readonly string[]) {
  if (rows.length === 0) return;
  const { userMetadata = [], userLinks = [], userGrants = [] } = byList(rows);
  record.grants = userGrants
    .map((entry) => rolesText(readUserGrant(entry, '')))
    .toSorted()
    .join('\n');
  for (const entry of userMetadata) addMetadata(entry, record);
  for (const entry of userLinks) addLink(entry, record);
  // Order does not matter. If a key has two values, the last one wins.
  record.metadata.sort((one, other) => (one.key < other.key ? -1 : Number(one.key > other.key)));
}

function addMetadata(entry: JsonObject, { metadata, notes }: AcceptedRecord) {
  const key = firstText(entry, 'key');
  const base64 = firstText(entry, 'value');
  const bytes = Buffer.from(base64, 'base64');
  const isValid =
    bytes.length > 0 && bytes.length <= metadataValueBytes.max && fits(fieldRules.metadataKey, key);
  if (isValid) metadata.push({ key, value: '', base64 });
  else notes.push({ code: 'single:metadata', detail: `${JSON.stringify(key)} has no valid key or value` });
}

function addLink(entry: JsonObject, record: AcceptedRecord) {
  const link = {
    configId: memberText(entry, 'idpId'),
    externalUserId: memberText(entry, 'providedUserId'),
    displayName: memberText(entry, 'providedUserName'),
  };
  const isValid =
    fits(fieldRules.idpConfigId, link.configId) && fits(fieldRules.idpExternalUserId, link.externalUserId);
  if (isValid && record.kind === 'human') record.links.push(link);
  else record.notes.push({ code: 'single:link', detail: `identity provider ${link.configId}` });
}
