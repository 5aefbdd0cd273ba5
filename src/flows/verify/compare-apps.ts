/** Compares the applications of a body with those of the target. */
import type { Client } from '../../api/client.ts';
import type { BodyApp, BodyProjects } from '../../sources/org-data/projects.ts';
import { addApiAppRequest, addOidcAppRequest } from '../../wire/org-resources.ts';
import { chooseApp, listApps, type FoundApp } from '../projects/calls.ts';

/** A line for each that is missing or has other settings. Those of a project that is missing are not named. */
export async function differingApps(
  client: Client,
  { apps, projects }: BodyProjects,
  { org, target }: { readonly org: string; readonly target: string },
  projectIds: ReadonlyMap<string, string>,
): Promise<string[]> {
  const own = apps.filter((app) => app.org === org);
  const lines: string[] = [];
  for (const id of new Set(own.map(({ projectId }) => projectId))) {
    const found = projectIds.get(id);
    if (found === undefined && projects.some((project) => project.id === id)) continue;
    const there = await listApps(client, target, found ?? id);
    for (const app of own.filter(({ projectId }) => projectId === id)) {
      const name = `application ${app.name} of project ${found ?? id}`;
      const same = chooseApp(there, app);
      const fields = same === undefined ? [] : differingFields(app, same);
      if (same === undefined) lines.push(`${name} is not at the target`);
      else if (fields.length > 0) lines.push(`${name} differs in ${fields.join(', ')}`);
    }
  }
  return lines;
}

function differingFields({ kind, settings }: BodyApp, { oidcConfig, apiConfig }: FoundApp): string[] {
  const isOidc = kind === 'oidc';
  const there: object | undefined = isOidc ? oidcConfig : apiConfig;
  if (there === undefined) return ['kind'];
  const expected = (isOidc ? addOidcAppRequest : addApiAppRequest).parse(settings);
  const found = new Map(Object.entries(there));
  return Object.entries(expected)
    .filter(([field]) => field in settings && field !== 'name')
    .filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(found.get(field)))
    .map(([field]) => field);
}
