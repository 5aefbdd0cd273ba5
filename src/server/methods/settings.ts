/** Settings of an organization that a migration depends on: its policies for passwords, lockout and notifications. */
import { detailsResponse, emptyMessage } from '../../wire/details.ts';
import * as wire from '../../wire/org-policies.ts';
import type { Call } from '../context.ts';
import { refusal } from '../errors.ts';
import { method } from '../method.ts';
import { defaultNotification, updateOrg } from '../orgs.ts';
import type { OrgRow } from '../store/rows.ts';
import { addDetails, changeDetails } from '../users/show.ts';

const management = '/zitadel.management.v1.ManagementService';

const owned = (org: OrgRow) => ({ ...org, orgId: org.id });

function ownNotification({ store, orgId }: Call): { org: OrgRow; own: OrgRow['notificationPolicy'] } {
  const org = store.orgs.get(orgId);
  if (org === undefined) throw refusal('QUERY-leq5Q');
  return { org, own: org.notificationPolicy };
}

const notification = '/management/v1/policies/notification';

/** org_policy_notification.go of the service's commands. */
const notificationMethods = [
  method({
    rpc: `${management}/GetNotificationPolicy`,
    routes: [`GET ${notification}`],
    permission: 'policy.read',
    request: emptyMessage,
    response: wire.getNotificationPolicyResponse,
    handle(call) {
      const { own } = ownNotification(call);
      return { policy: { ...(own ?? defaultNotification), isDefault: own === undefined } };
    },
  }),
  method({
    rpc: `${management}/GetDefaultNotificationPolicy`,
    routes: [`GET ${notification}/default`],
    permission: 'policy.read',
    request: emptyMessage,
    response: wire.getNotificationPolicyResponse,
    handle: () => ({ policy: { ...defaultNotification, isDefault: true } }),
  }),
  method({
    rpc: `${management}/AddCustomNotificationPolicy`,
    routes: [`POST ${notification}`],
    permission: 'policy.write',
    request: wire.notificationPolicyRequest,
    response: detailsResponse,
    handle(call, { passwordChange }) {
      const { org, own } = ownNotification(call);
      if (own !== undefined) {
        throw refusal('Org-xa08n2');
      }
      const changed = updateOrg(call, org, { notificationPolicy: { passwordChange } });
      return { details: addDetails(owned(changed)) };
    },
  }),
  method({
    rpc: `${management}/UpdateCustomNotificationPolicy`,
    routes: [`PUT ${notification}`],
    permission: 'policy.write',
    request: wire.notificationPolicyRequest,
    response: detailsResponse,
    handle(call, { passwordChange }) {
      const { org, own } = ownNotification(call);
      if (own === undefined) throw refusal('ORG-x029n3');
      if (own.passwordChange === passwordChange) {
        throw refusal('Org-ioqnxz');
      }
      const changed = updateOrg(call, org, { notificationPolicy: { passwordChange } });
      return { details: changeDetails(owned(changed)) };
    },
  }),
  method({
    rpc: `${management}/ResetNotificationPolicyToDefault`,
    routes: [`DELETE ${notification}`],
    permission: 'policy.delete',
    request: emptyMessage,
    response: detailsResponse,
    handle(call) {
      const { org, own } = ownNotification(call);
      if (own === undefined) throw refusal('ORG-x029n1s');
      return { details: changeDetails(owned(updateOrg(call, org, { notificationPolicy: undefined }))) };
    },
  }),
];

const lockoutOf = ({ maxPasswordAttempts = 0, maxOtpAttempts = 0 }, isDefault: boolean) => ({
  policy: {
    maxPasswordAttempts: String(maxPasswordAttempts),
    maxOtpAttempts: String(maxOtpAttempts),
    isDefault,
  },
  isDefault,
});

const lockoutMethods = [
  method({
    rpc: `${management}/GetLockoutPolicy`,
    routes: ['GET /management/v1/policies/lockout'],
    permission: 'policy.read',
    request: emptyMessage,
    response: wire.getLockoutPolicyResponse,
    handle({ store, orgId }) {
      const own = store.orgs.get(orgId)?.lockoutPolicy;
      return lockoutOf(own ?? {}, own === undefined);
    },
  }),
  method({
    rpc: `${management}/GetDefaultLockoutPolicy`,
    routes: ['GET /management/v1/policies/lockout/default'],
    permission: 'policy.read',
    request: emptyMessage,
    response: wire.getLockoutPolicyResponse,
    handle: () => lockoutOf({}, true),
  }),
];

export const settingsMethods = [
  ...notificationMethods,
  ...lockoutMethods,
  method({
    rpc: `${management}/GetPasswordComplexityPolicy`,
    routes: ['GET /management/v1/policies/password/complexity'],
    permission: 'policy.read',
    request: emptyMessage,
    response: wire.getPasswordComplexityPolicyResponse,
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
