/**
 * The steps of an import, one for each kind of entry, in three passes: organizations with their domains, policies,
 * identity providers, texts, users and projects; then triggers and grants, when everything that they name exists; then
 * members.
 */
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { isRecoveryCodeHash } from '../../profiles/server-verdict.ts';
import { maxRecoveryCodes } from '../../lib/field-rules.ts';
import { type DataHumanUser, type DataOrg, statesSet } from '../../wire/import.ts';
import { snakeCase } from '../../wire/member-names.ts';
import { ignoredLists } from '../../wire/org-entries.ts';
import type { ServiceErrorId } from '../../wire/service-errors.ts';
import { addMember } from '../accounts.ts';
import { existing, refusal, refuseIf, requireUnique } from '../errors.ts';
import { addDomain, requireUnverified, updateOrg } from '../orgs.ts';
import {
  addApp,
  addProject,
  addProjectGrant,
  addProjectRole,
  addUserGrant,
  type AppSettings,
} from '../projects.ts';
import { isOrgRole } from '../roles.ts';
import { type IdpRow, type MemberRow, type OrgRow, type TextKind, textKinds } from '../store/rows.ts';
import { findOrg, memberId } from '../store/store.ts';
import { addLink, addRecoveryCodes, changeUser, setMetadata } from '../users/change.ts';
import { createMachine, importHuman } from '../users/create.ts';
import { attempt, type Step, step, type StepContext, type StepDefinitions } from './step.ts';

const changeOrg = (context: StepContext, change: Partial<OrgRow>) =>
  updateOrg(context, context.org(), change);

function verifyDomain(context: StepContext, domainName: string) {
  requireUnverified(context, domainName);
  changeOrg(context, {
    domains: context
      .org()
      .domains.map((domain) => (domain.domainName === domainName ? { ...domain, isVerified: true } : domain)),
  });
}

function makePrimary(context: StepContext, domainName: string) {
  const { domains } = context.org();
  const domain = domains.find((each) => each.domainName === domainName);
  refuseIf(domain?.isPrimary === true, 'COMMA-FfoZO');
  refuseIf(domain?.isVerified !== true, 'COMMA-yKA80');
  changeOrg(context, { domains: domains.map((each) => ({ ...each, isPrimary: each === domain })) });
}

/** `taken` is the refusal if the organization already has such a policy. */
const policy =
  (name: Extract<keyof OrgRow & keyof DataOrg, `${string}Policy`>, taken: ServiceErrorId): Step =>
  async (context) => {
    const requested = context.data[name];
    if (requested === undefined) return;
    context.spend(0);
    await attempt(context, snakeCase(name), context.orgId, () => {
      refuseIf(context.org()[name] !== undefined, taken);
      changeOrg(context, { [name]: requested });
    });
  };

function addIdp({ store, orgId }: StepContext, id: string, kind: Pick<IdpRow, 'oidc' | 'jwt'>) {
  const { name } = existing(kind.oidc ?? kind.jwt, 'Org-eUpQU');
  refuseIf(id !== '' && store.idps.has(id), 'Org-1J8fs');
  requireUnique(
    store.idps.by('org', orgId).some((other) => other.name === name),
    'IDPConfig',
  );
  const created = store.now();
  store.idps.put({ ...kind, id: id || store.nextId(), orgId, name, created, allowsCreation: true });
}

/**
 * Sets texts. Setting them twice is no error. As in the service, all but the login texts go to the organization of the
 * request, some kinds are ignored, and texts of invitations are only read beside those of passkeys.
 */
function texts(kind: TextKind): Step {
  const set = step(kind, {
    store(context, text: { readonly language: string }) {
      const { store, textsTo } = context;
      const org = kind === 'loginTexts' || textsTo === undefined ? context.org() : findOrg(store, textsTo)!;
      const known = org.texts[kind];
      updateOrg(context, org, { texts: { ...org.texts, [kind]: { ...known, [text.language]: text } } });
    },
  });
  return async (context, success) => {
    const { data, textsTo } = context;
    const isRead = kind === 'inviteUserMessages' && data.passwordlessRegistrationMessages.length > 0;
    if (textsTo === undefined || isRead || !ignoredLists.includes(kind)) await set(context, success);
  };
}

const orgUser = ({ store, orgId }: StepContext, userId: string, errorId: ServiceErrorId = 'COMMAND-uXHNj') =>
  existing(store.users.get(userId), errorId, orgId);

/** Adds an OTP secret, even if the user existed before the import. */
function addOtp(context: StepContext, { userId, user }: DataHumanUser) {
  const row = orgUser(context, userId);
  refuseIf(row.otpSecret !== undefined, 'COMMAND-do9se');
  changeUser(context, row, { otpSecret: user.otpCode, sequence: row.sequence + 2 });
}

