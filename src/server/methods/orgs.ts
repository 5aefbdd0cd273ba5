/** Organizations with the settings that a migration depends on, and the instance. */
import { details, listDetails, query, textQuery } from '../../wire/details.ts';
import {
  choice,
  definedChoice,
  flag,
  json,
  list,
  message,
  oneOf,
  optionalShortText,
  shortText,
  text,
  timestamp,
} from '../../wire/message.ts';
import { formatTimestamp } from '../../wire/scalars.ts';
import { mayIn, requirePermission } from '../auth.ts';
import { type Call, admin, management, organizations } from '../method.ts';
import { existing, refuseIf, refuseLacking } from '../errors.ts';
import { addDomain, createOrg, defaultNotification, primaryDomain, removeOrg, updateOrg } from '../orgs.ts';
import {
  byColumn,
  byText,
  defaultPage,
  filtered,
  type Filters,
  listV1,
  listV2,
  type Page,
  pageFrom,
  pageOf,
  sortedBy,
  takePage,
} from '../paging.ts';
import type { OrgRow } from '../store/rows.ts';
import { findOrg } from '../store/store.ts';
import { addDetails, changeDetails, detailsOf } from '../users/show.ts';
import * as wire from '../../wire/organization.ts';
import * as policies from '../../wire/org-policies.ts';

function stateOf({ active, removed }: OrgRow) {
  if (removed !== undefined) return 'ORG_STATE_UNSPECIFIED' as const;
  return active ? ('ORG_STATE_ACTIVE' as const) : ('ORG_STATE_INACTIVE' as const);
}

const showOrg = (org: OrgRow) => ({
  id: org.id,
  details: detailsOf(org),
  state: stateOf(org),
  name: org.name,
  primaryDomain: primaryDomain(org),
});

const showOrganization = (org: OrgRow) => ({
  ...showOrg(org),
  state: org.active ? ('ORGANIZATION_STATE_ACTIVE' as const) : ('ORGANIZATION_STATE_INACTIVE' as const),
});

const readOrg = ({ store }: Call, id: string) => existing(findOrg(store, id), 'QUERY-leq5Q');

type Query = Omit<wire.OrgQuery, 'stateQuery'> & { stateQuery?: { state: unknown } | undefined };
const filters: Filters<OrgRow, Query> = {
  idQuery: byColumn('id'),
  nameQuery: byText(({ name }) => name),
  domainQuery: byText(({ domains }) =>
    domains.flatMap(({ domainName, isVerified }) => (isVerified ? domainName : [])),
  ),
  stateQuery:
    ({ state }) =>
    ({ active }) =>
      String(state).endsWith(active ? '_STATE_ACTIVE' : '_STATE_INACTIVE'),
};

/** Without a column, the oldest comes first, ascending or not. */
function sortedPage(orgs: readonly OrgRow[], page: Page, column: unknown) {
  if (!String(column).endsWith('_NAME_NAME')) return takePage(orgs, page);
  return pageFrom(
    sortedBy(orgs, ({ name }) => name.toLowerCase()),
    page,
  );
}

const orgStatesV2 = [
  'ORGANIZATION_STATE_UNSPECIFIED',
  'ORGANIZATION_STATE_ACTIVE',
  'ORGANIZATION_STATE_INACTIVE',
  'ORGANIZATION_STATE_REMOVED',
] as const;

const organization = message('Organization', {
  id: text,
  details,
  state: choice(orgStatesV2),
  name: text,
  primaryDomain: text,
});

const create = (call: Call, name: string, id = call.store.nextId()) =>
  createOrg(call, { id, name, owner: call.caller.user.id });

const orgOfCall = ({ store, orgId }: Call) => existing(store.orgs.get(orgId), 'QUERY-leq5Q');

const notification = '/management/v1/policies/notification';

const notificationOf = (own: OrgRow['notificationPolicy']) => ({
  policy: { ...(own ?? defaultNotification), isDefault: own === undefined },
});

const setNotification = (call: Call, notificationPolicy: OrgRow['notificationPolicy']) =>
  updateOrg(call, orgOfCall(call), { notificationPolicy });

function lockoutOf(own: OrgRow['lockoutPolicy']) {
  const isDefault = own === undefined;
  const { maxPasswordAttempts = 0, maxOtpAttempts = 0 } = own ?? {};
  const policy = { maxPasswordAttempts: String(maxPasswordAttempts), maxOtpAttempts: String(maxOtpAttempts) };
  return { policy: { ...policy, isDefault }, isDefault };
}

