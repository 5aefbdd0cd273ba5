/** Policies of organizations that login-time migration meets: the email about changed passwords, and lockout. */
import type { Client } from '../../api/client.ts';
import { detailsResponse } from '../../wire/details.ts';
import { getLockoutPolicyResponse, getNotificationPolicyResponse } from '../../wire/org-policies.ts';

const notification = '/management/v1/policies/notification';
const lockout = '/management/v1/policies/lockout';

export interface LoginPolicies {
  /** The id of the organization; undefined for the default of the instance. */
  readonly org: string | undefined;
  /** Users get an email when their password is changed; undefined where the token may not know. */
  readonly sendsEmail: boolean | undefined;
  /** Wrong passwords that lock a user; 0 where none do. */
  readonly lockedAfter: number;
}

export async function readLoginPolicies(client: Client, org?: string): Promise<LoginPolicies> {
  const end = org === undefined ? '/default' : '';
  const sendsEmail = await client.attempt({
    method: 'GET',
    path: `${notification}${end}`,
    org,
    answer: getNotificationPolicyResponse,
  });
  const locks = await client.attempt({
    method: 'GET',
    path: `${lockout}${end}`,
    org,
    answer: getLockoutPolicyResponse,
  });
  return {
    org,
    sendsEmail: sendsEmail.ok ? sendsEmail.value.policy?.passwordChange === true : undefined,
    lockedAfter: locks.ok ? Number(locks.value.policy?.maxPasswordAttempts ?? 0) : 0,
  };
}

/** An organization whose email was switched off: whether it had a policy of its own before. */
export interface MutedOrg {
  readonly org: string;
  readonly hadOwn: boolean;
}

/** Switches the email off. `record` is awaited before. Does nothing where it is off; throws `ApiError`. */
export async function muteOrg(
  client: Client,
  org: string,
  record: (muted: MutedOrg) => unknown,
): Promise<void> {
  const { policy } = await readNotification(client, org);
  if (policy?.passwordChange !== true) return;
  const hadOwn = !policy.isDefault;
  await record({ org, hadOwn });
  await change(client, org, hadOwn ? 'PUT' : 'POST', { passwordChange: false });
}

/** As it was before; where someone has changed it since, it stays. */
export async function unmuteOrg(client: Client, { org, hadOwn }: MutedOrg): Promise<void> {
  const { policy } = await readNotification(client, org);
  if (policy === undefined || policy.passwordChange || policy.isDefault) return;
  if (hadOwn) await change(client, org, 'PUT', { passwordChange: true });
  else await change(client, org, 'DELETE');
}

function readNotification(client: Client, org: string) {
  return client.call({ method: 'GET', path: notification, org, answer: getNotificationPolicyResponse });
}

async function change(
  client: Client,
  org: string,
  method: 'POST' | 'PUT' | 'DELETE',
  body?: object,
): Promise<void> {
  await client.call({ method, path: notification, org, body, answer: detailsResponse });
}
