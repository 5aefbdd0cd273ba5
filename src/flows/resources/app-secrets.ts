/** Writes the secrets that the service gives new applications to the file of `--app-secrets`, one line of JSON an application. */
import { chmodSync, statSync } from 'node:fs';
import { ifMissing } from '../../api/api-error.ts';
import { get, search } from '../../api/client.ts';
import { UsageError } from '../../errors.ts';
import { type Emit, warning } from '../../events.ts';
import type { CreatedResource } from '../../journal/lines.ts';
import type { JournalProgress } from '../../journal/load.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import { formatCounted } from '../../lib/format.ts';
import { parseObject } from '../../lib/json-value.ts';
import { deriveAppId, hasSecret, type Resource } from '../../records/resource.ts';
import { attemptsAt } from '../../storage/file-problem.ts';
import { appendOwnLines } from '../../storage/own-lines.ts';
import { memberOf } from '../../wire/member-names.ts';
import { clientSecretResponse, getAppResponse, type AddedApp } from '../../wire/organization.ts';
import type { ListContext } from '../reconcile/list-lag.ts';
import { kinds, type Made, type Scope } from './kinds.ts';

export interface AppLine {
  /** Name of the application, which is the client id in Keycloak. No export of the service has its client ids. */
  readonly oldClientId: string;
  readonly organization: string;
  readonly project: string;
  readonly appId: string;
  readonly clientId: string;
  /** Absent if the application needs none. */
  readonly clientSecret?: string | undefined;
}

type AppSecrets = ReturnType<typeof openAppSecrets>;

const own = {
  beginning: '{"oldClientId":',
  what: 'a file of application secrets',
  advice: 'name another file with --app-secrets',
};

/** Opens the file with mode 0600. Lines of previous runs stay. Throws `OutputError`, or `UsageError` if it is another file. */
function openAppSecrets(path: string, emit: Emit) {
  const known = new Set(appendOwnLines(path, own).map((line) => parseObject(line)['appId']));
  attemptsAt(path)(() => chmodSync(path, 0o600));
  return {
    has: (appId: string) => known.has(appId),
    /** Writes the line to disk before it returns. Throws `OutputError`. */
    add(line: AppLine) {
      appendOwnLines(path, own, [line]);
      known.add(line.appId);
    },
    close() {
      if (known.size === 0) return;
      emit({ type: 'file:written', path, what: 'application secrets', bytes: statSync(path).size });
    },
  };
}

/**
 * Reports whether the run adds the application, so that its secret is the run's, too. `projectIds`: in the body and at the
 * target.
 */
export const isAdded = (
  adds: readonly CreatedResource[],
  { org, name }: Resource,
  projectIds: readonly string[],
) =>
  adds.some(
    ([kind, ofOrg, project, added]) =>
      kind === 'app' && ofOrg === org && projectIds.includes(project) && added === name,
  );

/** Reports whether the service creates a secret for the application. */
const getsSecret = ({ settings }: Resource) =>
  hasSecret({ authMethodType: memberOf(settings, 'authMethodType') });

/**
 * Checks that there is a file for secrets, because each can be read only once. Throws `UsageError` if applications that `migrate
 * --apps` wrote would get a secret without one. Returns how many others would.
 */
export function checkSecretsFile(
  apps: readonly Resource[],
  adds: readonly CreatedResource[],
  path: string | undefined,
) {
  if (path !== undefined) return 0;
  const names = new Set(adds.filter(([kind]) => kind === 'app').map(([, , , name]) => name));
  const secret = apps.filter((app) => names.has(app.name) && getsSecret(app));
  const own = secret.filter(({ id, parent, name }) => id === deriveAppId(parent, name));
  if (own.length === 0) return secret.length;
  throw new UsageError(
    `${formatCounted(own.length, 'application')} will get a client secret`,
    'The service shows a secret once: pass --app-secrets=apps.ndjson, a file that only you can read.',
  );
}

/** Applications that a run adds, and the file for their secrets. The file is undefined if none is named or needed. */
export type AddedApps = ReturnType<typeof openAddedApps>;

/**
 * To be called before anything is sent, so that no secret is created that cannot be written. Throws `UsageError` and
 * `OutputError`.
 */
export function openAddedApps(
  apps: readonly Resource[],
  { finished, header: { creates = [] } }: JournalProgress,
  path: string | undefined,
  emit: Emit,
) {
  const others = checkSecretsFile(apps, creates, path);
  if (others > 0) {
    const text = `${formatCounted(others, 'application')} will get a client secret that is not saved: pass --app-secrets=<file>, or generate new ones later.`;
    emit(warning('app:no-secrets', text));
  }
  const secrets = path === undefined || apps.length === 0 ? undefined : openAppSecrets(path, emit);
  // A finished run has written all its secrets.
  return { apps, adds: finished ? [] : creates, secrets };
}

/**
 * Writes the secret of an application that the run created, or a new one if the answer was lost and the file has none. Throws
 * `ApiError`.
 */
export async function keepSecret(
  { client, emit }: ListContext,
  { org, parent }: Scope,
  expected: Resource,
  { added, app }: Made,
  secrets: AppSecrets | undefined,
) {
  const { name, type } = expected;
  const add = (appId: string, clientId: string, clientSecret: string) =>
    secrets?.add({
      oldClientId: name,
      organization: org,
      project: parent,
      appId,
      clientId,
      clientSecret: clientSecret || undefined,
    });
  if (added !== undefined) {
    add(added.appId, added.clientId, added.clientSecret);
    notifyProblems(expected, added, emit);
  }
  if (app === undefined || secrets === undefined || secrets.has(app.id)) return;
  const { clientId = '' } = app.oidcConfig ?? app.apiConfig ?? {};
  if (!getsSecret(expected)) return add(app.id, clientId, '');
  const path = `${appPath(parent, app.id)}/${type}_config/_generate_client_secret`;
  const { clientSecret } = await client.call(search(path, {}, clientSecretResponse, { org }));
  add(app.id, clientId, clientSecret);
}

const appPath = (projectId: string, id: string) => `${kinds.app.path(projectId)}/${encodeURIComponent(id)}`;

/** Warns of problems that the service reports about an application that it stored. */
function notifyProblems(
  { name, org }: Resource,
  { noneCompliant, complianceProblems }: Pick<AddedApp, 'noneCompliant' | 'complianceProblems'>,
  emit: Emit,
) {
  if (!noneCompliant) return;
  const problems = new Set(complianceProblems.map(({ key, localizedMessage }) => localizedMessage || key));
  const text = `Application ${JSON.stringify(name)} of organization ${org} is created; the service reports: ${[...problems].join('; ')}`;
  emit(warning('app:not-compliant', text));
}

/**
 * Writes the secrets after a bulk import, whose answer has none. Includes applications added before a resume. Throws `ApiError`.
 */
export async function keepSecrets(context: ListContext, { apps, adds, secrets }: AddedApps) {
  if (secrets === undefined) return;
  const added = apps.filter((app) => isAdded(adds, app, [app.parent]));
  await forEachConcurrent(added, kinds.app.callsAtOnce, async (expected) => {
    const { org, parent, id } = expected;
    const call = get(appPath(parent, id), getAppResponse, { org });
    const { app } = (await context.client.call(call).catch(ifMissing)) ?? {};
    // The import did not accept it, which is reported elsewhere.
    if (app === undefined) return;
    await keepSecret(context, expected, expected, { id: app.id, app }, secrets);
    if (app.oidcConfig !== undefined) notifyProblems(expected, app.oidcConfig, context.emit);
  });
}