async function addCodes(context: StepContext, { userId, user }: DataHumanUser) {
  const row = orgUser(context, userId);
  const known = row.recoveryCodes?.length ?? 0;
  refuseIf(known + user.recoveryCodes.length > maxRecoveryCodes, 'COMMAND-53cjw');
  const hashes: string[] = [];
  for (const { raw, hash } of user.recoveryCodes) {
    if (raw) hashes.push(await context.settings.hashPassword(raw));
    else if (hash !== undefined && isRecoveryCodeHash(hash)) hashes.push(hash);
    else throw refusal('DOMAIN-JDk4t');
  }
  addRecoveryCodes(context, orgUser(context, userId), hashes);
}

/** Returns a project of the organization. Throws if it has no project with that ID. */
const projectOf = ({ store, orgId }: StepContext, projectId: string) =>
  existing(store.projects.get(projectId), 'COMMAND-EbFMN', orgId);

function storeApp(context: StepContext, appId: string, kind: AppSettings) {
  const { projectId } = existing(kind.oidc ?? kind.api, 'PROJECT-34Fm0');
  const { apps, leftovers } = context.store;
  refuseIf(appId !== '' && (apps.has(appId) || leftovers.has(`app/${appId}`)), 'PROJECT-lxowmp');
  addApp(context, projectOf(context, projectId), appId, kind);
}

/** External authentication, tokens, internal authentication, SAML responses. */
const flowTypes = new Set(['1', '2', '3', '4']);

/** For an entry without a grant. It is refused because its project does not exist. */
const noGrant = { projectId: '', grantedOrgId: '', roleKeys: [] };

type NewMember = Pick<MemberRow, 'userId' | 'roles'> & Partial<Pick<MemberRow, 'projectId'>>;

function addNewMember(
  context: StepContext,
  scope: MemberRow['scope'],
  objectId: string,
  { userId, roles, projectId = '' }: NewMember,
  missing: ServiceErrorId,
  taken: ServiceErrorId,
) {
  const { store, orgId } = context;
  refuseIf(!store.users.has(userId), missing);
  refuseIf(store.members.has(memberId(scope, objectId, userId)), taken);
  addMember(context, { scope, objectId, projectId, orgId, userId, roles });
}

