/** Policies of organizations that login-time migration meets: the email about changed passwords, and lockout. */
import type { Client } from '../../api/client.ts';
import { getLockoutPolicyResponse } from '../../wire/org-policies.ts';
import { sendsPasswordEmails } from '../messages/password-emails.ts';

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
  const sendsEmail = await sendsPasswordEmails(client, org);
  const locks = await client.attempt({
    method: 'GET',
    path: org === undefined ? `${lockout}/default` : lockout,
    org,
    answer: getLockoutPolicyResponse,
  });
  return {
    org,
    sendsEmail,
    lockedAfter: locks.ok ? Number(locks.value.policy?.maxPasswordAttempts ?? 0) : 0,
  };
}
