/** Identity providers of an organization. */
import * as wire from '../../wire/identity-providers.ts';
import { refusal } from '../errors.ts';
import { admin, management, type Route } from '../method.ts';
import { filtered, listPage } from '../paging.ts';
import { compareText } from '../users/search.ts';
import { addDetails, detailsOf } from '../users/show.ts';
import type { IdpRow } from '../store/rows.ts';
import { changedNow } from './projects.ts';

/** The method of each kind, and the name of a provider that has none of its own. */
const kinds: Readonly<Record<wire.ProviderKind, readonly [rpc: string, name?: string]>> = {
  generic_oidc: ['AddGenericOIDCProvider'],
  oauth: ['AddGenericOAuthProvider'],
  google: ['AddGoogleProvider', 'Google'],
  github: ['AddGitHubProvider', 'GitHub'],
  github_es: ['AddGitHubEnterpriseServerProvider'],
  gitlab: ['AddGitLabProvider', 'GitLab'],
  azure: ['AddAzureADProvider'],
};

/** Two providers may have the same name (Z:internal/command/org_idp.go, without a unique constraint). */
const addMethods = (Object.keys(kinds) as wire.ProviderKind[]).flatMap((kind) => [
  addMethod(kind, management, `POST /management/v1/idps/${kind}`, 'org.idp.write'),
  addMethod(kind, admin, `POST /admin/v1/idps/${kind}`, 'iam.idp.write'),
]);

function addMethod(kind: wire.ProviderKind, service: typeof admin, route: Route, permission: string) {
  const [rpc, ownName = ''] = kinds[kind];
  const ofInstance = permission.startsWith('iam.');
  return service(rpc, route, permission, {
    request: wire.addProviderRequests[kind],
    response: wire.addProviderResponse,
    handle({ store, orgId: callOrg, settings: { clock } }, request) {
      const orgId = ofInstance ? '' : callOrg;
      const { clientSecret: _, name, providerOptions: options, ...settings } = request;
      if (ownName === '' && name.trim() === '') throw refusal('ORG-Sgtj5');
      const row = store.idps.put({
        id: store.nextId(),
        orgId,
        name: name || ownName,
        created: clock.now(),
        allowsCreation: options?.isCreationAllowed === true,
        oidc: undefined,
        jwt: undefined,
        template: { kind, options: options ?? {}, settings },
      });
      const owner = orgId || store.instance.instanceId;
      return { id: row.id, details: addDetails({ ...row, orgId: owner }) };
    },
  });
}

function typeOf({ oidc, jwt }: IdpRow): string {
  if (oidc !== undefined) return 'PROVIDER_TYPE_OIDC';
  return jwt === undefined ? 'PROVIDER_TYPE_UNSPECIFIED' : 'PROVIDER_TYPE_JWT';
}

const ownerOf = ({ orgId }: IdpRow) =>
  orgId === '' ? ('IDP_OWNER_TYPE_SYSTEM' as const) : ('IDP_OWNER_TYPE_ORG' as const);

const show = (row: IdpRow) => ({
  id: row.id,
  details: detailsOf(row),
  name: row.name,
  state: 'IDP_STATE_ACTIVE' as const,
  owner: ownerOf(row),
  ...(row.template === undefined ? { type: typeOf(row) } : showTemplate(row.template)),
});

function showTemplate({ kind, options, settings }: NonNullable<IdpRow['template']>) {
  return { type: wire.providerTypes[kind], config: { options, [wire.configNames[kind]]: settings } };
}

export const idpMethods = [
  ...addMethods,
  management('ListProviders', 'POST /management/v1/idps/templates/_search', 'org.idp.read', {
    request: wire.listProvidersRequest,
    response: wire.listProvidersResponse,
    handle(call, { query, queries }) {
      const { idps } = call.lists.read();
      const usable = [...idps.by('org', ''), ...idps.by('org', call.orgId)];
      const rows = filtered(usable, queries, {
        idpIdQuery: (row, { id }) => row.id === id,
        idpNameQuery: (row, { method: how, name }) => compareText(how, row.name, name),
        ownerTypeQuery: (row, { ownerType }) => ownerOf(row) === ownerType,
      });
      return listPage(call, 'idps', rows, query, show);
    },
  }),
  management('DeleteProvider', 'DELETE /management/v1/idps/templates/{id}', 'org.idp.write', {
    handle(call, { id }) {
      const { store, orgId } = call;
      const row = store.idps.get(id);
      if (row?.orgId !== orgId) throw refusal('ORG-Se3tg');
      // Users keep their links to it, as in the service.
      store.idps.delete(id);
      return { details: changedNow(call, row) };
    },
  }),
];
