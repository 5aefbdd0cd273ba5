/** Asks for the settings of organizations by which users of an import are judged. */
import type { Client } from '../../api/client.ts';
import type { PasswordPolicy } from '../../records/password-policy.ts';
import { listProvidersResponse } from '../../wire/identity-providers.ts';
import { getPasswordComplexityPolicyResponse } from '../../wire/org-policies.ts';

const pageSize = 1000;

/** Ids of the identity providers that the organizations can use; undefined where the token may not know all. */
export async function askProviders(client: Client, orgIds: readonly string[]): Promise<string[] | undefined> {
  const ids = new Set<string>();
  for (const org of orgIds) {
    for (let offset = 0; ; offset += pageSize) {
      const end = await client.attempt({
        method: 'POST',
        path: '/management/v1/idps/templates/_search',
        body: { query: { offset: String(offset), limit: pageSize, asc: true } },
        org,
        repeat: 'safe',
        answer: listProvidersResponse,
      });
      if (!end.ok) return undefined;
      for (const { id } of end.value.result) ids.add(id);
      if (end.value.result.length < pageSize) break;
    }
  }
  return [...ids];
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
