/** Creates the applications of a body by calls of their own, and gets the secrets of those that a bulk import made. */
import { search } from '../../api/search.ts';
import type { Client } from '../../api/client.ts';
import { ApiError } from '../../api/api-error.ts';
import { UsageError } from '../../errors.ts';
import { type Emit, warning } from '../../events.ts';
import type { Journal } from '../../journal/journal.ts';
import type { AddedPart } from '../../journal/lines.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { formatCounted } from '../../lib/quantity.ts';
import { deriveAppId, hasSecret } from '../../records/application.ts';
import type { BodyApp, BodyProjects } from '../../sources/org-data/projects.ts';
import { addAppResponse, clientSecretResponse, getAppResponse, type AddedApp } from '../../wire/project.ts';
import { chooseApp, listApps, pathOf, type FoundApp } from '../projects/calls.ts';
import { findCreated } from '../projects/find-created.ts';
import type { ListContext } from '../reconcile/list-lag.ts';
import { openAppSecrets, type AppLine, type AppSecrets } from './app-secrets.ts';

/** A project at the target. */
export interface AppProject {
  readonly org: string;
  readonly id: string;
}

const atOnce = 4;

/** Whether the run adds it: then its secret is the run's as well. `projectIds`: in the body and at the target. */
const isAdded = (
  adds: readonly AddedPart[],
  { org, name }: Pick<BodyApp, 'org' | 'name'>,
  projectIds: readonly string[],
): boolean =>
  adds.some(
    ([kind, ofOrg, project, added]) =>
      kind === 'app' && ofOrg === org && projectIds.includes(project) && added === name,
  );

/**
 * A secret can be read only once. Throws `UsageError` where applications that `migrate --apps` wrote would get one and
 * there is no file for it; returns how many others would.
 */
export function checkSecretsFile(
  apps: readonly BodyApp[],
  adds: readonly AddedPart[],
  path: string | undefined,
): number {
  if (path !== undefined) return 0;
  const names = new Set(adds.filter(([kind]) => kind === 'app').map(([, , , name]) => name));
  const secret = apps.filter(({ settings, name }) => names.has(name) && hasSecret(settings));
  const own = secret.filter(({ id, projectId, name }) => id === deriveAppId(projectId, name));
  if (own.length === 0) return secret.length;
  throw new UsageError(`${formatCounted(own.length, 'application')} will get a client secret`, {
    hint: 'The service shows a secret once: give --app-secrets=apps.ndjson, a file that only you can read.',
  });
}

/** The file for the secrets; undefined where none is named or needed. Throws `UsageError` and `IdportError`. */
export function openSecretsFile(
  apps: readonly BodyApp[],
  adds: readonly AddedPart[],
  path: string | undefined,
  emit: Emit,
): AppSecrets | undefined {
  const others = checkSecretsFile(apps, adds, path);
  if (others > 0) {
    const text =
      `${formatCounted(others, 'application')} will get a client secret that is written nowhere: --app-secrets=<file> ` +
      'keeps it. It can also be generated anew later.';
    emit(warning('app:no-secrets', text));
  }
  return path === undefined || apps.length === 0 ? undefined : openAppSecrets(path);
}

/** What the run adds and may still lack a secret: all of it was written down by a run that came to its end. */
export const secretless = ({
  finished,
  header,
}: Pick<Journal, 'finished' | 'header'>): readonly AddedPart[] => (finished ? [] : (header.adds ?? []));

/** The applications that the run adds, and the file for their secrets. */
export interface AddedApps {
  readonly adds: readonly AddedPart[];
  readonly secrets: AppSecrets | undefined;
}

interface AppsToCreate {
  readonly body: Pick<BodyProjects, 'apps'>;
  readonly org: string;
  /** By the id of the body. */
  readonly projectIds: ReadonlyMap<string, string>;
  readonly added: AddedApps;
}

/** Those that are there are left as they are. Returns how many the service has refused. Throws `ApiError`. */
export async function createApps(
  context: ListContext,
  { body, org, projectIds, added: { adds, secrets } }: AppsToCreate,
): Promise<number> {
  const { client, emit } = context;
  const own = body.apps.filter((app) => app.org === org);
  let refused = 0;
  // What the service does not take is no reason to leave out the others, or the roles of users.
  const refuse = (error: unknown, some: readonly BodyApp[]): void => {
    if (!(error instanceof ApiError) || error.verdict !== 'refused') throw error;
    refused += some.length;
    const names = some.map(({ name }) => JSON.stringify(name)).join(', ');
    const text = `${some.length === 1 ? `Application ${names} is` : `Applications ${names} are`} not created: ${error.text}`;
    emit(warning('app:refused', text));
  };
  for (const bodyId of new Set(own.map(({ projectId }) => projectId))) {
    const project = { org, id: projectIds.get(bodyId) ?? bodyId };
    const apps = own.filter(({ projectId }) => projectId === bodyId);
    try {
      const known = await listApps(client, org, project.id);
      await forEachConcurrent(apps, atOnce, async (app) => {
        try {
          const found = chooseApp(known, app);
          if (found === undefined) await createApp(context, project, app, secrets);
          else if (isAdded(adds, app, [bodyId, project.id]))
            await keepSecret(client, project, app, found, secrets);
        } catch (error) {
          refuse(error, [app]);
        }
      });
    } catch (error) {
      refuse(error, apps);
    }
  }
  return refused;
}

