/** A setting of an organization that an import depends on: its password policy. */
import { emptyMessage } from '../../wire/details.ts';
import { getPasswordComplexityPolicyResponse } from '../../wire/org-policies.ts';
import { method } from '../method.ts';

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
];
