/** Asks for the settings of organizations by which users of an import are judged. */
import { ApiError } from '../../api/api-error.ts';
import type { Client } from '../../api/client.ts';
import type { PasswordPolicy } from '../../records/password-policy.ts';
import { getPasswordComplexityPolicyResponse } from '../../wire/org-policies.ts';
import { listIdpIds } from '../resources/find.ts';

/** Ids of the identity providers that the organizations can use; undefined where the token may not know all. */
export async function askProviders(client: Client, orgIds: readonly string[]): Promise<string[] | undefined> {
  try {
    return [...(await listIdpIds(client, orgIds))];
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** Of each organization; none where the token may not read one of them. */
export async function askPasswordPolicies(
  client: Client,
  orgIds: readonly string[],
): Promise<PasswordPolicy[]> {
  const policies: PasswordPolicy[] = [];
  for (const org of orgIds) {
    const end = await client.attempt({
      method: 'GET',
      path: '/management/v1/policies/password/complexity',
      org,
      answer: getPasswordComplexityPolicyResponse,
    });
    if (!end.ok || end.value.policy === undefined) return [];
    policies.push(end.value.policy);
  }
  return policies;
}