async function createApp(
  context: ListContext,
  project: AppProject,
  app: BodyApp,
  secrets: AppSecrets | undefined,
): Promise<void> {
  const { client, emit } = context;
  const { kind, name, settings } = app;
  const { org, id } = project;
  const end = await client.attempt({
    method: 'POST',
    path: `${pathOf(id)}/apps/${kind}`,
    org,
    body: { ...settings, name },
    repeat: 'unsafe',
    answer: addAppResponse(kind === 'oidc' ? 'AddOIDCAppResponse' : 'AddAPIAppResponse'),
  });
  if (end.ok) {
    const { appId, clientId, clientSecret } = end.value;
    secrets?.add(lineOf(app, project, { appId, clientId, clientSecret }));
    notifyProblems(name, end.value, emit);
    return;
  }
  const find = async (): Promise<FoundApp | undefined> => chooseApp(await listApps(client, org, id), app);
  const found = await findCreated(context, end.error, find);
  await keepSecret(client, project, app, found, secrets);
}

/** What the service has stored, and finds fault with. */
function notifyProblems(
  name: string,
  { noneCompliant, complianceProblems }: Pick<AddedApp, 'noneCompliant' | 'complianceProblems'>,
  emit: Emit,
): void {
  if (!noneCompliant) return;
  const problems = new Set(complianceProblems.map(({ key, localizedMessage }) => localizedMessage || key));
  const text = `Application ${JSON.stringify(name)} is created, and the service says of it: ${[...problems].join('; ')}`;
  emit(warning('app:not-compliant', text));
}

/** Of an application that the run has created: a new secret, where the file does not have it. Throws `ApiError`. */
async function keepSecret(
  client: Client,
  project: AppProject,
  app: BodyApp,
  { id: appId, oidcConfig, apiConfig }: FoundApp,
  secrets: AppSecrets | undefined,
): Promise<void> {
  if (secrets === undefined || secrets.has(appId)) return;
  const { clientId = '' } = oidcConfig ?? apiConfig ?? {};
  const { clientSecret } = hasSecret(app.settings)
    ? await client.call(
        search(
          `${pathOf(project.id)}/apps/${encodeURIComponent(appId)}/${app.kind}_config/_generate_client_secret`,
          {},
          clientSecretResponse,
          { org: project.org },
        ),
      )
    : { clientSecret: '' };
  secrets.add(lineOf(app, project, { appId, clientId, clientSecret }));
}

const lineOf = (
  { name }: BodyApp,
  { org, id }: AppProject,
  { appId, clientId, clientSecret }: Required<Pick<AppLine, 'appId' | 'clientId' | 'clientSecret'>>,
): AppLine => ({
  oldClientId: name,
  organization: org,
  project: id,
  appId,
  clientId,
  ...(clientSecret === '' ? {} : { clientSecret }),
});

/** After a bulk import, whose answer has no secrets: of what the run adds, also before a resume. Throws `ApiError`. */
export async function keepSecrets(
  { client, emit }: Pick<ListContext, 'client' | 'emit'>,
  apps: readonly BodyApp[],
  { adds, secrets }: AddedApps,
): Promise<void> {
  if (secrets === undefined) return;
  const added = apps.filter((app) => isAdded(adds, app, [app.projectId]));
  await forEachConcurrent(added, atOnce, async (app) => {
    const project = { org: app.org, id: app.projectId };
    const found = await readApp(client, project, app);
    if (found === undefined) return;
    await keepSecret(client, project, app, found, secrets);
    if (found.oidcConfig !== undefined) notifyProblems(app.name, found.oidcConfig, emit);
  });
}

/** By the id of the body. Undefined where the import has not taken it, which is said. */
async function readApp(client: Client, { org, id }: AppProject, app: BodyApp): Promise<FoundApp | undefined> {
  const path = `${pathOf(id)}/apps/${encodeURIComponent(app.id)}`;
  const end = await client.attempt({ method: 'GET', path, org, repeat: 'safe', answer: getAppResponse });
  if (end.ok) return end.value.app;
  if (end.error instanceof ApiError && end.error.status === 404) return undefined;
  throw end.error;
}
