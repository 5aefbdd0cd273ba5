/** Identity providers of an organization. */
import { query, idQuery, textQuery } from '../../wire/details.ts';
import { list, oneOf, message } from '../../wire/message.ts';
import * as wire from '../../wire/identity-providers.ts';
import { idpOwner } from '../../wire/org-policies.ts';
import { existing, refuseIf } from '../errors.ts';
import { admin, management, type Route } from '../method.ts';
import { byColumn, byText, filtered, listPage } from '../paging.ts';
import { addDetails, detailsOf } from '../users/show.ts';
import type { IdpRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { changedNow } from './projects.ts';

/** Name of a provider if the request has none. */
const ownNames: Readonly<Partial<Record<wire.ProviderKind, string>>> = {
  google: 'Google',
  github: 'GitHub',
  gitlab: 'GitLab',
};

function addMethod(kind: wire.ProviderKind, service: typeof admin, route: Route, permission: string) {
  const { rpc, request } = wire.providerKinds[kind];
  const ofInstance = permission.startsWith('iam.');
  return service(rpc, route, permission, {
    request,
    response: wire.addProviderResponse,
    handle({ store, orgId: callOrg }, request) {
      const { clientSecret: _, name, providerOptions, ...settings } = request;
      const orgId = ofInstance ? '' : callOrg;
      const ownName = ownNames[kind] ?? '';
      refuseIf(ownName === '' && name.trim() === '', 'ORG-Sgtj5');
      const row = store.idps.put({
        id: store.nextId(),
        orgId,
        name: name || ownName,
        created: store.now(),
        allowsCreation: providerOptions?.isCreationAllowed === true,
        template: { kind, options: providerOptions ?? {}, settings },
      });
      return { id: row.id, details: addDetails(owned(store, row)) };
    },
  });
}

function typeOf({ oidc, jwt, template }: IdpRow) {
  if (template !== undefined) {
    const { type, config } = wire.providerKinds[template.kind];
    return { type, config: { options: template.options, [config]: template.settings } };
  }
  if (oidc !== undefined) return { type: 'PROVIDER_TYPE_OIDC' };
  return { type: jwt === undefined ? 'PROVIDER_TYPE_UNSPECIFIED' : 'PROVIDER_TYPE_JWT' };
}

const ownerOf = ({ orgId }: IdpRow) =>
  orgId === '' ? ('IDP_OWNER_TYPE_SYSTEM' as const) : ('IDP_OWNER_TYPE_ORG' as const);

/** The instance owns a provider of no organization. */
const owned = ({ instance }: Store, row: IdpRow) => ({ ...row, orgId: row.orgId || instance.instanceId });

const show = (store: Store, row: IdpRow) => ({
  id: row.id,
  details: detailsOf(owned(store, row)),
  name: row.name,
  state: 'IDP_STATE_ACTIVE' as const,
  owner: ownerOf(row),
  ...typeOf(row),
});

export const idpMethods = [
  // Two providers may have the same name (Z:internal/command/org_idp.go has no unique constraint).
  ...(Object.keys(wire.providerKinds) as wire.ProviderKind[]).flatMap((kind) => [
    addMethod(kind, management, `POST /management/v1/idps/${kind}`, 'org.idp.write'),
    addMethod(kind, admin, `POST /admin/v1/idps/${kind}`, 'iam.idp.write'),
  ]),
  management('ListProviders', 'POST /management/v1/idps/templates/_search', 'org.idp.read', {
    request: {
      query,
      queries: list(
        oneOf('zitadel.management.v1.ProviderQuery', 'query', {
          idpIdQuery: idQuery('IDPIDQuery', 'id'),
          idpNameQuery: textQuery('IDPNameQuery', 'name'),
          ownerTypeQuery: message('IDPOwnerTypeQuery', { ownerType: idpOwner }),
        }),
      ),
    },
    response: wire.listProvidersResponse,
    handle(call, { query, queries }) {
      const { idps } = call.lists.read();
      const usable = [...idps.by('org', ''), ...idps.by('org', call.orgId)];
      const rows = filtered(usable, queries, {
        idpIdQuery: byColumn('id'),
        idpNameQuery: byText(({ name }) => name),
        ownerTypeQuery:
          ({ ownerType }) =>
          (row) =>
            ownerOf(row) === ownerType,
      });
      return listPage(call, 'idps', rows, query, (row) => show(call.store, row));
    },
  }),
  management('GetProviderByID', 'GET /management/v1/idps/templates/:id', 'org.idp.read', {
    response: wire.getProviderResponse,
    handle: (call, { id }) => ({
      idp: show(call.store, existing(call.store.idps.get(id), 'QUERY-SAFrt', call.orgId)),
    }),
  }),
  management('DeleteProvider', 'DELETE /management/v1/idps/templates/:id', 'org.idp.write', {
    handle(call, { id }) {
      const row = existing(call.store.idps.get(id), 'ORG-Se3tg', call.orgId);
      // As in the service, users keep their links to the provider.
      call.store.idps.delete(id);
      return changedNow(call, row);
    },
  }),
];