export const orgMethods = [
  management('GetMyOrg', 'GET /management/v1/orgs/me', 'org.read', {
    response: wire.getOrgResponse,
    handle: (call) => ({ org: showOrg(readOrg(call, call.orgId)) }),
  }),
  management('AddOrg', 'POST /management/v1/orgs', 'org.create', {
    request: { name: shortText },
    response: { id: text, details },
    handle(call, { name }) {
      const org = create(call, name);
      return { id: org.id, details: addDetails(org) };
    },
  }),
  management('AddOrgDomain', 'POST /management/v1/orgs/me/domains', 'org.write', {
    request: { domain: shortText },
    handle: (call, { domain }) => addDetails(addDomain(call, readOrg(call, call.orgId), domain)),
  }),
  admin('GetOrgByID', 'GET /admin/v1/orgs/:id', 'iam.read', {
    response: wire.getOrgResponse,
    handle: (call, { id }) => ({ org: showOrg(readOrg(call, id)) }),
  }),
  admin('GetDefaultOrg', 'GET /admin/v1/orgs/default', 'iam.read', {
    response: wire.getOrgResponse,
    handle: (call) => ({ org: showOrg(readOrg(call, call.store.instance.defaultOrgId)) }),
  }),
  admin('ListOrgs', 'POST /admin/v1/orgs/_search', 'iam.read', {
    request: {
      query,
      sortingColumn: choice(['ORG_FIELD_NAME_UNSPECIFIED', 'ORG_FIELD_NAME_NAME']),
      queries: list(wire.orgQuery),
    },
    response: wire.listOrgsResponse,
    handle(call, { query, queries, sortingColumn }) {
      const orgs = filtered(call.lists.read().orgs.values(), queries, filters);
      return listV1(call, 'orgs', sortedPage(orgs, pageOf(query), sortingColumn), showOrg);
    },
  }),
  organizations('ListOrganizations', 'POST /v2/organizations/_search', 'authenticated', {
    request: {
      query,
      sortingColumn: choice(['ORGANIZATION_FIELD_NAME_UNSPECIFIED', 'ORGANIZATION_FIELD_NAME_NAME']),
      queries: list(
        oneOf('zitadel.org.v2.SearchQuery', 'query', {
          nameQuery: textQuery('OrganizationNameQuery', 'name', shortText),
          domainQuery: textQuery('OrganizationDomainQuery', 'domain', shortText),
          stateQuery: message('OrganizationStateQuery', { state: definedChoice(orgStatesV2) }),
          idQuery: message('OrganizationIDQuery', { id: shortText }),
          defaultQuery: message('DefaultOrganizationQuery', {}),
        }),
      ),
    },
    response: { details: listDetails, result: list(organization) },
    handle(call, { query, queries, sortingColumn }) {
      const { defaultOrgId } = call.store.instance;
      const orgs = filtered(call.lists.read().orgs.values(), queries, {
        ...filters,
        defaultQuery: () => (org) => org.id === defaultOrgId,
      });
      const found = sortedPage(orgs, pageOf(query, defaultPage), sortingColumn);
      // The total also counts organizations that the caller may not see.
      const { details, result } = listV2(call, 'orgs', found, (org) =>
        mayIn(call.caller, org.id, 'org.read') ? showOrganization(org) : [],
      );
      return { details, result: result.flat() };
    },
  }),
  organizations('AddOrganization', 'POST /v2/organizations', 'authenticated', {
    status: 201,
    request: {
      name: shortText,
      admins: list(json),
      orgId: optionalShortText,
      organizationId: optionalShortText,
    },
    response: {
      details,
      organizationId: text,
    },
    handle(call, { name, admins, orgId, organizationId }) {
      requirePermission(call, call.orgId, 'org.create');
      refuseLacking(admins.length > 0, 'admins of organizations');
      const org = create(call, name, organizationId ?? orgId);
      return { organizationId: org.id, details: changeDetails(org) };
    },
  }),
  management('RemoveOrg', 'DELETE /management/v1/orgs/me', 'org.delete', {
    handle: (call) => changeDetails(removeOrg(call, call.orgId)),
  }),
  admin('RemoveOrg', 'DELETE /admin/v1/orgs/:orgId', 'iam.write', {
    handle(call, { orgId }) {
      const org = removeOrg(call, orgId);
      return changeDetails({ ...org, orgId: call.store.instance.instanceId });
    },
  }),
  organizations('DeleteOrganization', 'DELETE /v2/organizations/:organizationId', 'authenticated', {
    response: { deletionDate: timestamp },
    handle(call, { organizationId }) {
      requirePermission(call, organizationId, 'org.delete');
      // An organization that was removed before has no date.
      if (call.store.goneOrgs.has(organizationId)) return { deletionDate: '0001-01-01T00:00:00Z' };
      return { deletionDate: removeOrg(call, organizationId).changed };
    },
  }),
  admin('GetMyInstance', 'GET /admin/v1/instances/me', 'iam.read', {
    response: {
      instance: {
        id: text,
        details,
        state: choice([
          'STATE_UNSPECIFIED',
          'STATE_CREATING',
          'STATE_RUNNING',
          'STATE_STOPPING',
          'STATE_STOPPED',
        ]),
        name: text,
        version: text,
        domains: list({
          details,
          domain: text,
          primary: flag,
          generated: flag,
        }),
      },
    },
    handle({ store }) {
      const { instanceId, name, domain, created } = store.instance;
      const generated = `${name.toLowerCase()}-${instanceId.slice(-6)}.${domain}`;
      const details = detailsOf({ created, orgId: instanceId });
      return {
        instance: {
          id: instanceId,
          details,
          state: 'STATE_RUNNING' as const,
          name,
          version: formatTimestamp(created),
          domains: [
            { details, domain: generated, generated: true },
            { details, domain, primary: true },
          ],
        },
      };
    },
  }),
  admin('GetSupportedLanguages', 'GET /admin/v1/languages', 'authenticated', {
    response: { languages: list(text) },
    handle: ({ store }) => ({ languages: store.instance.languages }),
  }),
  // Refusals of policies are those of the service's org_policy_notification.go.
  management('GetNotificationPolicy', `GET ${notification}`, 'policy.read', {
    response: policies.getNotificationPolicyResponse,
    handle: (call) => notificationOf(orgOfCall(call).notificationPolicy),
  }),
  management(
    'GetDefaultNotificationPolicy',
    'GET /management/v1/policies/default/notification',
    'policy.read',
    {
      response: policies.getNotificationPolicyResponse,
      handle: () => notificationOf(undefined),
    },
  ),
  management('AddCustomNotificationPolicy', `POST ${notification}`, 'policy.write', {
    request: { passwordChange: flag },
    handle(call, { passwordChange }) {
      refuseIf(orgOfCall(call).notificationPolicy !== undefined, 'Org-xa08n2');
      return addDetails(setNotification(call, { passwordChange }));
    },
  }),
  management('UpdateCustomNotificationPolicy', `PUT ${notification}`, 'policy.write', {
    request: { passwordChange: flag },
    handle(call, { passwordChange }) {
      const before = existing(orgOfCall(call).notificationPolicy, 'ORG-x029n3');
      refuseIf(before.passwordChange === passwordChange, 'Org-ioqnxz');
      return changeDetails(setNotification(call, { passwordChange }));
    },
  }),
  management('ResetNotificationPolicyToDefault', `DELETE ${notification}`, 'policy.delete', {
    handle(call) {
      refuseIf(orgOfCall(call).notificationPolicy === undefined, 'ORG-x029n1s');
      return changeDetails(setNotification(call, undefined));
    },
  }),
  management('GetLockoutPolicy', 'GET /management/v1/policies/lockout', 'policy.read', {
    response: policies.getLockoutPolicyResponse,
    handle: ({ store, orgId }) => lockoutOf(store.orgs.get(orgId)?.lockoutPolicy),
  }),
  management('GetDefaultLockoutPolicy', 'GET /management/v1/policies/default/lockout', 'policy.read', {
    response: policies.getLockoutPolicyResponse,
    handle: () => lockoutOf(undefined),
  }),
  management(
    'GetPasswordComplexityPolicy',
    'GET /management/v1/policies/password/complexity',
    'policy.read',
    {
      response: policies.getPasswordComplexityPolicyResponse,
      handle({ store, orgId }) {
        const own = store.orgs.get(orgId)?.passwordComplexityPolicy;
        return { policy: { ...(own ?? store.instance.passwordComplexity), isDefault: own === undefined } };
      },
    },
  ),
];
