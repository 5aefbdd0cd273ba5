/** Compares the organizations of a body with the target, before their users. */
import type { Client } from '../../api/client.ts';
import type { Emit } from '../../events.ts';
import { getOrgResponse } from '../../wire/organization.ts';
import { foldName } from '../../records/text.ts';
import type { TargetOrg } from '../../records/organization.ts';
import { isRemoved } from '../preflight/check-orgs.ts';
import { noSuchOrg } from '../reconcile/look-up.ts';

/**
 * Those that are there. One without a name is not created by an import, and its absence is an error of the calls
 * that follow. Another name is only said: the import leaves an organization that exists as it is.
 */
export async function findOrgs(
  client: Client,
  orgs: readonly TargetOrg[],
  emit: Emit,
): Promise<{ readonly there: string[]; readonly missing: number }> {
  const there: string[] = [];
  const notify = (level: 'info' | 'warning', text: string): void =>
    emit({ type: 'notice', level, code: 'verify:organization', text });
  for (const { orgId: id, name } of orgs) {
    const found = name === '' ? '' : await readName(client, id);
    if (found === undefined) {
      notify('warning', `organization ${id} ${name} is not at the target, nor are its users`);
      continue;
    }
    there.push(id);
    if (foldName(found) !== foldName(name)) {
      notify('info', `organization ${id} is ${found} at the target, and ${name} in the body`);
    }
  }
  return { there, missing: orgs.length - there.length };
}

async function readName(client: Client, org: string): Promise<string | undefined> {
  const path = '/management/v1/orgs/me';
  const end = await client.attempt({ method: 'GET', path, org, answer: getOrgResponse });
  if (end.ok && end.value.org !== undefined && isRemoved(end.value.org)) return undefined;
  if (end.ok) return end.value.org?.name ?? '';
  if (end.error.id === noSuchOrg) return undefined;
  throw end.error;
}
