/** Compares what a source needs besides its users with the target: organizations, projects, identity providers. */
import { ifRefused } from '../../api/api-error.ts';
import type { Client } from '../../api/client.ts';
import { type Emit, note, warning } from '../../events.ts';
import { formatCount, formatCounted } from '../../lib/format.ts';
import type { TargetOrg, Resource } from '../../records/resource.ts';
import { foldName } from '../../records/text.ts';
import { readOwnOrg } from '../preflight/check-orgs.ts';
import { groupsOf, listIdpIds, listResources } from './find.ts';
import { kinds } from './kinds.ts';

/**
 * Returns the organizations that exist. One without a name is not created by an import, so its absence is left to the calls that
 * follow. A different name is only noted, because an import leaves existing organizations as they are.
 */
export async function compareOrgs(client: Client, orgs: readonly TargetOrg[], emit: Emit) {
  const there: string[] = [];
  const code = 'verify:organization';
  for (const org of orgs) {
    const { orgId: id, name } = org;
    const found = name === '' ? { name } : await readOwnOrg(client, org);
    if (found === undefined || found === 'removed') {
      emit(warning(code, `organization ${id} ${name} is not at the target, nor are its users`));
      continue;
    }
    there.push(id);
    if (foldName(found.name) !== foldName(name)) {
      emit(note(code, `organization ${id} is ${found.name} at the target, and ${name} in the body`));
    }
  }
  return { there, missing: orgs.length - there.length };
}

/** Reports which resources are missing or differ. Does not name the parts of a missing project. Throws `ApiError`. */
export async function compareResources(client: Client, expected: readonly Resource[], emit: Emit) {
  const projectIds = new Map<string, string>();
  let missing = 0;
  for (const { kind, scope, isNew, expected: some } of groupsOf(expected, projectIds)) {
    const { differing, describe } = kinds[kind];
    if (differing === undefined || isNew) continue;
    const there = await listResources(client, kind, scope);
    for (const one of some) {
      const found = there.find(one);
      if (kind === 'project' && found !== undefined) projectIds.set(one.id, found.id);
      const fields = found === undefined ? [] : differing(one, found);
      if (found !== undefined && fields.length === 0) continue;
      missing += 1;
      const roles = kind === 'project' ? ', nor are its roles' : '';
      const what = found === undefined ? `is not at the target${roles}` : `differs in ${fields.join(', ')}`;
      emit(warning('verify:project', `${describe({ ...one, ...scope })} ${what}`));
    }
  }
  return { projectIds, missing };
}

/**
 * Returns how many of the identity providers no organization has, and reports which. `idps` has ids by alias. Throws `ApiError`.
 */
export async function compareIdps(
  client: Client,
  orgs: readonly string[],
  idps: Readonly<Record<string, string>>,
  emit: Emit,
) {
  const named = Object.entries(idps);
  if (named.length === 0) return 0;
  const there = await listIdpIds(client, orgs).catch(ifRefused(({ text }) => text));
  if (typeof there === 'string') {
    emit(warning('verify:idps', `Identity providers are not compared: ${there}`));
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