/** How an entry of each list is stored and reported. */
const lists = {
  /** A domain is verified and made the primary one only if it was added. */
  domains: {
    store: (context, { domainName }) => addDomain(context, context.org(), domainName),
    report: ({ domainName }) => domainName,
    async afterwards(context, { domainName, isVerified, isPrimary }, stored) {
      const id = `${context.orgId}_${domainName}`;
      if (stored && isVerified) {
        await attempt(context, 'domain_isverified', id, () => verifyDomain(context, domainName));
      }
      if (stored && isPrimary) {
        await attempt(context, 'domain_isprimary', id, () => makePrimary(context, domainName));
      }
    },
  },
  oidcIdps: {
    store: (context, { idpId, idp }) => addIdp(context, idpId, { oidc: idp }),
    succeed: 'oidcIpds',
  },
  jwtIdps: {
    silent: true,
    store: (context, { idpId, idp }) => addIdp(context, idpId, { jwt: idp }),
  },
  humanUsers: {
    isUser: true,
    store: (context, { userId, user, state }) =>
      importHuman(
        context,
        {
          orgId: context.orgId,
          editor: context.editor,
          userId,
          state: statesSet[state],
          isInitial:
            context.settings.isSeed && state !== 'USER_STATE_UNSPECIFIED'
              ? state === 'USER_STATE_INITIAL'
              : undefined,
        },
        user,
      ),
    succeed: 'humanUserIds',
    async afterwards(context, item) {
      if (item.user.otpCode !== '') {
        await attempt(context, 'human_user_otp', item.userId, () => addOtp(context, item));
      }
      if (item.user.recoveryCodes.length > 0) {
        await attempt(context, 'human_user_recovery_codes', item.userId, () => addCodes(context, item));
      }
    },
  },
  /** The inner id counts. Without it the server generates one, and keys and grants in the same body are refused. */
  machineUsers: {
    isUser: true,
    store: (context, { user, state }) =>
      createMachine(context, context.org(), context.editor, { ...user, state: statesSet[state] }),
    succeed: 'machineUserIds',
  },
  userMetadata: {
    store: (context, item) => setMetadata(context, orgUser(context, item.id), [item]),
    report: ({ id, key }) => ({ userId: id, key }),
  },
  machineKeys: {
    store(context, key) {
      const { store } = context;
      const user = orgUser(context, key.userId, 'COMMAND-bnipwm1');
      const keyId = key.keyId || store.nextId();
      refuseIf(store.machineKeys.has(keyId), 'COMMAND-091mops');
      store.machineKeys.put({ id: keyId, orgId: user.orgId, userId: user.id, key: { ...key, keyId } });
    },
  },
  userLinks: {
    store: (context, item) =>
      addLink(context, orgUser(context, item.userId, 'COMMAND-vzktar7b7f'), {
        idpId: item.idpId,
        externalUserId: item.providedUserId,
        displayName: item.providedUserName,
      }),
    report: (item) => ({
      ...item,
      externalUserId: item.providedUserId,
      displayName: item.providedUserName,
    }),
  },
  projects: {
    store: (context, { projectId, project }) => addProject(context, context.orgId, projectId, project),
    succeed: 'projectIds',
  },
  oidcApps: {
    store: (context, { appId, app }) => storeApp(context, appId, { oidc: app }),
    succeed: 'oidcAppIds',
  },
  apiApps: {
    store: (context, { appId, app }) => storeApp(context, appId, { api: app }),
    succeed: 'apiAppIds',
  },
  appKeys: {
    store({ store, orgId }, key) {
      const app = existing(store.apps.get(key.appId), 'COMMAND-4m9vS', orgId);
      const id = key.id || randomBytes(9).toString('hex');
      store.appKeys.put({ id, orgId, appId: app.id, key: { ...key, id } });
    },
  },
  actions: {
    store({ store, orgId }, { actionId, action: given }) {
      const action = existing(given, 'COMMAND-eg2gf');
      refuseIf(actionId !== '' && store.scripts.has(actionId), 'COMMAND-nau2k');
      const id = actionId || store.nextId();
      store.scripts.put({ id, orgId, action });
    },
    succeed: 'actionIds',
  },
  projectRoles: {
    store: (context, role) => addProjectRole(context, projectOf(context, role.projectId), role),
    // As in the service, the answer repeats all scripts before each role.
    report: ({ projectId, roleKey }, { actionIds }) => [...actionIds, `${projectId}_${roleKey}`],
  },
  triggerActions: {
    store({ store, orgId }, { flowType, triggerType, actionIds }) {
      refuseIf(!flowTypes.has(flowType) || triggerType === '' || triggerType === '0', 'COMMAND-Dfhj5');
      const id = `${orgId}/${flowType}/${triggerType}`;
      refuseIf(isDeepStrictEqual(store.triggers.get(id)?.actionIds ?? [], actionIds), 'COMMAND-Nfh52');
      refuseIf(
        actionIds.some((actionId) => store.scripts.get(actionId)?.orgId !== orgId),
        'COMMAND-dg422',
      );
      store.triggers.put({ id, orgId, flowType, triggerType, actionIds });
    },
  },
  projectGrants: {
    store: (context, { grantId, projectGrant: grant = noGrant }) =>
      addProjectGrant(context, projectOf(context, grant.projectId), grantId, grant),
    report: ({ grantId, projectGrant: { projectId, grantedOrgId } = noGrant }) => ({
      grantId,
      projectId,
      orgId: grantedOrgId,
    }),
  },
  userGrants: {
    store: (context, item) => addUserGrant(context, context.orgId, item),
  },
  orgMembers: {
    store(context, member) {
      refuseIf(!member.roles.every(isOrgRole), 'Org-4N8es');
      addNewMember(context, 'org', context.orgId, member, 'ORG-GoXOn', 'ORG-poWwe');
    },
    report: ({ userId }) => userId,
  },
  projectGrantMembers: {
    store: (context, member) =>
      addNewMember(context, 'project-grant', member.grantId, member, 'COMMAND-uXHNj', 'PROJECT-37fug'),
  },
  projectMembers: {
    store(context, member) {
      const { id } = projectOf(context, member.projectId);
      addNewMember(context, 'project', id, member, 'COMMAND-uXHNj', 'PROJECT-PtXi1');
    },
  },
} satisfies StepDefinitions;

const stepsOf = (...names: readonly (keyof typeof lists)[]) => names.map((name) => step(name, lists[name]));

/** The steps of each pass, in the service's order. */
export const passes: readonly (readonly Step[])[] = [
  [
    policy('domainPolicy', 'ORG-1M8ds'),
    ...stepsOf('domains'),
    policy('labelPolicy', 'Org-2B0ps'),
    policy('lockoutPolicy', 'ORG-0olDf'),
    ...stepsOf('oidcIdps', 'jwtIdps'),
    policy('loginPolicy', 'Org-Dgfb2'),
    policy('passwordComplexityPolicy', 'Org-LdhbS'),
    policy('privacyPolicy', 'Org-0oLpd'),
    ...textKinds.map(texts),
    ...stepsOf('humanUsers', 'machineUsers', 'userMetadata', 'machineKeys', 'userLinks', 'projects'),
    ...stepsOf('oidcApps', 'apiApps', 'appKeys', 'actions', 'projectRoles'),
  ],
  stepsOf('triggerActions', 'projectGrants', 'userGrants'),
  stepsOf('orgMembers', 'projectGrantMembers', 'projectMembers'),
];
