/**
 * Changes one user (status, metadata, links, second factors, removal), and records the emails and SMS that the service
 * would send. A change returns the changed row or throws a refusal.
 */
import type { ServerState } from '../method.ts';
import { requireStorable, refuseIf, requireUnique } from '../errors.ts';
import { makeRoom } from '../recent.ts';
import type { LinkRow, Notification, RemovedRow, UserRow } from '../store/rows.ts';
import { linkKey, type Store } from '../store/store.ts';

/** Checks a link of an existing user. The provider must belong to the user's organization or to the instance. */
export function checkAddedLink(store: Store, orgId: string, link: LinkRow) {
  const idp = store.idps.get(link.idpId);
  refuseIf(idp === undefined || (idp.orgId !== '' && idp.orgId !== orgId), 'COMMAND-39nf2');
}

/** Throws if an external user is already linked, or occurs twice: it belongs to at most one user of the instance. */
export function checkLinksAreFree(store: Store, links: readonly LinkRow[]) {
  const keys = links.map(linkKey);
  const taken =
    new Set(keys).size < keys.length || keys.some((key) => store.users.by('link', key).length > 0);
  requireUnique(taken, 'User.ExternalIDP');
}

type UserChange = Partial<Omit<UserRow, 'id' | 'order'>>;

/** Stores a changed row and counts one event. */
export function changeUser(state: ServerState, user: UserRow, change: UserChange) {
  const { users, goneUsers } = state.store;
  const changed = state.store.now();
  const row = { ...user, changed, sequence: user.sequence + 1, ...change };
  return users.has(user.id) ? users.put(row) : goneUsers.put(row);
}

export type NewUser = Pick<UserRow, 'id' | 'orgId' | 'kind' | 'userName' | 'sequence' | 'editor'> &
  Partial<UserRow>;

/** Stores a new user. By default it is active and its fields are empty. */
export const addUser = ({ store }: ServerState, user: NewUser) =>
  store.users.put({
    status: 'active',
    created: store.now(),
    order: store.nextOrder(),
    firstName: '',
    lastName: '',
    email: '',
    emailVerified: false,
    language: '',
    passwordHash: '',
    // These are often set later. A field added to a row takes 400 bytes more, because no two rows then share their shape.
    changed: undefined,
    metadata: undefined,
    ...(defined(user) as NewUser),
  });

/** Returns the fields that are not undefined. */
export const defined = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]?: Exclude<Fields[Key], undefined>;
  };

/**
 * Changes metadata or links. They have their own lists, so neither the list of users nor the user's change date
 * changes.
 */
function changeRelated(state: ServerState, user: UserRow, change: UserChange, events = 1) {
  const { changed, sequence } = user;
  const put = changeUser(state, user, { ...change, sequence: sequence + events, changed });
  return { ...put, changed: state.store.now() };
}

export interface MetadataEntry {
  readonly key: string;
  /** Base64. */
  readonly value: string;
}

export const metadataValue = ({ metadata = {} }: UserRow, key: string) =>
  Object.hasOwn(metadata, key) ? metadata[key] : undefined;

/** Sets metadata keys. Setting the same value again is no change, and without any change the row stays as it is. */
export function setMetadata(state: ServerState, user: UserRow, entries: readonly MetadataEntry[]) {
  const now = state.store.now();
  const before = new Map(Object.entries(user.metadata ?? {}));
  const after = new Map(before);
  for (const { key, value } of entries) {
    const known = after.get(key);
    if (known?.value !== value) after.set(key, { value, created: known?.created ?? now, changed: now });
  }
  const changes = [...after].filter(([key, value]) => before.get(key) !== value).length;
  if (changes === 0) return user;
  requireStorable(...entries.map(({ key }) => key));
  return changeRelated(state, user, { metadata: Object.fromEntries(after) }, changes);
}

export function removeMetadata(state: ServerState, user: UserRow, keys: readonly string[]) {
  const rest = Object.entries(user.metadata ?? {}).filter(([key]) => !keys.includes(key));
  return changeRelated(state, user, { metadata: Object.fromEntries(rest) });
}

export function addLink(state: ServerState, user: UserRow, link: LinkRow) {
  checkAddedLink(state.store, user.orgId, link);
  checkLinksAreFree(state.store, [link]);
  const links = [...(user.links ?? []), { ...link, added: state.store.now() }];
  return changeRelated(state, user, { links });
}

export const addRecoveryCodes = (state: ServerState, user: UserRow, hashes: readonly string[]) =>
  changeUser(state, user, { recoveryCodes: [...(user.recoveryCodes ?? []), ...hashes] });

/** Deletes a user with its grants, memberships and credentials. id, name and links are free again. */
export function removeUser(state: ServerState, user: UserRow) {
  const { store } = state;
  const { userGrants, members, tokens, machineKeys } = store;
  for (const table of [userGrants, members, tokens, machineKeys]) table.deleteBy('user', user.id);
  store.users.delete(user.id);
  store.goneUsers.delete(user.id);
  return { ...user, sequence: user.sequence + 1, changed: noteRemoved(state, user, user.kind) };
}

/** Records a removal for the event log, which keeps the latest ones. Returns the time of the removal. */
export function noteRemoved(
  { store, settings }: ServerState,
  { id, orgId, created }: Pick<UserRow, 'id' | 'orgId' | 'created'>,
  kind: RemovedRow['kind'],
) {
  const removed = store.now();
  makeRoom(store.removed, settings.keptRows);
  store.removed.put({ id, orgId, kind, created, removed });
  return removed;
}

export function notify(
  { store, settings, recent: { notifications } }: ServerState,
  user: UserRow,
  kind: Notification['kind'],
  reason: Notification['reason'],
  to = kind === 'verify-phone' ? user.phone! : user.email,
) {
  if (settings.isSeed) return;
  notifications.add({
    id: store.nextId(),
    number: notifications.total + 1,
    at: store.now(),
    kind,
    reason,
    userId: user.id,
    orgId: user.orgId,
    to,
  });
}
