/**
 * Preflight: asks the service what would hinder an import, and reports it as notices. Is it reachable, does it accept the token,
 * what may the token do, are the organizations there and active, and which users already exist?
 */
import { note, warning, type Notify } from '../../notice.ts';
import type { Output } from '../../wire/message.ts';
import { ApiError } from '../../api/api-error.ts';
import { get, search, searchAll, searchPages, type Attempt, type Client } from '../../api/client.ts';
import { formatCounted, formatNames, nameWithId } from '../../lib/format.ts';
import { neededFor } from '../../api/permissions.ts';
import type { Emit } from '../../events.ts';
import { findTakenNames, listTaken, orRemoved } from './check-orgs.ts';
import { listPermissionsResponse, listUsersV2Response, type ListUsersV2Input } from '../../wire/user.ts';
import { type getOrgResponse, listOrgsResponse } from '../../wire/organization.ts';
import { noSuchOrg } from '../reconcile/look-up.ts';
import type { TargetOrg } from '../../records/resource.ts';
import type { PasswordPolicy } from '../../records/password-policy.ts';
import { getPasswordComplexityPolicyResponse } from '../../wire/org-policies.ts';
import { listUsableIdps } from '../resources/find.ts';
import { TextMarks } from '../../compact/key-table.ts';
import type { Event } from '../../wire/event.ts';
import { ownOrg } from '../reconcile/find-users.ts';
import { idOf, listEvents, userAdded } from '../reconcile/event-log.ts';
import { askUser } from './who-am-i.ts';

/** First calls of the two ways to import, and the call that exports. Those that create work even if no organization exists yet. */
const firstCalls = [
  { name: 'the bulk import', path: '/admin/v1/import', imports: true, creates: true },
  {
    name: 'the one-by-one import',
    path: '/management/v1/users/human/_import',
    imports: true,
    creates: false,
  },
  { name: 'the export', path: '/admin/v1/export', imports: false, creates: true },
];

/** Throws `ApiError` if the service does not answer or refuses the token, since nothing else can be asked then. */
export async function askService(client: Client, orgs: readonly TargetOrg[], emit: Emit) {
  /** Number of problems to fix before an import, reported as warnings. */
  let problems = 0;
  const notify: Notify = (notice) => {
    if (notice.level === 'warning') problems++;
    emit(notice);
  };

  await client.call({ method: 'GET', path: '/admin/v1/healthz', anonymous: true });
  const { user } = await askUser(client);
  notify(
    note(
      'target:reached',
      `${client.url} answers; the token belongs to ${user?.preferredLoginName || user?.userName || 'a user'}`,
    ),
  );

  const answers: [TargetOrg, Attempt<OrgAnswer>][] = [];
  for (const org of orgs) answers.push([org, await client.attempt(ownOrg(org.orgId))]);
  // No user has permissions in an organization that does not exist.
  const there = answers.find(([, answer]) => !isMissing(answer))?.[0].orgId;
  const permissions = await askPermissions(client, there);
  const usable = firstCalls.filter(({ creates }) => creates || there !== undefined || orgs.length === 0);
  reportAllowed(permissions, usable, notify);
  reportOrgs(answers, notify);
  if (permissions.has('iam.read')) await reportTaken(client, answers, notify);
  await askLogin(client, there, notify);
  const orgIds = orgs.map(({ orgId }) => orgId);
  /** Primary domains of other organizations. User names that end in one are refused. */
  const others = permissions.has('iam.read')
    ? await searchAll(client, '/admin/v1/orgs/_search', listOrgsResponse).catch(ignoreApiError)
    : [];
  const foreignDomains = (others ?? [])
    .filter(({ id }) => !orgIds.includes(id))
    .map(({ primaryDomain }) => primaryDomain.toLowerCase())
    .filter((domain) => domain !== '');
  return { problems, foreignDomains };
}

async function askPermissions(client: Client, org: string | undefined) {
  const attempt = await client.attempt(
    search('/auth/v1/permissions/zitadel/me/_search', {}, listPermissionsResponse, { org }),
  );
  // Without a membership in the organization there is no permission either, and the answer about it says why.
  return new Set(attempt.ok ? attempt.value.result : []);
}

/** Reports which of the calls the token may use. One way to import is enough. */
function reportAllowed(permissions: ReadonlySet<string>, usable: typeof firstCalls, notify: Notify) {
  const ways = usable.filter(({ path }) => permissions.has(neededFor(path)?.permission ?? ''));
  const none = !ways.some(({ imports }) => imports);
  for (const { name, path, imports } of usable) {
    const need = neededFor(path);
    if (need === undefined) continue;
    const { permission, roles, where } = need;
    if (permissions.has(permission)) {
      notify(note('target:allowed', `the token may use ${name} (${permission})`));
      continue;
    }
    const text = `the token may not use ${name}: ${permission} is missing; ${roles} has it, ${where}`;
    notify((none && imports ? warning : note)('target:not-allowed', text));
  }
}

