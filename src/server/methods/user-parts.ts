/** Parts of a user: metadata, role grants and links to identity providers. */
import { details, listResponse, pagination, query, textQuery } from '../../wire/details.ts';
import {
  type Input,
  list,
  message,
  oneOf,
  type Output,
  shortText,
  text,
  timestamp,
} from '../../wire/message.ts';
import { userGrantItem, userLinkItem } from '../../wire/org-resources.ts';
import { type Call, management, users } from '../method.ts';
import { existing, refuseIf } from '../errors.ts';
import { showLink } from '../export.ts';
import { primaryDomain } from '../orgs.ts';
import {
  byColumn,
  byText,
  defaultPage,
  filtered,
  type Filters,
  listPage,
  listV2,
  pageOf,
  paginated,
  takePage,
} from '../paging.ts';
import { addUserGrant } from '../projects.ts';
import { relatedLists, type Store } from '../store/store.ts';
import type { MetadataValue, UserGrantRow, UserRow } from '../store/rows.ts';
import { addLink, metadataValue, removeMetadata, setMetadata } from '../users/change.ts';
import { addDetails, changeDetails, datesOf, detailsOf, loginNamesOf, userFields } from '../users/show.ts';
import { findUser, requireOver } from './users.ts';
import { metadataFields } from '../../wire/create-user.ts';
import * as wire from '../../wire/user.ts';

/** Returns the user whose metadata it is, in one organization or in any. The refusal's id is not that of a look-up. */
const owner = ({ store }: Call, id: string, orgId?: string) =>
  existing(store.users.get(id), 'COMMAND-uXHNj', orgId);

const entriesOf = (user: UserRow | undefined): readonly Entry[] => Object.entries(user?.metadata ?? {});

type Entry = readonly [string, MetadataValue];
const hasKey = byText(([key]: Entry) => key);

const show = (user: UserRow, key: string, { value, created, changed }: MetadataValue) => ({
  key,
  value,
  details: detailsOf({ ...user, created, changed }),
});

const keyQuery = textQuery('MetadataKeyQuery', 'key');

function showGrant(store: Store, grant: UserGrantRow): Input<typeof wire.userGrant> {
  const { id, orgId, userId, roleKeys, projectId, projectGrantId } = grant;
  const user = store.users.get(userId);
  const org = store.orgs.get(orgId);
  const { grantedOrgId } = store.projectGrants.get(projectGrantId) ?? { grantedOrgId: orgId };
  const grantedOrg = store.orgs.get(grantedOrgId);
  return {
    id,
    details: detailsOf(grant),
    roleKeys,
    state: 'USER_GRANT_STATE_ACTIVE',
    userId,
    ...(user && {
      ...userFields(user),
      preferredLoginName: loginNamesOf(store, user)[0] ?? user.userName,
      userType: user.kind === 'human' ? 'TYPE_HUMAN' : 'TYPE_MACHINE',
    }),
    orgId,
    orgName: org?.name,
    orgDomain: primaryDomain(org),
    projectId,
    projectName: store.projects.get(projectId)?.project.name,
    projectGrantId,
    grantedOrgId,
    grantedOrgName: grantedOrg?.name,
    grantedOrgDomain: primaryDomain(grantedOrg),
  };
}

type GrantQuery = Output<typeof wire.listUserGrantsRequest>['queries'][number];
function filtersOf(store: Store): Filters<UserGrantRow, GrantQuery> {
  const byShown = (name: keyof Input<typeof wire.userGrant>) =>
    byText((grant: UserGrantRow) => (showGrant(store, grant)[name] ?? '') as string);
  return {
    projectIdQuery: byColumn('projectId'),
    userIdQuery: byColumn('userId'),
    roleKeyQuery:
      ({ roleKey }) =>
      ({ roleKeys }) =>
        roleKeys.includes(roleKey),
    projectGrantIdQuery: byColumn('projectGrantId'),
    userNameQuery: byShown('userName'),
    firstNameQuery: byShown('firstName'),
    lastNameQuery: byShown('lastName'),
    emailQuery: byShown('email'),
    orgNameQuery: byShown('orgName'),
    orgDomainQuery: byShown('orgDomain'),
    projectNameQuery: byShown('projectName'),
    displayNameQuery: byShown('displayName'),
    inUserIdsQuery:
      ({ userIds }) =>
      ({ userId }) =>
        userIds.includes(userId),
  };
}

/**
 * Returns the grants to search. If a query names a user, only those of that user are read, because an organization may
 * have a grant for each of its users.
 */
function poolOf(store: Store, orgId: string, queries: readonly GrantQuery[]) {
  const named = queries.find((query) => query.userIdQuery)?.userIdQuery?.userId;
  if (named !== undefined) return store.userGrants.by('user', named).filter((grant) => grant.orgId === orgId);
  return store.userGrants.by('org', orgId);
}

