/** Looks whether the identity providers that users of a source are linked to are at the target. */
import { ApiError } from '../../api/api-error.ts';
import type { Client } from '../../api/client.ts';
import { type Emit, note, warning } from '../../events.ts';
import { formatCount, formatCounted } from '../../lib/quantity.ts';
import { listIdps } from '../idps/calls.ts';

/** Says which there are, and returns how many are missing. `idps`: id by alias. Throws `ApiError`. */
export async function findMissingIdps(
  client: Client,
  orgs: readonly string[],
  idps: Readonly<Record<string, string>>,
  emit: Emit,
): Promise<number> {
  const named = Object.entries(idps);
  if (named.length === 0) return 0;
  const there = new Set<string>();
  try {
    for (const org of orgs) for (const { id } of await listIdps(client, org)) there.add(id);
  } catch (error) {
    if (!(error instanceof ApiError) || error.verdict !== 'refused') throw error;
    const text = `Identity providers are not compared: ${error.text}`;
    emit(warning('verify:idps', text));
    return 0;
  }
  const missing = named.filter(([, id]) => !there.has(id));
  for (const [alias, id] of missing) {
    const text = `Identity provider ${JSON.stringify(alias)} is not at the target: no organization has ${id}.`;
    emit(warning('verify:idp', text));
  }
  const found = formatCount(named.length - missing.length);
  const text = `${found} of ${formatCounted(named.length, 'identity provider')} at the target.`;
  emit(note('verify:idps', text));
  return missing.length;
}
