/** Settings of an organization that a migration depends on: its policies for passwords, lockout and notifications. */
import { flag } from '../../wire/message.ts';
import * as wire from '../../wire/org-policies.ts';
import type { Call } from '../context.ts';
import { existing, refusal } from '../errors.ts';
import { management } from '../method.ts';
import { defaultNotification, updateOrg } from '../orgs.ts';
import type { OrgRow } from '../store/rows.ts';
import { addDetails, changeDetails } from '../users/show.ts';
import { owned } from './orgs.ts';

const orgOfCall = ({ store, orgId }: Call): OrgRow => existing(store.orgs.get(orgId), 'QUERY-leq5Q');

const notification = '/management/v1/policies/notification';

const lockoutOf = ({ maxPasswordAttempts = 0, maxOtpAttempts = 0 }, isDefault: boolean) => ({
  policy: {
    maxPasswordAttempts: String(maxPasswordAttempts),
    maxOtpAttempts: String(maxOtpAttempts),
    isDefault,
  },
  isDefault,
});

/** Refusals as in org_policy_notification.go of the service's commands. */
export const settingsMethods = [
  management('GetNotificationPolicy', `GET ${notification}`, 'policy.read', {
    response: wire.getNotificationPolicyResponse,
    handle(call) {
      const own = orgOfCall(call).notificationPolicy;
      return { policy: { ...(own ?? defaultNotification), isDefault: own === undefined } };
    },
  }),
  management('GetDefaultNotificationPolicy', `GET ${notification}/default`, 'policy.read', {
    response: wire.getNotificationPolicyResponse,
    handle: () => ({ policy: { ...defaultNotification, isDefault: true } }),
  }),
  management('AddCustomNotificationPolicy', `POST ${notification}`, 'policy.write', {
    request: { passwordChange: flag },
    handle(call, { passwordChange }) {
      const org = orgOfCall(call);
      if (org.notificationPolicy !== undefined) throw refusal('Org-xa08n2');
      const changed = updateOrg(call, org, { notificationPolicy: { passwordChange } });
      return addDetails(owned(changed));
    },
  }),
  management('UpdateCustomNotificationPolicy', `PUT ${notification}`, 'policy.write', {
    request: { passwordChange: flag },
    handle(call, { passwordChange }) {
      const org = orgOfCall(call);
      if (org.notificationPolicy === undefined) throw refusal('ORG-x029n3');
      if (org.notificationPolicy.passwordChange === passwordChange) throw refusal('Org-ioqnxz');
      const changed = updateOrg(call, org, { notificationPolicy: { passwordChange } });
      return changeDetails(owned(changed));
    },
  }),
  management('ResetNotificationPolicyToDefault', `DELETE ${notification}`, 'policy.delete', {
    handle(call) {
      const org = orgOfCall(call);
      if (org.notificationPolicy === undefined) throw refusal('ORG-x029n1s');
      return changeDetails(owned(updateOrg(call, org, { notificationPolicy: undefined })));
    },
  }),
  management('GetLockoutPolicy', 'GET /management/v1/policies/lockout', 'policy.read', {
    response: wire.getLockoutPolicyResponse,
    handle({ store, orgId }) {
      const own = store.orgs.get(orgId)?.lockoutPolicy;
      return lockoutOf(own ?? {}, own === undefined);
    },
  }),
  management('GetDefaultLockoutPolicy', 'GET /management/v1/policies/lockout/default', 'policy.read', {
    response: wire.getLockoutPolicyResponse,
    handle: () => lockoutOf({}, true),
  }),
  management(
    'GetPasswordComplexityPolicy',
    'GET /management/v1/policies/password/complexity',
    'policy.read',
    {
      response: wire.getPasswordComplexityPolicyResponse,
      handle({ store, orgId }) {
        const own = store.orgs.get(orgId)?.passwordComplexityPolicy;
        return { policy: { ...(own ?? store.instance.passwordComplexity), isDefault: own === undefined } };
      },
    },
  ),
];
