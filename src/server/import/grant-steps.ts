/** Import steps of the second and third pass: triggers, grants and members, when everything they name exists. */
import { addMember } from '../accounts.ts';
import { refusal } from '../errors.ts';
import { addProjectGrant } from '../projects.ts';
import { isOrgRole } from '../roles.ts';
import type { MemberRow } from '../store/rows.ts';
import { memberId } from '../store/store.ts';
import { addUserGrant } from '../users/grants.ts';
import { projectOf } from './project-steps.ts';
import { step, type StepContext, type Step } from './step.ts';
import type { ServiceErrorId } from '../../wire/service-errors.ts';

/** External authentication, tokens, internal authentication, SAML responses. */
const flowTypes: ReadonlySet<string> = new Set(['1', '2', '3', '4']);

const triggers = step('triggerActions', {
  store(context, { flowType, triggerType, actionIds }) {
    const { store } = context.job;
    const org = context.org();
    if (!flowTypes.has(flowType) || triggerType === '' || triggerType === '0') throw refusal('COMMAND-Dfhj5');
    const id = `${org.id}/${flowType}/${triggerType}`;
    if (sameList(store.triggers.get(id)?.actionIds ?? [], actionIds)) throw refusal('COMMAND-Nfh52');
    if (actionIds.some((actionId) => store.scripts.get(actionId)?.orgId !== org.id)) {
      throw refusal('COMMAND-dg422');
    }
    store.triggers.put({ id, orgId: org.id, flowType, triggerType, actionIds });
  },
  succeed: (success, { flowType, triggerType, actionIds }) =>
    success.triggerActions.push({ flowType, triggerType, actionIds }),
});

const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((item, context) => item === b[context]);

const projectGrants = step('projectGrants', {
  store: (context, { grantId, projectGrant: grant = noGrant }) =>
    addProjectGrant(context.job, projectOf(context, grant.projectId), grantId, grant),
  succeed: (success, { grantId, projectGrant: { projectId, grantedOrgId } = noGrant }) =>
    success.projectGrants.push({ grantId, projectId, orgId: grantedOrgId }),
});

const noGrant = { projectId: '', grantedOrgId: '', roleKeys: [] };

const userGrants = step('userGrants', {
  store: (context, item) => addUserGrant(context.job, context.org().id, item),
  succeed: (success, { projectId, userId }) => success.userGrants.push({ projectId, userId }),
});

function addNewMember(
  { job, org }: StepContext,
  member: Omit<MemberRow, 'id' | 'created' | 'orgId'>,
  missing: ServiceErrorId,
  taken: ServiceErrorId,
): void {
  const { users, members } = job.store;
  if (!users.has(member.userId)) throw refusal(missing);
  if (members.has(memberId(member.scope, member.objectId, member.userId))) throw refusal(taken);
  addMember(job, { ...member, orgId: org().id });
}

const orgMembers = step('orgMembers', {
  store(context, { userId, roles }) {
    if (!roles.every(isOrgRole)) throw refusal('Org-4N8es');
    addNewMember(
      context,
      { scope: 'org', objectId: context.org().id, projectId: '', userId, roles },
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
