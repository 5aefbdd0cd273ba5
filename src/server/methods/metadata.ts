/** Metadata of users, versions 1 and 2. */
import { pagination, query, textQuery } from '../../wire/details.ts';
import { list, message, timestamp, shortText, bytes, ruled } from '../../wire/message.ts';
import * as wire from '../../wire/user.ts';
import { formatTimestamp } from '../../wire/scalars.ts';
import type { Call } from '../context.ts';
import { existing, refusal } from '../errors.ts';
import { management, users } from '../method.ts';
import { byText, filtered, paginated, takePage, listPage } from '../paging.ts';
import { relatedLists } from '../store/list-view.ts';
import { addDetails, changeDetails } from '../users/show.ts';
import type { MetadataValue, UserRow } from '../store/rows.ts';
import { removeMetadata, setMetadata } from '../users/change.ts';
import { requireOver } from './users.ts';

/** The user whose metadata it is, of one organization or any. The refusal has another code than that of a look-up. */
const owner = ({ store }: Call, id: string, orgId?: string): UserRow =>
  existing(store.users.get(id), 'COMMAND-uXHNj', orgId);

const entriesOf = (user: UserRow | undefined): readonly Entry[] => Object.entries(user?.more?.metadata ?? {});

type Entry = readonly [string, MetadataValue];
const hasKey = byText(([key]: Entry) => [key]);

const show = (user: UserRow, key: string, { value, created, changed }: MetadataValue) => ({
  key,
  value,
  details: {
    sequence: String(user.sequence),
    creationDate: formatTimestamp(created),
    changeDate: formatTimestamp(changed),
    resourceOwner: user.orgId,
  },
});

function requireEntries(entries: readonly unknown[]): void {
  if (entries.length > 0) return;
  throw refusal('META-9mm2d');
}

const entry = { key: shortText, value: ruled(bytes, { min: 1, max: 500_000 }) };
const keyQuery = textQuery('MetadataKeyQuery', 'key');

export const metadataMethods = [
  management('BulkSetUserMetadata', 'POST /management/v1/users/:id/metadata/_bulk', 'user.write', {
    request: {
      metadata: list(message('BulkSetUserMetadataRequest_Metadata', entry)),
    },
    handle(call, { id, metadata }) {
      requireEntries(metadata);
      return changeDetails(setMetadata(call, owner(call, id, call.orgId), metadata));
    },
  }),
  management('SetUserMetadata', 'POST /management/v1/users/:id/metadata/:key', 'user.write', {
    request: { value: entry.value },
    handle: (call, { id, key, value }) =>
      addDetails(setMetadata(call, owner(call, id, call.orgId), [{ key, value }])),
  }),
  management('GetUserMetadata', 'GET /management/v1/users/:id/metadata/:key', 'user.read', {
    response: { metadata: wire.metadata },
    handle(call, { id, key }) {
      const user = call.store.users.get(id);
      const value = user?.orgId === call.orgId ? user.more?.metadata?.[key] : undefined;
      if (user === undefined || value === undefined) throw refusal('QUERY-Rgh32');
      return { metadata: show(user, key, value) };
    },
  }),
  management('RemoveUserMetadata', 'DELETE /management/v1/users/:id/metadata/:key', 'user.write', {
    handle(call, { id, key }) {
      const user = owner(call, id, call.orgId);
      if (user.more?.metadata?.[key] === undefined) throw refusal('META-ncnw3');
      return changeDetails(removeMetadata(call, user, [key]));
    },
  }),
  management('ListUserMetadata', 'POST /management/v1/users/:id/metadata/_search', 'user.read', {
    request: {
      query,
      queries: list(message('MetadataQuery', { keyQuery })),
    },
    response: wire.listMetadataResponse,
    handle(call, request) {
      const user = call.lists.read().users.get(request.id);
      const own = user?.orgId === call.orgId ? user : undefined;
      const entries = filtered(entriesOf(own), request.queries, { keyQuery: hasKey });
      return listPage(call, relatedLists, entries, request.query, ([key, value]) => show(user!, key, value));
    },
  }),
  users('SetUserMetadata', 'POST /v2/users/:userId/metadata', 'authenticated', {
    request: {
      metadata: list(message('Metadata', entry)),
    },
    response: { setDate: timestamp },
    handle(call, { userId, metadata }) {
      requireEntries(metadata);
      const user = owner(call, userId);
      requireOver(call, user, 'user.write');
      setMetadata(call, user, metadata);
      return { setDate: formatTimestamp(call.store.now()) };
    },
  }),
  users('ListUserMetadata', 'POST /v2/users/:userId/metadata/search', 'authenticated', {
    request: {
      pagination,
      filters: list(
        message('MetadataSearchFilter', {
          keyFilter: textQuery('MetadataKeyFilter', 'key'),
        }),
      ),
    },
    response: wire.listMetadataV2Response,
    handle(call, request) {
      requireOver(call, owner(call, request.userId), 'user.read');
      const all = entriesOf(call.lists.read().users.get(request.userId));
      const entries = filtered(all, request.filters, { keyFilter: hasKey });
      const show = ([key, { value, created, changed }]: Entry) => ({
        creationDate: formatTimestamp(created),
        changeDate: formatTimestamp(changed),
        key,
        value,
      });
      const { pagination, shown } = paginated(entries, request.pagination, show, takePage);
      return { pagination, metadata: shown };
    },
  }),
  users('DeleteUserMetadata', 'DELETE /v2/users/:userId/metadata', 'authenticated', {
    request: { keys: list(shortText, { min: 1 }) },
    response: { deletionDate: timestamp },
    handle(call, { userId, keys }) {
      const user = owner(call, userId);
      requireOver(call, user, 'user.write');
      if (keys.some((key) => user.more?.metadata?.[key] === undefined)) throw refusal('META-2nnds');
      removeMetadata(call, user, keys);
      return { deletionDate: formatTimestamp(call.store.now()) };
    },
  }),
];
