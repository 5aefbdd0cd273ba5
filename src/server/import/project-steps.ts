/** Import steps for projects, applications, their keys, scripts and roles. */
import { randomBytes } from 'node:crypto';
import { refusal } from '../errors.ts';
import { addApp, addProject, addProjectRole } from '../projects.ts';
import type { AppRow, ProjectRow } from '../store/rows.ts';
import { step, type StepContext, type Step } from './step.ts';
import type { ServiceErrorId } from '../../wire/service-errors.ts';

/** A project of the org; throws when it has none of that id. */
export function projectOf(
  context: StepContext,
  projectId: string,
  errorId: ServiceErrorId = 'COMMAND-EbFMN',
): ProjectRow {
  const project = context.job.store.projects.get(projectId);
  if (project === undefined || project.orgId !== context.org().id) throw refusal(errorId);
  return project;
}

const projects = step('projects', {
  store: (context, { projectId, project }) => addProject(context.job, context.org().id, projectId, project),
  succeed: (success, item) => success.projectIds.push(item.projectId),
});

function storeApp(context: StepContext, appId: string, kind: Pick<AppRow, 'oidc' | 'api'>): void {
  const app = kind.oidc ?? kind.api;
  if (app === undefined) throw refusal('PROJECT-34Fm0');
  const { apps, leftovers } = context.job.store;
  if (appId !== '' && (apps.has(appId) || leftovers.has(`app/${appId}`))) throw refusal('PROJECT-lxowmp');
  addApp(context.job, projectOf(context, app.projectId), appId, kind);
}

const oidcApps = step('oidcApps', {
  store: (context, { appId, app }) => storeApp(context, appId, { oidc: app, api: undefined }),
  succeed: (success, item) => success.oidcAppIds.push(item.appId),
});

const apiApps = step('apiApps', {
  store: (context, { appId, app }) => storeApp(context, appId, { oidc: undefined, api: app }),
  succeed: (success, item) => success.apiAppIds.push(item.appId),
});

const appKeys = step('appKeys', {
  store(context, key) {
    const { store } = context.job;
    const app = store.apps.get(key.appId);
    if (app === undefined || app.orgId !== context.org().id) throw refusal('COMMAND-4m9vS');
    const id = key.id === '' ? randomBytes(9).toString('hex') : key.id;
    store.appKeys.put({ id, orgId: app.orgId, appId: app.id, key });
  },
  succeed: (success, item) => success.appKeys.push(item.id),
});

const scripts = step('actions', {
  store(context, { actionId, action }) {
    const { store } = context.job;
    if (action === undefined) throw refusal('COMMAND-eg2gf');
    if (actionId !== '' && store.scripts.has(actionId)) throw refusal('COMMAND-nau2k');
    const id = actionId === '' ? store.nextId() : actionId;
    store.scripts.put({ id, orgId: context.org().id, action });
  },
  succeed: (success, item) => success.actionIds.push(item.actionId),
});

const roles = step('projectRoles', {
  store: (context, role) => addProjectRole(context.job, projectOf(context, role.projectId), role),
  // The service repeats all scripts before each role; so does this.
  succeed: (success, item) =>
    success.projectRoles.push(...success.actionIds, `${item.projectId}_${item.roleKey}`),
});

/** In the order of the service. */
export const projectSteps: readonly Step[] = [projects, oidcApps, apiApps, appKeys, scripts, roles];
