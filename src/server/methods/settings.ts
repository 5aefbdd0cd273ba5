/** Settings of an organization that an import depends on: its password policy and its identity providers. */
import { emptyMessage } from '../../wire/details.ts';
import { listProvidersRequest, listProvidersResponse } from '../../wire/identity-providers.ts';
import { getPasswordComplexityPolicyResponse } from '../../wire/org-policies.ts';
import { method } from '../method.ts';
import { listDetailsV1, pageOf, takePage } from '../paging.ts';

const management = '/zitadel.management.v1.ManagementService';

export const settingsMethods = [
  method({
    rpc: `${management}/GetPasswordComplexityPolicy`,
    routes: ['GET /management/v1/policies/password/complexity'],
    permission: 'policy.read',
    request: emptyMessage,
    response: getPasswordComplexityPolicyResponse,
    handle({ store, orgId }) {
      const own = store.orgs.get(orgId)?.passwordComplexityPolicy;
      const { minLength, hasLowercase, hasUppercase, hasNumber, hasSymbol } =
        own ?? store.instance.passwordComplexity;
      const isDefault = own === undefined;
      const rules = { hasLowercase, hasUppercase, hasNumber, hasSymbol, isDefault };
      return { policy: { minLength: String(minLength), ...rules } };
    },
  }),
  method({
    rpc: `${management}/ListProviders`,
    routes: ['POST /management/v1/idps/templates/_search'],
    permission: 'org.idp.read',
    request: listProvidersRequest,
    response: listProvidersResponse,
    handle(call, { query }) {
      const { idps } = call.lists.read();
      const usable = [...idps.values()].filter(({ orgId }) => orgId === '' || orgId === call.orgId);
      const found = takePage(usable, pageOf(query));
      return {
        details: listDetailsV1(call, 'idps', found),
        result: found.rows.map(({ id, name, orgId }) => ({
          id,
          name,
          state: 'IDP_STATE_ACTIVE' as const,
          owner: orgId === '' ? ('IDP_OWNER_TYPE_SYSTEM' as const) : ('IDP_OWNER_TYPE_ORG' as const),
        })),
      };
    },
  }),
];
