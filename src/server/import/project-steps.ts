/**
 * Import steps for projects, applications, their keys, scripts and roles; and those of the second and third pass, when
 * everything they name exists: triggers, grants, members.
 */
import { randomBytes } from 'node:crypto';
import { existing, refusal } from '../errors.ts';
import { addApp, addProject, addProjectRole, addProjectGrant, addUserGrant } from '../projects.ts';
import type { AppRow, ProjectRow, MemberRow } from '../store/rows.ts';
import { step, type StepContext, type Step } from './step.ts';
import type { ServiceErrorId } from '../../wire/service-errors.ts';
import { addMember } from '../accounts.ts';
import { isOrgRole } from '../roles.ts';
import { memberId } from '../store/store.ts';

/** A project of the org; throws when it has none of that id. */
const projectOf = ({ store, orgId }: StepContext, projectId: string): ProjectRow =>
  existing(store.projects.get(projectId), 'COMMAND-EbFMN', orgId);

const projects = step('projects', {
  store: (context, { projectId, project }) => addProject(context, context.orgId, projectId, project),
  succeed: 'projectIds',
});

function storeApp(context: StepContext, appId: string, kind: Pick<AppRow, 'oidc' | 'api'>): void {
  const app = kind.oidc ?? kind.api;
  if (app === undefined) throw refusal('PROJECT-34Fm0');
  const { apps, leftovers } = context.store;
  if (appId !== '' && (apps.has(appId) || leftovers.has(`app/${appId}`))) throw refusal('PROJECT-lxowmp');
  addApp(context, projectOf(context, app.projectId), appId, kind);
}

const oidcApps = step('oidcApps', {
  store: (context, { appId, app }) => storeApp(context, appId, { oidc: app }),
  succeed: 'oidcAppIds',
});

const apiApps = step('apiApps', {
  store: (context, { appId, app }) => storeApp(context, appId, { api: app }),
  succeed: 'apiAppIds',
});

const appKeys = step('appKeys', {
  store({ store, orgId }, key) {
    const app = existing(store.apps.get(key.appId), 'COMMAND-4m9vS', orgId);
    const id = key.id === '' ? randomBytes(9).toString('hex') : key.id;
    store.appKeys.put({ id, orgId, appId: app.id, key });
  },
  succeed: 'appKeys',
});

const scripts = step('actions', {
  store({ store, orgId }, { actionId, action }) {
    if (action === undefined) throw refusal('COMMAND-eg2gf');
    if (actionId !== '' && store.scripts.has(actionId)) throw refusal('COMMAND-nau2k');
    const id = actionId === '' ? store.nextId() : actionId;
    store.scripts.put({ id, orgId, action });
  },
  succeed: 'actionIds',
});

const roles = step('projectRoles', {
  store: (context, role) => addProjectRole(context, projectOf(context, role.projectId), role),
  // As in the service, the answer repeats all scripts before each role.
  succeed: (success, item) =>
    success.projectRoles.push(...success.actionIds, `${item.projectId}_${item.roleKey}`),
});

/** In the order of the service. */
export const projectSteps: readonly Step[] = [projects, oidcApps, apiApps, appKeys, scripts, roles];

/** External authentication, tokens, internal authentication, SAML responses. */
const flowTypes: ReadonlySet<string> = new Set(['1', '2', '3', '4']);

const triggers = step('triggerActions', {
  store({ store, orgId }, { flowType, triggerType, actionIds }) {
    if (!flowTypes.has(flowType) || triggerType === '' || triggerType === '0') throw refusal('COMMAND-Dfhj5');
    const id = `${orgId}/${flowType}/${triggerType}`;
    if (sameList(store.triggers.get(id)?.actionIds ?? [], actionIds)) throw refusal('COMMAND-Nfh52');
    if (actionIds.some((actionId) => store.scripts.get(actionId)?.orgId !== orgId)) {
      throw refusal('COMMAND-dg422');
    }
    store.triggers.put({ id, orgId, flowType, triggerType, actionIds });
  },
  succeed: (success, { flowType, triggerType, actionIds }) =>
    success.triggerActions.push({ flowType, triggerType, actionIds }),
});

const sameList = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((item, index) => item === b[index]);

const projectGrants = step('projectGrants', {
  store: (context, { grantId, projectGrant: grant = noGrant }) =>
    addProjectGrant(context, projectOf(context, grant.projectId), grantId, grant),
  succeed: (success, { grantId, projectGrant: { projectId, grantedOrgId } = noGrant }) =>
    success.projectGrants.push({ grantId, projectId, orgId: grantedOrgId }),
});

/** For an entry without its grant, which is refused because its project does not exist. */
const noGrant = { projectId: '', grantedOrgId: '', roleKeys: [] };

const userGrants = step('userGrants', {
  store: (context, item) => addUserGrant(context, context.orgId, item),
  succeed: (success, { projectId, userId }) => success.userGrants.push({ projectId, userId }),
});

function addNewMember(
  context: StepContext,
  member: Omit<MemberRow, 'id' | 'created' | 'orgId'>,
  missing: ServiceErrorId,
  taken: ServiceErrorId,
): void {
  const { users, members } = context.store;
  if (!users.has(member.userId)) throw refusal(missing);
  if (members.has(memberId(member.scope, member.objectId, member.userId))) throw refusal(taken);
  addMember(context, { ...member, orgId: context.orgId });
}

const orgMembers = step('orgMembers', {
  store(context, { userId, roles }) {
    if (!roles.every(isOrgRole)) throw refusal('Org-4N8es');
    addNewMember(
      context,
      { scope: 'org', objectId: context.orgId, projectId: '', userId, roles },
      'ORG-GoXOn',
      'ORG-poWwe',
    );
  },
  succeed: (success, item) => success.orgMembers.push(item.userId),
});

const projectGrantMembers = step('projectGrantMembers', {
  store: (context, { projectId, grantId, userId, roles }) =>
    addNewMember(
      context,
      { scope: 'project-grant', objectId: grantId, projectId, userId, roles },
      'COMMAND-uXHNj',
      'PROJECT-37fug',
    ),
  succeed: (success, { projectId, grantId, userId }) =>
    success.projectGrantMembers.push({ projectId, grantId, userId }),
});

const projectMembers = step('projectMembers', {
  store(context, { projectId, userId, roles }) {
    projectOf(context, projectId);
    addNewMember(
      context,
      { scope: 'project', objectId: projectId, projectId, userId, roles },
      'COMMAND-uXHNj',
      'PROJECT-PtXi1',
    );
  },
  succeed: (success, { projectId, userId }) => success.projectMembers.push({ projectId, userId }),
});

export const secondPass: readonly Step[] = [triggers, projectGrants, userGrants];
export const thirdPass: readonly Step[] = [orgMembers, projectGrantMembers, projectMembers];
