/** Import steps of the second and third pass: triggers, grants and members, when everything they name exists. */
import { grpcCodes } from '../../wire/errors.ts';
import { refusal } from '../errors.ts';
import { addProjectGrant } from '../projects.ts';
import { isOrgRole } from '../roles.ts';
import type { MemberScope, ProjectGrantRow } from '../store/rows.ts';
import { memberId } from '../store/store.ts';
import { addUserGrant } from '../users/grants.ts';
import { projectOf } from './project-steps.ts';
import { step, type StepContext, type Step } from './step.ts';

/** External authentication, tokens, internal authentication, SAML responses. */
const flowTypes: ReadonlySet<string> = new Set(['1', '2', '3', '4']);

const triggers = step({
  items: (data) => data.triggerActions,
  type: 'trigger_action',
  id: (_, item) => `${item.flowType}_${item.triggerType}`,
  store(context, { flowType, triggerType, actionIds }) {
    const { store } = context.job;
    const org = context.org();
    if (!flowTypes.has(flowType) || triggerType === '' || triggerType === '0') {
      throw refusal(grpcCodes.invalidArgument, 'COMMAND-Dfhj5', 'Errors.Flow.FlowTypeMissing');
    }
    const id = `${org.id}/${flowType}/${triggerType}`;
    if (sameList(store.triggers.get(id)?.actionIds ?? [], actionIds)) {
      throw refusal(grpcCodes.failedPrecondition, 'COMMAND-Nfh52', 'Errors.Flow.NoChanges');
    }
    if (actionIds.some((actionId) => store.scripts.get(actionId)?.orgId !== org.id)) {
      throw refusal(grpcCodes.failedPrecondition, 'COMMAND-dg422', 'Errors.Flow.ActionIDsNotExist');
    }
    store.triggers.put({ id, orgId: org.id, flowType, triggerType, actionIds });
  },
  succeed: (success, { flowType, triggerType, actionIds }) =>
    success.triggerActions.push({ flowType, triggerType, actionIds }),
});

const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((item, context) => item === b[context]);

const projectGrants = step({
  items: (data) =>
    data.projectGrants.map(({ grantId, projectGrant }) => ({ grantId, ...grantOf(projectGrant) })),
  type: 'project_grant',
  id: (data, item) => `${data.orgId}_${item.projectId}_${item.grantedOrgId}`,
  store: (context, { grantId, projectId, ...grant }) =>
    addProjectGrant(context.job, projectOf(context, projectId), grantId, grant),
  succeed: (success, { grantId, projectId, grantedOrgId }) =>
    success.projectGrants.push({ grantId, projectId, orgId: grantedOrgId }),
});

type Grant = Pick<ProjectGrantRow, 'projectId' | 'grantedOrgId' | 'roleKeys'>;
const grantOf = (grant: Grant | undefined): Grant =>
  grant ?? { projectId: '', grantedOrgId: '', roleKeys: [] };

const userGrants = step({
  items: (data) => data.userGrants,
  type: 'user_grant',
  id: (data, item) => `${data.orgId}_${item.projectId}_${item.userId}`,
  store: (context, item) => addUserGrant(context.job, context.org().id, item),
  succeed: (success, { projectId, userId }) => success.userGrants.push({ projectId, userId }),
});

interface NewMember {
  readonly scope: MemberScope;
  readonly objectId: string;
  readonly projectId: string;
  readonly userId: string;
  readonly roles: readonly string[];
}

function addMember(
  context: StepContext,
  member: NewMember,
  missing: readonly [id: string, key: string],
  taken: readonly [id: string, key: string],
): void {
  const { store } = context.job;
  if (!store.users.has(member.userId)) throw refusal(grpcCodes.failedPrecondition, ...missing);
  const id = memberId(member.scope, member.objectId, member.userId);
  if (store.members.has(id)) throw refusal(grpcCodes.alreadyExists, ...taken);
  const created = context.job.settings.clock.now();
  store.members.put({ ...member, id, orgId: context.org().id, created });
}

const userMissing = ['COMMAND-uXHNj', 'Errors.User.NotFound'] as const;

const orgMembers = step({
  items: (data) => data.orgMembers,
  type: 'org_member',
  id: (data, item) => `${data.orgId}_${item.userId}`,
  store(context, { userId, roles }) {
    if (!roles.every(isOrgRole)) {
      throw refusal(grpcCodes.invalidArgument, 'Org-4N8es', 'Errors.Org.MemberInvalid');
    }
    addMember(
      context,
      { scope: 'org', objectId: context.org().id, projectId: '', userId, roles },
      ['ORG-GoXOn', 'Errors.User.NotFound'],
      ['ORG-poWwe', 'Errors.Org.Member.AlreadyExists'],
    );
  },
  succeed: (success, item) => success.orgMembers.push(item.userId),
});

const projectGrantMembers = step({
  items: (data) => data.projectGrantMembers,
  type: 'project_grant_member',
  id: (data, item) => `${data.orgId}_${item.projectId}_${item.grantId}_${item.userId}`,
  store: (context, { projectId, grantId, userId, roles }) =>
    addMember(context, { scope: 'project-grant', objectId: grantId, projectId, userId, roles }, userMissing, [
      'PROJECT-37fug',
      'Errors.AlreadyExists',
    ]),
  succeed: (success, { projectId, grantId, userId }) =>
    success.projectGrantMembers.push({ projectId, grantId, userId }),
});

const projectMembers = step({
  items: (data) => data.projectMembers,
  type: 'project_member',
  id: (data, item) => `${data.orgId}_${item.projectId}_${item.userId}`,
  store(context, { projectId, userId, roles }) {
    projectOf(context, projectId);
    addMember(context, { scope: 'project', objectId: projectId, projectId, userId, roles }, userMissing, [
      'PROJECT-PtXi1',
      'Errors.Project.Member.AlreadyExists',
    ]);
  },
  succeed: (success, { projectId, userId }) => success.projectMembers.push({ projectId, userId }),
});

export const secondPass: readonly Step[] = [triggers, projectGrants, userGrants];
export const thirdPass: readonly Step[] = [orgMembers, projectGrantMembers, projectMembers];
