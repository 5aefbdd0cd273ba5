/** Creates resources that a source needs and the target lacks, with calls of their own, and keeps the secrets of new applications. */
import { isRefusal, ifMissing } from '../../api/api-error.ts';
import { lostAnswers } from '../../api/retry.ts';
import { forEachConcurrent } from '../../lib/for-each-concurrent.ts';
import type { Notify } from '../../notice.ts';
import { type Resource, deriveAppId, hasSecret } from '../../records/resource.ts';
import { inParts } from '../reconcile/find-users.ts';
import { waitUntil, type ListContext, type ListLook } from '../reconcile/list-lag.ts';
import { groupsOf, listResources, type Group } from './find.ts';
import { kinds, type Found, type Made, type Scope } from './kinds.ts';
import { chmodSync, statSync } from 'node:fs';
import { get, search } from '../../api/client.ts';
import { UsageError } from '../../errors.ts';
import { type Emit, warning } from '../../events.ts';
import type { CreatedResource } from '../../journal/lines.ts';
import type { JournalProgress } from '../../journal/load.ts';
import { parseObject } from '../../lib/json-value.ts';
import { formatCounted } from '../../lib/format.ts';
import { attemptsAt } from '../../storage/file-problem.ts';
import { appendOwnLines } from '../../storage/own-lines.ts';
import { memberOf } from '../../wire/member-names.ts';
import { clientSecretResponse, getAppResponse, type AddedApp } from '../../wire/organization.ts';

/** Ids at the target. */
export interface TargetIds {
  /** By the id of the body. */
  readonly projects: Map<string, string>;
  /** Ids of project grants, by the granted organization and the id that the project has in the body. */
  readonly grants: Map<string, string>;
}

export const noTargetIds = () => ({ projects: new Map(), grants: new Map() });

export const grantKey = (org: string, projectId: string) => `${org}\n${projectId}`;

/**
 * Returns undefined, with a warning, if the token may not create them. Then users get no roles. Of several shards, one creates
 * each part and the others find it. Existing resources are left as they are.
 */
export async function createResources(
  context: ListContext,
  expected: readonly Resource[],
  added: AddedApps,
  notify: Notify,
) {
  const ids = noTargetIds();
  try {
    for (const group of groupsOf(expected, ids.projects))
      await createGroup(context, group, ids, added, notify);
    return ids;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const text = `Projects and roles of the body cannot be created: ${error.text}. Users are imported; their roles are refused.`;
    notify(warning('single:projects', text));
    return undefined;
  }
}

type Some = readonly [Resource, ...Resource[]];

async function createGroup(
  context: ListContext,
  { kind, scope, expected }: Group,
  ids: TargetIds,
  added: AddedApps,
  notify: Notify,
) {
  const { batch, callsAtOnce } = kinds[kind];
  const keep = async (one: Resource, made: Made, isNew: boolean) => {
    if (kind === 'project') ids.projects.set(one.id, made.id);
    if (kind === 'grant') ids.grants.set(grantKey(one.name, one.parent), made.id);
    if (isNew || isAdded(added.adds, one, [one.parent, scope.parent])) {
      await keepSecret(context, scope, one, made, added.secrets);
    }
  };
  // If the service refuses an application, go on with the others and with the roles of users.
  const refuse = (error: unknown, some: readonly Resource[]) => {
    if (kind !== 'app' || !isRefusal(error)) throw error;
    const names = some.map(({ name }) => JSON.stringify(name)).join(', ');
    const text = `${some.length === 1 ? `Application ${names} is` : `Applications ${names} are`} not created: ${error.text}`;
    notify(warning('app:refused', text));
  };
  try {
    const there = await listResources(context.client, kind, scope);
    const known = expected.filter((one) => there.find(one) !== undefined);
    const missing = expected.filter((one) => there.find(one) === undefined);
    const parts = [...inParts(known, 1), ...inParts(missing, batch)];
    await forEachConcurrent(parts, callsAtOnce, async (some) => {
      const found = there.find(some[0]);
      try {
        const made = found ?? (await createSome(context, some, scope));
        for (const one of some) await keep(one, made, found === undefined);
      } catch (error) {
        refuse(error, some);
      }
    });
  } catch (error) {
    refuse(error, expected);
  }
}

const conflict = 409;

/**
 * Creates resources of one kind. If the answer was lost or another shard was faster, they may exist. Lists lag behind writes, so
 * if the service says that they exist, waits for them. If they do not exist, they are sent again, except identity providers, of
 * which the service allows several with one name. Throws `ApiError`.
 */
export async function createSome(
  context: ListContext,
  some: Some,
  scope: Scope,
  repeats: number = lostAnswers.resource,
) {
  const { client } = context;
  const [{ kind }] = some;
  const call = kinds[kind].create(some, scope.parent);
  const end = await client.attempt({ method: 'POST', org: scope.org, ...call });
  if (end.ok) return end.value;
  let found: Found | undefined;
  const look = async (): Promise<ListLook> => {
    const there = await listResources(client, kind, scope);
    const all = some.map((one) => there.find(one));
    [found] = all.includes(undefined) ? [] : all;
    return { isShown: found !== undefined || end.error.status !== conflict, time: -Infinity };
  };
  // Nothing says when the list will show them, so it is read until the wait is over.
  await waitUntil(context, { name: kinds[kind].plural, look, written: async () => Infinity });
  if (found !== undefined) return found;
  if (end.error.verdict !== 'unsure' || kind === 'idp' || repeats === 0) throw end.error;
  return createSome(context, some, scope, repeats - 1);
}

/** A line of the file of `--app-secrets`. */
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
const isAdded = (adds: readonly CreatedResource[], { org, name }: Resource, projectIds: readonly string[]) =>
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
    const text =
      `${formatCounted(others, 'application')} will get a client secret that is not saved: pass --app-secrets=<file>` +
      ', or generate new ones later.';
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
async function keepSecret(
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
    notifyProblems(name, added, emit);
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
  name: string,
  { noneCompliant, complianceProblems }: Pick<AddedApp, 'noneCompliant' | 'complianceProblems'>,
  emit: Emit,
) {
  if (!noneCompliant) return;
  const problems = new Set(complianceProblems.map(({ key, localizedMessage }) => localizedMessage || key));
  const text = `Application ${JSON.stringify(name)} is created; the service reports: ${[...problems].join('; ')}`;
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
    if (app.oidcConfig !== undefined) notifyProblems(expected.name, app.oidcConfig, context.emit);
  });
}