type OrgAnswer = Output<typeof getOrgResponse>;

const isMissing = (answer: Attempt<OrgAnswer>) =>
  answer.ok ? orRemoved(answer.value.org) === 'removed' : answer.error.id === noSuchOrg;

type OrgAnswers = readonly (readonly [TargetOrg, Attempt<OrgAnswer>])[];

function reportOrgs(answers: OrgAnswers, notify: Notify) {
  const code = 'target:organization';
  const active: string[] = [];
  const created: string[] = [];
  for (const [{ orgId: id, name, isInactive }, answer] of answers) {
    if (isMissing(answer) && name !== '') created.push(nameWithId(name, id));
    else if (!answer.ok) notify(warning(code, `organization ${id}: ${answer.error.message}`));
    else if (answer.value.org?.state === 'ORG_STATE_ACTIVE') active.push(`${id} is ${answer.value.org.name}`);
    else
      notify(
        (isInactive ? note : warning)(code, `organization ${id} is not active: its users cannot log in`),
      );
  }
  const them = formatCounted(created.length, 'organization is', 'organizations are');
  if (created.length > 0)
    notify(note(code, `${them} not there, and the import creates: ${formatNames(created)}`));
  if (active.length === 1) notify(note(code, `organization ${active[0]}, active`));
  if (active.length > 1)
    notify(note(code, `${active.length} organizations are active: ${formatNames(active)}`));
}

/** Warns of organizations that the import would create under a taken name. */
async function reportTaken(client: Client, answers: OrgAnswers, notify: Notify) {
  const created = answers.filter(([, answer]) => isMissing(answer)).map(([org]) => org);
  const taken = await findTakenNames(client, created);
  if (taken.length === 0) return;
  const text = `the target has another organization named ${listTaken(taken)}: convert again with its id in the file of --org-map`;
  notify(warning('target:organization', text));
}

/**
 * Warns if the login policy does not allow passwords, which locks out users who have nothing else. Servers without this call are
 * ignored.
 */
async function askLogin(client: Client, org: string | undefined, notify: Notify) {
  const answer = { parse: (value: unknown) => value as { policy?: { allowUsernamePassword?: boolean } } };
  const attempt = await client.attempt(get('/management/v1/policies/login', answer, { org }));
  const policy = attempt.ok ? attempt.value.policy : undefined;
  if (policy !== undefined && !policy.allowUsernamePassword) {
    notify(
      warning(
        'target:login-policy',
        'the login policy does not allow passwords: imported hashes cannot be used',
      ),
    );
  }
}

/**
 * Yields all users that the token may see, or those that the queries choose. Oldest first, so that users who are added meanwhile
 * come last and none is missed.
 */
export async function* listUsers(client: Client, queries?: ListUsersV2Input['queries']) {
  const body = { sortingColumn: 'USER_FIELD_NAME_CREATION_DATE', queries };
  for await (const { result } of searchPages(client, '/v2/users', listUsersV2Response, { body })) {
    if (result.length > 0) {
      yield result.map(({ userId, username, details }) => ({
        id: userId,
        userName: username,
        orgId: details?.resourceOwner,
      }));
    }
  }
}

/** Returns the organizations that cannot use an identity provider, by its id. Undefined if the token may not list all. */
export const askProviders = (client: Client, orgIds: readonly string[]) =>
  listUsableIdps(client, orgIds).catch(ignoreApiError);

function ignoreApiError(error: unknown): undefined {
  if (!(error instanceof ApiError)) throw error;
}

/** Returns the policy of each organization, or none if the token may not read one of them. */
export async function askPasswordPolicies(client: Client, orgIds: readonly string[]) {
  const policies: PasswordPolicy[] = [];
  for (const org of orgIds) {
    const path = '/management/v1/policies/password/complexity';
    const end = await client.attempt(get(path, getPasswordComplexityPolicyResponse, { org }));
    if (!end.ok || end.value.policy === undefined) return [];
    policies.push(end.value.policy);
  }
  return policies;
}

/**
 * Yields ids of users of removed organizations, which stay taken, in pages. Throws `ApiError`, also if the token may not read
 * events.
 */
export async function* listTakenIds(client: Client) {
  for await (const orgs of listEvents(client, { eventTypes: ['org.removed'] })) {
    for (const org of orgs) yield* takenIn(client, idOf(org));
  }
}

async function* takenIn(client: Client, resourceOwner: string) {
  const seen = new TextMarks();
  const isNew = (event: Event) => seen.add(idOf(event)) === -1;
  // The id of a user that was deleted before the organization is free.
  for await (const events of listEvents(client, { eventTypes: ['user.removed'], resourceOwner })) {
    events.forEach(isNew);
  }
  for await (const events of listEvents(client, { eventTypes: userAdded, resourceOwner })) {
    yield events.filter(isNew).map(idOf);
  }
}