export const userPartMethods = [
  management('BulkSetUserMetadata', 'POST /management/v1/users/:id/metadata/_bulk', 'user.write', {
    request: {
      metadata: list(message('BulkSetUserMetadataRequest_Metadata', metadataFields)),
    },
    handle(call, { id, metadata }) {
      refuseIf(metadata.length === 0, 'META-9mm2d');
      return changeDetails(setMetadata(call, owner(call, id, call.orgId), metadata));
    },
  }),
  management('SetUserMetadata', 'POST /management/v1/users/:id/metadata/:key', 'user.write', {
    request: { value: metadataFields.value },
    handle: (call, { id, key, value }) =>
      addDetails(setMetadata(call, owner(call, id, call.orgId), [{ key, value }])),
  }),
  management('GetUserMetadata', 'GET /management/v1/users/:id/metadata/:key', 'user.read', {
    response: { metadata: wire.metadata },
    handle(call, { id, key }) {
      const user = existing(call.store.users.get(id), 'QUERY-Rgh32', call.orgId);
      return { metadata: show(user, key, existing(metadataValue(user, key), 'QUERY-Rgh32')) };
    },
  }),
  management('RemoveUserMetadata', 'DELETE /management/v1/users/:id/metadata/:key', 'user.write', {
    handle(call, { id, key }) {
      const user = owner(call, id, call.orgId);
      refuseIf(metadataValue(user, key) === undefined, 'META-ncnw3');
      return changeDetails(removeMetadata(call, user, [key]));
    },
  }),
  management('ListUserMetadata', 'POST /management/v1/users/:id/metadata/_search', 'user.read', {
    request: {
      query,
      queries: list(oneOf('zitadel.metadata.v1.MetadataQuery', 'query', { keyQuery })),
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
      metadata: list(message('Metadata', metadataFields)),
    },
    response: { setDate: timestamp },
    handle(call, { userId, metadata }) {
      refuseIf(metadata.length === 0, 'META-9mm2d');
      setMetadata(call, requireOver(call, owner(call, userId), 'user.write'), metadata);
      return { setDate: call.store.now() };
    },
  }),
  users('ListUserMetadata', 'POST /v2/users/:userId/metadata/search', 'authenticated', {
    request: {
      pagination,
      filters: list(
        oneOf('zitadel.metadata.v2.MetadataSearchFilter', 'filter', {
          keyFilter: wire.metadataKeyFilter,
        }),
      ),
    },
    response: wire.listMetadataV2Response,
    handle(call, request) {
      requireOver(call, owner(call, request.userId), 'user.read');
      const all = entriesOf(call.lists.read().users.get(request.userId));
      const entries = filtered(all, request.filters, { keyFilter: hasKey });
      const show = ([key, { value, ...dates }]: Entry) => ({ ...datesOf(dates), key, value });
      return paginated('metadata', entries, request.pagination, show, takePage);
    },
  }),
  users('DeleteUserMetadata', 'DELETE /v2/users/:userId/metadata', 'authenticated', {
    request: { keys: list(shortText, { min: 1 }) },
    response: { deletionDate: timestamp },
    handle(call, { userId, keys }) {
      const user = requireOver(call, owner(call, userId), 'user.write');
      refuseIf(
        keys.some((key) => metadataValue(user, key) === undefined),
        'META-2nnds',
      );
      removeMetadata(call, user, keys);
      return { deletionDate: call.store.now() };
    },
  }),
  management('AddUserGrant', 'POST /management/v1/users/:userId/grants', 'user.grant.write', {
    request: userGrantItem,
    response: {
      userGrantId: text,
      details,
    },
    handle(call, request) {
      const grant = addUserGrant(call, call.orgId, request);
      return { userGrantId: grant.id, details: addDetails(grant) };
    },
  }),
  management('ListUserGrants', 'POST /management/v1/users/grants/_search', 'user.grant.read', {
    request: wire.listUserGrantsRequest,
    response: wire.listUserGrantsResponse,
    handle(call, { query, queries }) {
      const store = call.lists.read();
      // The service never lists a grant whose project grant does not exist.
      const grants = filtered(poolOf(store, call.orgId, queries), queries, filtersOf(store)).filter(
        ({ projectGrantId }) => projectGrantId === '' || store.projectGrants.has(projectGrantId),
      );
      return listPage(call, 'userGrants', grants, query, (grant) => showGrant(store, grant));
    },
  }),
  management('RemoveUserGrant', 'DELETE /management/v1/users/:userId/grants/:grantId', 'user.grant.delete', {
    handle(call, { grantId }) {
      const grant = existing(call.store.userGrants.get(grantId), 'COMMAND-1My0t', call.orgId);
      call.store.userGrants.delete(grantId);
      const changed = call.store.now();
      return changeDetails({ ...grant, sequence: grant.sequence + 1, changed });
    },
  }),
  management('ListHumanLinkedIDPs', 'POST /management/v1/users/:userId/idps/_search', 'user.read', {
    request: { query },
    response: listResponse('ListHumanLinkedIDPsResponse', userLinkItem),
    handle(call, { userId, query }) {
      const store = call.lists.read();
      const user = store.users.get(userId);
      const links = user?.orgId === call.orgId ? (user.links ?? []) : [];
      return listPage(call, relatedLists, links, query, (link) => showLink(store, userId, link));
    },
  }),
  users('AddIDPLink', 'POST /v2/users/:userId/links', 'authenticated', {
    request: {
      /** Without a link, the answer is that the identity provider does not exist. */
      idpLink: wire.idpLinkV2,
    },
    handle(call, { userId, idpLink }) {
      const found = existing(call.store.users.get(userId), 'COMMAND-vzktar7b7f');
      const user = requireOver(call, found, 'user.write');
      const { idpId = '', userId: externalUserId = '', userName: displayName = '' } = idpLink ?? {};
      const link = { idpId, externalUserId, displayName };
      return changeDetails(addLink(call, user, link));
    },
  }),
  users('ListIDPLinks', 'POST /v2/users/:userId/links/_search', 'authenticated', {
    request: { query },
    response: wire.listIdpLinksResponse,
    handle(call, { userId, query }) {
      const user = requireOver(call, findUser(call, userId, 'QUERY-Dfbg2'), 'user.read');
      const links = call.lists.read().users.get(user.id)?.links ?? [];
      const found = takePage(links, pageOf(query, defaultPage));
      return listV2(call, relatedLists, found, (link) => ({
        idpId: link.idpId,
        userId: link.externalUserId,
        userName: link.displayName,
      }));
    },
  }),
];
